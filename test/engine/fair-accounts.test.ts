import { expect, test } from '@jest/globals';
import { query } from '../../src/db/client.ts';
import { createGasMemory } from '../../src/engine/lane/gas-memory.ts';
import { createTurns } from '../../src/engine/lane/lane.ts';
import type { Turns } from '../../src/engine/lane/lane.ts';
import { chooseBatch, takeTurns } from '../../src/engine/send/batch.ts';
import { QUEUE_LOOK, findDrained, letPass } from '../../src/engine/send/dispatch.ts';
import { clearDrained, findQueued } from '../../src/engine/store/queue.ts';
import { toBytes } from '../../src/lib/hex.ts';
import { insertLane } from '../setup/lanes.ts';
import { noteQueued } from '../setup/queue.ts';
import { useSuiteDatabase } from '../setup/suite-database.ts';
import { ENGINE_CONFIG } from './engine-config.ts';

const SIGNER = `0x${'01'.repeat(20)}` as const;
const ACCOUNTS = 700;
const MINTS = 6;

const { db } = useSuiteDatabase(2);

/** A lane that sends all that it chooses, in blocks that take it at once. */
const lane = {
  config: { ...ENGINE_CONFIG, maxBatch: 400 },
  latest: { block: { number: 1n, hash: '0x', baseFee: 1n, gasLimit: 30_000_000n } as const },
  inFlight: { open: () => [] },
  l1: { gas: () => 0 },
  gasMemory: createGasMemory(),
  turns: createTurns(),
};

/** Accounts from `1@example.com` on. */
const insertAccounts = (count: number) =>
  query(
    db,
    `insert into accounts (id, email, password_hash)
     select gen_random_uuid(), n || '@example.com', '-' from generate_series(1, :count::int) n`,
    { count },
  );

const look = ({ lastAccount, lastContracts }: Turns) =>
  findQueued(db, {
    ...QUEUE_LOOK,
    excluded: [],
    pausedOperators: [],
    afterAccount: lastAccount,
    afterContracts: lastContracts,
  });

/** Sends one batch. Returns how many calls each account had in it. */
async function sendOne(): Promise<Map<string, number>> {
  const { turns } = lane;
  const queue = await look(turns);
  const choice = chooseBatch(lane, queue, Infinity);
  takeTurns(turns, choice, { contracts: queue.contracts, done: choice.calls, block: 1n });
  await query(
    db,
    `update intents set status = 'submitted', transaction_hash = decode(repeat('00', 32), 'hex')
      where number = any(:numbers::bigint[])`,
    { numbers: choice.calls.map(({ intent }) => String(intent.number)) },
  );
  return new Map(
    [...Map.groupBy(choice.calls, ({ accountId }) => accountId)].map(([id, calls]) => [id, calls.length]),
  );
}

test('700 active accounts are served in turn, whatever one of them has queued', async () => {
  await insertLane(db, SIGNER);
  await insertAccounts(ACCOUNTS);
  await query(
    db,
    `insert into intents (id, account_id, environment, kind, contract, target, calldata, operator, epoch, gas_estimate, status)
     select gen_random_uuid(), a.id, 'live', 'mint', c.address, c.address, '\\x11111111', :operator, 1, 50000, 'queued'
       from accounts a, lateral (select substring(sha256(a.email::bytea) for 20) as address) c,
            generate_series(1, case when a.email = '1@example.com' then 20000 else :mints end)`,
    { mints: MINTS, operator: toBytes(ENGINE_CONFIG.operator) },
  );
  await noteQueued(db);

  const sent = new Map<string, number>();
  for (let batch = 0; batch < 400; batch += 1) {
    for (const [account, calls] of await sendOne()) sent.set(account, (sent.get(account) ?? 0) + calls);
    const shares = [...sent.values()];
    // Nobody is two quanta of 100,000 gas ahead of those that have had anything, nor of those that had nothing.
    const least = sent.size < ACCOUNTS ? 0 : Math.min(...shares);
    if (least === MINTS) break;
    expect(Math.max(...shares) - least).toBeLessThanOrEqual(5);
  }
  expect(sent.size).toBe(ACCOUNTS);
  expect(Math.min(...sent.values())).toBe(MINTS);
});

test('contracts of which nothing is queued hide no other one of their account', async () => {
  await db.raw('truncate accounts, intents, contracts cascade');
  await insertAccounts(20);
  await query(
    db,
    `insert into contracts (contract, account_id, waiting)
     select substring(sha256((a.email || n)::bytea) for 20), a.id, true
       from accounts a, generate_series(1, case when a.email = '1@example.com' then 40 else 1 end) n`,
  );
  await query(
    db,
    `insert into intents (id, account_id, environment, kind, contract, target, calldata, operator, epoch, gas_estimate, status)
     select gen_random_uuid(), account_id, 'live', 'mint', contract, contract, '\\x11111111', contract, 1, 50000, 'queued'
       from (select c.* from contracts c join accounts a on a.id = c.account_id and a.email = '1@example.com'
              order by c.contract desc limit 1) last`,
  );
  const turns = createTurns();
  let queue = await look(turns);
  expect(queue.queued).toEqual([]);
  for (let looks = 0; queue.queued.length === 0 && looks < 5; looks += 1) {
    await clearDrained(db, findDrained(queue));
    queue = await look(turns);
  }
  expect(queue.queued).toHaveLength(1);
});

test('what goes ahead is the first of its account, and its account keeps its turn', async () => {
  await db.raw('truncate accounts, intents, contracts cascade');
  await insertAccounts(3);
  await query(
    db,
    `insert into intents (id, account_id, environment, kind, contract, target, calldata, operator, epoch, gas_estimate, status)
     select gen_random_uuid(), id, 'live', 'mint', substring(sha256(email::bytea) for 20), substring(sha256(email::bytea) for 20),
            '\\x11111111', :operator, 1, 50000, 'queued' from accounts, generate_series(1, 2)`,
    { operator: toBytes(ENGINE_CONFIG.operator) },
  );
  await noteQueued(db);
  const queue = await look(createTurns());
  const [one, other, last] = [...Map.groupBy(queue.queued, ({ accountId }) => accountId).values()];
  const brake = { ...other![1]!, number: 99n };
  const names = ({ queued }: typeof queue) => queued.map(({ number }) => number);
  const numbersOf = (intents: readonly { number: bigint }[] | undefined) =>
    intents!.map(({ number }) => number);
  expect(names(letPass([brake, other![1]!], queue))).toEqual([
    ...numbersOf(one),
    ...[99n, other![1]!.number, other![0]!.number],
    ...numbersOf(last),
  ]);
  const elsewhere = { ...brake, accountId: 'another' };
  expect(names(letPass([elsewhere], queue))).toEqual([...names(queue), 99n]);
});
