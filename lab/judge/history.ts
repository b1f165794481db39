/** What a request asks of the chain, told apart from all others by an address, a symbol or a value of its own. */
export type Effect =
  | { kind: 'deploy'; symbol: string }
  /** `amount` is null for an NFT. A batch mints all its items to one recipient. */
  | { kind: 'mint'; contract: string; to: string; amount: bigint | null }
  /** A forced transfer; `to` is the zero address where it burns. An amount, or the id of an NFT. */
  | { kind: 'move'; contract: string; from: string; to: string; amount: bigint }
  /** Pause, lock, freeze, approval, metadata: what a contract remembers is set to a value. */
  | { kind: 'set'; contract: string; register: Register; value: string };

/**
 * What a contract remembers: `true` or `false`, but of metadata the `name` that was given, of the limit the number a
 * day, and of the royalty its receiver and basis points. Accounts are in lower case.
 */
export type Register =
  | 'paused'
  | 'locked'
  | 'closed'
  | 'renounced'
  | 'limit'
  | 'royalty'
  | `frozen ${string}`
  | `approved ${string}`
  | 'metadata'
  | `metadata ${string}`
  | `metadata frozen${string}`;

/** What a client gets: what HTTP would carry. */
export interface Answered {
  status: number;
  body: unknown;
  intentId: string | null;
}

/** From when a client asked to when it had the answer, in virtual milliseconds or those of the wall clock. */
export interface Asked {
  askedAt: number;
  at: number;
}

/** A request as its client knows it: sent under one key until there is a verdict. */
export interface Wish {
  key: string;
  account: string;
  environment: 'live' | 'sandbox';
  /** Of the contract. */
  operation: string;
  effect: Effect;
  /** How many NFTs a batch mints; 1 of everything else. */
  items: number;
  /** What the recipient of a mint says, whose code refuses every token. */
  refusal?: string;
  /** When it was sent for the first time. */
  askedAt: number;
  /**
   * How often it was sent; more often than there are answers when connections broke, or when the client did not wait.
   */
  sendings: number;
  /** Its client did not ask again: without an answer, what became of it is unknown for ever. */
  isGivenUp?: true;
  /** Every answer that came, in the order of their coming; a broken connection leaves none. */
  answers: (Answered & Asked)[];
  /** What `GET /intents/{id}` said, whenever it was asked. */
  reads: (Asked & { intent: IntentRead })[];
  /** The answers to `POST /intents/{id}/cancel`. */
  cancels: (Answered & Asked)[];
}

/** Of the contract's `Intent`. */
export interface IntentRead {
  id: string;
  kind: string;
  contract: string;
  status: 'queued' | 'submitted' | 'confirmed' | 'failed' | 'cancelled';
  transaction: { hash: string } | null;
  error: { code: string; message: string } | null;
  tokenId?: string | null;
}

/** An effect that the canonical chain shows at the end. Of a batch there is one for each item. */
export interface ChainEffect {
  effect: Effect;
  /** The token, of its deployment too. */
  contract: string;
  tokenId: string | null;
  transactionHash: string;
  block: number;
  /** Its place in the block. */
  logIndex: number;
}

/** A block, and while it was canonical. */
export interface BlockSpan {
  number: number;
  hash: string;
  transactions: readonly string[];
  from: number;
  /** Null: it still is. */
  to: number | null;
}

/** A message as the receiver of webhooks took it. */
export interface Received {
  /** Its path: one receiver for each account. */
  receiver: string;
  at: number;
  headers: Record<string, string>;
  body: string;
}

/** From when to when. */
export interface Span {
  from: number;
  to: number;
}

/** A fault, and what it may cause. Times are those of the history. */
export interface FaultWindow extends Span {
  kind: string;
  /** When nothing of it is left: a process serves again, a price is what it was. */
  to: number;
  /** The engine that does not run meanwhile. */
  stops: string | null;
  /** Which engines cannot use which endpoints meanwhile. */
  cuts: readonly Cut[];
  /**
   * False where the service gets on meanwhile, as at a price that it may bid: no request waits for its end. A contract,
   * in lower case, where its requests alone do; left out: all may.
   */
  holdsUp?: false | string;
  /** Failures that it may cause, beside those that `cuts` explains. */
  allows: readonly Allowance[];
  /**
   * The database went on without what was committed in that time, and a person accepted that (`recover --accept-loss`).
   * A request that it knows no more is asked again under its key, and what the chain did of it already is not done
   * again.
   */
  loses?: Span;
  /**
   * From its restoring on until a person accepts what is lost, a database that is older than the chain serves nobody.
   */
  refuses?: Span;
}

export interface Cut {
  /** Null: each one. */
  engine: string | null;
  /** Null: each one. */
  endpoint: string | null;
  /** False where some calls get through, or old answers come back: no failure has its reason in that. */
  isWhole: boolean;
}

/** A failure that a request may meet which was under way while a fault lasted, or shortly after. */
export interface Allowance {
  /**
   * Of the contract; or `LATE_MESSAGE` where a webhook's message of that time may come after the end of the run, and
   * `OTHER_FORK` where an endpoint shows blocks that never were canonical, so that what they bring and take back may be
   * reported.
   */
  code: string;
  /** Part of the message; any when left out. */
  says?: string;
  /** Of the contract; any when left out. */
  operation?: string;
}

/**
 * Everything about a run that is outside of the service: what its clients and receivers saw, and what the chain says.
 */
export interface RunHistory {
  wishes: readonly Wish[];
  effects: readonly ChainEffect[];
  /** Every block that ever was canonical. */
  blocks: readonly BlockSpan[];
  received: readonly Received[];
  /** Of each account: what `GET /stats` and `GET /v1/billing/credits` say at the end, less what they said before. */
  meters: readonly { account: string; mints: number; credits: number }[];
  faults: readonly FaultWindow[];
  /** The processes that send, and the signer of each. */
  engines: readonly { name: string; signer: string }[];
  endpoints: readonly string[];
  /** By the path of each receiver. */
  receivers: Readonly<Record<string, { account: string; environment: 'live' | 'sandbox'; secret: string }>>;
}
