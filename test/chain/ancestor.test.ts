import { expect, test } from '@jest/globals';
import { findAncestor } from '../../src/chain/follower/ancestor.ts';
import { PROFILES } from '../../src/chain/profile.ts';
import type { BlockId } from '../../src/lib/block-id.ts';
import { createNode, hashOf } from '../setup/forked-node.ts';

/** As deep as a reorg is undone without a person: ten times the finality and 64 blocks below the last final one. */
const FLOOR = 1_036;
const old = (number: number): BlockId => ({ number: BigInt(number), hash: hashOf(number, []) });

/** Of a chain that has another fork from a block on, while these are known of the one before. */
function find(forkedAt: number, known: readonly BlockId[], isAccepted: boolean) {
  const node = createNode();
  node.height = 1_140;
  node.forks = [{ name: 'b', from: forkedAt }];
  const parts = { rpc: node.rpc, profile: { ...PROFILES['anvil']!, finality: 3 } };
  const newestFirst = known.toSorted((one, other) => Number(other.number - one.number));
  const blocks = {
    from: async (number: bigint) => newestFirst.filter((block) => block.number >= number),
    below: async (number: bigint, limit: number) =>
      newestFirst.filter((block) => block.number < number).slice(0, limit),
  };
  return findAncestor(parts, old(1_130), blocks, isAccepted);
}

test('a known block at the depth to which a reorg is undone is not taken for one of the new fork', async () => {
  const known = [old(1_000), old(FLOOR), old(1_050)];
  expect((await find(1_006, known, false)).ancestor).toBeNull();
  expect((await find(1_006, known, true)).ancestor).toEqual(old(1_000));
});

test('where nothing is known between that depth and an older canonical block, the block there will do', async () => {
  const { ancestor } = await find(1_006, [old(1_000), old(1_050)], false);
  expect(ancestor).toEqual({ number: BigInt(FLOOR), hash: hashOf(FLOOR, [{ name: 'b', from: 1_006 }]) });
});
