import type { BlockId, Cursor } from '../../lib/block-id.ts';
import type { Hex } from '../../lib/hex.ts';
import { chunksOf } from '../../lib/chunks.ts';
import type { ChainProfile } from '../profile.ts';
import { RpcRefused } from '../rpc/rpc.ts';
import type { Rpc } from '../rpc/rpc.ts';
import { mayHaveLogsOf, toBlockId, toQuantity } from './block.ts';
import type { Block, BlockLog, Header } from './block.ts';
import type { BlockSpacing } from './block-spacing.ts';
import { createForkChoice } from './fork-choice.ts';
import { createCanonicalBlocks } from './canonical-blocks.ts';
import type { CanonicalBlocks, Step } from './canonical-blocks.ts';
import { findAncestor, isCanonical, isCanonicalAnywhere } from './ancestor.ts';
import type { KnownBlocks } from './ancestor.ts';
import { DeepReorg, NotLinked, linkToCanonical, readHeader } from './link.ts';
import { createReadAhead } from './read-ahead.ts';
import type { ReadAhead } from './read-ahead.ts';

export { DeepReorg, NotLinked, findAncestor, isCanonical, isCanonicalAnywhere };
export type { KnownBlocks };
export type { Block, BlockLog, Step };

/** Blocks that one look reads at most: what is farther ahead is read by the next ones. */
const MAX_BLOCKS = 1_000;
/** Blocks below the head of which every node keeps the logs. */
const KEPT_LOGS = 32n;
/** Seconds by which an index of logs may be behind the head. */
const MAX_INDEX_LAG = 3_600;
/** Blocks that are read with all their transactions, at a time. */
const WHOLE_AT_ONCE = 16;

export interface FollowerParts {
  rpc: Pick<Rpc, 'call' | 'callEach' | 'choose'>;
  profile: Pick<ChainProfile, 'finality' | 'forkChoiceMs' | 'honestBlooms' | 'mayHaveZeroParents'>;
  /** Whose logs are read, one at least. */
  operators: readonly Hex[];
  /** Outlives the follower. */
  spacing: Pick<BlockSpacing, 'note'>;
  /**
   * Whether all endpoints are asked for the logs of a block: one alone may answer that there are none, as a node that
   * is still indexing does.
   */
  asksAll(): boolean;
  /**
   * Whether the receipts are asked, too, where a block near the head has no logs by all answers: the only endpoint may
   * be indexing still.
   */
  looksForUnknown(): boolean;
  /** Called when a header, or the logs of a block, were read that were not read before. */
  onRead(): void;
}

/**
 * Holds the canonical headers from the last final block to the head, which it reads by number or
 * tag and believes by their links, and asks for logs by block hash: an answer from another fork is an error, and not a
 * wrong answer.
 */
export interface Follower {
  readonly canonical: CanonicalBlocks;
  /**
   * Looks at the chain. Returns what changes of the canonical blocks, which `accept` does; null when nothing does. An
   * empty first step means that no block above the final one is canonical. Until it is accepted, null means that the
   * stored head, or a better one, was not seen yet.
   * @throws NotLinked when the answers do not fit together, DeepReorg when what was final is not any more, and what
   *   `Rpc.call` throws
   */
  look(): Promise<Step | null>;
  /** Changes the canonical blocks, once what follows from the step is stored. */
  accept(step: Step): void;
}

/**
 * Opens a follower at the final block of what was settled before, and follows every block since; without one at the
 * block that is final now.
 * @throws DeepReorg when the block is canonical no longer
 */
export async function openFollower(parts: FollowerParts, cursor: Cursor | null): Promise<Follower> {
  const anchor = cursor ? await checkCanonical(parts, cursor.final) : await findFinal(parts);
  return createFollower(parts, anchor, cursor?.head ?? null);
}

/**
 * Opens a follower at the block that is final now, when nothing that is waited for can be in the blocks since
 * `cursor`. By an endpoint that lags that may be an older one: then at the final block of `cursor`.
 * @throws DeepReorg when its final block is canonical no longer; NotLinked when the block that is final now is not
 */
export async function openFollowerAnew(parts: FollowerParts, cursor: Cursor): Promise<Follower> {
  const final = await findFinal(parts);
  const anchor = final.number < cursor.final.number ? cursor.final : final;
  // Nothing links the two. Calls of one turn are one batch, which one backend answers: by two of them, of which one has
  // stayed on another fork, a deep reorg of the idle time would go unnoticed.
  const [, isKnown] = await Promise.all([checkCanonical(parts, cursor.final), isCanonical(parts, anchor)]);
  if (!isKnown) throw new NotLinked(`block ${anchor.number} is not the one that was final`);
  return createFollower(parts, anchor, cursor.head);
}

/** The blocks from the canonical ones to a head, as a look reads them. */
interface ReadBlocks extends Pick<Step, 'removed' | 'added' | 'final'> {
  headers: readonly Header[];
}

/** @param storedHead the stored head; the first step is measured by it, and reads up to it at once */
function createFollower(parts: FollowerParts, anchor: BlockId, storedHead: BlockId | null): Follower {
  const canonical = createCanonicalBlocks(anchor);
  const forkChoice = createForkChoice(parts.profile.forkChoiceMs);
  let hasRead = false;
  /** The newest block when the reading of the next step began. */
  let goal: bigint | null = null;
  const ahead = createReadAhead((number) => {
    // Each new head has a new header: an endpoint that gives headers, and no logs of some block, would seem to get on
    // for ever.
    if (goal === null || number > goal) return;
    hasRead = true;
    parts.onRead();
  });
  /**
   * Blocks that a look asks for at a time, and that it reads at most: half as many after a look that came to nothing.
   */
  let pace = MAX_BLOCKS;
  let isFirst = true;

  /** The blocks from the canonical ones to a head. An endpoint may take fewer calls at a time than a long way needs. */
  const readTo = async (head: Header, latest: Header): Promise<ReadBlocks> => {
    hasRead = false;
    let isPaceTried = true;
    goal ??= latest.number;
    try {
      const { fork, headers } = await linkToCanonical(
        { ...parts, ...parts.profile, ahead, atOnce: pace },
        canonical,
        head,
      );
      const next = [...canonical.above(0).slice(0, fork), ...headers];
      // These are one or two calls, whose failure tells nothing of how many an endpoint takes.
      isPaceTried = false;
      const final = await finalOf(parts, canonical.final, next, head === latest);
      isPaceTried = true;
      const mayBePruned = ({ number }: Header): boolean =>
        number <= final.number && number + KEPT_LOGS <= latest.number;
      const mayLackLogs = ({ timestamp }: Header): boolean =>
        parts.looksForUnknown() && timestamp + MAX_INDEX_LAG > latest.timestamp;
      const added = await readBlocks(parts, headers, { ahead, atOnce: pace, mayBePruned, mayLackLogs });
      if (added.length >= pace) pace = Math.min(2 * pace, MAX_BLOCKS);
      return { removed: [...canonical.above(fork)].reverse(), headers, added, final };
    } catch (error) {
      // What does not fit together is asked for anew.
      const isAnew = error instanceof NotLinked || error instanceof DeepReorg;
      if (isAnew) ahead.clear();
      // An endpoint that fails some calls has answered the others: the next look asks for the rest, of as many blocks.
      if (isAnew || (isPaceTried && !hasRead)) {
        const missing = Math.max(1, Number(head.number - canonical.head.number));
        pace = Math.ceil(Math.min(pace, missing) / 2);
      }
      throw error;
    }
  };

  /** Whether a head is none that takes the believed one back, for an endpoint has that: it is read from there on. */
  const isShownElsewhere = async (head: Header, believed: BlockId): Promise<boolean> =>
    head.number <= believed.number && (await isCanonicalAnywhere(parts, { final: believed, head: believed }));

  return {
    canonical,
    look: async () => {
      const askedAt = performance.now();
      const believed = (isFirst && storedHead) || canonical.head;
      const latest = await readHeader(parts, 'latest');
      if (latest.hash === believed.hash) forkChoice.reset();
      else if (!forkChoice.isBetter(latest, believed) || (await isShownElsewhere(latest, believed)))
        return null;
      // What the first step does not find is taken back: it reads as far as it may, however often it has to begin.
      const farthest = max(canonical.head.number + BigInt(isFirst ? MAX_BLOCKS : pace), believed.number);
      const isLatest = latest.number <= farthest;
      const head = isLatest ? latest : await readHeader(parts, toQuantity(farthest));
      const { removed, headers, added, final } = await readTo(head, latest);
      if (isLatest) parts.spacing.note(headers, askedAt);
      const isSame = removed.length === 0 && added.length === 0 && final.hash === canonical.final.hash;
      if (isSame && !isFirst) return null;
      return { removed, added, final, head: toBlockId(head), isLatest };
    },
    accept: (step) => {
      canonical.accept(step);
      ahead.clear();
      goal = null;
      isFirst = false;
    },
  };
}

const max = (one: bigint, other: bigint): bigint => (one > other ? one : other);

async function checkCanonical(parts: FollowerParts, anchor: BlockId): Promise<BlockId> {
  if (!(await isCanonical(parts, anchor))) throw new DeepReorg(await readHeader(parts, 'latest'), anchor);
  return anchor;
}

/** The block that is final now, as an endpoint shows it. @throws NotLinked when it has none */
async function findFinal(parts: {
  rpc: Pick<Rpc, 'call'>;
  profile: Pick<ChainProfile, 'finality'>;
}): Promise<BlockId> {
  const { finality } = parts.profile;
  if (typeof finality === 'string') return readHeader(parts, finality);
  const head = await readHeader(parts, 'latest');
  const number = head.number - BigInt(finality) + 1n;
  return readHeader(parts, toQuantity(number > 0n ? number : 0n));
}

/**
 * The newest final block of a chain that begins above the final one.
 * @param isLatest the chain has shown no block beyond its last one
 */
async function finalOf(
  parts: FollowerParts,
  anchor: BlockId,
  blocks: readonly BlockId[],
  isLatest: boolean,
): Promise<BlockId> {
  const { finality } = parts.profile;
  const last = blocks.at(-1);
  if (!last) return anchor;
  if (typeof finality === 'number') {
    const beyond = isLatest ? 0 : await countBeyond(parts, last);
    return toBlockId(blocks.at(-Math.max(1, finality - beyond)) ?? anchor);
  }
  // Calls of one turn are one batch, which one backend answers: all that it has below its final block is final.
  const [tagged, isThere] = await Promise.all([
    readHeader(parts, finality),
    !isLatest && isCanonical(parts, last),
  ]);
  if (isThere && tagged.number > last.number) return toBlockId(last);
  return toBlockId(blocks.find(({ hash }) => hash === tagged.hash) ?? anchor);
}

/** Blocks that the chain has beyond one; none while who shows them does not have that one. */
async function countBeyond(parts: FollowerParts, block: BlockId): Promise<number> {
  // Calls of one turn are one batch, which one backend answers: its head is built on all blocks that it has.
  const [latest, isThere] = await Promise.all([readHeader(parts, 'latest'), isCanonical(parts, block)]);
  return isThere ? Number(latest.number - block.number) : 0;
}

interface BlockReading {
  ahead: ReadAhead;
  atOnce: number;
  /** Whether what no endpoint can answer now, none will. */
  mayBePruned(header: Header): boolean;
  /** Whether the receipts are asked where no logs are shown. */
  mayLackLogs(header: Header): boolean;
}

async function readBlocks(
  parts: FollowerParts,
  headers: readonly Header[],
  reading: BlockReading,
): Promise<Block[]> {
  const blocks: Block[] = [];
  const atOnce = headers.some(reading.mayLackLogs) ? Math.min(reading.atOnce, WHOLE_AT_ONCE) : reading.atOnce;
  for (const some of chunksOf(headers, atOnce)) {
    blocks.push(...(await Promise.all(some.map((header) => readBlock(parts, header, reading)))));
  }
  return blocks;
}

async function readBlock(
  parts: FollowerParts,
  header: Header,
  { ahead, mayBePruned, mayLackLogs }: BlockReading,
): Promise<Block> {
  const { number, hash } = header;
  if (parts.profile.honestBlooms && !parts.operators.some((operator) => mayHaveLogsOf(header, operator)))
    return { number, hash, logs: [] };
  const known = ahead.logs(hash);
  if (known) return { number, hash, logs: known };
  try {
    const shown = await readLogs(parts, header);
    const logs = shown.length === 0 && mayLackLogs(header) ? await readLogsOfReceipts(parts, header) : shown;
    ahead.addLogs(header, logs);
    return { number, hash, logs };
  } catch (error) {
    const isPruned = error instanceof RpcRefused && error.kind === 'unavailable' && mayBePruned(header);
    if (!isPruned) throw error;
    return { number, hash, logs: [], isPruned };
  }
}

async function readLogs(
  { rpc, operators, asksAll }: FollowerParts,
  { number, hash }: Header,
): Promise<BlockLog[]> {
  const asked = ['eth_getLogs', [{ blockHash: hash, address: operators }]] as const;
  const logs = asksAll()
    ? unite(await rpc.callEach<FoundLog[]>(...asked))
    : await rpc.call<FoundLog[]>(...asked);
  requireBlock(logs, { number, hash });
  return logs;
}

/** @throws NotLinked */
function requireBlock(logs: readonly Pick<FoundLog, 'blockHash'>[], { number, hash }: BlockId): void {
  if (logs.some(({ blockHash }) => blockHash !== hash))
    throw new NotLinked(`logs of another block were given for block ${number}`);
}

/**
 * The logs of a block by the receipts of the transactions to an Operator: a node that indexes them late answers that
 * there are none.
 * @throws RpcRefused when a receipt is not there, NotLinked when one is of another block, and what `Rpc.call` throws
 */
async function readLogsOfReceipts(
  { rpc, operators }: FollowerParts,
  { number, hash }: Header,
): Promise<BlockLog[]> {
  const isOfOperator = (address: Hex | null) => operators.some((one) => one === address?.toLowerCase());
  const block = await rpc.call<{ transactions: SentTransaction[] } | null>('eth_getBlockByHash', [
    hash,
    true,
  ]);
  const asked = (block?.transactions ?? []).filter(({ to }) => isOfOperator(to));
  const receipts = await Promise.all(
    asked.map((one) => rpc.call<ShownReceipt | null>('eth_getTransactionReceipt', [one.hash])),
  );
  const shown = receipts.filter((receipt) => receipt !== null);
  if (!block || shown.length < asked.length)
    throw new RpcRefused('unavailable', `no receipt in block ${number} is shown`, undefined, undefined);
  const logs = shown.flatMap((receipt) => receipt.logs);
  // A receipt of another fork may have no logs at all.
  requireBlock([...shown, ...logs], { number, hash });
  return logs.filter(({ address }) => isOfOperator(address));
}

interface ShownReceipt {
  blockHash: Hex;
  logs: FoundLog[];
}

/** A transaction in a block. */
interface SentTransaction {
  hash: Hex;
  to: Hex | null;
}

/** A log as a node gives it. */
type FoundLog = BlockLog & { blockHash: Hex; logIndex: Hex };

/** All logs that an endpoint shows, each once, in their order in the block. */
function unite(answers: readonly FoundLog[][]): FoundLog[] {
  const byIndex = new Map(answers.flat().map((log) => [Number(log.logIndex), log]));
  return [...byIndex.values()].toSorted((one, other) => Number(one.logIndex) - Number(other.logIndex));
}
