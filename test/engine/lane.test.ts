import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from '@jest/globals';
import { createRpc } from '../../src/chain/rpc/rpc.ts';
import type { Rpc } from '../../src/chain/rpc/rpc.ts';
import { createKeySigner } from '../../src/chain/signing/signer.ts';
import { createDb, query } from '../../src/db/client.ts';
import { createNotifications } from '../../src/db/notifications.ts';
import { embeddedAccounts, startEmbeddedChain } from '../../src/embedded/chain.ts';
import { defaultTimings } from '../../src/engine/index.ts';
import type { LaneConfig } from '../../src/engine/lane/config.ts';
import { openLane } from '../../src/engine/lane/lane.ts';
import { runLane } from '../../src/engine/run/run-lane.ts';
import { confirm } from '../../src/engine/settle/confirm.ts';
import type { Transaction } from '../../src/engine/store/transactions.ts';
import { createLogger } from '../../src/telemetry/logger.ts';
import { noopObserver } from '../../src/telemetry/observe.ts';
import type { Step } from '../../src/telemetry/observe.ts';
import { createTestDatabase } from '../setup/database.ts';

const CONFIG: LaneConfig = {
  chainId: 31_337n,
  operator: `0x${'0a'.repeat(20)}`,
  factories: [],
  confirmations: 3,
  maxInFlight: 4,
  maxBatch: 10,
  reach: () => undefined,
  observe: noopObserver,
  timings: { ...defaultTimings, backoffMs: 250, queueLookMs: 250 },
};

test('a lane that meets the same error again and again pauses in between', async () => {
  await using cleanUp = new AsyncDisposableStack();
  const [database, chain] = await Promise.all([
    createTestDatabase(),
    startEmbeddedChain({ port: 0, log: () => undefined }),
  ]);
  cleanUp.defer(() => database.drop());
  cleanUp.defer(() => chain.stop());
  const db = cleanUp.adopt(createDb(database.url, 4), (opened) => opened.destroy());
  const rpc = cleanUp.adopt(createRpc([chain.url]), (opened) => opened.close());
  const log = createLogger('silent');
  const notifications = await createNotifications(database.url, log);
  cleanUp.defer(() => notifications.close());
  await query(
    db,
    `with account as (
       insert into accounts (id, email, password_hash) values (gen_random_uuid(), 'a@example.com', '-') returning id
     )
     insert into intents (id, account_id, environment, kind, contract, target, calldata, status)
     select gen_random_uuid(), id, 'live', 'mint', :contract, :contract, '\\x00', 'queued' from account`,
    { contract: Buffer.alloc(20, 1) },
  );
  const stopping = new AbortController();
  const parts = {
    db,
    rpc,
    log,
    // There is no Operator at this address: what the simulation returns cannot be read.
    config: CONFIG,
    effects: { settled: async () => undefined },
    signer: createKeySigner(embeddedAccounts[0].privateKey),
    holder: 'a test',
  };
  const running = runLane(parts, notifications, stopping.signal);
  await sleep(1_750);
  stopping.abort();
  await running;
  const [lane] = await query<{ epoch: bigint }>(db, 'select epoch from lanes');
  expect(Number(lane!.epoch)).toBeGreaterThanOrEqual(2);
  expect(Number(lane!.epoch)).toBeLessThanOrEqual(8);
});

describe('a receipt in block 10 of which three confirmations are wanted', () => {
  const RECEIPT = { transactionHash: '0xaa', blockNumber: '0xa', blockHash: '0xbb', gasUsed: '0x1' };
  const TRANSACTION: Transaction = {
    id: 1n,
    nonce: 0n,
    gasLimit: 1n,
    expectedGas: 1,
    calldata: '0x',
    attempts: [{ hash: '0xaa', raw: '0x', maxFeePerGas: 1n, maxPriorityFeePerGas: 1n }],
    members: [],
    mined: null,
  };

  /** A lane with that transaction, which writes down what it would settle; `call` is what the node says. */
  function openTestLane(call: Rpc['call']) {
    const settled: unknown[] = [];
    const step = (event: Step): Promise<never> => {
      settled.push(event.details!['final']);
      return Promise.reject(new Error('not written'));
    };
    const lane = openLane(
      {
        db: createDb('postgres://127.0.0.1:1/never-opened', 1),
        rpc: { call },
        log: createLogger('silent'),
        config: { ...CONFIG, observe: { ...noopObserver, step } },
        effects: { settled: async () => undefined },
        signer: createKeySigner(embeddedAccounts[0].privateKey),
      },
      1n,
      0n,
    );
    lane.inFlight.add(TRANSACTION);
    const look = async (): Promise<unknown[]> => {
      await confirm(lane, { block: '0x', at: 0 }).catch((error: Error) =>
        expect(error.message).toBe('not written'),
      );
      return settled;
    };
    return { lane, look };
  }

  const blockAt = (number: bigint) => ({
    number: `0x${number.toString(16)}`,
    hash: `0x${number}`,
    baseFeePerGas: '0x1',
    gasLimit: '0x1',
  });

  test('is not final when the third block comes while the receipt is on its way', async () => {
    let head = 10n;
    const { lane, look } = openTestLane(async <T>(method: string): Promise<T> => {
      if (method === 'eth_getBlockByNumber') return blockAt(head) as T;
      // The other loop of the lane reads a newer block, maybe of another history.
      head = 12n;
      await lane.head.refresh();
      return RECEIPT as T;
    });
    expect(await look()).toEqual(['false']);
  });

  test.each([
    ['is final when the block from which that is counted is still there', '0x12', ['true']],
    ['is not settled when the block from which that is counted is gone', '0xcc', []],
  ])('%s', async (_title, hash, expected) => {
    const { look } = openTestLane(async <T>(method: string, [block]: readonly unknown[]): Promise<T> => {
      if (method !== 'eth_getBlockByNumber') return RECEIPT as T;
      return (block === 'latest' ? blockAt(12n) : { ...blockAt(12n), hash }) as T;
    });
    expect(await look()).toEqual(expected);
  });
});
