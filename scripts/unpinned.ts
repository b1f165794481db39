/** What an entry of package-lock.json says of where a package comes from, and what it has to be. */
export interface LockEntry {
  integrity?: string;
  resolved?: string;
  os?: string[];
  cpu?: string[];
}

const SHA512 = /^sha512-[A-Za-z0-9+/]{86}==$/;

/** Native parts whose hashes are not known for every machine: the registry that was asked did not have them. */
const INCOMPLETE =
  /^node_modules\/(@foundry-rs\/anvil|@nomicfoundation\/edr|@swc\/core|@unrs\/resolver-binding)-[^/]+$/;

/** The machine on which everything is tested. It has all hashes. */
const TESTED = { os: 'linux', cpu: 'x64' };

/** Whether npm refuses another package than the one that was meant. */
export function isPinned({ integrity = '' }: LockEntry): boolean {
  return SHA512.test(integrity);
}

/** Whether the hash of a package is known to be missing. The bootstrap says so where it installs one. */
export function isKnownGap(place: string, { integrity, os = [], cpu = [] }: LockEntry): boolean {
  const isTested = os.includes(TESTED.os) && cpu.includes(TESTED.cpu);
  return integrity === undefined && INCOMPLETE.test(place) && os.length > 0 && !isTested;
}

/**
 * Says of each package that npm would install without its hash, or from a place of its own, where the lock file has it
 * and what is wrong.
 */
export function findUnpinned(packages: Record<string, LockEntry>): string[] {
  return Object.entries(packages).flatMap(([place, entry]) => [
    ...(place === '' || isPinned(entry) || isKnownGap(place, entry) ? [] : [`${place} has no SHA-512 hash`]),
    ...(entry.resolved === undefined ? [] : [`${place} is fetched from ${entry.resolved}`]),
  ]);
}
