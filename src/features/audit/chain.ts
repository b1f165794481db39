import { createHash } from 'node:crypto';

/** An entry as the chain knows it: where it stands, and SHA-256 of what it says. */
export interface Digested {
  number: bigint;
  digest: Buffer;
}

export interface Sealed {
  number: bigint;
  /** SHA-256 of the hash before and of the entry's digest. */
  hash: Buffer;
}

/** The hash of an entry that comes after another one. */
export function linkHash(before: Buffer, digest: Buffer): Buffer {
  return createHash('sha256').update(before).update(digest).digest();
}

/** Links entries, in their order, to the end of a chain. */
export function link(head: Sealed, entries: readonly Digested[]): Sealed[] {
  let { hash } = head;
  return entries.map(({ number, digest }) => {
    hash = linkHash(hash, digest);
    return { number, hash };
  });
}
