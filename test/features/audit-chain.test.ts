import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { byAccount, recordAudit } from '../../src/db/audit.ts';
import { query } from '../../src/db/client.ts';
import type { Tx } from '../../src/db/client.ts';
import { link, sealsOf, toRuns } from '../../src/features/audit/chain.ts';
import type { Sealed } from '../../src/features/audit/chain.ts';
import { createSealer } from '../../src/features/audit/seal.ts';
import type { Sealer } from '../../src/features/audit/seal.ts';
import { listAll, readAfter } from '../../src/features/audit/store.ts';
import { verifyAudit } from '../../src/features/audit/verify.ts';
import { toHex } from '../../src/lib/hex.ts';
import { emptyAuditLog, sealAll, tamper } from '../setup/audit.ts';
import { useSuiteDatabase } from '../setup/suite-database.ts';

const { db } = useSuiteDatabase(6);
const ORIGIN = { credentialId: randomUUID(), address: '203.0.113.7', userAgent: 'a "quoted" ünicode agent' };

const sql = <Row>(text: string, bindings: Record<string, unknown> = {}) => query<Row>(db, text, bindings);
const entry = (index: number) =>
  byAccount('sign_in', randomUUID(), ORIGIN, { index, nested: { b: 1, a: [2] } });
const write = (count: number, tx: Tx | typeof db = db) =>
  recordAudit(
    tx,
    Array.from({ length: count }, (_, index) => entry(index)),
  );

let clock = 0;
const sealAtClock = (sealer = createSealer(db, () => clock)) => sealAll(db, sealer);
/** The transactions of other suites count too: those that were open at the first look have to end. */
async function sealPastGap(sealer: Sealer): Promise<void> {
  for (let look = 0; look < 600 && (await verifyAudit(db)).unsealed > 0; look += 1) {
    await sealAtClock(sealer);
    await sleep(50);
  }
}
const faultsOf = async (expected: Sealed | null = null): Promise<string[]> =>
  (await verifyAudit(db, expected)).faults;

beforeEach(async () => {
  await emptyAuditLog(db);
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

  test('puts up to 40 entries into a row, and begins another one at a gap', async () => {
    const seal = (number: number): Sealed => ({
      number: BigInt(number),
      hash: toHex(Buffer.alloc(32, number)),
    });
    const seals = [
      ...Array.from({ length: 85 }, (_, index) => seal(index + 1)),
      seal(87),
      seal(88),
      seal(90),
    ];
    const runs = toRuns(seals);
    expect(runs.map(({ first, hashes }) => [Number(first), (hashes.length - 2) / 64])).toEqual([
      [1, 40],
      [41, 40],
      [81, 5],
      [87, 2],
      [90, 1],
    ]);
    expect(runs.flatMap(sealsOf)).toEqual(seals);
    expect(toRuns([])).toEqual([]);

    await write(85);
    await sealAtClock();
    const rows = await sql('select first, octet_length(hashes) / 32 as count from audit_seals order by 1');
    expect(rows).toEqual([
      { first: 1n, count: 40 },
      { first: 41n, count: 40 },
      { first: 81n, count: 5 },
    ]);
  });

  test('gives each entry its own hash, which lists show, and none before', async () => {
    await write(3);
    await sealAtClock();
    await write(50);
    // It leaves a gap before the last ones.
    await tamper(db, 'delete from audit_entries where number = 50');
    const head = { number: 0n, hash: toHex(Buffer.alloc(32)) };
    const hashes = new Map(
      link(head, await readAfter(db, 0n, 100)).map(({ number, hash }) => [number, hash]),
    );
    const shown = async () =>
      new Map((await listAll(db, { before: null, limit: 100 })).map(({ number, hash }) => [number, hash]));
    expect(await shown()).toEqual(
      new Map([...hashes].map(([number, hash]) => [number, number > 3n ? null : hash])),
    );
    const sealer = createSealer(db, () => clock);
    await sealAtClock(sealer);
    clock += 5_000;
    await sealPastGap(sealer);
    expect(await shown()).toEqual(hashes);
    await tamper(
      db,
      `insert into audit_entries (number, actor, action, details) overriding system value
      values (50, 'account', 'sign_in', '{}')`,
    );
    expect(await shown()).toEqual(new Map([...hashes, [50n, null]]));
  });

  test('is verified across the rows of seals, wherever a page of entries ends', async () => {
    // 5,000 entries are a page: the row of its last one goes on.
    await write(7);
    await sealAtClock();
    await write(5_040);
    await sealAtClock();
    expect(await verifyAudit(db)).toMatchObject({ sealed: 5_047, unsealed: 0, faults: [] });
  });

  test('is done by one process at a time', async () => {
    await write(900);
    const sealers = Array.from({ length: 5 }, () => createSealer(db));
    for (let round = 0; round < 4; round += 1) {
      await Promise.all([...sealers.map((sealer) => sealer.seal()), write(10)]);
    }
    await sealAtClock();
    expect(await verifyAudit(db)).toMatchObject({ sealed: 940, unsealed: 0, faults: [] });
  });

  test('waits for an open transaction that has a number already, and makes no other write wait', async () => {
    await write(2);
    const open = await db.transaction();
    await write(1, open);
    await write(2);
    const sealer = createSealer(db, () => clock);
    const sealed = async (): Promise<number> => {
      await sealAtClock(sealer);
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
    await sealAtClock(sealer);
    clock += 4_999;
    await sealAtClock(sealer);
    expect((await verifyAudit(db)).head.number).toBe(1n);
    clock += 1;
    await sealPastGap(sealer);
    expect(await verifyAudit(db)).toMatchObject({ sealed: 2, unsealed: 0, head: { number: 5n }, faults: [] });
  });
});

test.each([
  ['audit_entries', 'actor'],
  ['audit_seals', 'hashes'],
])('the database refuses to change or delete %s', async (table, column) => {
  await write(1);
  await sealAtClock();
  for (const statement of [
    `update ${table} set ${column} = ${column}`,
    `delete from ${table}`,
    `truncate ${table} cascade`,
  ]) {
    await expect(sql(statement)).rejects.toThrow('the audit log is append-only');
  }
});

test.each([
  ['none', 0],
  ['31 bytes', 31],
  ['a part of a hash', 33],
  ['41 hashes', 41 * 32],
])('the database refuses a row of seals with %s', async (_case, bytes) => {
  const insert = (length: number) =>
    sql('insert into audit_seals (first, hashes) values (1, :hashes)', { hashes: Buffer.alloc(length) });
  await expect(insert(bytes)).rejects.toThrow('audit_seals_hashes_check');
  await insert(40 * 32);
});

describe('verifying finds', () => {
  /** What is left when the run of six loses its third seal: two runs with a gap between them. */
  const dropSeal = `insert into audit_seals (first, hashes) select 4, substring(hashes from 97) from audit_seals where first = 1;
    update audit_seals set hashes = substring(hashes for 64) where first = 1`;
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
      `delete from audit_entries where number = 3; ${dropSeal}`,
      [change.replace('3', '4')],
    ],
    [
      'an entry that was added later',
      `delete from audit_entries where number = 3; ${dropSeal};
       insert into audit_entries (number, actor, action, details) overriding system value
       values (3, 'account', 'sign_in', '{}')`,
      ['Entry 3 has no seal: it was added later, or its seal was removed.', change.replace('3', '4')],
    ],
    [
      'a chain that was cut short',
      'delete from audit_entries where number > 4; update audit_seals set hashes = substring(hashes for 128)',
      ['The chain ends at entry 4, and not at 6 as was noted.'],
    ],
    [
      "two entries in each other's place",
      `update audit_entries e set account_id = o.account_id, details = o.details from audit_entries o
        where e.number in (3, 4) and o.number = 7 - e.number`,
      [change, change.replace('3', '4')],
    ],
    [
      "two seals in each other's place",
      `update audit_seals set hashes =
         overlay(overlay(hashes placing substring(hashes from 97 for 32) from 65) placing substring(hashes from 65 for 32) from 97)`,
      [change, change.replace('3', '4'), change.replace('3', '5')],
    ],
    [
      'a changed seal',
      'update audit_seals set hashes = set_byte(hashes, 64, get_byte(hashes, 64) # 1)',
      [change, change.replace('3', '4')],
    ],
    [
      'seals that were removed',
      'delete from audit_seals',
      [
        ...[1, 2, 3, 4, 5, 6].map(
          (number) => `Entry ${number} has no seal: it was added later, or its seal was removed.`,
        ),
        'The chain ends at entry 0, and not at 6 as was noted.',
      ],
    ],
    [
      'the last seal that was removed',
      'update audit_seals set hashes = substring(hashes for 160)',
      [
        'Entry 6 has no seal: it was added later, or its seal was removed.',
        'The chain ends at entry 5, and not at 6 as was noted.',
      ],
    ],
    [
      'a seal that was added beside another one',
      `insert into audit_seals (first, hashes) values (3, sha256('x'))`,
      ['Entry 3 has two seals: one was added later.', change, change.replace('3', '4')],
    ],
  ])('%s', async (_case, statement, faults) => {
    await write(6);
    await sealAtClock();
    expect(await faultsOf()).toEqual([]);
    for (const each of statement.split(';')) await tamper(db, each);
    expect(await faultsOf()).toEqual(faults);
  });

  test('a chain that was made anew, by an end that was noted elsewhere', async () => {
    await write(6);
    await sealAtClock();
    const { head } = await verifyAudit(db);
    await write(2);
    await sealAtClock();
    expect(await faultsOf(head)).toEqual([]);
    await tamper(db, `update audit_entries set address = '192.0.2.1' where number = 3`);
    await tamper(db, 'truncate audit_seals');
    await sql(`update audit_head set number = 0, hash = decode(repeat('00', 32), 'hex')`);
    await sealAtClock();
    expect(await faultsOf()).toEqual([]);
    expect(await faultsOf(head)).toEqual(['The chain has no entry 6 of that hash: it was made anew.']);
  });
});
