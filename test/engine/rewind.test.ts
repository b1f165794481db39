import { beforeEach, describe, expect, test } from '@jest/globals';
import { PROFILES } from '../../src/chain/profile.ts';
import { query } from '../../src/db/client.ts';
import { acceptReorg } from '../../src/engine/index.ts';
import type { FollowUps } from '../../src/engine/ports.ts';
import { openAgainAbove } from '../../src/engine/store/deep-reorgs.ts';
import { findUnfinished } from '../../src/engine/store/transactions.ts';
import { toBytes, toHex } from '../../src/lib/hex.ts';
import { createLogger } from '../../src/telemetry/logger.ts';
import { insertAccount } from '../../lab/stage/accounts.ts';
import { createNode, hashOf } from '../setup/forked-node.ts';
import { useSuiteDatabase } from '../setup/suite-database.ts';

const SIGNER = toBytes(`0x${'01'.repeat(20)}`);
const CONTRACT = toBytes(`0x${'c0'.repeat(20)}`);
const MOVED = toBytes(`0x${'c1'.repeat(20)}`);
const FORK = 20;
/** One for each nonce; their blocks are 10 to 89, again and again. */
const TRANSACTIONS = 2_500;
const REOPENED = 2_180;

const { db } = useSuiteDatabase(3);

beforeEach(async () => {
  await db.raw(
    'truncate accounts, operators, intents, lanes, transactions, deep_reorgs, contracts restart identity cascade',
  );
  const account = await insertAccount(db);
  await query(db, 'insert into lanes (signer, next_nonce) values (:signer, :next)', {
    signer: SIGNER,
    next: TRANSACTIONS,
  });
  await query(
    db,
    `with sent as (
       insert into transactions (signer, nonce, status, gas_limit, expected_gas, operator, epoch, calldata, mined_hash,
                                 block_number, block_hash)
       select :signer, n, 'final', 21000, 21000, :contract, 1, '', sha256(n::text::bytea), 10 + n % 80,
              decode(lpad(to_hex(10 + n % 80), 32, '0') || lpad('61', 32, '0'), 'hex')
         from generate_series(0, :count - 1) n returning id, mined_hash
     ), signed as (
       insert into attempts (hash, transaction_id, raw, max_fee_per_gas, max_priority_fee_per_gas)
       select mined_hash, id, '\\x02', 1, 1 from sent
     )
     insert into intents (id, account_id, environment, kind, contract, target, calldata, operator, epoch, status,
                          transaction_hash, final_at)
     select gen_random_uuid(), :account, 'live', 'mint', :contract, :contract, '', :contract, 1, 'confirmed', mined_hash, now()
       from sent`,
    { signer: SIGNER, contract: CONTRACT, account, count: TRANSACTIONS },
  );
  await query(
    db,
    `with placed as (
       update transactions t set intent_numbers = array[i.number], gas_caps = '{50000}'
         from intents i where i.transaction_hash = t.mined_hash
     )
     update intents i set decided_by = t.id, sent_in = array[t.id]
       from transactions t where t.mined_hash = i.transaction_hash`,
  );
  // Autovacuum that comes by in the middle of an insertion takes the table for empty, and statements take minutes then.
  await db.raw('analyze accounts, intents, transactions, attempts');
  await query(
    db,
    `update reader set final_number = 90, final_hash = :final, head_number = 92, head_hash = :head`,
    { final: toBytes(hashOf(90, [])), head: toBytes(hashOf(92, [])) },
  );
});

/** What tells queued intents apart. */
interface Counts {
  retry_stage: number;
  burnt_gas: number;
}

/**
 * A queued intent that was in these transactions, by nonce, and came to nothing in them: alone, or together with a
 * mint. It is a control of a contract that has no lane any more, or another mint.
 */
async function queueAgain(
  nonces: readonly number[],
  {
    isAlone = false,
    isControl = false,
    ...counts
  }: { isAlone?: boolean; isControl?: boolean } & Partial<Counts> = {},
): Promise<bigint> {
  const bindings = { nonces: nonces.map(String) };
  if (isAlone)
    await query(
      db,
      `with emptied as (
         update transactions set intent_numbers = '{}', gas_caps = '{}' where nonce = any(:nonces::bigint[]) returning id
       )
       update intents i set decided_by = null, sent_in = '{}' from emptied where i.decided_by = emptied.id`,
      bindings,
    );
  const [row] = await query<{ number: bigint }>(
    db,
    `with asked as (
       insert into intents (id, account_id, environment, kind, contract, target, calldata, operator, epoch, status,
                            is_control, burnt_gas, retry_stage, sent_in)
       select gen_random_uuid(), id, 'live', 'mint', :contract, :contract, '', :operator, 1, 'queued',
              :isControl, :burnt_gas, :retry_stage,
              array(select id from transactions where nonce = any(:nonces::bigint[]) order by id) from accounts
       returning number
     ), members as (
       update transactions t set intent_numbers = intent_numbers || number, gas_caps = gas_caps || 50000
         from asked where t.nonce = any(:nonces::bigint[])
     )
     select number from asked`,
    {
      ...{ ...bindings, contract: isControl ? MOVED : CONTRACT, operator: CONTRACT, isControl },
      ...{ retry_stage: 0, burnt_gas: 0, ...counts },
    },
  );
  return row!.number;
}

/** Turns what is first in a transaction into a control of a contract that has no lane any more. */
const addControl = (nonce: number) =>
  query(
    db,
    `update intents i set contract = :contract, is_control = true
       from transaction_intents m join transactions t on t.id = m.transaction_id
      where i.number = m.intent_number and m.position = 0 and t.nonce = :nonce`,
    { contract: MOVED, nonce },
  );

/** A transaction whose nonce was used, as it seemed, where it is, by another program. */
const displace = (nonce: number) =>
  query(db, `update transactions set status = 'displaced', mined_hash = null where nonce = :nonce`, {
    nonce,
  });

/** Resolves a reorg of everything from `FORK` on. */
function resolve(
  node: ReturnType<typeof createNode>,
  settled: FollowUps['settled'],
): ReturnType<typeof acceptReorg> {
  node.height = 100;
  node.forks = [{ name: 'b', from: FORK }];
  return acceptReorg({
    ...{ db, rpc: node.rpc, log: createLogger('silent') },
    profile: { ...PROFILES['anvil']!, finality: 3 },
    followUps: { settled },
  });
}

test('a deep reorg of many transactions is resolved by statements of a few rows each', async () => {
  await queueAgain([70, 2_030]);
  const sizes: number[] = [];
  const measure = (_response: unknown, { response }: { response?: { rowCount: number | null } }): void => {
    sizes.push(response?.rowCount ?? 0);
  };
  db.on('query-response', measure);
  const counts: number[] = [];
  const rewound = await resolve(createNode(), async (_tx, verdicts) => void counts.push(verdicts.length));
  db.off('query-response', measure);
  expect(rewound).toMatchObject({
    ancestor: { number: BigInt(FORK - 1) },
    transactions: REOPENED,
    successes: REOPENED,
  });
  expect(counts).toHaveLength(22);
  expect(Math.max(...counts)).toBe(100);
  // Its own statements are counted, too; one has a call of another intent in it.
  expect(sizes.length).toBeGreaterThan(60);
  expect(Math.max(...sizes)).toBeLessThanOrEqual(101);
  expect(
    await query(db, `select status, count(*)::int as count from transactions group by status order by count`),
  ).toEqual([
    { status: 'final', count: TRANSACTIONS - REOPENED },
    { status: 'open', count: REOPENED },
  ]);
  const [transaction] = await query(
    db,
    `select t.nonce from transaction_intents m join transactions t on t.id = m.transaction_id
       join intents i on i.number = m.intent_number where m.decides and i.status = 'submitted'`,
  );
  expect(transaction).toEqual({ nonce: 2_030n });
});

test('reopened transactions come newest first, however many digits their numbers have', async () => {
  const { sent } = await db.transaction((tx) => openAgainAbove(tx, BigInt(FORK)));
  expect(sent).toEqual(sent.toSorted((one, other) => Number(other - one)));
});

describe('when the raise of an epoch may be gone', () => {
  /** Nonces: of a mint that no block has, of the raise, of two mints behind it, and of a no-op. */
  const [BEFORE, RAISE, BEHIND, UNSEEN, FREED] = [5, 40, 50, 55, 60];
  /** Of which of these nonces bytes are sent. */
  const resolveAndFindSent = async (nonces: readonly number[]): Promise<number[]> => {
    const node = createNode();
    node.instead['eth_call'] = () => '0x0';
    await resolve(node, async () => undefined);
    const unfinished = await findUnfinished(db, toHex(SIGNER));
    const sent = new Set(unfinished.flatMap(({ nonce, attempts }) => attempts.map(() => Number(nonce))));
    return nonces.filter((nonce) => sent.has(nonce));
  };

  beforeEach(async () => {
    await query(db, `update transactions set epoch = 2 where nonce >= :raise`, { raise: RAISE });
    await query(db, `update transactions set intent_numbers = '{}', gas_caps = '{}' where nonce = :raise`, {
      raise: RAISE,
    });
    await query(db, 'update transactions set is_noop = true where nonce = :freed', { freed: FREED });
    await query(
      db,
      `update transactions set status = 'open', mined_hash = null, block_number = null, block_hash = null
        where nonce in (:before, :unseen)`,
      { before: BEFORE, unseen: UNSEEN },
    );
  });

  const begin = (epoch: number, raisedIn: number | null) =>
    query(
      db,
      `insert into operators (address, is_current, epoch, tag, raised_in) values (:address, true, :epoch, :tag, :raisedIn)`,
      { address: CONTRACT, epoch, tag: Buffer.alloc(32), raisedIn },
    );
  const ALL = [BEFORE, RAISE, BEHIND, UNSEEN, FREED];

  test('no bytes with calls are sent, neither of its epoch nor of one before it', async () => {
    await begin(2, 10 + RAISE);
    expect(await resolveAndFindSent(ALL)).toEqual([RAISE, FREED]);
  });

  test('no bytes with calls are sent where the next epoch was about to begin', async () => {
    await begin(3, null);
    expect(await resolveAndFindSent([BEFORE, BEHIND, UNSEEN])).toEqual([]);
  });

  test('all that is of the epoch is sent where the raise stands', async () => {
    await begin(2, FORK - 1);
    expect(await resolveAndFindSent([RAISE, BEHIND, UNSEEN, FREED])).toEqual([RAISE, BEHIND, UNSEEN, FREED]);
  });
});

describe('what a final transaction had counted of a queued call', () => {
  const countsOf = async (number: bigint): Promise<Counts> => {
    const node = createNode();
    node.instead['eth_call'] = () => '0x0';
    await resolve(node, async () => undefined);
    const [row] = await query<Counts>(
      db,
      `select retry_stage, burnt_gas from intents where number = :number and status = 'queued'`,
      { number: String(number) },
    );
    return row!;
  };
  const NOTHING = { retry_stage: 0, burnt_gas: 0 };

  beforeEach(() =>
    query(
      db,
      'insert into contracts (contract, account_id, waiting) select :contract, id, true from accounts',
      {
        contract: MOVED,
      },
    ),
  );

  test('counts no more when the transaction is given up for a control beside the call', async () => {
    const number = await queueAgain([70], { burnt_gas: 40_000, retry_stage: 1 });
    await addControl(70);
    expect(await countsOf(number)).toEqual(NOTHING);
  });

  test('counts no more when the transaction is given up for the call, a control', async () => {
    const number = await queueAgain([71], { isAlone: true, isControl: true, retry_stage: 2 });
    expect(await countsOf(number)).toEqual(NOTHING);
  });

  test('counts when another transaction is given up, of which nobody saw anything', async () => {
    // The first one, in block 13, stands.
    const number = await queueAgain([3, 72], { isAlone: true, retry_stage: 2 });
    await displace(72);
    expect(await countsOf(number)).toEqual({ ...NOTHING, retry_stage: 2 });
  });
});

test('a success whose transaction is not known is final no more, unless it was done at the common ancestor', async () => {
  const unknown = await query<{ number: bigint }>(
    db,
    `insert into intents (id, account_id, environment, kind, contract, target, calldata, operator, epoch, status,
                          transaction_hash, final_at)
     select gen_random_uuid(), id, 'live', 'mint', :contract, :contract, '', :contract, 1, 'confirmed', sha256(n::text::bytea),
            now()
       from accounts, generate_series(100001, 100002) n returning number`,
    { contract: CONTRACT },
  );
  const [below, above] = unknown.map(({ number }) => number) as [bigint, bigint];
  const node = createNode();
  node.instead['eth_call'] = ([, block]) => {
    expect(block).toEqual({ blockHash: hashOf(FORK - 1, []) });
    return `0x${(1n << (below % 256n)).toString(16)}`;
  };
  const reopened: bigint[] = [];
  const rewound = await resolve(
    node,
    async (_tx, verdicts) => void reopened.push(...verdicts.map(({ intent }) => intent.number)),
  );
  expect(rewound).toMatchObject({ successes: REOPENED + 1 });
  expect(reopened).toContain(above);
  expect(
    await query(
      db,
      'select number, status, final_at is null as is_open from intents where number = any(:numbers::bigint[]) order by number',
      { numbers: [below, above].map(String) },
    ),
  ).toEqual([
    { number: below, status: 'confirmed', is_open: false },
    { number: above, status: 'confirmed', is_open: true },
  ]);
});

test('a success by another number, of a request that was lost, is told by the bit of that', async () => {
  const hash = toBytes(`0x${'11'.repeat(32)}`);
  const successes = await query<{ number: bigint }>(
    db,
    `insert into intents (id, account_id, environment, kind, contract, target, calldata, operator, epoch, status,
                          transaction_hash, final_at)
     select gen_random_uuid(), id, 'live', 'mint', :contract, :contract, '', :contract, 1, 'confirmed', :hash, now()
       from accounts, generate_series(1, 2) n returning number`,
    { contract: CONTRACT, hash },
  );
  const [below, above] = successes.map(({ number }) => number) as [bigint, bigint];
  await query(db, 'insert into operators (address, epoch, is_current) values (:contract, 1, true)', {
    contract: CONTRACT,
  });
  await query(
    db,
    `insert into unknown_effects (operator, epoch, number, client_key, transaction_hash, block_number, intent_number)
     values (:contract, 1, 100077, '\\x0102030405060708', :hash, ${FORK - 1}, :below),
            (:contract, 1, 100078, '\\x0102030405060709', :hash, ${FORK}, :above)`,
    { contract: CONTRACT, hash, below: String(below), above: String(above) },
  );
  const node = createNode();
  node.instead['eth_call'] = () => `0x${(1n << (100_077n % 256n)).toString(16)}`;
  const reopened: bigint[] = [];
  await resolve(
    node,
    async (_tx, verdicts) => void reopened.push(...verdicts.map(({ intent }) => intent.number)),
  );
  expect([reopened.includes(below), reopened.includes(above)]).toEqual([false, true]);
  expect(await query(db, 'select number, intent_number as of from unknown_effects order by number')).toEqual([
    { number: 100_077n, of: below },
    { number: 100_078n, of: null },
  ]);
});

test.each([
  ['was given up', `status = 'displaced', mined_hash = null`],
  [
    'is open, since nobody has looked for it yet',
    `status = 'open', mined_hash = null, block_number = null, block_hash = null`,
  ],
])(
  'a success that a receipt alone has shown in a transaction that %s is final no more',
  async (_name, set) => {
    // Its nonce seems to be used in block 15, which stands; the call was done above that.
    await query(db, `update transactions set ${set} where nonce = 5`);
    const [success] = await query<{ number: bigint }>(
      db,
      'select m.intent_number as number from transaction_intents m join transactions t on t.id = m.transaction_id where t.nonce = 5',
    );
    const node = createNode();
    node.instead['eth_call'] = () => '0x0';
    const reopened: bigint[] = [];
    const rewound = await resolve(
      node,
      async (_tx, verdicts) => void reopened.push(...verdicts.map(({ intent }) => intent.number)),
    );
    expect(rewound).toMatchObject({ transactions: REOPENED, successes: REOPENED + 1 });
    expect(reopened).toContain(success!.number);
  },
);
