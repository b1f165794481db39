import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { byAccount, recordAudit } from '../../src/db/audit.ts';
import { query } from '../../src/db/client.ts';
import { createAuditClosing } from '../../src/features/audit/close.ts';
import { listAll } from '../../src/features/audit/store.ts';
import { verifyAudit } from '../../src/features/audit/verify.ts';
import { emptyAuditLog, sealAll, tamper } from '../setup/audit.ts';
import { useSuiteDatabase } from '../setup/suite-database.ts';

const DAYS = 30;
const { db } = useSuiteDatabase(6);
const { signal } = new AbortController();
const close = createAuditClosing(db, DAYS);
const sql = <Row>(text: string) => query<Row>(db, text);
const faults = async (expected: Parameters<typeof verifyAudit>[1] = null) =>
  (await verifyAudit(db, expected)).faults;

/** Sealed entries of so many days ago. */
async function write(count: number, daysAgo: number): Promise<void> {
  const accountId = randomUUID();
  const origin = { credentialId: randomUUID(), address: '203.0.113.7', userAgent: null };
  await recordAudit(
    db,
    Array.from({ length: count }, (_, index) => byAccount('sign_in', accountId, origin, { index })),
  );
  await tamper(
    db,
    `update audit_entries set created_at = now() - ${daysAgo} * interval '1 day' where account_id = '${accountId}'`,
  );
  await sealAll(db);
}

beforeEach(() => emptyAuditLog(db));

describe('the clean-up of the audit log', () => {
  test('deletes old entries, and the chain that is left fits', async () => {
    await write(1_000, DAYS + 2);
    const noted = (await verifyAudit(db)).head;
    await write(100, DAYS - 1);
    expect(await close(signal)).toBeGreaterThanOrEqual(1_000 - 64);
    await sealAll(db);
    const { sealed, closedUpTo, unsealed, faults: found } = await verifyAudit(db);
    expect(found).toEqual([]);
    // Whoever may write to the database can write such an entry, too: a person is told of it.
    expect(closedUpTo).toBeGreaterThanOrEqual(1_000n - 64n);
    expect(closedUpTo).toBeLessThanOrEqual(1_000n);
    const [newest, ...others] = await listAll(db, { before: null, limit: 1_000 });
    expect(newest).toMatchObject({ action: 'audit_closed', actor: 'operator', accountId: null });
    expect(others.length + 1).toBe(sealed + unsealed);
    // All of it is there that is younger, or shares its numbers' block with it.
    expect(others.length).toBeGreaterThanOrEqual(100);
    expect(others.length).toBeLessThan(100 + 64);
    // A thousand had 25 rows.
    expect((await sql('select 1 from audit_seals')).length).toBeLessThan(10);
    expect(await close(signal)).toBe(0);
    expect(await faults((await verifyAudit(db)).head)).toEqual([]);
    const [first] = others.slice(-1);
    if (noted.number < first!.number)
      expect(await faults(noted)).toEqual([expect.stringMatching(/^Entry 1000 was closed/)]);
  });

  test('is no fault for whoever verifies meanwhile', async () => {
    await write(1_000, DAYS + 2);
    await write(100, 0);
    const client = db.client as { acquireConnection(): Promise<object> };
    const acquire = client.acquireConnection.bind(client);
    let statements = 0;
    client.acquireConnection = async () => {
      statements += 1;
      // Where the chain begins was read before, and its entries are not yet.
      if (statements === 3) expect(await close(signal)).toBeGreaterThan(0);
      return acquire();
    };
    const { faults: found } = await verifyAudit(db).finally(() => (client.acquireConnection = acquire));
    expect(found).toEqual([]);
    expect(statements).toBeGreaterThan(3);
  });

  test('waits until a day of entries is too old, so that closings are few', async () => {
    await write(500, DAYS + 0.5);
    expect(await close(signal)).toBe(0);
    expect(await createAuditClosing(db, null)(signal)).toBe(0);
    expect(await faults()).toEqual([]);
  });

  test('leaves what is not sealed', async () => {
    await write(200, DAYS + 2);
    await tamper(
      db,
      `update audit_head set number = 100, hash = (
      select substring(hashes from (32 * (100 - first) + 1)::int for 32) from audit_seals where first <= 100 order by first desc limit 1)`,
    );
    await close(signal);
    const [start] = await sql<{ number: bigint }>('select number from audit_start');
    expect(start!.number).toBeLessThanOrEqual(100n);
  });

  test.each([
    ['an entry', 'delete from audit_entries where number = 900'],
    ['a seal', 'delete from audit_seals where first > 800'],
    ['all entries', 'truncate audit_entries'],
    ['an entry that is changed', `update audit_entries set details = '{}'`],
  ])('lets nothing else go: %s', async (_case, statement) => {
    await write(1_000, DAYS + 2);
    await expect(sql(statement)).rejects.toThrow('the audit log is append-only');
  });

  test('does not hide what was removed, or comes back', async () => {
    await write(1_000, DAYS + 2);
    await write(100, 0);
    await tamper(
      db,
      `with at as (select 1024::bigint as number), s as (
         select substring(hashes from (32 * (1024 - first) + 1)::int for 32) as hash from audit_seals where first <= 1024
          order by first desc limit 1)
       update audit_start set number = 1024, hash = (select hash from s)`,
    );
    await tamper(db, 'delete from audit_entries where number <= 1024');
    await tamper(db, 'delete from audit_seals where first <= 984');
    expect(await faults()).toEqual([
      'The chain begins after entry 1024, and no entry tells of that: what came before was removed.',
    ]);
    await emptyAuditLog(db);
    await write(1_000, DAYS + 2);
    await write(100, 0);
    await close(signal);
    await sealAll(db);
    await sql(
      `insert into audit_entries (number, actor, action, details) overriding system value values (3, 'stranger', 'sign_in_failed', '{}')`,
    );
    expect(await faults()).toEqual([expect.stringContaining('one of them is there: it was added later')]);
  });
});
