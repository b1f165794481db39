/** The caller's `Idempotency-Key`, and the hash by which a repeated request is recognised. */
export interface Idempotency {
  /** 1 to 255 printable characters, unique in the account and environment. */
  key: string;
  /** SHA-256 of operation, path parameters and body, whatever the order of the body's keys. */
  requestHash: `0x${string}`;
}

/** Where a change comes from, as the audit log keeps it. */
export interface Origin {
  /** Of what the caller presented, or of the session that it belongs to; null where nothing has to be presented. */
  credentialId: string | null;
  /** Of the client; behind trusted proxies, as they tell it. */
  address: string;
  /** What the client calls itself, at most 128 bytes of it; null when it does not. */
  userAgent: string | null;
}

/** How a write is carried out. */
export interface WriteOptions {
  /** Null without an `Idempotency-Key`. */
  idempotency: Idempotency | null;
  origin: Origin;
  /** True when the client would rather follow the intent than wait for the chain. */
  respondAsync: boolean;
}
