/** The caller's `Idempotency-Key`, and the hash by which a repeated request is recognised. */
export interface Idempotency {
  /** 1 to 255 printable characters, unique in the account and environment. */
  key: string;
  /** SHA-256 of operation, path parameters and body, whatever the order of the body's keys. */
  requestHash: Buffer;
}

/** How a write is carried out. */
export interface WriteOptions {
  /** Null without an `Idempotency-Key`. */
  idempotency: Idempotency | null;
  /** True when the client would rather follow the intent than wait for the chain. */
  respondAsync: boolean;
}
