import { expect, test } from '@jest/globals';
import { recordAudit } from '../../src/db/audit.ts';
import { createDb, query } from '../../src/db/client.ts';
import type { Db } from '../../src/db/client.ts';
import { migrate } from '../../src/db/migrate.ts';
import { sealRuns } from '../../src/db/migrations/012-seal-runs.ts';
import { release } from '../../src/db/release.ts';
import { link } from '../../src/features/audit/chain.ts';
import { createSealer } from '../../src/features/audit/seal.ts';
import { listAll, readAfter } from '../../src/features/audit/store.ts';
import { verifyAudit } from '../../src/features/audit/verify.ts';
import { createEmptyDatabase } from '../../lab/stage/database.ts';

const NO_HEAD = { number: 0n, hash: Buffer.alloc(32) };
// What the code reads entries by is younger.
const before = release.migrations.filter((migration) => migration !== sealRuns);

const write = (db: Db, count: number) =>
  recordAudit(
    db,
    Array.from({ length: count }, () => ({
      action: 'admin_command',
      actor: 'operator',
      accountId: null,
      origin: null,
      details: {},
    })),
  );

/** As the release before: a row for each seal. */
async function sealSingly(db: Db): Promise<void> {
  const seals = link(NO_HEAD, await readAfter(db, 0n, 1_000));
  await query(
    db,
    `with sealed as (insert into audit_seals (number, hash) select * from unnest(:numbers::bigint[], :hashes::bytea[]))
     update audit_head set number = :number, hash = :hash`,
    {
      numbers: seals.map(({ number }) => String(number)),
      hashes: seals.map(({ hash }) => hash),
      number: String(seals.at(-1)!.number),
      hash: seals.at(-1)!.hash,
    },
  );
}

test('seals of before stay, are shown and verified, and the chain goes on behind them', async () => {
  await using database = await createEmptyDatabase();
  await using db = createDb(database.url, 2);
  await migrate(database.url, { release: { ...release, migrations: before } });
  await write(db, 100);
  await sealSingly(db);
  await write(db, 50);
  await migrate(database.url);

  const hashes = link(NO_HEAD, await readAfter(db, 0n, 200)).map(({ hash }) => hash);
  const shown = async () =>
    (await listAll(db, { before: null, limit: 200 })).map(({ hash }) => hash).reverse();
  expect(await verifyAudit(db)).toMatchObject({ sealed: 100, unsealed: 50, faults: [] });
  expect(await shown()).toEqual([...hashes.slice(0, 100), ...Array.from({ length: 50 }, () => null)]);

  await createSealer(db).seal();
  expect(await verifyAudit(db)).toMatchObject({ sealed: 150, unsealed: 0, faults: [] });
  expect(await shown()).toEqual(hashes);
  expect(await query(db, 'select count(*)::int as rows from audit_seals')).toEqual([{ rows: 102 }]);
});

test('a seal that was tampered with before is found afterwards', async () => {
  await using database = await createEmptyDatabase();
  await using db = createDb(database.url, 2);
  await migrate(database.url, { release: { ...release, migrations: before } });
  await write(db, 5);
  await sealSingly(db);
  await db.transaction(async (tx) => {
    await query(tx, 'set local session_replication_role = replica');
    await query(tx, 'delete from audit_seals where number = 2');
    await query(tx, `update audit_seals set hash = sha256('x') where number = 5`);
  });
  await migrate(database.url);
  const { faults } = await verifyAudit(db);
  expect(faults).toEqual([
    'Entry 2 has no seal: it was added later, or its seal was removed.',
    'Entry 3, or what came before it, was changed: its hash does not fit.',
    'Entry 5, or what came before it, was changed: its hash does not fit.',
    expect.stringMatching(/^The chain ends at entry 5, and not at 5 /),
  ]);
});
