import { randomUUID } from 'node:crypto';
import { createDb, query } from '../../src/db/client.ts';
import type { Db } from '../../src/db/client.ts';
import { acceptLoss } from '../../src/engine/index.ts';
import type { ServiceOptions } from '../../src/start/compose.ts';
import { countEffects } from '../../lab/faults/operator-events.ts';
import { deployTargets } from '../../lab/load/load.ts';
import type { Target } from '../../lab/load/load.ts';
import { copyDatabase } from '../../lab/stage/database.ts';
import { startStand } from './stand.ts';
import type { Stand } from './stand.ts';
import { RECIPIENT } from '../../lab/stage/tokens.ts';
import { SHORT_TIMINGS } from '../engine/timings.ts';

/** The service with a token that is deployed for good: the first effect of its Operator. */
export interface EpochStand extends Stand, AsyncDisposable {
  target: Target;
  /** Of the database that the service is on now. */
  db(): Db;
  /** How many calls the Operator has done, in all of its epochs. */
  countEffects(): Promise<number>;
  letLanesGo(): Promise<void>;
  /** Waits until the raise to this epoch is final. */
  waitForEpoch(epoch: number): Promise<unknown[]>;
  /** What is sent from now on reaches the node or not. */
  withholdSent(isWithheld: boolean): void;
  /** Stops the service. Returns the URL of a copy of its database. */
  stopAndCopy(): Promise<string>;
}

export async function startEpochStand(
  variables: Record<string, string> = {},
  timings: ServiceOptions['timings'] = {},
): Promise<EpochStand> {
  const options = { timings: { ...SHORT_TIMINGS, ...timings } };
  const stand = await startStand({ blockTimeSeconds: 0.25 }, variables, options);
  await using opening = new AsyncDisposableStack();
  opening.defer(() => stand.stop());
  const { anvil, proxy, mintmark, quiet, waitForRow } = stand;
  const [target] = await deployTargets([await mintmark.register()]);
  await quiet();
  const { operator } = mintmark.service.context.system;
  const db = (): Db => mintmark.service.context.db;
  const opened = opening.move();
  return {
    ...stand,
    target: target!,
    db,
    countEffects: () => countEffects(anvil, operator),
    letLanesGo: async () => void (await query(db(), `update lanes set lease_until = '-infinity'`)),
    waitForEpoch: (epoch) =>
      waitForRow(`select 1 from operators where epoch = ${epoch} and raised_in is not null`),
    withholdSent: (isWithheld) => {
      proxy.options.faultFor = (method) =>
        isWithheld && method === 'eth_sendRawTransaction' ? 'withhold' : null;
    },
    stopAndCopy: async () => {
      await mintmark.service.stop();
      return copyDatabase(mintmark.databaseUrl);
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

/** Lets nobody send: another process seems to hold every lane for an hour. */
export async function holdLanes(db: Db): Promise<void> {
  await query(
    db,
    `update lanes set term = term + 1, holder = 'another', lease_until = now() + interval '1 hour', lease_ms = 3600000`,
  );
}

/** Works on a database that no service is on. */
export async function withDb(url: string, work: (db: Db) => Promise<unknown>): Promise<void> {
  await using db = createDb(url, 1);
  await work(db);
}

/** Accepts the loss as the command does, while no service is on the database. */
export const acceptLossOf = (url: string): Promise<void> => withDb(url, acceptLoss);

/** Mints, and waits for the verdict unless it is asked not to. Returns the status of the answer. */
export async function mint(
  { account, address }: Target,
  amount: string,
  { isAsync = false }: { isAsync?: boolean } = {},
): Promise<number> {
  const { response } = await account.api.POST('/tokens/{address}/mint', {
    params: {
      path: { address },
      header: { 'Idempotency-Key': randomUUID(), ...(isAsync && { Prefer: 'respond-async' }) },
    },
    body: { owner: RECIPIENT, amount },
  });
  return response.status;
}
