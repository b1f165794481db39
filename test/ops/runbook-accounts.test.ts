import { expect } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import { query } from '../../src/db/client.ts';
import { installClock } from '../setup/clock.ts';
import { createKey } from '../../lab/stage/collections.ts';
import { startReceiver } from '../../lab/stage/receiver.ts';
import type { Receiver } from '../../lab/stage/receiver.ts';
import { createAsk } from '../../lab/stage/request.ts';
import { requestMint } from '../../lab/stage/tokens.ts';
import { openTestDb } from '../../lab/stage/database.ts';
import { walk } from './runbook/walk.ts';
import type { Site } from './runbook/walk.ts';

/*
 * Alerts about what accounts do, their webhooks, and the audit log.
 */

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const variables = { WEBHOOK_ALLOW_PRIVATE: 'true' };

const ask = ({ mintmark }: Site) => createAsk(mintmark.url);

/** Ten minutes or a day later, as the database's clock has it. */
async function letPass({ mintmark }: Site, ms: number): Promise<void> {
  const clock = await installClock(mintmark);
  await clock.set(new Date(Date.now() + ms));
}

async function expectSuspended(site: Site): Promise<void> {
  const { status } = await requestMint(site.account, site.token);
  expect([401, 403]).toContain(status);
}

walk({
  alert: 'MintmarkGasOneAccount',
  fault: 'one account writes 8 KB of metadata again and again',
  heal: 'the SQL shows who; `accounts set-gas`, `accounts suspend`; over at midnight (UTC)',
  induce: async (site) => {
    const text = (index: number) => `${index}${'x'.repeat(999)}`;
    for (let writes = 0; ; writes += 1) {
      const attributes = Object.fromEntries(
        Array.from({ length: 8 }, (_, index) => [`k${writes}${index}`, text(index)]),
      );
      const body = { name: 'n', description: 'd', attributes };
      const path = `/tokens/${site.token}/metadata`;
      expect((await ask(site)(site.account, 'PUT', path, body)).status).toBeLessThan(300);
      const [{ gas } = { gas: 0 }] = await query<{ gas: number }>(
        site.db,
        `select coalesce(sum(held + committed), 0)::float8 as gas from balances where meter = 'gas'`,
      );
      if (gas > 25_000_000) break;
    }
  },
  repair: async (site) => {
    const { email } = site.account;
    expect((await site.sql())[0]).toMatchObject({ email });
    expect(await site.admin('intents find EMAIL', { EMAIL: email })).toContain('metadata');
    expect(await site.admin('audit list')).toContain('write');
    await site.admin('accounts set-gas EMAIL GAS', { EMAIL: email, GAS: '1000' });
    const body = { name: 'n', description: 'd' };
    const path = `/tokens/${site.token}/metadata`;
    expect((await ask(site)(site.account, 'PUT', path, body)).status).toBe(429);
    await site.admin('accounts suspend EMAIL', { EMAIL: email });
    await expectSuspended(site);
    await letPass(site, DAY_MS);
  },
});

/** A webhook of the site's account at a receiver. @returns its path, and the key that may test it */
async function addWebhook(site: Site, receiver: Receiver): Promise<{ path: string; key: string }> {
  const { key } = await createKey(site.mintmark, site.account);
  const made = await ask(site)({ token: key }, 'POST', '/v1/webhooks', { url: receiver.urlOf('hook') });
  expect(made.status).toBe(201);
  return { path: `/v1/webhooks/${(made.body as { id: string }).id}`, key };
}

async function testWebhook(site: Site, { path, key }: { path: string; key: string }, times: number) {
  for (let sent = 0; sent < times; sent += 1)
    expect((await ask(site)({ token: key }, 'POST', `${path}/test`)).status).toBeLessThan(300);
}

/** Retries what waits now, instead of later. */
const hurry = (site: Site) =>
  query(
    site.db,
    `with due as (update webhook_deliveries set next_attempt_at = now() where status = 'pending' returning account_id)
     select graphile_worker.add_job('deliver-webhook', json_build_object('account', account_id)) from due`,
  );

walk({
  alert: 'MintmarkJobsLate',
  fault: 'a receiver hangs, and messages to it are due for 10 minutes',
  heal: 'the SQL shows whose it is; the receiver answers again',
  variables,
  induce: async (site) => {
    const receiver = site.stack.use(await startReceiver());
    receiver.answer(() => undefined);
    await testWebhook(site, await addWebhook(site, receiver), 20);
    await site.age(`update webhook_deliveries set next_attempt_at = next_attempt_at - interval '10 minutes'`);
    await site.age(
      `update graphile_worker._private_jobs set run_at = run_at - interval '10 minutes' where run_at <= now()`,
    );
    return receiver;
  },
  repair: async (site, receiver) => {
    expect((await site.sql())[0]).toMatchObject({ email: site.account.email });
    receiver.answer((response) => void response.writeHead(204).end());
    for (let tries = 0; tries < 60; tries += 1) {
      await hurry(site);
      await sleep(500);
      if ((await site.sql()).length === 0) break;
    }
  },
});

walk({
  alert: 'MintmarkWebhooksFailing',
  fault: 'a receiver answers 500',
  heal: 'the SQL shows its host and the error; the receiver is repaired',
  variables,
  induce: async (site) => {
    const receiver = site.stack.use(await startReceiver());
    receiver.answer((response) => void response.writeHead(500).end());
    await testWebhook(site, await addWebhook(site, receiver), 5);
    return receiver;
  },
  repair: async (site, receiver) => {
    expect((await site.sql())[0]).toMatchObject({ host: expect.stringContaining('127.0.0.1') });
    receiver.answer((response) => void response.writeHead(204).end());
    await hurry(site);
    await site.waitForRow(`select 1 from webhook_deliveries where status = 'delivered' having count(*) = 5`);
  },
});

walk({
  alert: 'MintmarkFailedSignIns',
  fault: '110 sign-ins with a wrong password',
  heal: 'the SQL shows from where; `accounts suspend`; over after ten minutes',
  variables: { LOGIN_FAILURES_PER_ACCOUNT: '1000' },
  induce: async ({ mintmark, account }) => {
    const body = { email: account.email, password: 'another password' };
    for (let tries = 0; tries < 110; tries += 1)
      expect((await mintmark.anonymous.POST('/auth/signin', { body })).response.status).toBe(401);
  },
  repair: async (site) => {
    expect((await site.sql())[0]).toMatchObject({ account_id: site.account.id, count: 110n });
    await site.admin('accounts suspend EMAIL', { EMAIL: site.account.email });
    await expectSuspended(site);
    await letPass(site, 11 * MINUTE_MS);
  },
});

walk({
  alert: 'MintmarkNewKeys',
  fault: 'an account creates 22 API keys',
  heal: '`audit list` shows who; `accounts suspend`; over after ten minutes',
  induce: async (site) => {
    // Of each kind an account has at most 20.
    for (let keys = 0; keys < 11; keys += 1)
      for (const kind of ['live', 'sandbox'] as const) await createKey(site.mintmark, site.account, kind);
  },
  repair: async (site) => {
    expect(await site.admin('audit list')).toContain('key_created');
    await site.admin('accounts suspend EMAIL', { EMAIL: site.account.email });
    await expectSuspended(site);
    await letPass(site, 11 * MINUTE_MS);
  },
});

walk({
  alert: 'MintmarkAuditUnsealed',
  fault: 'a transaction with an entry of its own stays open',
  heal: 'the SQL shows the session; it is ended',
  induce: async (site) => {
    const other = site.stack.use(openTestDb(site.mintmark.databaseUrl, 1));
    await query(other, `set idle_in_transaction_session_timeout = 0`);
    const open = await other.transaction();
    site.stack.defer(async () => void (await open.rollback().catch(() => undefined)));
    await query(
      open,
      `insert into audit_entries (actor, action, details) values ('operator', 'admin_command', '{}')`,
    );
    await requestMint(site.account, site.token);
  },
  repair: async (site) => {
    const [row] = await site.sql();
    expect(row).toMatchObject({ state: 'idle in transaction' });
    await site.sql({ PID: String(row!['pid']) }, site.db, 1);
  },
});
