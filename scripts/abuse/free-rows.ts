import { query } from '../../src/db/client.ts';
import { deleteOldRecords } from '../../src/db/idempotency.ts';
import { deleteEmptyWrites } from '../../src/features/metering/empty-writes.ts';
import { inParallel } from '../../lab/load/load.ts';
import { createTally } from './gas.ts';
import type { Attack, Figure } from './outcome.ts';
import { ASYNC, checkStatuses, deploy, quiet, showStatuses, withStage } from './stage.ts';
import type { Client, Stage } from './stage.ts';

const RECIPIENT = '0x3440326f551B8A7ee198cEE35cb5D517f2d296a2';
const REQUESTS = 300;
/** Tables that a free request fills. Their indexes take as much again at most. */
const TABLES = ['intents', 'idempotency_records', 'audit_entries', 'credentials'];

/** Bytes that the rows of these tables have, without indexes. */
async function bytesOf({ db }: Stage): Promise<number> {
  const sums = TABLES.map((table) => `(select coalesce(sum(pg_column_size(t)), 0) from ${table} t)`);
  const [row] = await query<{ bytes: number }>(db, `select (${sums.join(' + ')})::int as bytes`);
  return row!.bytes;
}

/** What a day later is left of it, a request. */
async function leftAfterDay(stage: Stage, work: () => Promise<unknown>): Promise<number> {
  const before = await bytesOf(stage);
  await work();
  await quiet(stage);
  await query(
    stage.db,
    `update intents set final_at = final_at - interval '25 hours' where final_at is not null`,
  );
  await query(stage.db, `update idempotency_records set created_at = created_at - interval '25 hours'`);
  while ((await deleteOldRecords(stage.db, 1_000)) > 0);
  while ((await deleteEmptyWrites(stage.db, 1_000)) > 0);
  return ((await bytesOf(stage)) - before) / REQUESTS;
}

/** A mint that another one in flight keeps from being signed, and its cancellation. */
async function mintAndCancel({ ask }: Stage, own: Client, token: string) {
  const { intentId } = await ask(
    own,
    'POST',
    `/tokens/${token}/mint`,
    { owner: RECIPIENT, amount: '1' },
    ASYNC,
  );
  return ask(own, 'POST', `/intents/${intentId}/cancel`);
}

/** Requests that cost nothing: controls that the token has already, tokens of one session, mints that are cancelled. */
export const freeRows: Attack = () =>
  withStage({ variables: { MAX_IN_FLIGHT: '1' }, node: { blockTimeSeconds: 4 } }, async (stage) => {
    const own = await stage.register();
    const token = await deploy(stage, own);
    const session = { Cookie: `service_session=${own.cookie}` };
    const requests = {
      'a control that changes nothing': () => stage.ask(own, 'POST', `/tokens/${token}/unlock-transfers`),
      'a token of a session': () => stage.ask(own, 'POST', '/auth/token', undefined, session),
      'a mint that is cancelled': () => mintAndCancel(stage, own, token),
    };
    const { statuses, add } = createTally();
    const figures: Figure[] = [];
    for (const [what, request] of Object.entries(requests)) {
      const during = await leftAfterDay(stage, () =>
        inParallel(REQUESTS, 10, async () => add(await request())),
      );
      const bound = what === 'a mint that is cancelled' ? 600 : 100;
      figures.push({
        what: `bytes for ever, ${what}`,
        before: null,
        during,
        bound,
      });
    }
    return {
      made: `${REQUESTS} of each: ${showStatuses(statuses)}`,
      figures,
      flaws: checkStatuses(statuses, [200, 409]),
    };
  });
