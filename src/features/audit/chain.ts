import { createHash } from 'node:crypto';
import { toBytes, toHex } from '../../lib/hex.ts';
import type { Hex } from '../../lib/hex.ts';

/** An entry as the chain knows it: where it stands, and SHA-256 of what it says. */
export interface Digested {
  number: bigint;
  digest: Hex;
}

export interface Sealed {
  number: bigint;
  /** SHA-256 of the hash before and of the entry's digest. */
  hash: Hex;
}

/** Seals of entries whose numbers follow each other without a gap. */
export interface Run {
  /** Number of the first of them. */
  first: bigint;
  /** 32 bytes each, `MAX_RUN` of them at most. */
  hashes: Hex;
}

const HASH_DIGITS = 64;
/** As the constraint of `audit_seals` says. A row of so many takes 1.3 kB, below the 2 kB at which TOAST begins. */
export const MAX_RUN = 40;

/** The hash of an entry that comes after another one. */
export function linkHash(before: Hex, digest: Hex): Hex {
  return toHex(createHash('sha256').update(toBytes(before)).update(toBytes(digest)).digest());
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
  const runs: { first: bigint; hashes: Hex[] }[] = [];
  for (const { number, hash } of seals) {
    const run = runs.at(-1);
    const isNext = run && number === run.first + BigInt(run.hashes.length) && run.hashes.length < MAX_RUN;
    if (isNext) run.hashes.push(hash);
    else runs.push({ first: number, hashes: [hash] });
  }
  return runs.map(({ first, hashes }) => ({
    first,
    hashes: `0x${hashes.map((hash) => hash.slice(2)).join('')}`,
  }));
}

/** The seals of a run, in their order. */
export function sealsOf({ first, hashes }: Run): Sealed[] {
  return Array.from({ length: (hashes.length - 2) / HASH_DIGITS }, (_, place) => ({
    number: first + BigInt(place),
    hash: `0x${hashes.slice(2 + place * HASH_DIGITS, 2 + (place + 1) * HASH_DIGITS)}`,
  }));
}
