import { presentAddress } from '../chain/address.ts';
import { explainIntent, findStuck, resolveIntent, traceIntents } from '../engine/index.ts';
import type { Explanation, IntentTrace } from '../engine/index.ts';
import type { Hex } from '../lib/hex.ts';
import { ADDRESS, TRANSACTION_HASH } from './arguments.ts';
import { commandParts } from './command-parts.ts';
import type { AdminContext } from './open.ts';
import { findOne } from './quarantine.ts';
import { table } from './report.ts';
import type { Report } from './report.ts';

/** As the alerts have it: what waits longer than this to be sent is stuck. */
const STUCK_SECONDS = 60;
const MAX_STUCK = 50;
const MAX_FOUND = 20;

/** Shows what has had no verdict for a while, oldest first, with why and what to do. */
export async function listStuck({ db, rpc, config }: AdminContext): Promise<Report> {
  const stuck = await findStuck(db, { seconds: STUCK_SECONDS, limit: MAX_STUCK });
  const explained: Explanation[] = [];
  for (const { id } of stuck) {
    // The chain is not asked for each of them: their reason is mostly the same.
    const explanation = await explainIntent(
      { db, rpc, maxInFlight: config.maxInFlight, askChain: false },
      id,
    );
    if (explanation) explained.push(explanation);
  }
  const intents = explained.map(({ intent, cause, action }) => ({
    id: intent.id,
    kind: intent.kind,
    status: intent.status,
    email: intent.email,
    contract: presentAddress(intent.contract),
    createdAt: intent.createdAt,
    isQuarantined: intent.quarantine !== null,
    cause,
    action,
  }));
  return {
    json: intents,
    text: table(
      ['accepted', 'id', 'kind', 'status', 'account', 'cause', 'next'],
      intents.map((one) => [
        ...[one.createdAt, one.id, one.kind, one.isQuarantined ? 'quarantined' : one.status],
        ...[one.email, one.cause, one.action],
      ]),
      `Nothing has been without a verdict for more than ${STUCK_SECONDS} seconds.`,
    ),
  };
}

/**
 * Shows the newest intents of a transaction, a contract or an account. @throws Error when the text names none of them
 */
export async function findIntents({ db }: AdminContext, text: string): Promise<Report> {
  const found = await traceIntents(db, readTrace(text), MAX_FOUND);
  const intents = found.map((intent) => ({
    id: intent.id,
    kind: intent.kind,
    status: intent.status,
    environment: intent.environment,
    email: intent.email,
    contract: presentAddress(intent.contract),
    transactionHash: intent.transactionHash,
    createdAt: intent.createdAt,
  }));
  return {
    json: intents,
    text: table(
      ['accepted', 'id', 'kind', 'status', 'account', 'contract', 'transaction'],
      intents.map((one) => [
        ...[one.createdAt, one.id, one.kind, one.status, one.email, one.contract],
        one.transactionHash,
      ]),
      'There is no such intent.',
    ),
  };
}

function readTrace(text: string): IntentTrace {
  if (TRANSACTION_HASH.test(text)) return { transactionHash: text.toLowerCase() as Hex };
  if (ADDRESS.test(text)) return { address: text.toLowerCase() as Hex };
  if (text.includes('@')) return { email: text };
  throw new Error('Give the hash of a transaction, the address of a contract, or the e-mail of an account');
}

/** Confirms what the Operator has done and whose event no endpoint shows any more. */
export async function resolveDone(
  context: AdminContext,
  id: string,
  transaction: Hex | null,
): Promise<Report> {
  const { number } = await findOne(context, id);
  const parts = commandParts(context, await context.chain());
  const hash = await resolveIntent(parts, { id, number }, transaction);
  return {
    json: { id, status: 'confirmed', transactionHash: hash },
    text: `The intent ${id} is confirmed, in transaction ${hash}; its result is unknown.`,
  };
}
