import type { Answered, Asked } from './call.ts';
import type { Received } from './web.ts';

/** What a request does to the chain, told apart from all others by an address or a symbol of its own. */
export type Effect =
  | { kind: 'deploy'; symbol: string }
  | { kind: 'mint'; contract: string; to: string; amount: bigint | null }
  | { kind: 'freeze'; contract: string; account: string };

/** A request as its client knows it: sent under one key until there is an answer. */
export interface Wish {
  key: string;
  account: string;
  operation: string;
  effect: Effect;
  /** Virtual milliseconds. */
  askedAt: number;
  /** Every answer that came, in the order of their coming. */
  answers: (Answered & { at: number })[];
  /** What `GET /intents/{id}` said, whenever it was asked. */
  reads: { at: number; intent: IntentRead }[];
}

/** Of the contract's `Intent`. */
export interface IntentRead {
  id: string;
  status: 'queued' | 'submitted' | 'confirmed' | 'failed' | 'cancelled';
  transaction: { hash: string } | null;
  error: { code: string; message: string } | null;
}

/** An effect that the chain shows. */
export interface ChainEffect {
  effect: Effect;
  transactionHash: string;
  block: number;
}

/** A time in which faults allow what they would not allow else. */
export interface FaultWindow {
  kind: string;
  from: number;
  to: number;
}

/** Everything about a run that is outside of the service: what its clients and receivers saw, and what the chain says. */
export interface RunHistory {
  wishes: readonly Wish[];
  /** By the canonical chain at the end. */
  effects: readonly ChainEffect[];
  received: readonly Received[];
  /** Of each account at the end: `GET /stats`. */
  stats: readonly { account: string; mintsUsed: number }[];
  faults: readonly FaultWindow[];
  /** Of which accounts the messages of a receiver tell. */
  receivers: Readonly<Record<string, string>>;
}

export type { Asked };
