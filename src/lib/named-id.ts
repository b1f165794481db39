import { createHmac } from 'node:crypto';

/** Makes the same UUID of the same names. */
export type NamedId = (...names: readonly string[]) => string;

/** @param secret 32 bytes, without which nobody can tell names from an id */
export const createNamedId =
  (secret: Uint8Array): NamedId =>
  (...names) => {
    const bytes = createHmac('sha256', secret).update(JSON.stringify(names)).digest().subarray(0, 16);
    // Version and variant of a UUID that is made of what one likes (RFC 9562, 5.8).
    bytes[6] = (bytes[6]! & 0x0f) | 0x80;
    bytes[8] = (bytes[8]! & 0x3f) | 0x80;
    const hex = bytes.toString('hex');
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
  };
