import { tellsOfRevert } from '../chain/abi/reverts.ts';
import type { ExplorerUrl } from '../chain/chain.ts';
import { hasVerdict } from '../engine/index.ts';
import type { Intent } from '../engine/index.ts';
import { AppError } from '../errors.ts';
import type { Schemas } from '../http/operation.ts';
import type { WriteOptions } from '../lib/write-options.ts';

type Transaction = Schemas['Transaction'];

interface SuccessHeaders {
  'Intent-Id': string;
  'Transaction-Hash'?: string;
  Link?: string;
}

interface AcceptedAnswer {
  status: 202;
  headers: { 'Intent-Id': string; 'Preference-Applied'?: 'respond-async' };
  body: Schemas['IntentAccepted'];
}

/** As much of an intent as its answer shows. */
export type AnsweredIntent = Pick<Intent, 'id' | 'kind' | 'status' | 'transactionHash' | 'error'>;

/**
 * Turns an intent into the answer of the write that asked for it, the first time and at each replay: 202 while it is
 * under way, the operation's `success` once confirmed; 202 too when that is null, since nobody knows the result any
 * more.
 * @throws AppError with its `Intent-Id`: CONFLICT when it was cancelled, and what it failed with
 */
export type AnswerIntent = <const Answer extends { status: number }>(
  intent: AnsweredIntent,
  write: Pick<WriteOptions, 'respondAsync'>,
  success: (transaction: Transaction | null) => Answer | null | Promise<Answer | null>,
) => Promise<(Answer & { headers: SuccessHeaders }) | AcceptedAnswer>;

/** The one way to answer a write, for all features. */
export function createAnswerIntent(explorerUrl: ExplorerUrl): AnswerIntent {
  return async (intent, { respondAsync }, success) => {
    const transaction = presentTransaction(intent.transactionHash, explorerUrl);
    if (!hasVerdict(intent.status)) return accepted(intent, transaction, respondAsync);
    if (intent.status !== 'confirmed') throw failure(intent);
    const answer = await success(transaction);
    if (answer === null) return accepted(intent, transaction, respondAsync);
    return { ...answer, headers: successHeaders(intent, transaction) };
  };
}

/** A transaction as every answer shows it. */
export function presentTransaction(hash: string | null, explorerUrl: ExplorerUrl): Transaction | null {
  return hash === null ? null : { hash, explorerUrl: explorerUrl(hash) };
}

/** The transaction of a success that cannot come about without one. */
export function sentTransaction(transaction: Transaction | null): Transaction {
  if (transaction === null) throw new Error('a confirmed intent of this kind has a transaction');
  return transaction;
}

/** The kind as the contract lists it: the engine takes any text, the features name these. */
export function kindOf({ kind }: Pick<Intent, 'kind'>): Schemas['IntentKind'] {
  return kind as Schemas['IntentKind'];
}

function accepted(
  intent: AnsweredIntent,
  transaction: Transaction | null,
  respondAsync: boolean,
): AcceptedAnswer {
  const { id, status } = intent;
  return {
    status: 202,
    headers: { 'Intent-Id': id, ...(respondAsync ? { 'Preference-Applied': 'respond-async' } : {}) },
    body: { intent: { id, kind: kindOf(intent), status, transaction } },
  };
}

function successHeaders({ id }: AnsweredIntent, transaction: Transaction | null): SuccessHeaders {
  if (transaction === null) return { 'Intent-Id': id };
  const { hash, explorerUrl } = transaction;
  return { 'Intent-Id': id, 'Transaction-Hash': hash, Link: `<${explorerUrl}>; rel="related"` };
}

function failure({ id, status, error }: AnsweredIntent): AppError {
  if (status === 'cancelled') {
    const message = 'This request was cancelled before it was sent, so it had no effect.';
    return new AppError('CONFLICT', message, { intentId: id });
  }
  if (error === null) throw new Error(`intent ${id} is settled as ${status} without a reason`);
  // That deployments are impossible is a matter of the operator.
  const isRevert = error.code !== 'DEPLOY_UNAVAILABLE' && tellsOfRevert(error.message);
  return new AppError(error.code, error.message, { intentId: id, isRevert });
}
