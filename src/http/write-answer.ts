import { AppError } from '../errors.ts';
import type { ErrorCode } from '../errors.ts';
import type { Schemas } from './operation.ts';

/** As much of an intent as its answer shows. */
export type AnsweredIntent = {
  id: string;
  kind: Schemas['IntentKind'];
  status: Schemas['IntentStatus'];
  /** Of the transaction that carries the intent; null while there is none, and for good when nothing had to be sent. */
  transactionHash: string | null;
  /** Why it failed; null unless it did. */
  error: { code: ErrorCode; message: string } | null;
};

/** Address of a transaction's page in the explorer. */
export type ExplorerUrl = (transactionHash: string) => string;

export type WriteAnswerOptions<Answer> = {
  /** True when the status is the last word, as opposed to all that is known once the wait is over. */
  settled: boolean;
  /** What the client asked for with `Prefer`. */
  respondAsync: boolean;
  explorerUrl: ExplorerUrl;
  /** The operation's own success. */
  success: (transaction: Schemas['Transaction'] | null) => Answer;
};

export type WriteHeaders = { 'Intent-Id': string; 'Transaction-Hash'?: string; Link?: string };

export type AcceptedAnswer = {
  status: 202;
  headers: { 'Intent-Id': string; 'Preference-Applied'?: 'respond-async' };
  body: Schemas['IntentAccepted'];
};

/** A transaction as every answer shows it. */
export const presentTransaction = (
  hash: string | null,
  explorerUrl: ExplorerUrl,
): Schemas['Transaction'] | null => (hash === null ? null : { hash, explorerUrl: explorerUrl(hash) });

/** The transaction of a success that cannot come about without one. */
export const sentTransaction = (transaction: Schemas['Transaction'] | null): Schemas['Transaction'] => {
  if (transaction === null) throw new Error('a confirmed intent of this kind has a transaction');
  return transaction;
};

const failure = ({ id, status, error }: AnsweredIntent): AppError => {
  if (status === 'cancelled') {
    const message = 'This request was cancelled before it was sent, so it had no effect.';
    return new AppError('CONFLICT', message, { intentId: id });
  }
  if (status !== 'failed' || error === null)
    throw new Error(`intent ${id} is settled as ${status} without a reason`);
  return new AppError(error.code, error.message, { intentId: id });
};

/**
 * Turns an intent into the answer of the write that asked for it, the first time and at each replay:
 * 202 while it is under way, the operation's success once confirmed, and a thrown `AppError` with its `Intent-Id` when
 * it failed or was cancelled.
 */
export const answerWrite = <const Answer extends { status: number }>(
  intent: AnsweredIntent,
  { settled, respondAsync, explorerUrl, success }: WriteAnswerOptions<Answer>,
): (Answer & { headers: WriteHeaders }) | AcceptedAnswer => {
  const { id, kind, status } = intent;
  const transaction = presentTransaction(intent.transactionHash, explorerUrl);
  if (!settled) {
    return {
      status: 202,
      headers: { 'Intent-Id': id, ...(respondAsync ? { 'Preference-Applied': 'respond-async' } : {}) },
      body: { intent: { id, kind, status, transaction } },
    };
  }
  if (status !== 'confirmed') throw failure(intent);
  return {
    ...success(transaction),
    headers: {
      'Intent-Id': id,
      ...(transaction && {
        'Transaction-Hash': transaction.hash,
        Link: `<${transaction.explorerUrl}>; rel="related"`,
      }),
    },
  };
};
