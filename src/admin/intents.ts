import { presentAddress } from '../chain/address.ts';
import type { Db } from '../db/client.ts';
import { explainIntent, readArchivedUntil } from '../engine/index.ts';
import type { AdminContext } from './open.ts';
import { list } from './report.ts';
import type { Report } from './report.ts';

/** Explains the status of an intent, and what to do. */
export async function showIntent({ db, rpc, config }: AdminContext, id: string): Promise<Report> {
  const found = await explainIntent({ db, rpc, maxInFlight: config.maxInFlight, askChain: true }, id);
  if (!found) throw await noIntent(db);
  const { intent, lane, transaction, nonceOnChain, blocking, since, cause, action } = found;
  const json = {
    id: intent.id,
    number: intent.number,
    kind: intent.kind,
    environment: intent.environment,
    account: { id: intent.accountId, email: intent.email },
    contract: presentAddress(intent.contract),
    status: intent.status,
    createdAt: intent.createdAt,
    updatedAt: intent.updatedAt,
    finalAt: intent.finalAt,
    error: intent.error,
    quarantined: intent.quarantine?.error ?? null,
    transactionHash: intent.transactionHash,
    signer: lane && presentAddress(lane.signer),
    leaseUntil: lane && (lane.isHeld ? lane.leaseUntil : null),
    nonce: transaction && Number(transaction.nonce),
    nonceOnChain: nonceOnChain === null ? null : Number(nonceOnChain),
    blockingNonce: blocking && Number(blocking.nonce),
    attempts: transaction?.hashes ?? [],
    since,
    cause,
    action,
  };
  return {
    json,
    text: list([
      ['intent', `${json.id}, number ${json.number}`],
      ['what', `${json.kind} (${json.environment})`],
      ['account', json.account.email],
      ['contract', json.contract],
      ['status', json.status],
      ['accepted', json.createdAt],
      ['changed', json.updatedAt],
      ['signer', json.signer],
      ['lane held until', json.leaseUntil],
      ['refused by the database', json.quarantined],
      ['transaction', json.transactionHash],
      ['its nonce', json.nonce],
      ['nonce on chain', json.nonceOnChain],
      ['blocking nonce', json.blockingNonce],
      ['since', json.since],
      ['cause', json.cause],
      ['next', json.action],
    ]),
  };
}

/** Why an id names nothing. */
export async function noIntent(db: Db): Promise<Error> {
  const until = await readArchivedUntil(db);
  const archived = until
    ? `; what was finished before ${until.toISOString().slice(0, 10)} may be in a file of "archive"`
    : '';
  return new Error(`There is no intent with this id${archived}`);
}
