import type { Db } from '../../db/client.ts';
import type { Hex } from '../../lib/hex.ts';
import { linkHash } from './chain.ts';
import type { Sealed } from './chain.ts';
import { checkStart, findStart } from './close.ts';
import { findHead, readAfter, readSeals } from './store.ts';

interface Verification {
  /** Entries whose seals fit. */
  sealed: number;
  /** The last entry that the clean-up took away, as an entry tells; 0 for none. */
  closedUpTo: bigint;
  /** Entries after the end of the chain, which nothing protects yet. */
  unsealed: number;
  head: Sealed;
  /** What does not fit, in sentences; empty when nothing was changed. */
  faults: string[];
}

const PAGE = 5_000;
const MAX_FAULTS = 20;

/**
 * Computes the whole chain again, from where it begins up to its end at the moment.
 * @param expected an end of the chain that was noted elsewhere
 */
export async function verifyAudit(db: Db, expected: Sealed | null = null): Promise<Verification> {
  for (;;) {
    const start = await findStart(db);
    const verification = await verifyFrom(db, start, expected);
    // Entries that were closed meanwhile are missing, and were not removed.
    const isAsItWas = (await findStart(db)).number === start.number;
    if (verification.faults.length === 0 || isAsItWas) return verification;
  }
}

async function verifyFrom(db: Db, start: Sealed, expected: Sealed | null): Promise<Verification> {
  const head = await findHead(db);
  const faults = await checkStart(db, start);
  let [sealed, unsealed] = [0, 0];
  let last = start;
  let isExpected = expected === null || (start.number === expected.number && start.hash === expected.hash);
  let isMore = true;
  for (let from = start.number; isMore && faults.length < MAX_FAULTS;) {
    const entries = await readAfter(db, from, PAGE);
    isMore = entries.length >= PAGE;
    const lastRead = entries.at(-1)?.number ?? 0n;
    const upTo = isMore && lastRead < head.number ? lastRead : head.number;
    const digests = new Map<bigint, Hex>();
    for (const { number, digest } of entries) {
      if (digests.has(number)) faults.push(`Entry ${number} is there twice: one was added later.`);
      digests.set(number, digest);
    }
    const seals = new Map<bigint, Hex>();
    for (const { number, hash } of await readSeals(db, from, upTo)) {
      // Two runs have it; lists show the hash of the later one.
      if (seals.has(number)) faults.push(`Entry ${number} has two seals: one was added later.`);
      seals.set(number, hash);
    }
    for (const number of [...new Set([...digests.keys(), ...seals.keys()])].sort((a, b) =>
      a < b ? -1 : 1,
    )) {
      const [digest, hash] = [digests.get(number), seals.get(number)];
      if (number > head.number) unsealed += 1;
      else if (!hash)
        faults.push(`Entry ${number} has no seal: it was added later, or its seal was removed.`);
      else {
        if (!digest) faults.push(`Entry ${number} was removed: only its seal is left.`);
        else if (linkHash(last.hash, digest) === hash) sealed += 1;
        else faults.push(`Entry ${number}, or what came before it, was changed: its hash does not fit.`);
        // From here on what is kept is believed, so that each fault is told once.
        last = { number, hash };
        isExpected ||= expected!.number === number && expected!.hash === hash;
      }
    }
    from = lastRead;
  }
  if (last.number !== head.number || last.hash !== head.hash) {
    faults.push(`The chain ends at entry ${last.number}, and not at ${head.number} as was noted.`);
  }
  if (expected && expected.number < start.number) {
    faults.push(
      `Entry ${expected.number} was closed: expect an end that is younger than entry ${start.number}.`,
    );
  } else if (!isExpected)
    faults.push(`The chain has no entry ${expected!.number} of that hash: it was made anew.`);
  return { sealed, closedUpTo: start.number, unsealed, head, faults: faults.slice(0, MAX_FAULTS) };
}
