import { setTimeout as sleep } from 'node:timers/promises';
import { beforeEach, expect, test } from '@jest/globals';
import { AbiCoder, Interface } from 'ethers';
import { operatorAbi } from '../../generated/contracts.ts';
import { OPERATOR as OPERATOR_ABI } from '../../src/chain/abi/interfaces.ts';
import { executedTopics, intentId } from '../../src/chain/abi/operator.ts';
import { RpcUnreachable } from '../../src/chain/rpc/rpc.ts';
import { query } from '../../src/db/client.ts';
import { checkFunds } from '../../src/engine/lane/funds.ts';
import type { Lane } from '../../src/engine/lane/lane.ts';
import { acquireLane } from '../../src/engine/lane/lease.ts';
import { dispatch } from '../../src/engine/send/dispatch.ts';
import { CALL_USE } from '../../src/engine/send/gas.ts';
import { insertTransaction } from '../../src/engine/store/insert-transaction.ts';
import { cancelQueued } from '../../src/engine/store/verdicts.ts';
import { toBytes } from '../../src/lib/hex.ts';
import type { Hex } from '../../src/lib/hex.ts';
import { insertAccount } from '../../lab/stage/accounts.ts';
import { createLaneParts, makeSender } from '../setup/lanes.ts';
import { noteQueued, queueIntent } from '../setup/queue.ts';
import { useSuiteDatabase } from '../setup/suite-database.ts';
import { createAttempt, createDraft } from '../setup/transactions.ts';
import { ENGINE_CONFIG } from './engine-config.ts';

/** Topics of the event of a call's success in epoch 1. */
const topicsOf = (number: bigint) => executedTopics(1n, number).map(([topic]) => topic!);

const OPERATOR = `0x${'0a'.repeat(20)}` as const;
const SIGNER = `0x${'01'.repeat(20)}` as const;
const HEAD = { number: 9n, hash: `0x${'99'.repeat(32)}` } as const;
const [ONE, TWO, THREE, GOOD] = ['c1', 'c2', 'c3', 'd0'].map((byte) => `0x${byte.repeat(20)}`) as [
  Hex,
  Hex,
  Hex,
  Hex,
];
const INTENT_WORD = OPERATOR_ABI.getFunction('intentWord')!.selector;
/** By each call, in a simulation. */
const GAS = 5_000;

const { db } = useSuiteDatabase(3);

/** What the lane asks and does, in order, as far as it is of interest. */
let happened: string[];
/** Contracts whose calls revert at `latest`, and at the canonical head. */
let reverting: { latest: Hex[]; head: Hex[] };
let isRead: boolean;
/** Contracts whose calls the Operator has done before, and what a search for their events and a receipt come to. */
let done: Hex[];
let search: () => Promise<unknown>;
let receipt: object | null;

beforeEach(async () => {
  [happened, isRead] = [[], true];
  [done, receipt] = [[], null];
  search = async () => [];
  reverting = { latest: [ONE, TWO, THREE], head: [ONE, TWO, THREE] };
  await db.raw('truncate accounts, intents, lanes, transactions, contracts cascade');
});

function execute(data: string, reverted: readonly Hex[]): string {
  const [, calls] = new Interface(operatorAbi).decodeFunctionData('execute', data).toArray() as [
    bigint,
    { target: string; number: bigint }[],
  ];
  const results = calls.map(({ target, number }) =>
    done.includes(target.toLowerCase() as Hex)
      ? [
          false,
          0,
          OPERATOR_ABI.encodeErrorResult('IntentAlreadyDone', [intentId(1n, BigInt.asUintN(64, number))]),
        ]
      : [!reverted.includes(target.toLowerCase() as Hex), GAS, '0x'],
  );
  return AbiCoder.defaultAbiCoder().encode(['(bool,uint256,bytes)[]'], [results]);
}

async function call<Result>(method: string, [first, block]: readonly unknown[]): Promise<Result> {
  if (method === 'eth_getLogs') {
    happened.push('searched');
    return (await search()) as Result;
  }
  if (method === 'eth_call') {
    const { data } = first as { data: string };
    if (data.startsWith(INTENT_WORD)) return `0x${'f'.repeat(64)}` as Result;
    const place = block === 'latest' ? 'latest' : 'head';
    happened.push(`simulated at ${place}`);
    return execute(data, reverting[place]) as Result;
  }
  if (method === 'eth_sendRawTransaction') happened.push('sent');
  const answers: Record<string, unknown> = {
    eth_getTransactionCount: '0x5',
    eth_getBlockByNumber: { number: '0x9', hash: HEAD.hash, baseFeePerGas: '0x10', gasLimit: '0x1c9c380' },
    eth_maxPriorityFeePerGas: '0x1',
    eth_getBalance: '0xde0b6b3a7640000',
    eth_sendRawTransaction: HEAD.hash,
    eth_getTransactionReceipt: receipt,
  };
  return answers[method] as Result;
}

async function takeTestLane(cooldownMs = ENGINE_CONFIG.timings.cooldownMs): Promise<Lane> {
  const parts = createLaneParts(db, SIGNER, {
    config: { ...ENGINE_CONFIG, timings: { ...ENGINE_CONFIG.timings, cooldownMs } },
    rpc: { call },
    chain: {
      fresh: async () => {
        happened.push('looked');
        return isRead ? { final: HEAD, head: HEAD } : null;
      },
      expectBlock: () => undefined,
    },
    signer: { address: SIGNER, sign: async () => ({ raw: '0x02', hash: `0x${'aa'.repeat(32)}` }) },
  });
  const lane = (await acquireLane(parts, 'one'))!;
  await makeSender(db, SIGNER);
  await checkFunds(lane);
  happened = [];
  return lane;
}

/** Queues a call on each contract, for an account of its own. Returns the account. */
async function queue(...contracts: Hex[]): Promise<string> {
  // `queueIntent` queues for every account that there is.
  await db.raw(`update accounts set email = gen_random_uuid() || '@example.com'`);
  const account = await insertAccount(db);
  for (const contract of contracts) {
    await queueIntent(db, contract, { operator: OPERATOR });
    await query(db, 'delete from intents where contract = :contract and account_id <> :account', {
      contract: toBytes(contract),
      account,
    });
    await query(db, 'update contracts set account_id = :account where contract = :contract', {
      contract: toBytes(contract),
      account,
    });
  }
  return account;
}

async function statuses(): Promise<Record<Hex, string>> {
  const rows = await query<{ contract: Hex; status: string }>(db, 'select contract, status from intents');
  return Object.fromEntries(rows.map(({ contract, status }) => [contract, status]));
}

test('what succeeds is sent first; the verdicts on all that does not cost one look and one simulation', async () => {
  await queue(ONE, TWO, THREE, GOOD);
  expect(await dispatch(await takeTestLane())).toBe('more');
  expect(happened).toEqual(['simulated at latest', 'sent', 'looked', 'simulated at head']);
  expect(await statuses()).toEqual({
    [ONE]: 'failed',
    [TWO]: 'failed',
    [THREE]: 'failed',
    [GOOD]: 'submitted',
  });
});

test('what succeeds is sent though nobody reads the chain, and the rest waits', async () => {
  isRead = false;
  await queue(ONE, GOOD);
  await dispatch(await takeTestLane());
  expect(happened).toEqual(['simulated at latest', 'sent', 'looked']);
  expect(await statuses()).toEqual({ [ONE]: 'queued', [GOOD]: 'submitted' });
});

test('what nobody can verify is not asked for again at once, and holds up nothing that comes', async () => {
  isRead = false;
  await queue(ONE);
  const lane = await takeTestLane();
  await dispatch(lane);
  expect(happened).toEqual(['simulated at latest', 'looked']);
  happened = [];
  await queue(GOOD);
  await dispatch(lane);
  expect(happened).toEqual(['simulated at latest', 'sent']);
  expect(await statuses()).toEqual({ [ONE]: 'queued', [GOOD]: 'submitted' });
});

test('a call that is refused takes the turn of its account', async () => {
  const account = await queue(ONE, TWO, THREE);
  await queue(GOOD);
  const lane = await takeTestLane();
  await dispatch(lane);
  // Two more than the other account.
  expect(Object.fromEntries(lane.turns.spent)).toEqual({ [account]: 2 * (GAS + CALL_USE) });
});

test('a revert behind a call that succeeds at the canonical head is no verdict: that one may have caused it', async () => {
  reverting.head = [ONE, THREE];
  await queue(ONE, TWO, THREE);
  const lane = await takeTestLane();
  expect(await dispatch(lane)).toBe('more');
  expect(await statuses()).toEqual({ [ONE]: 'failed', [TWO]: 'queued', [THREE]: 'queued' });
  reverting = { latest: [THREE], head: [THREE] };
  await dispatch(lane);
  expect(await statuses()).toEqual({ [ONE]: 'failed', [TWO]: 'submitted', [THREE]: 'failed' });
});

/** Makes `ONE` a call that the Operator has done in a final block, beside a revert and a call that is to be sent. */
async function queueDone(): Promise<bigint> {
  [done, reverting] = [[ONE], { latest: [TWO], head: [TWO] }];
  await queue(ONE, TWO);
  const [intent] = await query<{ number: bigint }>(db, 'select number from intents where contract = :one', {
    one: toBytes(ONE),
  });
  return intent!.number;
}

test('a search that hangs ends nobody else’s turn, and nobody cancels what is searched for meanwhile', async () => {
  const number = await queueDone();
  const cancelled: unknown[] = [];
  search = async () => {
    cancelled.push(await db.transaction((tx) => cancelQueued(tx, number)));
    throw new RpcUnreachable('eth_getLogs: no answer within 10000 ms');
  };
  await dispatch(await takeTestLane());
  expect(cancelled).toEqual([undefined]);
  expect(await statuses()).toEqual({ [ONE]: 'queued', [TWO]: 'failed' });
});

test('after a slow search that found nothing there is none for a while', async () => {
  await queueDone();
  search = () => sleep(1_100, []);
  const lane = await takeTestLane(0);
  await dispatch(lane);
  await dispatch(lane);
  expect(happened.filter((what) => what === 'searched')).toHaveLength(1);
});

test('there is no search while an own transaction has done it in a block that is not final', async () => {
  const number = await queueDone();
  const attempt = createAttempt(`0x${'ee'.repeat(32)}`);
  const draft = createDraft(ONE, [number], { attempt, nonce: 5n, operator: OPERATOR });
  const lane = await takeTestLane();
  await insertTransaction(db, lane.key, draft);
  await query(db, `update transactions set status = 'displaced', block_number = 1, block_hash = :hash`, {
    hash: toBytes(HEAD.hash),
  });
  await query(db, 'update intents set decided_by = null');
  await query(db, `update intents set status = 'queued' where contract = :one`, { one: toBytes(ONE) });
  await noteQueued(db);
  const log = { address: OPERATOR, topics: topicsOf(number), data: `0x${'0'.repeat(128)}` };
  const block = { blockNumber: '0xa', blockHash: HEAD.hash };
  receipt = { transactionHash: attempt.hash, status: '0x1', logs: [log], ...block };
  await dispatch(lane);
  expect(happened).toContain('looked');
  expect(happened).not.toContain('searched');
  expect(await statuses()).toEqual({ [ONE]: 'queued', [TWO]: 'failed' });
});

test('a revert that waits for bytes which the lane does not hold is not asked for again at once', async () => {
  reverting = { latest: [ONE], head: [ONE] };
  const lane = await takeTestLane();
  await queue(ONE);
  const [intent] = await query<{ number: bigint }>(db, 'select number from intents');
  const draft = createDraft(ONE, [intent!.number], {
    attempt: createAttempt(`0x${'ee'.repeat(32)}`),
    nonce: 5n,
    operator: OPERATOR,
  });
  await insertTransaction(db, lane.key, draft);
  await query(db, 'update intents set decided_by = null');
  await query(db, `update intents set status = 'queued'`);
  await noteQueued(db);
  await dispatch(lane);
  expect(happened).toEqual(['simulated at latest', 'looked', 'simulated at head']);
  await dispatch(lane);
  expect(happened).toHaveLength(3);
  expect(await statuses()).toEqual({ [ONE]: 'queued' });
});
