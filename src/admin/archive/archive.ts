import { access } from 'node:fs/promises';
import path from 'node:path';
import type { Db } from '../../db/client.ts';
import { areVerdictsUnsure } from '../../engine/index.ts';
import type { AdminContext } from '../open.ts';
import { list } from '../report.ts';
import type { Report } from '../report.ts';
import { exportFinished } from './export.ts';
import { verifyArchive } from './file.ts';
import type { ArchiveHeader, VerifiedArchive } from './file.ts';
import type { ReachArchivePoint } from './points.ts';
import { removeArchived } from './remove.ts';
import type { Removed } from './remove.ts';
import { alone, findArchive, findPending, noteDeleted, noteArchive, readChain, readLatest } from './store.ts';

/**
 * Whatever refers to a finished intent by its id is over by then: the answer under its Idempotency-Key (24 hours), the
 * day of its gas, the month of its quota but for its sum, and the messages to webhooks that tell of it (30 days).
 */
export const MIN_AGE_DAYS = 30;

/** What to archive, and where to. */
interface ArchiveOrder {
  /** What was final before the beginning of this day. */
  before: Date;
  file: string;
}

/**
 * Moves finished intents with their transactions into a file. It may be killed anywhere: the same command
 * goes on from there.
 */
export async function archive({ db }: AdminContext, order: ArchiveOrder): Promise<Report> {
  const { archived, removed } = await archiveFinished(db, order, () => undefined);
  const before = order.before.toISOString();
  if (!archived)
    return {
      json: { before, file: null, archive: null, removed },
      text: `Nothing was finished before ${before}.`,
    };
  const file = path.resolve(order.file);
  const { sha256, intents, transactions, attempts } = archived;
  return {
    json: {
      before,
      file,
      archive: { sha256, intents, transactions, attempts },
      removed,
    },
    text: list([
      ['file', file],
      ['SHA-256', sha256],
      ['finished before', before],
      ['intents in it', intents],
      ['transactions', transactions],
      ['attempts', attempts],
      ['intents deleted now', removed.intents],
      ['transactions deleted now', removed.transactions],
      ['changed since, and kept', removed.changed],
    ]),
  };
}

/** What is in the file, null when there was nothing to put into it; and what was deleted now. */
interface Outcome {
  archived: VerifiedArchive | null;
  removed: Removed;
}

/** @param reach is told how far it is; for tests, which end the process there */
export async function archiveFinished(
  db: Db,
  { before, file: name }: ArchiveOrder,
  reach: ReachArchivePoint,
): Promise<Outcome> {
  await checkAge(db, before);
  const file = path.resolve(name);
  const header = { ...(await readChain(db)), before: before.toISOString() };
  return alone(db, async () => {
    if (await areVerdictsUnsure(db))
      throw new Error(
        'The database lacks commits, or a deep reorg is not resolved: nothing counts as final until "recover" was run',
      );
    await finishPending(db, file, { header, reach });
    const found = (await exists(file)) ? await continueWith(db, file, header) : null;
    if (found?.isDone) return { archived: found.archived, removed: NOTHING_REMOVED };
    const archived = found?.archived ?? (await exportFinished(db, file, { header, reach }));
    if (archived) {
      reach('exported');
      await noteArchive(db, file, archived);
      reach('noted');
    }
    const removed = archived ? await removeArchived(db, file, reach) : NOTHING_REMOVED;
    reach('deleted-all');
    await noteDeleted(db);
    return { archived, removed };
  });
}

const NOTHING_REMOVED: Removed = { intents: 0, transactions: 0, changed: 0 };

async function checkAge(db: Db, before: Date): Promise<void> {
  const latest = await readLatest(db, MIN_AGE_DAYS);
  if (before <= latest) return;
  throw new Error(
    `What was finished less than ${MIN_AGE_DAYS} days ago is not archived: give ${latest.toISOString().slice(0, 10)} or an earlier day`,
  );
}

/**
 * One archive after the other: what is in the file of one is not written into another's. Ends the deletion of one that
 * was interrupted, unless it is the one that is asked for.
 */
async function finishPending(
  db: Db,
  file: string,
  { header, reach }: { header: ArchiveHeader; reach: ReachArchivePoint },
): Promise<void> {
  const pending = await findPending(db);
  const before = pending?.before.toISOString();
  if (!pending || !before || (pending.file === file && before === header.before)) return;
  if (!(await exists(pending.file)))
    throw new Error(
      `The archive ${pending.file} is not finished, and not on this machine: run "archive --before ${before.slice(0, 10)} --to ${pending.file}" where it is, or here if it is lost`,
    );
  await continueWith(db, pending.file, { ...header, before });
  await removeArchived(db, pending.file, reach);
  await noteDeleted(db);
}

/** A file that is there already: of an earlier process that ended before its work did, or all of it was deleted. */
async function continueWith(
  db: Db,
  file: string,
  header: ArchiveHeader,
): Promise<{ archived: VerifiedArchive; isDone: boolean }> {
  const archived = await verifyArchive(file);
  for (const name of ['chainId', 'genesisHash', 'before'] as const) {
    if (archived[name] !== header[name])
      throw new Error(
        `${file} is another archive, of ${name} ${archived[name]}: give another name with --to`,
      );
  }
  const noted = await findArchive(db, file);
  const isNoted = noted?.sha256 === archived.sha256;
  // One that is done was moved away, and left its name to an archive that was interrupted before it was noted.
  if (noted && !noted.isDone && !isNoted)
    throw new Error(
      `${file} is not what was noted of it: its SHA-256 was ${noted.sha256}. Bring that file back`,
    );
  return { archived, isDone: isNoted && noted.isDone };
}

async function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}
