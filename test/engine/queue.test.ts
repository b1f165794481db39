import { beforeEach, describe, expect, test } from '@jest/globals';
import { toBytes } from '../../src/lib/hex.ts';
import type { Hex } from '../../src/lib/hex.ts';
import { query } from '../../src/db/client.ts';
import { IS_BRAKE_QUEUED, clearDrained, findBrakes, findQueued } from '../../src/engine/store/queue.ts';
import type { QueueLook } from '../../src/engine/store/queue.ts';
import { findBehind, requeueIntents, unchanged } from '../../src/engine/store/requeue.ts';
import { cancelQueued, retractIntents } from '../../src/engine/store/verdicts.ts';
import { noteQueued } from '../setup/queue.ts';
import { useSuiteDatabase } from '../setup/suite-database.ts';

const { db } = useSuiteDatabase(3);

interface Work {
  accounts: number;
  contracts: number;
  intents: number;
}

const accountOf = (number: string): string =>
  `('00000000-0000-4000-8000-' || lpad((${number})::text, 12, '0'))::uuid`;
const contractOf = (number: string): string => `decode(lpad(to_hex(${number}), 40, '0'), 'hex')`;

/** Queues intents, spread evenly over contracts, and these over accounts; numbers of both begin at `first`. */
async function queue(first: number, { accounts, contracts, intents }: Work): Promise<void> {
  const bindings = { first, accounts, contracts, intents };
  await query(
    db,
    `insert into accounts (id, email, password_hash)
     select ${accountOf(':first + n')}, :first + n || '@example.com', '-' from generate_series(0, :accounts::int - 1) n`,
    bindings,
  );
  await query(
    db,
    `insert into intents (id, account_id, environment, kind, contract, target, calldata, operator, epoch, status)
     select gen_random_uuid(), ${accountOf(':first + c.n % :accounts::int')}, 'live', 'mint',
            ${contractOf(':first + c.n')}, ${contractOf(':first + c.n')}, '\\x00', ${contractOf('1')}, 1, 'queued'
       from generate_series(0, :intents::int - 1) i, lateral (select i % :contracts::int as n) c`,
    bindings,
  );
  await noteQueued(db);
}

const LOOK: QueueLook = {
  ...{
    excluded: [],
    pausedOperators: [],
    afterAccount: null,
    afterContracts: new Map(),
    accounts: 4,
    limit: 8,
    maxBytes: 1_000,
  },
};
const look = (more: Partial<QueueLook> = {}) => findQueued(db, { ...LOOK, ...more });
const numberOf = (hex: string): number => parseInt(hex.slice(-6), 16);
const accountNumber = ({ accountId }: { accountId: string }): number => Number(accountId.slice(-12));
const contractAt = (number: number): Hex => `0x${number.toString(16).padStart(40, '0')}`;

beforeEach(() => db.raw('truncate accounts, operators, intents, lanes, transactions, contracts cascade'));

const one = { accounts: 1, contracts: 1, intents: 1 };

test('contracts of a paused Operator hide none of another one', async () => {
  await queue(1, { accounts: 10, contracts: 10, intents: 20 });
  await queue(100, one);
  await queue(200, one);
  const goes = `0x${'0b'.repeat(20)}` as const;
  await query(
    db,
    `update intents set operator = :goes where contract in (${contractOf('100')}, ${contractOf('200')})`,
    {
      goes: toBytes(goes),
    },
  );
  const found = await look({ pausedOperators: [contractAt(1)] });
  expect(found.queued.map(accountNumber)).toEqual([100, 200]);
  expect((await look({ pausedOperators: [contractAt(1), goes] })).contracts).toEqual([]);
});

test('looks that go on where the last one ended come to every account, and begin again', async () => {
  await queue(1, { accounts: 11, contracts: 11, intents: 55 });
  const seen: number[] = [];
  let afterAccount: string | null = null;
  for (let turn = 0; turn < 4; turn += 1) {
    const { queued } = await look({ afterAccount });
    const accounts = [...new Set(queued.map(({ accountId }) => accountId))];
    // Each account has its share of a look.
    expect(queued).toHaveLength(8);
    afterAccount = accounts.at(-1)!;
    seen.push(...accounts.map((accountId) => accountNumber({ accountId })));
  }
  expect(seen).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 1, 2, 3, 4, 5]);
});

test('an account has one intent of each contract in turn, in order within a contract', async () => {
  await queue(1, { accounts: 1, contracts: 3, intents: 30 });
  const contractsOf = async (after: number | null) => {
    const afterContracts = new Map(after === null ? [] : [[ACCOUNT_1, contractAt(after)]]);
    const { queued } = await look({ afterContracts });
    for (const [, own] of Map.groupBy(queued, ({ contract }) => contract)) {
      const numbers = own.map(({ number }) => Number(number));
      expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
    }
    return queued.map(({ contract }) => numberOf(contract));
  };
  expect(await contractsOf(null)).toEqual([1, 2, 3, 1, 2, 3, 1, 2, 3]);
  expect(await contractsOf(1)).toEqual([2, 3, 1, 2, 3, 1, 2, 3, 1]);
  expect(await contractsOf(3)).toEqual([1, 2, 3, 1, 2, 3, 1, 2, 3]);
});

test('looks of an account with many contracts come to each of them', async () => {
  await queue(1, { accounts: 1, contracts: 20, intents: 40 });
  const seen = new Set<number>();
  let afterContracts = new Map<string, Hex>();
  for (let turn = 0; turn < 3; turn += 1) {
    const { contracts } = await look({ afterContracts });
    for (const { contract } of contracts) seen.add(numberOf(contract));
    afterContracts = new Map([[ACCOUNT_1, contracts.at(-1)!.contract]]);
  }
  expect(seen.size).toBe(20);
});

test('long calldata makes a look shorter, by the later turns', async () => {
  await queue(1, { accounts: 2, contracts: 2, intents: 8 });
  await query(db, `update intents set calldata = decode(repeat('11', 400), 'hex')`);
  // The first is not counted: something is always found.
  expect((await look({ maxBytes: 1_000 })).queued.map(accountNumber)).toEqual([1, 1, 2]);
  expect((await look({ maxBytes: 0 })).queued.map(accountNumber)).toEqual([1]);
});

test('a contract waits until nothing of it is queued, and from its next intent on', async () => {
  await queue(1, { accounts: 2, contracts: 2, intents: 2 });
  const waiting = async () =>
    (await look()).contracts.map(({ contract, hasQueued }) => [numberOf(contract), hasQueued]);
  const all = [contractAt(1), contractAt(2)];
  await query(
    db,
    `update intents set status = 'submitted', transaction_hash = decode(repeat('00', 32), 'hex')
                    where contract = :contract`,
    { contract: toBytes(contractAt(1)) },
  );
  expect(await waiting()).toEqual([
    [1, false],
    [2, true],
  ]);
  // Somebody is accepting something for the account of the first one.
  const accepting = await db.transaction();
  await query(accepting, `select 1 from accounts where id = :id for no key update`, { id: ACCOUNT_1 });
  await clearDrained(db, all);
  expect(await waiting()).toEqual([
    [1, false],
    [2, true],
  ]);
  await accepting.rollback();
  await clearDrained(db, all);
  expect(await waiting()).toEqual([[2, true]]);

  const [first] = await query<{ number: bigint }>(db, 'select min(number) as number from intents');
  await db.transaction((tx) => requeueIntents(tx, [unchanged(first!.number)], 'submitted'));
  expect(await waiting()).toEqual([
    [1, true],
    [2, true],
  ]);
});

test('a contract is not forgotten whose intent goes back into the queue while that is looked at', async () => {
  await queue(1, one);
  await query(
    db,
    `update intents set status = 'submitted', transaction_hash = decode(repeat('00', 32), 'hex')`,
  );
  const [intent] = await query<{ number: bigint }>(db, 'select number from intents');
  const tx = await db.transaction();
  await requeueIntents(tx, [unchanged(intent!.number)], 'submitted');
  await clearDrained(db, [contractAt(1)]);
  await tx.commit();
  expect((await look()).queued).toHaveLength(1);
});

test('a success that a reorg took back, and that is in no transaction, is found again', async () => {
  await queue(1, one);
  await query(
    db,
    `update intents set status = 'confirmed', phase = 'confirmed', result = '\\x01', transaction_hash = decode(repeat('00', 32), 'hex')`,
  );
  await clearDrained(db, [contractAt(1)]);
  expect((await look()).contracts).toEqual([]);
  const [{ number }] = (await query<{ number: bigint }>(db, 'select number from intents')) as [
    { number: bigint },
  ];
  const retracted = await db.transaction((tx) => retractIntents(tx, [number]));
  expect(retracted).toMatchObject([{ intent: { status: 'queued', result: null, transactionHash: null } }]);
  expect((await look()).queued).toMatchObject([{ number }]);
  // Its signed bytes may be mined yet.
  expect(await db.transaction((tx) => cancelQueued(tx, number))).toBeUndefined();
});

const ACCOUNT_1 = '00000000-0000-4000-8000-000000000001';

describe('what a look reads', () => {
  interface Plan {
    'Node Type': string;
    'Actual Rows': number;
    'Actual Loops': number;
    'Rows Removed by Filter'?: number;
    Plans?: Plan[];
  }

  /** Rows that a plan handled, in all of its nodes, whether it kept them or not. */
  const countRows = (plan: Plan): number =>
    (plan['Actual Rows'] + (plan['Rows Removed by Filter'] ?? 0)) * plan['Actual Loops'] +
    (plan.Plans ?? []).reduce((sum, part) => sum + countRows(part), 0);

  async function countRead(more: Partial<QueueLook> = {}): Promise<number> {
    let asked: { sql: string; options: { values: unknown[] } } | undefined;
    const listen = (event: { sql: string; options: { values: unknown[] } }): void => void (asked = event);
    db.on('query', listen);
    await look(more);
    db.removeListener('query', listen);
    const { sql, options } = asked!;
    const values: unknown[] = [];
    const text = sql.replaceAll(/\$(\d+)/g, (_all, place: string) => {
      values.push(options.values[Number(place) - 1]);
      return '?';
    });
    const result = await db.raw<{ rows: { 'QUERY PLAN': { Plan: Plan }[] }[] }>(
      `explain (analyze, buffers, format json) ${text}`,
      values as string[],
    );
    return countRows(result.rows[0]!['QUERY PLAN'][0]!.Plan);
  }

  test.each<[string, Work[], Partial<QueueLook>]>([
    ['one contract', [{ accounts: 1, contracts: 1, intents: 20_000 }], {}],
    ['many contracts', [{ accounts: 1, contracts: 2_000, intents: 20_000 }], {}],
    ['many accounts', [{ accounts: 2_000, contracts: 2_000, intents: 20_000 }], {}],
    [
      'a contract that is left out',
      [{ accounts: 1, contracts: 1, intents: 20_000 }, one],
      { excluded: [contractAt(1)] },
    ],
  ])('is little when much is queued: %s', async (_what, works, more) => {
    let first = 1;
    for (const work of works) {
      await queue(first, work);
      first += 10_000;
    }
    await db.raw('analyze');
    expect((await look(more)).queued.length).toBeGreaterThan(0);
    // Some thirty nodes handle the eight intents of a look.
    expect(await countRead(more)).toBeLessThan(1_000);
  });
});

describe('brakes', () => {
  /** Queues intents of these kinds on a contract of the first account, in this order. Returns their numbers. */
  async function ask(kinds: readonly string[], contract = 1): Promise<bigint[]> {
    const rows = await query<{ number: bigint }>(
      db,
      `insert into intents (id, account_id, environment, kind, contract, target, calldata, operator, epoch, status, is_control)
       select gen_random_uuid(), ${accountOf('1')}, 'live', k.kind, c.address,
              case when k.kind = 'deploy_token' then decode(repeat('fa', 20), 'hex') else c.address end,
              '\\x00', ${contractOf('1')}, 1, 'queued', k.kind not in ('deploy_token', 'mint')
         from unnest(:kinds::text[]) with ordinality as k (kind, place), (select ${contractOf(':contract::int')} as address) c
        order by place returning number`,
      { kinds, contract },
    );
    return rows.map(({ number }) => number);
  }
  const ahead = async (more: Partial<QueueLook & { brakesOnly: boolean }> = {}) =>
    (await findBrakes(db, { ...LOOK, limit: 100, brakesOnly: false, ...more })).map(({ number }) => number);

  beforeEach(() =>
    query(
      db,
      `insert into accounts (id, email, password_hash) values (${accountOf('1')}, 'one', '-'), (${accountOf('2')}, 'two', '-')`,
    ),
  );

  test('go ahead with the controls that were asked before them, and with nothing else', async () => {
    const kinds = ['mint', 'unfreeze', 'set_metadata', 'approve_account', 'freeze', 'mint', 'unpause'];
    const [, unfreeze, , , freeze] = await ask(kinds);
    expect(await ahead()).toEqual([unfreeze, freeze]);
  });

  test('go without other controls, and what is behind these, when they alone are paid for', async () => {
    const [pause] = await ask(['pause', 'unpause', 'freeze']);
    const [lock] = await ask(['lock_transfers'], 2);
    await ask([...Array.from({ length: 12 }, () => 'unfreeze'), 'freeze'], 3);
    expect(await ahead({ brakesOnly: true })).toEqual([pause, lock]);
  });

  test('go ahead of nothing while the deployment of their contract waits', async () => {
    const [deployment, , pause] = await ask(['deploy_token', 'mint', 'pause']);
    expect(await ahead()).toEqual([]);
    await query(
      db,
      `update intents set status = 'submitted', transaction_hash = decode(repeat('00', 32), 'hex') where number = :deployment`,
      { deployment: String(deployment) },
    );
    expect(await ahead()).toEqual([pause]);
  });

  test('of a contract that is left out, or of a paused Operator, do not go ahead', async () => {
    const [pause] = await ask(['pause']);
    await ask(['pause'], 2);
    expect(await ahead({ excluded: [contractAt(2)] })).toEqual([pause]);
    expect(await ahead({ pausedOperators: [contractAt(1)] })).toEqual([]);
  });

  test('are looked for among brakes alone, however many other controls wait', async () => {
    await queue(10, { accounts: 1, contracts: 1, intents: 3_000 });
    await query(db, `update intents set kind = 'approve_account', is_control = true`);
    await db.raw('vacuum analyze intents');
    const rows = await query<{ 'QUERY PLAN': string }>(
      db,
      `explain (analyze) select exists (select 1 from intents i where ${IS_BRAKE_QUEUED})`,
    );
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
    expect(plan).toMatch(/intents_open_brakes on intents/);
    expect(plan).not.toMatch(/Rows Removed/);
  });

  test('are ten of an account at a time, and of the accounts in turn', async () => {
    await ask(Array.from({ length: 12 }, () => 'freeze'));
    const [other] = await ask(['pause'], 2);
    await query(db, `update intents set account_id = ${accountOf('2')} where number = :other`, {
      other: String(other),
    });
    const found = await ahead();
    expect(found).toHaveLength(11);
    expect(found[1]).toBe(other);
  });

  test('wait for the controls and the deployment of their contract alone before they fail', async () => {
    const [mint, unpause] = await ask(['mint', 'unpause', 'mint']);
    const [pause] = await ask(['pause']);
    const [later] = await ask(['mint']);
    expect(await findBehind(db, [pause!, later!])).toEqual(new Set([pause, later]));
    expect(await findBehind(db, [unpause!])).toEqual(new Set());
    await query(
      db,
      `update intents set status = 'failed', phase = 'failed', error_code = 'CHAIN_ERROR', error_message = 'no', final_at = now() where number = :unpause`,
      {
        unpause: String(unpause),
      },
    );
    expect(await findBehind(db, [pause!])).toEqual(new Set());
    expect(await findBehind(db, [later!, mint!])).toEqual(new Set([later]));
  });
});
