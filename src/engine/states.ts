import type { IntentStatus } from './intent.ts';

/**
 * Every way by which a status in the database changes. A statement that leads to another status fails a test, and so
 * does a simulated world with a change that is not here; the tables of docs/engine.md are written from here. `on` and
 * `needs` are for readers.
 */
export interface Transition<Status> {
  /** Null: the row is new. */
  from: readonly (Status | null)[];
  to: Status;
  /** What has happened. */
  on: string;
  /** What holds then, beside `from`: by the statement itself, or by its callers. */
  needs: string;
  /** The file of src/engine/store whose statement it is. */
  by: string;
}

/** Of a row of `intents`. `quarantined`: the database refused its verdict, and it waits for a person. */
type StoredStatus = IntentStatus | 'quarantined';

/** Of a row of `transactions`. `displaced`: other bytes than its attempts used its nonce, or its signer is buried. */
export type TransactionStatus = 'open' | 'mined' | 'final' | 'displaced';

export const INTENT_TRANSITIONS: readonly Transition<StoredStatus>[] = [
  { from: [null], to: 'queued', on: 'accepted', needs: 'a call', by: 'intents' },
  {
    from: [null],
    to: 'confirmed',
    on: 'accepted',
    needs: 'nothing to send: the sandbox, or a control whose state is there already',
    by: 'intents',
  },
  {
    from: ['queued'],
    to: 'submitted',
    on: 'it is stored in a signed transaction',
    needs:
      'the term of the lane, which is the sender, its Operator and epoch; of a control that came back, no later one that may be done',
    by: 'insert-transaction',
  },
  {
    from: ['queued'],
    to: 'submitted',
    on: 'a deep reorg opened its transaction again',
    needs: 'no other transaction that decides on it',
    by: 'deep-reorgs',
  },
  {
    from: ['submitted', 'confirmed', 'quarantined'],
    to: 'queued',
    on: 'its transaction came to nothing for it, or its epoch is over; nobody sends for its signer; a reorg took its success back; a person released it',
    needs: 'not final; no transaction decides on it from then on',
    by: 'requeue',
  },
  {
    from: ['queued', 'submitted'],
    to: 'confirmed',
    on: "the Operator's event of it is in a canonical block, or its bit is set and a person says so",
    needs: 'not final',
    by: 'verdicts',
  },
  {
    from: ['failed', 'cancelled'],
    to: 'confirmed',
    on: 'it has an effect on the chain of a deep reorg',
    needs: 'its event',
    by: 'verdicts',
  },
  {
    from: ['confirmed'],
    to: 'submitted',
    on: 'a reorg took its success back',
    needs: 'an unfinished transaction, not final',
    by: 'verdicts',
  },
  {
    from: ['queued', 'submitted'],
    to: 'failed',
    on: 'its call reverted, was overtaken, or was never signed in an outage; another call has its number',
    needs: 'no transaction with it that may have an effect, no bit of its own, and an epoch that is not over',
    by: 'verdicts',
  },
  {
    from: ['queued'],
    to: 'cancelled',
    on: 'its account asks',
    needs: 'no transaction with it that may have an effect, and an epoch that is not over',
    by: 'verdicts',
  },
  {
    from: ['queued', 'submitted', 'confirmed'],
    to: 'quarantined',
    on: 'the database refuses its verdict',
    needs: 'not final',
    by: 'quarantine',
  },
  {
    from: ['quarantined'],
    to: 'submitted',
    on: 'a person released it',
    needs: 'a transaction that decides on it',
    by: 'quarantine',
  },
];

export const TRANSACTION_TRANSITIONS: readonly Transition<TransactionStatus>[] = [
  {
    from: [null],
    to: 'open',
    on: 'signed, and not broadcast yet',
    needs: 'the term of the lane, its next nonce, or for a no-op one that nothing was signed for',
    by: 'insert-transaction',
  },
  {
    from: ['displaced'],
    to: 'open',
    on: 'the chain waits for its nonce after all: as a no-op',
    needs: 'the term of the lane',
    by: 'insert-transaction',
  },
  {
    from: ['open', 'displaced'],
    to: 'mined',
    on: 'an event of one of its attempts is in a canonical block',
    needs: '',
    by: 'mined',
  },
  {
    from: ['open', 'mined', 'displaced'],
    to: 'final',
    on: 'its block is final',
    needs: 'one of its attempts in it',
    by: 'mined',
  },
  {
    from: ['open'],
    to: 'displaced',
    on: 'its signer is buried',
    needs: "the signer's role is revoked in a final block",
    by: 'mined',
  },
  {
    from: ['mined'],
    to: 'open',
    on: 'its block is canonical no longer; a new reader finds no event of it',
    needs: '',
    by: 'mined',
  },
  {
    from: ['open'],
    to: 'mined',
    on: 'the count of nonces at the canonical head has passed it, and a receipt says where, or nobody has one',
    needs: '',
    by: 'mined',
  },
  {
    from: ['mined'],
    to: 'final',
    on: 'a receipt shows it in a block that is final already',
    needs: 'one of its attempts in it',
    by: 'mined',
  },
  {
    from: ['mined'],
    to: 'displaced',
    on: 'its block is final, and nonces and receipts were asked once more',
    needs: 'none of its attempts',
    by: 'mined',
  },
  {
    from: ['mined'],
    to: 'open',
    on: 'the chain waits for its nonce after all',
    needs: 'none of its attempts was seen',
    by: 'mined',
  },
  {
    from: ['mined', 'final', 'displaced'],
    to: 'open',
    on: 'a deep reorg took its block away',
    needs: '',
    by: 'deep-reorgs',
  },
];
