const ENCODER = new TextEncoder();

/** How long a text is in UTF-8: the contract counts bytes, and not characters. */
export function byteLength(text: string): number {
  return ENCODER.encode(text).length;
}
