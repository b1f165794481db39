import type { BlockId, Cursor } from '../../lib/block-id.ts';
import type { ChainProfile } from '../profile.ts';
import type { Rpc } from '../rpc/rpc.ts';
import { toBlockId, toQuantity } from './block.ts';
import type { RpcHeader } from './block.ts';
import { MAX_HEADERS, readHeader, walkDown } from './link.ts';
import { createReadAhead } from './read-ahead.ts';

/** What is known of blocks that were final: those in which something happened that a reorg would undo. */
export interface KnownBlocks {
  /** All of them from a number on. */
  from(number: bigint): Promise<BlockId[]>;
  /** The newest ones below a number, newest first; none when nothing is known of so old ones. */
  below(number: bigint, limit: number): Promise<BlockId[]>;
}

interface AncestorParts {
  rpc: Pick<Rpc, 'call'>;
  profile: Pick<ChainProfile, 'finality' | 'mayHaveZeroParents'>;
}

/** Stands for a finality that is a tag: Ethereum's `finalized` is two epochs of 32 blocks behind the head. */
const BLOCKS_OF_TAG = 64;
/** Known blocks that are asked for at a time. */
const PAGE = 100;

/** Blocks below the last final one to which a reorg is undone without a person who says so. */
function maxAutomaticDepth(finality: ChainProfile['finality']): bigint {
  return 10n * BigInt(typeof finality === 'number' ? finality : BLOCKS_OF_TAG) + 64n;
}

/** Whether an endpoint has this block in the chain that it follows, by its number. */
export async function isCanonical({ rpc }: { rpc: Pick<Rpc, 'call'> }, block: BlockId): Promise<boolean> {
  const header = await rpc.call<RpcHeader | null>('eth_getBlockByNumber', [toQuantity(block.number), false]);
  return header?.hash === block.hash;
}

/**
 * Whether any endpoint has the final block of what was settled in its chain. The calls go on with one that has: the one
 * in use may have stayed on a fork, or have lost its chain. One that stands still at the settled head, below what
 * others show, says nothing: it may be the one that stayed.
 */
export async function isCanonicalAnywhere(
  { rpc }: { rpc: Pick<Rpc, 'choose'> },
  { final, head }: Cursor,
): Promise<boolean> {
  const params = [toQuantity(final.number), false];
  return rpc.choose<RpcHeader | null>(
    'eth_getBlockByNumber',
    params,
    head.number,
    (header) => header?.hash === final.hash,
  );
}

/**
 * Finds a block of the chain as it is now, at or below the last final one that is known, above which everything known
 * is of another fork, and below which everything known is of this one. Null when that lies deeper than
 * `maxAutomaticDepth`, which takes a person: `isAccepted`. Returns the head that it started from, too.
 * @throws NotLinked when the answers do not fit together, and what `Rpc.call` throws
 */
export async function findAncestor(
  parts: AncestorParts,
  final: BlockId,
  known: KnownBlocks,
  isAccepted: boolean,
): Promise<{ ancestor: BlockId | null; head: BlockId }> {
  const head = await readHeader(parts, 'latest');
  const depth = maxAutomaticDepth(parts.profile.finality);
  const floor = final.number > depth ? final.number - depth : 0n;
  const recent = [final, ...(await known.from(floor + 1n))];
  const hashes = new Set(recent.map(({ hash }) => hash));
  let last = head;
  if (hashes.has(head.hash)) return { ancestor: toBlockId(head), head };
  const reading = { ...parts, ...parts.profile, ahead: createReadAhead(), atOnce: MAX_HEADERS };
  for await (const header of walkDown(reading, head, floor)) {
    if (hashes.has(header.hash)) return { ancestor: toBlockId(header), head };
    last = header;
  }
  const [older] = await known.below(floor + 1n, 1);
  // Nothing is known between that one and the lowest block that was looked at: wherever the fork is, it undoes nothing.
  if (older && last.number === floor && (await isCanonical(parts, older)))
    return { ancestor: toBlockId(last), head };
  if (!isAccepted) return { ancestor: null, head };
  return { ancestor: await findDeepAncestor(parts, known, { head, recent, floor }), head };
}

/** The newest known block below the floor that is canonical; the one before all that is known when none of them is. */
async function findDeepAncestor(
  parts: AncestorParts,
  known: KnownBlocks,
  { head, recent, floor }: { head: BlockId; recent: readonly BlockId[]; floor: bigint },
): Promise<BlockId> {
  let oldest = recent.reduce((least, { number }) => (number < least ? number : least), recent[0]!.number);
  for (
    let page = await known.below(floor + 1n, PAGE);
    page.length > 0;
    page = await known.below(oldest, PAGE)
  ) {
    for (const block of page) {
      if (await isCanonical(parts, block)) return block;
      oldest = block.number;
    }
  }
  const before = oldest > 0n ? oldest - 1n : 0n;
  return toBlockId(await readHeader(parts, toQuantity(before < head.number ? before : head.number)));
}
