import { webcrypto } from 'node:crypto';

/** Random bytes of Node: version 18 has no global `crypto`. */
export const randomBytes = (count: number): Uint8Array => webcrypto.getRandomValues(new Uint8Array(count));
