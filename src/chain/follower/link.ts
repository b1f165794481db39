import type { Rpc } from '../rpc/rpc.ts';
import { toHeader, toQuantity } from './block.ts';
import type { Header, RpcHeader } from './block.ts';
import type { CanonicalBlocks } from './canonical-blocks.ts';
import type { ReadAhead } from './read-ahead.ts';

const NO_PARENT = `0x${'0'.repeat(64)}`;
/** Headers that are asked for at a time, at most. */
export const MAX_HEADERS = 100;

/** What was answered does not fit together, or not to what is canonical: it is not believed, and asked again. */
export class NotLinked extends Error {
  override readonly name = 'NotLinked';
}

/** The chain of an endpoint leaves the canonical one below the last final block: what was final is not any more. */
export class DeepReorg extends Error {
  override readonly name = 'DeepReorg';
  constructor(head: { number: bigint }, final: { number: bigint }) {
    super(
      `the chain with head ${head.number} does not contain the final block ${final.number} that is known`,
    );
  }
}

/** How headers are read. */
interface LinkParts {
  rpc: Pick<Rpc, 'call'>;
  /** A parent hash of zeros is taken for the block before it by number (Hardhat's node). */
  mayHaveZeroParents: boolean;
  ahead: ReadAhead;
  /** Headers that are asked for at a time, at most. */
  atOnce: number;
}

/** A chain of headers that begins above a canonical block. */
interface Path {
  /** Place of the canonical block that the first header is the child of. */
  fork: number;
  /** Oldest first. */
  headers: Header[];
}

/**
 * Links a head to the canonical blocks, parent by parent.
 * @throws NotLinked when a header is missing or does not fit, DeepReorg when the fork lies below the final block
 */
export async function linkToCanonical(
  parts: LinkParts,
  canonical: CanonicalBlocks,
  head: Header,
): Promise<Path> {
  const { mayHaveZeroParents } = parts;
  const headers = [head];
  const from = canonical.placeOf(head.hash);
  if (from !== undefined) return { fork: from, headers: [] };
  for await (const header of walkDown(parts, head, canonical.head.number + 1n)) headers.push(header);
  for (;;) {
    const oldest = headers.at(-1)!;
    // Before its parent is asked for: the genesis block of a node that was reset has none.
    if (oldest.number <= canonical.final.number) throw new DeepReorg(head, canonical.final);
    const hasParent = !(mayHaveZeroParents && oldest.parentHash === NO_PARENT);
    const parentHash = hasParent
      ? oldest.parentHash
      : (await readHeaders(parts, oldest.number - 1n))[0]!.hash;
    const fork = canonical.placeOf(parentHash);
    if (fork !== undefined) return { fork, headers: headers.reverse() };
    if (oldest.number <= canonical.final.number + 1n) throw new DeepReorg(head, canonical.final);
    const parent = await readParent(parts, { ...oldest, parentHash });
    headers.push(linked({ ...oldest, parentHash }, parent, mayHaveZeroParents));
  }
}

async function readParent({ rpc, ahead }: LinkParts, { number, parentHash }: Header): Promise<Header> {
  const known = ahead.header(parentHash);
  if (known) return known;
  const parent = await rpc.call<RpcHeader | null>('eth_getBlockByHash', [parentHash, false]);
  if (!parent) throw new NotLinked(`the parent of block ${number} is unknown`);
  const header = toHeader(parent);
  ahead.addHeader(header);
  return header;
}

/**
 * The headers below one, newest first, down to a number: read by number, and believed by their links.
 * @throws NotLinked when one is missing or does not fit
 */
export async function* walkDown(parts: LinkParts, head: Header, last: bigint): AsyncGenerator<Header> {
  const atOnce = BigInt(Math.min(parts.atOnce, MAX_HEADERS));
  for (let child = head; child.number > last;) {
    const known = parts.ahead.header(child.parentHash);
    const first = child.number - atOnce > last ? child.number - atOnce : last;
    const run = known ? [known] : await readHeaders(parts, first, child.number - 1n);
    for (const header of run.reverse()) {
      child = linked(child, header, parts.mayHaveZeroParents);
      yield child;
    }
  }
}

function linked(child: Header, parent: Header, mayHaveZeroParents: boolean): Header {
  const isParent = child.parentHash === parent.hash || (mayHaveZeroParents && child.parentHash === NO_PARENT);
  if (!isParent || parent.number !== child.number - 1n) {
    throw new NotLinked(`block ${parent.number} is not the parent of block ${child.number}`);
  }
  return parent;
}

/** A header by tag or number. @throws NotLinked when the endpoint has no such block */
export async function readHeader({ rpc }: Pick<LinkParts, 'rpc'>, block: string): Promise<Header> {
  const header = await rpc.call<RpcHeader | null>('eth_getBlockByNumber', [block, false]);
  if (!header) throw new NotLinked(`block ${block} is unknown`);
  return toHeader(header);
}

/** Headers from one number to another, oldest first. @throws NotLinked when one is missing */
async function readHeaders({ rpc, ahead }: LinkParts, first: bigint, last = first): Promise<Header[]> {
  const numbers = Array.from({ length: Number(last - first) + 1 }, (_, index) => first + BigInt(index));
  return Promise.all(
    numbers.map(async (number) => {
      const header = await readHeader({ rpc }, toQuantity(number));
      ahead.addHeader(header);
      return header;
    }),
  );
}
