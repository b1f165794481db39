import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from '@jest/globals';
import { createRpc } from '../../src/chain/rpc/rpc.ts';
import type { Rpc } from '../../src/chain/rpc/rpc.ts';
import { createKeySigner } from '../../src/chain/signing/signer.ts';
import { createDb, query } from '../../src/db/client.ts';
import { createNotifications } from '../../src/db/notifications.ts';
import { embeddedAccounts, startEmbeddedChain } from '../../src/embedded/chain.ts';
import { confirm } from '../../src/engine/settle/confirm.ts';
import type { Lane, LaneConfig } from '../../src/engine/lane/lane.ts';
import { defaultTimings } from '../../src/engine/index.ts';
import { runLane } from '../../src/engine/lane/run.ts';
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
  timings: defaultTimings,
};

describe('a lane', () => {
  test('that meets the same error again and again takes a breath in between', async () => {
    const [database, chain] = await Promise.all([
      createTestDatabase(),
      startEmbeddedChain({ port: 0, log: () => undefined }),
    ]);
    const db = createDb(database.url, 4);
    const rpc = createRpc([chain.url]);
    const log = createLogger('silent');
    const notifications = await createNotifications(database.url, log);
    const stopping = new AbortController();
    try {
      await query(
        db,
        `with account as (
           insert into accounts (id, email, password_hash) values (gen_random_uuid(), 'a@example.com', '-') returning id
         )
         insert into intents (id, account_id, environment, kind, contract, target, calldata, status)
         select gen_random_uuid(), id, 'live', 'mint', ?, ?, '\\x00', 'queued' from account`,
        [Buffer.alloc(20, 1), Buffer.alloc(20, 1)],
      );
      const running = runLane(
        {
          db,
          rpc,
          log,
          // There is no Operator at this address: what the simulation answers cannot be read.
          config: CONFIG,
          settle: async () => undefined,
          signer: createKeySigner(embeddedAccounts[0].privateKey),
          holder: 'a test',
        },
        notifications,
        stopping.signal,
      );
      await sleep(3_000);
      stopping.abort();
      await running;
      const [lane] = await query<{ epoch: bigint }>(db, 'select epoch from lanes');
      expect(Number(lane!.epoch)).toBeGreaterThanOrEqual(2);
      expect(Number(lane!.epoch)).toBeLessThanOrEqual(7);
    } finally {
      stopping.abort();
      await notifications.close();
      rpc.close();
      await db.destroy();
      await chain.stop();
      await database.drop();
    }
  });

  describe('that wants three confirmations, and has a receipt in block 10,', () => {
    const RECEIPT = { transactionHash: '0xaa', blockNumber: '0xa', blockHash: '0xbb', gasUsed: '0x1' };
    const block = (number: bigint) => ({ number, hash: `0x${number}`, baseFee: 1n, gasLimit: 1n }) as const;

    /** What is settled by a look that begins with this newest block; `call` is what the node answers. */
    async function settle(newest: bigint, call: (method: string, see: (head: bigint) => void) => unknown) {
      const settled: Step[] = [];
      let head = block(newest);
      const see = (number: bigint): void => {
        head = block(number);
      };
      const transaction = { id: 1n, nonce: 0n, attempts: [{ hash: '0xaa' }], members: [], mined: null };
      const lane = {
        rpc: { call: async (method: string) => call(method, see) } as Partial<Rpc>,
        get head() {
          return head;
        },
        unfinished: [transaction],
        open: () => [],
        remove: () => undefined,
        refreshHead: async () => undefined,
        config: {
          ...CONFIG,
          observe: { ...noopObserver, step: async (step: Step) => void settled.push(step) },
        },
      } as unknown as Lane;
      await confirm(lane, { block: '0x', lookedAt: 0, sentAt: 0, since: new Map() });
      return settled.map(({ details }) => details!['final']);
    }

    test('counts its depth from the block that it saw before', async () => {
      const call = (_method: string, see: (head: bigint) => void) => {
        // While the receipt is on its way, the other side of the lane reads a newer block of another history.
        see(12n);
        return RECEIPT;
      };
      expect(await settle(10n, call)).toEqual(['false']);
    });

    test('settles nothing when the block from which it counted is no longer there', async () => {
      const answer = (hash: string) => (method: string) =>
        method === 'eth_getBlockByNumber' ? { hash } : RECEIPT;
      expect(await settle(12n, answer('0x12'))).toEqual(['true']);
      expect(await settle(12n, answer('0xcc'))).toEqual([]);
    });
  });
});
