import type { BlockId } from '../../lib/block-id.ts';
import type { Hex } from '../../lib/hex.ts';
import type { ChainProfile } from '../profile.ts';
import type { Rpc } from '../rpc/rpc.ts';
import { mayHaveLogsOf, toHeader, toQuantity } from './block.ts';
import type { Block, BlockLog, Header, RpcHeader } from './block.ts';
import { createForkChoice } from './fork-choice.ts';
import { createHeldChain } from './held-chain.ts';
import type { HeldChain, Step } from './held-chain.ts';
import { findAncestor, isCanonical } from './ancestor.ts';
import type { KnownBlocks } from './ancestor.ts';
import { DeepReorg, NotLinked, linkToHeld } from './link.ts';

export { DeepReorg, NotLinked, findAncestor, isCanonical };
export type { KnownBlocks };
export type { Block, BlockLog, Step };

/** Blocks that one look reads at most: what is farther ahead is read by the next ones. */
const MAX_BLOCKS = 1_000n;

export interface FollowerParts {
  rpc: Pick<Rpc, 'call'>;
  profile: Pick<ChainProfile, 'finality' | 'forkChoiceMs' | 'honestBlooms' | 'mayHaveZeroParents'>;
  /** Whose logs are read. */
  operator: Hex;
}

/**
 * The one reader of a chain. It holds the canonical headers from the last final block to the head, and asks for
 * everything by block hash: an answer from another fork is an error, and not a wrong answer.
 */
export interface Follower {
  readonly held: HeldChain;
  /**
   * Looks at the chain. Returns what changes of the held blocks, which `accept` does; null when nothing does.
   * @throws NotLinked when the answers do not fit together, DeepReorg when what was final is not any more, and what
   *   `Rpc.call` throws
   */
  look(): Promise<Step | null>;
  /** Changes the held blocks, once what follows from the step is stored. */
  accept(step: Step): void;
}

/**
 * Opens a follower at a final block that was judged before, and follows every block since; without one at the block that
 * is final now.
 * @throws DeepReorg when the block is canonical no longer
 */
export async function openFollower(parts: FollowerParts, known: BlockId | null): Promise<Follower> {
  const anchor = known ? await checkAnchor(parts, known) : await findFinal(parts);
  const held = createHeldChain(anchor);
  const forkChoice = createForkChoice(parts.profile.forkChoiceMs);
  return {
    held,
    look: async () => {
      const latest = await readTag(parts, 'latest');
      const farthest = held.head.number + MAX_BLOCKS;
      const head = latest.number > farthest ? await readTag(parts, toQuantity(farthest)) : latest;
      if (head.hash !== held.head.hash && !forkChoice.isBetter(head, held.head)) return null;
      if (head.hash === held.head.hash) forkChoice.reset();
      const { fork, headers } = await linkToHeld({ ...parts, ...parts.profile }, held, head);
      const removed = [...held.above(fork)].reverse();
      const added = await Promise.all(headers.map((header) => readBlock(parts, header)));
      const next = [...held.above(0).slice(0, fork), ...added];
      const final = await finalOf(parts, held.anchor, next);
      if (removed.length === 0 && added.length === 0 && final.hash === held.anchor.hash) return null;
      const { number, hash } = next.at(-1) ?? held.anchor;
      return { removed, added, final, head: { number, hash } };
    },
    accept: held.accept,
  };
}

/**
 * Opens a follower at the block that is final now, when nothing that is waited for can be in the blocks since `known`.
 * @throws DeepReorg when that one is canonical no longer
 */
export async function openFollowerAnew(parts: FollowerParts, known: BlockId): Promise<Follower> {
  await checkAnchor(parts, known);
  return openFollower(parts, null);
}

async function checkAnchor(parts: FollowerParts, anchor: BlockId): Promise<BlockId> {
  if (!(await isCanonical(parts, anchor))) throw new DeepReorg(await readTag(parts, 'latest'), anchor);
  return anchor;
}

async function findFinal(parts: FollowerParts): Promise<BlockId> {
  const { finality } = parts.profile;
  if (typeof finality === 'string') return readTag(parts, finality);
  const head = await readTag(parts, 'latest');
  const number = head.number - BigInt(finality) + 1n;
  return readTag(parts, toQuantity(number > 0n ? number : 0n));
}

/** The newest final block of a chain that begins above the anchor. */
async function finalOf(parts: FollowerParts, anchor: BlockId, blocks: readonly Block[]): Promise<BlockId> {
  const { finality } = parts.profile;
  if (typeof finality === 'number') {
    const { number, hash } = blocks.at(-finality) ?? anchor;
    return { number, hash };
  }
  if (blocks.length === 0) return anchor;
  const tagged = await readTag(parts, finality);
  const final = blocks.find(({ hash }) => hash === tagged.hash);
  return final ? { number: final.number, hash: final.hash } : anchor;
}

async function readTag({ rpc }: FollowerParts, block: string): Promise<Header> {
  const header = await rpc.call<RpcHeader | null>('eth_getBlockByNumber', [block, false]);
  if (!header) throw new NotLinked(`block ${block} is unknown`);
  return toHeader(header);
}

async function readBlock({ rpc, operator, profile }: FollowerParts, header: Header): Promise<Block> {
  if (profile.honestBlooms && !mayHaveLogsOf(header, operator)) return { ...header, logs: [] };
  const filter = { blockHash: header.hash, address: operator };
  const logs = await rpc.call<(BlockLog & { blockHash: Hex })[]>('eth_getLogs', [filter]);
  if (logs.some(({ blockHash }) => blockHash !== header.hash)) {
    throw new NotLinked(`logs of another block were given for block ${header.number}`);
  }
  return { ...header, logs };
}
