import { query } from '../../db/client.ts';
import type { Db } from '../../db/client.ts';
import type { ArchiveHeader, VerifiedArchive } from './file.ts';

/** An archive as the database knows it. */
interface NotedArchive {
  file: string;
  before: Date;
  /** Of the file, hexadecimal. */
  sha256: string;
  /** Whether all of it that was finished is deleted here. */
  isDone: boolean;
}

/** The one whose deletion has not ended yet; undefined when there is none. */
export async function findPending(db: Db): Promise<NotedArchive | undefined> {
  const [archive] = await select(db, 'where deleted_at is null');
  return archive;
}

/** The last one with this name. */
export async function findArchive(db: Db, file: string): Promise<NotedArchive | undefined> {
  const [archive] = await select(db, 'where file = :file order by id desc limit 1', { file });
  return archive;
}

function select(db: Db, where: string, bindings: Record<string, string> = {}): Promise<NotedArchive[]> {
  return query<NotedArchive>(
    db,
    `select file, before, encode(sha256, 'hex') as sha256, deleted_at is not null as "isDone" from archives ${where}`,
    bindings,
  );
}

/**
 * Notes an archive before anything of it is deleted: processes that remember one of its intents then know why it is
 * missing. One that is pending gives way, since its file was made anew.
 */
export async function noteArchive(db: Db, file: string, archive: VerifiedArchive): Promise<void> {
  await query(
    db,
    `insert into archives (before, file, sha256, last_number) values (:before, :file, :sha256, :lastNumber)
         on conflict ((true)) where deleted_at is null do update
            set before = excluded.before, file = excluded.file, sha256 = excluded.sha256,
                last_number = greatest(archives.last_number, excluded.last_number)`,
    {
      before: archive.before,
      file,
      sha256: Buffer.from(archive.sha256, 'hex'),
      lastNumber: String(archive.lastNumber),
    },
  );
}

/** Everything of the pending archive is deleted. */
export async function noteDeleted(db: Db): Promise<void> {
  await query(db, 'update archives set deleted_at = now() where deleted_at is null');
}

/** Of which chain the rows are. */
export async function readChain(db: Db): Promise<Pick<ArchiveHeader, 'chainId' | 'genesisHash'>> {
  const [chain] = await query<Pick<ArchiveHeader, 'chainId' | 'genesisHash'>>(
    db,
    'select chain_id::text as "chainId", genesis_hash as "genesisHash" from chain',
  );
  if (!chain) throw new Error('The database belongs to no chain yet: there is nothing to archive');
  return chain;
}

/** The latest moment until which may be archived, by the database's clock. */
export async function readLatest(db: Db, days: number): Promise<Date> {
  const [row] = await query<{ latest: Date }>(db, `select now() - :days * interval '1 day' as latest`, {
    days,
  });
  return row!.latest;
}

/**
 * Runs `work` while no other archive is made, on whatever machine. The lock ends with its transaction, which asks
 * something now and then: one that is idle is ended by the server.
 */
export async function alone<Result>(db: Db, work: () => Promise<Result>): Promise<Result> {
  return db.transaction(async (tx) => {
    const [row] = await query<{ isFree: boolean }>(
      tx,
      `select pg_try_advisory_xact_lock(hashtext('mintmark archive')) as "isFree"`,
    );
    if (!row!.isFree) throw new Error('Another "archive" runs on this database: wait for its end');
    // Without the lock nothing is deleted twice either: should the connection break, the work goes on.
    const timer = setInterval(() => void query(tx, 'select 1').catch(() => clearInterval(timer)), 1_000);
    try {
      return await work();
    } finally {
      clearInterval(timer);
    }
  });
}
