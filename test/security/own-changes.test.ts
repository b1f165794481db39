import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import pg from 'pg';
import { until } from '../setup/until.ts';
import { bearer, cookie } from '../../lab/stage/credentials.ts';
import { examplesOf, readDocumented, schemesOf } from '../../lab/stage/documented.ts';
import type { Documented } from '../../lab/stage/documented.ts';
import { startTestService } from '../../lab/stage/service.ts';
import type { TestAccount, TestService } from '../../lab/stage/service.ts';
import { createOwner } from '../../lab/stage/things.ts';
import type { Owner } from '../../lab/stage/things.ts';

/*
 * Nobody waits for another account's changes: of an account one change at a time has a connection of the database.
 * Shown for every write of the contract, so that a new one needs no row here.
 */

/** Of each write; all writes together are many times the connections of the process. */
const TIMES = 4;
/** The one change of the account, and the acceptance that all accounts share. */
const MAX_CONNECTIONS = 2;
const LOOKS = 20;

let mintmark: TestService;
let owner: Owner;
let other: TestAccount;

beforeAll(async () => {
  mintmark = await startTestService();
  owner = await createOwner(mintmark);
  other = await mintmark.register();
});
afterAll(() => mintmark?.stop());

const writes = readDocumented().filter(
  (operation) => operation.method !== 'get' && schemesOf(operation).length > 0,
);

/** The path of a write to something of the account. */
function pathOf({ path, tags }: Documented): string {
  const { token, collection, intent, webhook, delivery } = owner.live;
  const id = tags.includes('webhooks') ? webhook : tags.includes('intents') ? intent : randomUUID();
  return path
    .replace('{address}', path.startsWith('/v1/') ? collection : token)
    .replace('{tokenId}', '1')
    .replace('{deliveryId}', delivery)
    .replace(/\{\w+\}/, id);
}

function send(operation: Documented): Promise<Response> {
  const { token, cookie: session } = owner.account;
  const [example] = operation.requestBody ? examplesOf(operation.requestBody) : [];
  return fetch(mintmark.url + pathOf(operation), {
    method: operation.method.toUpperCase(),
    headers: {
      ...(schemesOf(operation).includes('accessToken') ? bearer(token) : cookie(session)),
      'Idempotency-Key': randomUUID(),
      Prefer: 'respond-async',
      ...(example && { 'Content-Type': 'application/json' }),
    },
    ...(example && { body: JSON.stringify(example.value) }),
  });
}

test('while the rows of an account are held elsewhere, its writes leave the connections to others', async () => {
  // As another replica holds them, but for any time.
  const holder = new pg.Client({ connectionString: mintmark.databaseUrl });
  await holder.connect();
  const countWaiting = async (): Promise<number> => {
    const { rows } = await holder.query<{ count: number }>(
      `select count(*)::int as count from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`,
    );
    return rows[0]!.count;
  };
  await holder.query('begin');
  await holder.query('select 1 from accounts where id = $1 for no key update', [owner.account.id]);
  for (const table of ['credentials', 'webhooks', 'intents'])
    await holder.query(`select 1 from ${table} where account_id = $1 for no key update`, [owner.account.id]);
  const asked = writes.flatMap((operation) => Array.from({ length: TIMES }, () => send(operation)));
  await until(async () => (await countWaiting()) > 0);
  for (let look = 0; look < LOOKS; look += 1) {
    expect((await other.api.GET('/me')).response.status).toBe(200);
    expect(await countWaiting()).toBeLessThanOrEqual(MAX_CONNECTIONS);
    const changed = await other.api.PATCH('/me', { body: { walletAddress: null } });
    expect(changed.response.status).toBe(200);
  }
  await holder.end();
  // Whatever became of them: on a busy machine a statement may have waited for its row for longer than it is let.
  await Promise.all(asked);
});
