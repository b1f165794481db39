/** By the list's name: when a part of it was first minted from this browser, in ms. */
const STORED_AS = 'mintmark-lists';
const MAX_KEPT = 100;
/** The service knows the key of a write for 24 hours after it is minted; one hour is left for clocks and slow chains. */
const KNOWN_MS = 23 * 3_600_000;

type Kept = readonly (readonly [list: string, at: number])[];

function read(): Kept {
  try {
    return JSON.parse(localStorage.getItem(STORED_AS) ?? '[]') as Kept;
  } catch {
    return [];
  }
}

export function noteMinted(list: string): void {
  const kept = read();
  if (kept.some(([name]) => name === list)) return;
  localStorage.setItem(STORED_AS, JSON.stringify([...kept, [list, Date.now()]].slice(-MAX_KEPT)));
}

/** @returns when this browser minted the list, if that is so long ago that the service would mint it again; null else */
export function forgottenSince(list: string): string | null {
  const at = read().find(([name]) => name === list)?.[1];
  return at === undefined || Date.now() - at < KNOWN_MS ? null : new Date(at).toISOString();
}
