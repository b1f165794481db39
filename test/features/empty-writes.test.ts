import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { query } from '../../src/db/client.ts';
import { beginEpochs } from '../../src/engine/index.ts';
import { createKnownCommits } from '../../src/engine/recover/known-commits.ts';
import { deleteEmptyWrites } from '../../src/features/metering/empty-writes.ts';
import { until } from '../setup/until.ts';
import { openChain } from '../setup/chain.ts';
import { waitForStatus } from '../../lab/stage/intents.ts';
import { withoutBlocks } from '../setup/mining.ts';
import { createAsk } from '../../lab/stage/request.ts';
import type { Ask } from '../../lab/stage/request.ts';
import { startTestService } from '../../lab/stage/service.ts';
import type { TestAccount, TestService } from '../../lab/stage/service.ts';
import { deployToken, requestMint } from '../../lab/stage/tokens.ts';

const RECIPIENT = '0x3440326f551B8A7ee198cEE35cb5D517f2d296a2';

let mintmark: TestService;
let chain: ReturnType<typeof openChain>;
let alice: TestAccount;
let coin: string;
let ask: Ask;

const sql = <Row>(text: string, bindings: Record<string, unknown> = {}) =>
  query<Row>(mintmark.service.context.db, text, bindings);

beforeAll(async () => {
  mintmark = await startTestService({ MAX_IN_FLIGHT: '1' });
  chain = openChain(mintmark);
  ask = createAsk(mintmark.url);
  alice = await mintmark.register();
  coin = await deployToken(alice);
});

afterAll(() => mintmark?.stop());

/** Asks for a control that the token has already. Returns the id of its intent. */
async function unlockUnlocked(): Promise<string> {
  const key = { 'Idempotency-Key': randomUUID() };
  const answer = await ask(alice, 'POST', `/tokens/${coin}/unlock-transfers`, undefined, key);
  expect(answer).toMatchObject({ status: 200, body: { success: true } });
  return answer.intentId!;
}

/** A mint that was never signed, since another one is in flight, and is cancelled. Returns the id of its intent. */
async function cancelMint(): Promise<string> {
  let cancelled = '';
  await withoutBlocks(chain, async (mine) => {
    const first = await requestMint(alice, coin, { prefer: 'respond-async' });
    await waitForStatus(alice, first.intentId!, 'submitted');
    const second = await requestMint(alice, coin, { prefer: 'respond-async', key: randomUUID() });
    cancelled = second.intentId!;
    expect((await ask(alice, 'POST', `/intents/${cancelled}/cancel`)).status).toBe(200);
    await mine();
    await waitForStatus(alice, first.intentId!, 'confirmed');
  });
  return cancelled;
}

const statusOf = async (id: string): Promise<number> => (await ask(alice, 'GET', `/intents/${id}`)).status;

/** Rows of the account in every table that a write fills. */
async function countRows(): Promise<Record<string, bigint>> {
  const [row] = await sql<Record<string, bigint>>(
    `select (select count(*) from intents where account_id = :id) as intents,
            (select count(*) from idempotency_records where account_id = :id) as records,
            (select count(*) from ledger where account_id = :id) as ledger,
            (select count(*) from audit_entries where account_id = :id and action = 'write') as audited`,
    { id: alice.id },
  );
  return row!;
}

test('a control that sends nothing leaves no row once its answer is too old, and a cancelled write none but in the audit log', async () => {
  const commits = createKnownCommits();
  const look = () => commits.look((text, bindings) => query(mintmark.service.context.db, text, bindings));
  const before = await countRows();
  const [noop, cancelled] = [await unlockUnlocked(), await cancelMint()];
  const newest = await unlockUnlocked();
  await look();
  await sql(`update intents set final_at = now() - interval '25 hours' where id = any(:ids::uuid[])`, {
    ids: [noop, cancelled, newest],
  });

  expect(await deleteEmptyWrites(mintmark.service.context.db, 1_000)).toBe(2);
  expect(await Promise.all([noop, cancelled, newest].map(statusOf))).toEqual([404, 404, 200]);
  // The newest write tells whether commits were lost.
  expect(await deleteEmptyWrites(mintmark.service.context.db, 1_000)).toBe(0);

  await requestMint(alice, coin, { owner: RECIPIENT });
  expect(await deleteEmptyWrites(mintmark.service.context.db, 1_000)).toBe(1);
  // A process that remembers the deleted one as the newest goes on.
  await look();
  const after = await countRows();
  expect({
    intents: after['intents']! - before['intents']!,
    records: after['records']! - before['records']!,
    audited: after['audited']! - before['audited']!,
  }).toEqual({ intents: 2n, records: 0n, audited: 3n });
  expect((await alice.api.GET('/stats')).data).toMatchObject({ mintsUsed: 3 });
});

test('what was cancelled stays until the epoch after its own is raised for good', async () => {
  const cancelled = await cancelMint();
  await requestMint(alice, coin);
  await sql(`update intents set final_at = now() - interval '25 hours' where id = :cancelled`, { cancelled });
  const { db } = mintmark.service.context;
  await withoutBlocks(chain, async (mine) => {
    await beginEpochs(db);
    expect(await deleteEmptyWrites(db, 1_000)).toBe(0);
    await mine();
  });
  await until(async () => (await sql('select 1 from operators where raised_in is null')).length === 0);
  expect(await deleteEmptyWrites(db, 1_000)).toBe(1);
});
