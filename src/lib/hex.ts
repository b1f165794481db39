/** Bytes as 0x-prefixed lower-case hex: addresses, hashes, calldata. */
export type Hex = `0x${string}`;

/** Returns bytes, such as a bytea of PostgreSQL, as hex. */
export function toHex(bytes: Uint8Array): Hex {
  return `0x${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('hex')}`;
}

/** Returns the bytes of a hex text, whose digits the caller has validated. */
export function toBytes(hex: string): Buffer {
  return Buffer.from(hex.slice(2), 'hex');
}
