import { presentAddress } from '../chain/address.ts';
import { findQuarantined, inspectIntent, retryIntent } from '../engine/index.ts';
import type { InspectedIntent } from '../engine/index.ts';
import { commandParts } from './command-parts.ts';
import { noIntent } from './intents.ts';
import type { AdminContext } from './open.ts';
import { table } from './report.ts';
import type { Report } from './report.ts';

/** Shows the intents whose verdicts the database refuses. */
export async function listQuarantined({ db }: AdminContext): Promise<Report> {
  const found = await findQuarantined(db);
  const intents = found.map(({ number, contract, ...intent }) => ({
    ...intent,
    number,
    contract: presentAddress(contract),
  }));
  return {
    json: intents,
    text: table(
      ['since', 'id', 'kind', 'account', 'contract', 'the database says'],
      intents.map(({ since, id, kind, email, contract, error }) => [since, id, kind, email, contract, error]),
      'The database refuses no verdict.',
    ),
  };
}

/** Settles a quarantined intent again, after what the database refused was mended. */
export async function retryQuarantined(context: AdminContext, id: string): Promise<Report> {
  const { number } = await findOne(context, id);
  await retryIntent(commandParts(context, await context.chain()), { id, number });
  const { status, error } = await findOne(context, id);
  const reason = error ? `: ${error.message}` : '';
  return { json: { id, status, error }, text: `The intent ${id} is ${status} now${reason}.` };
}

/** @throws Error with one sentence */
export async function findOne({ db }: AdminContext, id: string): Promise<InspectedIntent> {
  const intent = await inspectIntent(db, id);
  if (!intent) throw await noIntent(db);
  return intent;
}
