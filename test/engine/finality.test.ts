import { describe, expect, test } from '@jest/globals';
import type { Rpc } from '../../src/chain/rpc/rpc.ts';
import { createKeySigner } from '../../src/chain/signing/signer.ts';
import { createDb } from '../../src/db/client.ts';
import { embeddedAccounts } from '../../src/embedded/accounts.ts';
import { openLane } from '../../src/engine/lane/lane.ts';
import { confirm } from '../../src/engine/settle/confirm.ts';
import type { Transaction } from '../../src/engine/store/transactions.ts';
import { createLogger } from '../../src/telemetry/logger.ts';
import { noopObserver } from '../../src/telemetry/observe.ts';
import type { Step } from '../../src/telemetry/observe.ts';
import { LANE_CONFIG } from './lane-config.ts';

describe('a receipt in block 10 of which three confirmations are wanted', () => {
  const RECEIPT = { transactionHash: '0xaa', blockNumber: '0xa', blockHash: '0xbb', gasUsed: '0x1' };
  const TRANSACTION: Transaction = {
    id: 1n,
    nonce: 0n,
    gasLimit: 1n,
    expectedGas: 1,
    operator: '0x',
    epoch: 1n,
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
        config: { ...LANE_CONFIG, confirmations: 3, observe: { ...noopObserver, step } },
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
