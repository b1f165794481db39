import { beforeAll, expect, test } from '@jest/globals';
import { acceptGap } from '../../src/engine/index.ts';
import { tieToChain } from '../../src/engine/store/chain-identity.ts';
import { findLanes, takeLane } from '../../src/engine/store/lanes.ts';
import { useSuiteDatabase } from '../setup/suite-database.ts';

const OPERATOR = `0x${'0a'.repeat(20)}` as const;
const [AHEAD, LEVEL] = [`0x${'01'.repeat(20)}`, `0x${'02'.repeat(20)}`] as const;

const { db } = useSuiteDatabase(1);

beforeAll(async () => {
  await tieToChain(db, { chainId: 1n, genesisHash: `0x${'0b'.repeat(32)}`, operator: OPERATOR });
  for (const signer of [AHEAD, LEVEL])
    await takeLane(db, signer, { holder: 'one', leaseMs: 60_000, onChain: { nonce: 5n, isHeld: true } });
});

/** The pool has transactions of one signer that the database does not know. */
async function call<Result>(method: string, [signer, block]: readonly unknown[]): Promise<Result> {
  if (method !== 'eth_getTransactionCount') return '0x0' as Result;
  expect(block).toBe('pending');
  return (signer === AHEAD ? '0x8' : '0x5') as Result;
}

test('an accepted gap leaves nonces alone that a pool has transactions for, and has the others filled', async () => {
  await acceptGap(db, { call }, OPERATOR);
  const lanes = new Map((await findLanes(db)).map((lane) => [lane.signer, lane]));
  expect(lanes.get(AHEAD)).toMatchObject({ nextNonce: 8n, healing: true, isHeld: false });
  expect(lanes.get(LEVEL)).toMatchObject({ nextNonce: 5n, healing: false, isHeld: false });
  expect(
    await takeLane(db, AHEAD, { holder: 'two', leaseMs: 60_000, onChain: { nonce: 5n, isHeld: true } }),
  ).toMatchObject({
    nextNonce: 8n,
    healing: true,
  });
});
