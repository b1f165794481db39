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

/** Seals of entries whose numbers follow each other without a gap. */
export interface Run {
  /** Number of the first of them. */
  first: bigint;
  /** 32 bytes each, `MAX_RUN` of them at most. */
  hashes: Buffer;
}

const HASH_BYTES = 32;
/** As the constraint of `audit_seals` says. A row of so many takes 1.3 kB, below the 2 kB at which TOAST begins. */
export const MAX_RUN = 40;

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

/** Puts seals, in their order, into as few runs as there can be. */
export function toRuns(seals: readonly Sealed[]): Run[] {
  const runs: { first: bigint; hashes: Buffer[] }[] = [];
  for (const { number, hash } of seals) {
    const run = runs.at(-1);
    const isNext = run && number === run.first + BigInt(run.hashes.length) && run.hashes.length < MAX_RUN;
    if (isNext) run.hashes.push(hash);
    else runs.push({ first: number, hashes: [hash] });
  }
  return runs.map(({ first, hashes }) => ({ first, hashes: Buffer.concat(hashes) }));
}

/** The seals of a run, in their order. */
export function sealsOf({ first, hashes }: Run): Sealed[] {
  return Array.from({ length: hashes.length / HASH_BYTES }, (_, place) => ({
    number: first + BigInt(place),
    hash: hashes.subarray(place * HASH_BYTES, (place + 1) * HASH_BYTES),
  }));
}
