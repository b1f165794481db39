import { beforeEach, expect, test } from '@jest/globals';
import { askOf } from '../../src/db/client.ts';
import { acceptGap } from '../../src/engine/index.ts';
import { createLostBytes } from '../../src/engine/settle/lost-bytes.ts';
import { writeAsking } from '../../src/engine/settle/write-asking.ts';
import { tieToChain } from '../../src/engine/store/chain-identity.ts';
import { markCommitsLost } from '../../src/engine/store/commit-marks.ts';
import { moveToEpoch } from '../../src/engine/store/epochs.ts';
import { findNeverSent } from '../../src/engine/store/never-sent.ts';
import { cancelQueued } from '../../src/engine/store/verdicts.ts';
import { insertAccount } from '../setup/accounts.ts';
import { insertLane } from '../setup/lanes.ts';
import { queueIntent } from '../setup/queue.ts';
import { useSuiteDatabase } from '../setup/suite-database.ts';

const OPERATOR = `0x${'0a'.repeat(20)}` as const;
const SIGNER = `0x${'01'.repeat(20)}` as const;

const { db } = useSuiteDatabase(2);
const ask = askOf(db);

beforeEach(async () => {
  await db.raw(
    'truncate accounts, intents, lanes, transactions, contract_lanes, chain restart identity cascade',
  );
  await db.raw(
    `update server set lost_generation = default, identity = server_identity(), unsure_up_to = 0; update follower set lease_until = '-infinity'`,
  );
  await tieToChain(db, { chainId: 1n, genesisHash: `0x${'0b'.repeat(32)}`, operator: OPERATOR });
  await insertAccount(db);
});

const ANSWERS: Record<string, unknown> = { eth_getTransactionCount: '0x5', eth_getLogs: [] };
const call = async <Result>(method: string): Promise<Result> => (ANSWERS[method] ?? '0x0') as Result;
const callEach = async <Result>(method: string): Promise<Result[]> => [await call<Result>(method)];
const GAP = { rpc: { call, callEach }, operator: OPERATOR, maxInFlight: 4, signers: [] };

const cancel = (number: bigint) => db.transaction((tx) => cancelQueued(tx, number));
const lookForUnsent = () => findNeverSent(db, { holder: 'one', otherHolderMs: 0, limit: 10 });

test('what has no verdict when a gap is accepted is neither cancelled nor given up in a later epoch', async () => {
  const { number } = await queueIntent(db, OPERATOR);
  await acceptGap(db, GAP);
  const moved = await db.transaction((tx) => moveToEpoch(tx, { operator: OPERATOR, epoch: 2n }, [number]));
  expect([...moved]).toEqual([number]);
  expect(await lookForUnsent()).toEqual([]);
  expect(await cancel(number)).toBeUndefined();

  const later = await queueIntent(db, OPERATOR);
  expect(await cancel(later.number)).toMatchObject({ status: 'cancelled' });
});

test('lost bytes may be mined as long as commits are lost: which nonces they have is known once the gap is accepted', async () => {
  const block = { number: 1n, hash: `0x${'f1'.repeat(32)}` } as const;
  const isWaitedFor = () => {
    const parts = { db, rpc: { call }, config: { operator: OPERATOR, maxInFlight: 4 } };
    const lostBytes = createLostBytes(parts, async () => ({ final: block, head: block }));
    return writeAsking(async () => lostBytes.mayBeMined());
  };
  await insertLane(db, SIGNER);
  expect(await isWaitedFor()).toBe(false);
  await markCommitsLost(ask, 0n);
  expect(await isWaitedFor()).toBe(true);
});
