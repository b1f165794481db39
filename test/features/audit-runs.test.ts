import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { byAccount, recordAudit, recordWrites } from '../../src/db/audit.ts';
import { query } from '../../src/db/client.ts';
import type { Page } from '../../src/lib/page.ts';
import { listAll, listOwn, readAfter } from '../../src/features/audit/store.ts';
import type { AuditRecord } from '../../src/features/audit/store.ts';
import { verifyAudit } from '../../src/features/audit/verify.ts';
import { inParallel } from '../../lab/load/load.ts';
import { createTestRandom } from '../../lab/random.ts';
import { emptyAuditLog, sealAll, tamper } from '../setup/audit.ts';
import { useSuiteDatabase } from '../setup/suite-database.ts';

/* Entries of writes that were accepted together share a row. */

const { db } = useSuiteDatabase(6);
const ORIGIN = { credentialId: null, address: '203.0.113.7', userAgent: null };
const ACCOUNTS = [randomUUID(), randomUUID(), randomUUID()] as const;

interface Row {
  number: bigint;
  accountId: string;
  numbers: bigint[] | null;
  intentIds: string[] | null;
  intentId: string | null;
}

async function rowsOf(): Promise<Row[]> {
  const rows = await query<Omit<Row, 'numbers'> & { numbers: string[] | null }>(
    db,
    `select number, account_id as "accountId", numbers, intent_ids as "intentIds", intent_id as "intentId"
       from audit_entries order by number`,
  );
  return rows.map((row) => ({ ...row, numbers: row.numbers && row.numbers.map(BigInt) }));
}

/** Of all entries, the oldest first. */
const numbersIn = (rows: readonly Row[]): bigint[] =>
  rows.flatMap((row) => row.numbers ?? [row.number]).sort((one, other) => Number(one - other));

beforeEach(() => emptyAuditLog(db));

interface Write {
  id: string;
  accountId: string;
  kind?: string;
}

/** Writes that are accepted together. */
const accept = (writes: readonly Write[]) =>
  query(
    db,
    recordWrites(`(
      select u.*, 'live' as environment, null::uuid as credential_id, '203.0.113.7' as address, 'shop/1.4' as user_agent
        from unnest(:ids::uuid[], :accountIds::uuid[], :kinds::text[]) with ordinality as u (id, account_id, kind, place)) w`),
    {
      ids: writes.map(({ id }) => id),
      accountIds: writes.map(({ accountId }) => accountId),
      kinds: writes.map(({ kind = 'mint' }) => kind),
    },
  );

const writesOf = (count: number, accountId: string = ACCOUNTS[0]): Write[] =>
  Array.from({ length: count }, () => ({ id: randomUUID(), accountId }));

/** All pages of a list, each from where the one before ended. */
async function readPages(
  read: (page: Page) => Promise<AuditRecord[]>,
  limit: number,
): Promise<AuditRecord[]> {
  const all: AuditRecord[] = [];
  for (let before: bigint | null = null; ; before = all.at(-1)!.number) {
    const page = await read({ before, limit });
    all.push(...page);
    if (page.length < limit) return all;
  }
}

test('share a row when nothing but their intents differs', async () => {
  const [first, second] = ACCOUNTS;
  const [one, two, other, paused, three] = [
    ...writesOf(2, first),
    ...writesOf(1, second),
    { ...writesOf(1, first)[0]!, kind: 'pause' },
    ...writesOf(1, first),
  ] as [Write, Write, Write, Write, Write];
  await accept([one, other, two, paused, three]);
  const rows = await rowsOf();
  const of = (accountId: string) =>
    rows
      .filter((row) => row.accountId === accountId)
      .map(({ intentIds, intentId }) => intentIds ?? [intentId]);
  expect(of(first)).toEqual(
    [[paused.id], [one.id, two.id, three.id]].sort((a, b) => b.length - a.length).reverse(),
  );
  expect(of(second)).toEqual([[other.id]]);
  const own = await listOwn(db, first, { action: null, before: null, limit: 10 });
  expect(own.map(({ intentId, details }) => [intentId, details['kind']])).toEqual([
    [three.id, 'mint'],
    [paused.id, 'pause'],
    [two.id, 'mint'],
    [one.id, 'mint'],
  ]);
  expect(new Set(own.map(({ createdAt }) => createdAt.getTime())).size).toBe(1);
});

test('a row ends with its block of 64 numbers', async () => {
  const writes = writesOf(300);
  await accept(writes.slice(0, 10));
  await accept(writes.slice(10));
  const rows = await rowsOf();
  expect(rows.map(({ number, numbers }) => [Number(number), numbers!.length])).toEqual([
    [10, 10],
    ...[63, 127, 191, 255].map((last, nth) => [last, nth === 0 ? 53 : 64]),
    [300, 45],
  ]);
  expect((await readAfter(db, 0n, 1_000)).map(({ number }) => Number(number))).toEqual(
    writes.map((_, nth) => nth + 1),
  );
  const [size] = await query<{ bytes: number }>(
    db,
    'select max(pg_column_size(e.*)) as bytes from audit_entries e',
  );
  expect(size!.bytes).toBeLessThan(2_000);
});

describe('of many accounts that write at once', () => {
  /** What each account has asked for, in its order. */
  const asked = new Map<string, string[]>();

  beforeEach(async () => {
    asked.clear();
    const random = createTestRandom('audit runs');
    for (const accountId of ACCOUNTS) asked.set(accountId, []);
    // As acceptance does: one group of an account at a time.
    await inParallel(ACCOUNTS.length, ACCOUNTS.length, async (nth) => {
      const accountId = ACCOUNTS[nth]!;
      for (let round = 0; round < 60; round += 1) {
        if (random.fraction() < 0.3) await recordAudit(db, [byAccount('sign_in', accountId, ORIGIN)]);
        const writes = writesOf(1 + Math.floor(random.fraction() * 70 * random.fraction()), accountId);
        await accept(writes);
        asked.get(accountId)!.push(...writes.map(({ id }) => id));
      }
    });
  });

  test('every page of every list has what is next, newest first', async () => {
    const rows = await rowsOf();
    const numbers = numbersIn(rows).reverse();
    expect(rows.length).toBeLessThan(numbers.length / 3);
    expect(new Set(numbers).size).toBe(numbers.length);
    for (const limit of [1, 7, 50, 100_000]) {
      const all = await readPages((page) => listAll(db, page), limit);
      expect(all.map(({ number }) => number)).toEqual(numbers);
    }
    for (const accountId of ACCOUNTS) {
      for (const limit of [1, 10, 100]) {
        const own = await readPages((page) => listOwn(db, accountId, { action: null, ...page }), limit);
        const written = own.flatMap(({ intentId }) => intentId ?? []).reverse();
        expect(written).toEqual(asked.get(accountId));
        const writes = await readPages((page) => listOwn(db, accountId, { action: 'write', ...page }), limit);
        expect(writes).toEqual(own.filter(({ action }) => action === 'write'));
      }
    }
  });

  test.each([1, 9, 1_000])('they are sealed and verified, %d at a time', async (limit) => {
    const found: bigint[] = [];
    for (let after = 0n; ; after = found.at(-1)!) {
      const entries = await readAfter(db, after, limit);
      found.push(...entries.map(({ number }) => number));
      if (entries.length < limit) break;
    }
    expect(found).toEqual(numbersIn(await rowsOf()));
    await sealAll(db);
    expect(await verifyAudit(db)).toMatchObject({ sealed: found.length, unsealed: 0, faults: [] });
    const shown = await readPages((page) => listAll(db, page), 100);
    expect(shown.filter(({ hash }) => hash === null)).toEqual([]);
  });

  test.each([
    ['an intent that was changed', `intent_ids[1] = gen_random_uuid()`, /was changed/],
    [
      'two intents that changed places',
      `intent_ids[1] = intent_ids[2], intent_ids[2] = intent_ids[1]`,
      /was changed/,
    ],
    ['an entry that was taken out', `numbers = numbers[2:], intent_ids = intent_ids[2:]`, /was removed/],
    ['a row that was put where nobody looks for it', `number = 900000000`, /was removed/],
    [
      'an entry that was put in',
      `numbers = numbers[1] || numbers, intent_ids = gen_random_uuid() || intent_ids`,
      /is there twice/,
    ],
  ])('%s is found', async (_name, change, fault) => {
    await sealAll(db);
    await tamper(
      db,
      `
      alter table audit_entries drop constraint if exists audit_entries_run_check;
      create temp table changed on commit drop as
        select * from audit_entries where cardinality(numbers) > 2 order by number limit 1;
      delete from audit_entries where number = (select number from changed);
      update changed set ${change};
      insert into audit_entries overriding system value select * from changed`,
    );
    expect((await verifyAudit(db)).faults.join()).toMatch(fault);
  });
});

test('an entry that is there twice is found where a page of verification ends, too', async () => {
  for (let round = 0; round < 20; round += 1) await accept(writesOf(300));
  await sealAll(db);
  // 5,000 entries are a page.
  const place = 'array_position(numbers, 5000::bigint)';
  await tamper(
    db,
    `
    update audit_entries set numbers = numbers[:${place}] || numbers[${place}:],
           intent_ids = intent_ids[:${place}] || gen_random_uuid() || intent_ids[${place} + 1:]
     where 5000 = any(numbers)`,
  );
  expect((await verifyAudit(db)).faults).toContain('Entry 5000 is there twice: one was added later.');
});
