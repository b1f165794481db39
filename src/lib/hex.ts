/** Bytes as 0x-prefixed lower-case hex: addresses, hashes, calldata. */
export type Hex = `0x${string}`;

/** bytea to hex. */
export const toHex = (bytes: Uint8Array): Hex =>
  `0x${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('hex')}`;

/** Hex to bytea. The caller has validated the digits. */
export const toBytes = (hex: string): Buffer => Buffer.from(hex.slice(2), 'hex');
