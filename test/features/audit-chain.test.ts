import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { byAccount, recordAudit } from '../../src/db/audit.ts';
import { query } from '../../src/db/client.ts';
import type { Tx } from '../../src/db/client.ts';
import type { Sealed } from '../../src/features/audit/chain.ts';
import { createSealer } from '../../src/features/audit/seal.ts';
import { verifyAudit } from '../../src/features/audit/verify.ts';
import { useSuiteDatabase } from '../setup/suite-database.ts';

const { db } = useSuiteDatabase(6);
const ORIGIN = { credentialId: randomUUID(), address: '203.0.113.7', userAgent: 'a "quoted" ünicode agent' };

const sql = <Row>(text: string, bindings: Record<string, unknown> = {}) => query<Row>(db, text, bindings);
/** What a thief with the rights of the database's owner does: the triggers hold no longer. */
async function tamper(text: string): Promise<void> {
  await db.transaction(async (tx) => {
    await query(tx, `set local session_replication_role = replica`);
    await query(tx, text);
  });
}
const entry = (index: number) =>
  byAccount('sign_in', randomUUID(), ORIGIN, { index, nested: { b: 1, a: [2] } });
const write = (count: number, tx: Tx | typeof db = db) =>
  recordAudit(
    tx,
    Array.from({ length: count }, (_, index) => entry(index)),
  );

let clock = 0;
async function sealAll(sealer = createSealer(db, () => clock)): Promise<void> {
  while (await sealer.seal());
}
const faultsOf = async (expected: Sealed | null = null): Promise<string[]> =>
  (await verifyAudit(db, expected)).faults;

beforeEach(async () => {
  await tamper('truncate audit_entries, audit_seals restart identity');
  await sql(`update audit_head set number = 0, hash = decode(repeat('00', 32), 'hex')`);
  clock = 0;
});

describe('sealing', () => {
  test('links every entry to the one before it, in batches', async () => {
    await write(2_500);
    const sealer = createSealer(db);
    expect([await sealer.seal(), await sealer.seal(), await sealer.seal(), await sealer.seal()]).toEqual([
      true,
      true,
      false,
      false,
    ]);
    await write(3);
    const { sealed, unsealed, head, faults } = await verifyAudit(db);
    expect({ sealed, unsealed, number: head.number, faults }).toEqual({
      sealed: 2_500,
      unsealed: 3,
      number: 2_500n,
      faults: [],
    });
  });

  test('is done by one process at a time', async () => {
    await write(900);
    const sealers = Array.from({ length: 5 }, () => createSealer(db));
    for (let round = 0; round < 4; round += 1) {
      await Promise.all([...sealers.map((sealer) => sealer.seal()), write(10)]);
    }
    await sealAll();
    expect(await verifyAudit(db)).toMatchObject({ sealed: 940, unsealed: 0, faults: [] });
  });

  test('waits for an open transaction that has a number already, and makes no other write wait', async () => {
    await write(2);
    const open = await db.transaction();
    await write(1, open);
    await write(2);
    const sealer = createSealer(db, () => clock);
    const sealed = async (): Promise<number> => {
      await sealAll(sealer);
      return (await verifyAudit(db)).sealed;
    };
    expect(await sealed()).toBe(2);
    clock += 60_000;
    expect(await sealed()).toBe(2);
    await open.commit();
    expect(await sealed()).toBe(5);
    expect(await faultsOf()).toEqual([]);
  });

  test('passes the number of a transaction that failed, after a while', async () => {
    await write(1);
    const failed = await db.transaction();
    await write(3, failed);
    await failed.rollback();
    await write(1);
    const sealer = createSealer(db, () => clock);
    await sealAll(sealer);
    clock += 4_999;
    await sealAll(sealer);
    expect((await verifyAudit(db)).head.number).toBe(1n);
    clock += 1;
    // The transactions of other suites count too: those that were open at the first look have to end.
    for (let look = 0; look < 600 && (await verifyAudit(db)).unsealed > 0; look += 1) {
      await sealAll(sealer);
      await sleep(50);
    }
    expect(await verifyAudit(db)).toMatchObject({ sealed: 2, unsealed: 0, head: { number: 5n }, faults: [] });
  });
});

test.each([
  ['audit_entries', 'actor'],
  ['audit_seals', 'hash'],
])('the database refuses to change or delete %s', async (table, column) => {
  await write(1);
  await sealAll();
  for (const statement of [
    `update ${table} set ${column} = ${column}`,
    `delete from ${table}`,
    `truncate ${table} cascade`,
  ]) {
    await expect(sql(statement)).rejects.toThrow('the audit log is append-only');
  }
});

describe('verifying finds', () => {
  const change = 'Entry 3, or what came before it, was changed: its hash does not fit.';
  test.each([
    ['a changed address', `update audit_entries set address = '192.0.2.1' where number = 3`, [change]],
    [
      'a changed time',
      `update audit_entries set created_at = created_at + interval '1 microsecond' where number = 3`,
      [change],
    ],
    [
      'changed details',
      `update audit_entries set details = details || '{"index":9}' where number = 3`,
      [change],
    ],
    [
      'a changed account',
      `update audit_entries set account_id = gen_random_uuid() where number = 3`,
      [change],
    ],
    [
      'a removed entry',
      'delete from audit_entries where number = 3',
      ['Entry 3 was removed: only its seal is left.'],
    ],
    [
      'an entry that was removed with its seal',
      'delete from audit_entries where number = 3; delete from audit_seals where number = 3',
      [change.replace('3', '4')],
    ],
    [
      'an entry that was added later',
      `delete from audit_entries where number = 3; delete from audit_seals where number = 3;
       insert into audit_entries (number, actor, action, details) overriding system value
       values (3, 'account', 'sign_in', '{}')`,
      ['Entry 3 has no seal: it was added later, or its seal was removed.', change.replace('3', '4')],
    ],
    [
      'a chain that was cut short',
      'delete from audit_entries where number > 4; delete from audit_seals where number > 4',
      ['The chain ends at entry 4, and not at 6 as was noted.'],
    ],
  ])('%s', async (_case, statement, faults) => {
    await write(6);
    await sealAll();
    expect(await faultsOf()).toEqual([]);
    for (const each of statement.split(';')) await tamper(each);
    expect(await faultsOf()).toEqual(faults);
  });

  test('a chain that was made anew, by an end that was noted elsewhere', async () => {
    await write(6);
    await sealAll();
    const { head } = await verifyAudit(db);
    await write(2);
    await sealAll();
    expect(await faultsOf(head)).toEqual([]);
    await tamper(`update audit_entries set address = '192.0.2.1' where number = 3`);
    await tamper('truncate audit_seals');
    await sql(`update audit_head set number = 0, hash = decode(repeat('00', 32), 'hex')`);
    await sealAll();
    expect(await faultsOf()).toEqual([]);
    expect(await faultsOf(head)).toEqual(['The chain has no entry 6 of that hash: it was made anew.']);
  });
});
