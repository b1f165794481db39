import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { networkInterfaces } from 'node:os';
import { query } from '../../src/db/client.ts';
import type { Db } from '../../src/db/client.ts';
import { longTimeouts } from '../../src/db/connection.ts';
import { embeddedAccounts } from '../../src/embedded/accounts.ts';
import {
  countHolds,
  countLanes,
  countOpen,
  countWaiting,
  readGasOfDay,
} from '../../src/features/metrics/store.ts';
import { openChain } from '../setup/chain.ts';
import { createKey } from '../../lab/stage/collections.ts';
import { withoutBlocks } from '../setup/mining.ts';
import { startReceiver } from '../../lab/stage/receiver.ts';
import { createAsk } from '../../lab/stage/request.ts';
import { startTestService } from '../../lab/stage/service.ts';
import type { TestAccount, TestService } from '../../lab/stage/service.ts';
import { useSuiteDatabase } from '../setup/suite-database.ts';
import { deployToken, requestMint } from '../../lab/stage/tokens.ts';

/** Value of the one series with this name and all of these labels. */
function valueOf(text: string, name: string, labels: Record<string, string> = {}): number | undefined {
  for (const [, found = '', value] of text.matchAll(new RegExp(`^${name}(\\{[^}]*\\})? (\\S+)$`, 'gm'))) {
    if (Object.entries(labels).every(([label, wanted]) => found.includes(`${label}="${wanted}"`)))
      return Number(value);
  }
  return undefined;
}

describe('GET /metrics', () => {
  let service: TestService;
  let account: TestAccount;
  let token: string;
  const read = async (): Promise<string> => (await fetch(`${service.url}/metrics`)).text();
  beforeAll(async () => {
    service = await startTestService({ METRICS_PORT: '0', WEBHOOK_ALLOW_PRIVATE: 'true' });
    account = await service.register();
    token = await deployToken(account);
  });
  afterAll(() => service.stop());

  test('counts requests by operation and status', async () => {
    const name = 'mintmark_http_request_duration_seconds_count';
    const before = await read();
    await requestMint(account, token);
    await fetch(`${service.url}/me`);
    await fetch(`${service.url}/nowhere`);
    const after = await read();
    for (const [operation, status] of [
      ['mintToken', '200'],
      ['getProfile', '401'],
      ['page', '404'],
    ] as const) {
      const labels = { operation, status };
      expect([operation, valueOf(after, name, labels)]).toEqual([
        operation,
        (valueOf(before, name, labels) ?? 0) + 1,
      ]);
    }
  });

  test('shows open intents, their holds and nonces, and their verdicts', async () => {
    const signer = embeddedAccounts[0].address.toLowerCase();
    const chain = openChain(service);
    await withoutBlocks(chain, async (mine) => {
      const before = await read();
      await Promise.all([1, 2, 3].map(() => requestMint(account, token, { prefer: 'respond-async' })));
      await until(async () => valueOf(await read(), 'mintmark_lane_transactions', { state: 'open' }) !== 0);
      const during = await read();
      const open =
        valueOf(during, 'mintmark_intents_open', { status: 'queued' })! +
        valueOf(during, 'mintmark_intents_open', { status: 'submitted' })!;
      expect(open).toBe(3);
      expect(valueOf(during, 'mintmark_oldest_open_intent_seconds', { status: 'submitted' })).toBeGreaterThan(
        0,
      );
      expect(valueOf(during, 'mintmark_ledger_holds', { meter: 'mints' })).toBe(3);
      expect(valueOf(during, 'mintmark_ledger_held_amount', { meter: 'mints' })).toBe(3);
      expect(valueOf(during, 'mintmark_ledger_holds', { meter: 'credits' })).toBe(0);
      expect(valueOf(during, 'mintmark_lane_next_nonce', { signer })).toBeGreaterThan(
        valueOf(during, 'mintmark_chain_nonce', { signer })!,
      );
      await until(async () => valueOf(await read(), 'mintmark_lane_held', { signer }) === 1);
      await until(async () => {
        await mine();
        return (
          valueOf(await read(), 'mintmark_intent_verdict_seconds_count', { outcome: 'final' }) ===
          (valueOf(before, 'mintmark_intent_verdict_seconds_count', { outcome: 'final' }) ?? 0) + 3
        );
      });
    });
    const after = await read();
    expect(valueOf(after, 'mintmark_intents_open', { status: 'submitted' })).toBe(0);
    expect(valueOf(after, 'mintmark_ledger_holds', { meter: 'mints' })).toBe(0);
    expect(valueOf(after, 'mintmark_lane_next_nonce', { signer })).toBe(
      valueOf(after, 'mintmark_chain_nonce', { signer }),
    );
    expect(valueOf(after, 'mintmark_intents_accepted_total', { kind: 'mint' })).toBeGreaterThanOrEqual(3);
    const calls = valueOf(after, 'mintmark_transaction_calls_sum')!;
    expect(calls).toBeGreaterThanOrEqual(4);
    const gas = valueOf(after, 'mintmark_gas_per_call_sum')! / valueOf(after, 'mintmark_gas_per_call_count')!;
    expect(gas).toBeGreaterThan(21_000);
    expect(gas).toBeLessThan(500_000);
    expect(valueOf(after, 'mintmark_signer_balance_ether', { signer })).toBeGreaterThan(1);
    expect(valueOf(after, 'mintmark_rpc_calls_total', { method: 'eth_sendRawTransaction' })).toBeGreaterThan(
      1,
    );
    expect(valueOf(after, 'mintmark_ready')).toBe(1);
    expect(valueOf(after, 'mintmark_lane_stalled_seconds')).toBeLessThan(60);
    expect(valueOf(after, 'mintmark_database_connections', { state: 'waited_for' })).toBe(0);
  });

  test('shows which share of the gas of the day one account has, and not whose; the runbook finds that', async () => {
    const { db } = service.service.context;
    const names = ['mintmark_gas_today', 'mintmark_gas_top_account_ratio'] as const;
    const other = await service.register();
    const use = (id: string, daysAgo: number, [committed, held]: [number, number]): Promise<unknown> =>
      query(
        db,
        `insert into balances (account_id, meter, period, granted, committed, held)
         values (:id, 'gas', (now() at time zone 'utc')::date - :daysAgo::int, 0, :committed, :held)
         on conflict (account_id, meter, period) do update set committed = excluded.committed, held = excluded.held`,
        { id, daysAgo, committed, held },
      );
    const before = await read();
    expect(names.map((name) => valueOf(before, name))).toEqual([0, 0]);
    await use(account.id, 0, [20_000, 10_000]);
    await use(other.id, 0, [30_000, 60_000]);
    await use(account.id, 1, [1_000_000, 0]);
    const after = await read();
    expect(names.map((name) => valueOf(after, name))).toEqual([120_000, 0.75]);
    expect(after.split('\n').filter((line) => line.startsWith(names[1]))).toHaveLength(1);
    const [, sql] = /psql "\$DATABASE_URL" -c "(select a\.email, a\.plan[^"]+)"/.exec(
      readFileSync('docs/runbook.md', 'utf8'),
    )!;
    expect(await query(db, sql!)).toMatchObject([
      { email: other.email, used: 30_000n, held: 60_000n },
      { email: account.email, used: 20_000n, held: 10_000n },
    ]);
  });

  test('is not ready while the chain is unreachable, and omits what only the chain knows', async () => {
    await using away = await startTestService();
    await deployToken(await away.register());
    await away.chain.stop();
    const answer = await (await fetch(`${away.url}/metrics`)).text();
    expect(valueOf(answer, 'mintmark_ready')).toBe(0);
    expect(valueOf(answer, 'mintmark_chain_nonce')).toBeUndefined();
    expect(valueOf(answer, 'mintmark_lane_held')).toBeDefined();
    const errors = valueOf(answer, 'mintmark_rpc_errors_total', { reason: 'unreachable', endpoint: '1' });
    expect(errors).toBeGreaterThan(0);
    expect(valueOf(answer, 'mintmark_rpc_unreachable_seconds')).toBeGreaterThan(0);
  });

  test('shows jobs that are late', async () => {
    expect(valueOf(await read(), 'mintmark_jobs', { task: 'nobodys' })).toBeUndefined();
    await query(
      service.service.context.db,
      `select graphile_worker.add_job('nobodys', run_at := now() - interval '10 minutes')`,
    );
    const late = await read();
    expect(valueOf(late, 'mintmark_jobs', { task: 'nobodys', state: 'due' })).toBe(1);
    expect(valueOf(late, 'mintmark_jobs', { task: 'nobodys', state: 'given_up' })).toBe(0);
    expect(valueOf(late, 'mintmark_oldest_due_job_seconds', { task: 'nobodys' })).toBeGreaterThanOrEqual(600);
  });

  test('shows deliveries of webhooks by outcome, and those that wait', async () => {
    await using receiver = await startReceiver();
    const caller = { token: (await createKey(service, account)).key };
    const ask = createAsk(service.url);
    const deliveries = async (): Promise<(number | undefined)[]> => {
      const text = await read();
      return ['delivered', 'to_retry', 'given_up'].map((outcome) =>
        valueOf(text, 'mintmark_webhook_deliveries_total', { outcome }),
      );
    };
    const attempts = async (): Promise<number> =>
      valueOf(await read(), 'mintmark_webhook_attempt_seconds_count')!;
    const { body } = await ask(caller, 'POST', '/v1/webhooks', { url: receiver.urlOf('shop') });
    const webhook = `/v1/webhooks/${(body as { id: string }).id}`;
    const send = () => ask(caller, 'POST', `${webhook}/test`);
    expect(await deliveries()).toEqual([0, 0, 0]);
    await send();
    await until(async () => (await deliveries())[0] === 1);
    const settled = await read();
    expect(valueOf(settled, 'mintmark_webhook_waiting')).toBe(0);
    expect(valueOf(settled, 'mintmark_webhook_oldest_waiting_seconds')).toBe(0);

    receiver.answer((response) => void setTimeout(() => response.writeHead(503).end(), 300));
    await send();
    await until(async () => (await deliveries())[1] === 1);
    const during = await read();
    expect(valueOf(during, 'mintmark_webhook_waiting')).toBe(1);
    expect(valueOf(during, 'mintmark_webhook_oldest_waiting_seconds')).toBeGreaterThan(0.3);
    expect(valueOf(during, 'mintmark_webhook_attempt_seconds_sum')).toBeGreaterThan(0.3);
    const [, sql] = /psql "\$DATABASE_URL" -c "(select split_part[^"]+)"/.exec(
      readFileSync('docs/runbook.md', 'utf8'),
    )!;
    expect(await query(service.service.context.db, sql!)).toEqual([
      { host: new URL(receiver.urlOf('')).host, error: 'The receiver answered 503', count: 1n },
    ]);

    receiver.answer((response) => void response.writeHead(410).end());
    await send();
    await until(async () => (await deliveries())[2] === 1);
    expect(await attempts()).toBe(3);
    // The waiting delivery fails without an attempt, since the webhook is disabled.
    await until(async () => (await deliveries())[2] === 2);
    expect(await attempts()).toBe(3);
    expect(await deliveries()).toEqual([1, 1, 2]);
    expect(valueOf(await read(), 'mintmark_webhook_waiting')).toBe(0);
  });

  test('only a scrape runs the queries of a scrape', async () => {
    const statements: string[] = [];
    const { db } = service.service.context;
    const note = ({ sql }: { sql: string }): void => void statements.push(sql);
    await until(async () => valueOf(await read(), 'mintmark_intents_open', { status: 'submitted' }) === 0);
    db.on('query', note);
    try {
      await fetch(`${service.url}/v1/collections`);
      // The lane queries its own row at intervals, with another statement.
      const scrape = [/as holds,/, /from lanes l left join transactions/, /from webhook_deliveries where/];
      const counts = () => scrape.map((part) => statements.filter((sql) => part.test(sql)).length);
      expect(counts()).toEqual([0, 0, 0]);
      await read();
      expect(counts()).toEqual([1, 1, 1]);
    } finally {
      db.removeListener('query', note);
    }
  });

  describe('who can read it', () => {
    const ask = (headers: Record<string, string>): Promise<number> =>
      new Promise((resolve, reject) => {
        const sent = httpRequest(`${service.url}/metrics`, { headers }, (response) => {
          response.resume();
          resolve(response.statusCode!);
        });
        sent.on('error', reject).end();
      });

    test('a client on this machine can', async () => {
      expect(await ask({})).toBe(200);
    });

    test.each(['X-Forwarded-For', 'Forwarded', 'X-Real-IP', 'Via', 'X-Forwarded-Proto', 'X-Forwarded-Host'])(
      'a client behind a proxy that sends %s cannot',
      async (name) => {
        expect(await ask({ [name]: '203.0.113.7' })).toBe(404);
      },
    );

    test('a client that comes from an address of the network cannot', async () => {
      await using open = await startTestService({ HOST: '0.0.0.0', PUBLIC_URL: 'http://mint.example' });
      const { port } = new URL(open.url);
      const statusAt = async (host: string, page: string): Promise<number> =>
        (await fetch(`http://${host}:${port}${page}`)).status;
      const addresses = Object.values(networkInterfaces())
        .flatMap((known) => known ?? [])
        .filter(({ family }) => family === 'IPv4');
      expect(await statusAt('127.0.0.1', '/metrics')).toBe(200);
      // What asks for an address of this machine comes from it. Without a network there is none but loopback's.
      for (const { address, internal } of addresses) {
        expect([address, await statusAt(address, '/metrics')]).toEqual([address, internal ? 200 : 404]);
        expect([address, await statusAt(address, '/health')]).toEqual([address, 200]);
      }
    });

    test('METRICS_PORT serves metrics and its own health to any client, and nothing else', async () => {
      const url = service.service.metricsUrl!;
      const answer = await fetch(url, { headers: { 'X-Forwarded-For': '203.0.113.7' } });
      expect(answer.status).toBe(200);
      expect(answer.headers.get('X-Content-Type-Options')).toBe('nosniff');
      expect(await answer.text()).toMatch(/^mintmark_ready 1$/m);
      const health = await fetch(url.replace('/metrics', '/health'));
      expect([health.status, await health.json()]).toEqual([200, { ok: true }]);
      expect((await fetch(url.replace('/metrics', '/ready'))).status).toBe(404);
    });
  });
});

async function until(isSo: () => Promise<boolean>): Promise<void> {
  const end = Date.now() + 20_000;
  while (!(await isSo())) {
    if (Date.now() > end) throw new Error('it did not come to pass in 20 s');
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

describe('the queries of a scrape', () => {
  // OLD_INTENTS=1000000 shows what the index is for; the plan is the same with fewer.
  const OLD = Number(process.env['OLD_INTENTS'] ?? 50_000);
  const { db } = useSuiteDatabase(2, { timeouts: longTimeouts });
  beforeAll(() => fillWithOldIntents(db, OLD));

  test.each([
    ['countOpen', countOpen, 'intents_waiting'],
    ['countLanes', countLanes, 'transactions_unfinished'],
    ['countHolds', countHolds, 'intents_waiting'],
    ['countWaiting', countWaiting, 'webhook_deliveries_waiting'],
    ['readGasOfDay', readGasOfDay, 'balances_gas'],
  ] as const)(`%s reads an index only, with ${OLD} settled intents`, async (_name, run, index) => {
    let sql = '';
    db.once('query', (asked: { sql: string }) => (sql = asked.sql));
    await run(db);
    const plan = (await query<{ 'QUERY PLAN': string }>(db, `explain ${sql}`))
      .map((row) => row['QUERY PLAN'])
      .join('\n');
    expect(plan).toContain(index);
    expect(plan).not.toMatch(/Seq Scan on (intents|transactions|balances|webhook_deliveries)/);
  });
});

/** A year's worth of minted intents, each settled and delivered, with one transaction for every hundred. */
async function fillWithOldIntents(db: Db, count: number): Promise<void> {
  await db.transaction(async (tx) => {
    // Foreign keys are not checked: the queries do not need them.
    await query(tx, `set local session_replication_role = replica`);
    await query(
      tx,
      `insert into intents (id, account_id, environment, kind, contract, target, calldata, operator, epoch, status, transaction_hash, final_at, held_meter, held_amount, held_remaining)
       select gen_random_uuid(), '00000000-0000-4000-8000-000000000000', 'live', 'mint', decode(repeat('0a', 20), 'hex'),
              decode(repeat('0a', 20), 'hex'), '\\x00', decode(repeat('0a', 20), 'hex'), 1, 'confirmed', decode(repeat('0b', 32), 'hex'), now(), 'mints', 1, 1
         from generate_series(1, ${count})`,
    );
    await query(
      tx,
      `insert into transactions (signer, nonce, status, gas_limit, expected_gas, fee, operator, epoch, calldata, mined_hash, block_number, block_hash)
       select decode(repeat('0c', 20), 'hex'), n, 'final', 1, 1, 1, decode(repeat('0a', 20), 'hex'), 1, '\\x00', decode(repeat('0b', 32), 'hex'), n,
              decode(repeat('0b', 32), 'hex') from generate_series(1, ${count} / 100) as n`,
    );
    await query(
      tx,
      `with placed as (
         update transactions set gas_caps = array_fill(1, array[100]),
                intent_numbers = array(select generate_series((id - 1) * 100 + 1, id * 100))
       )
       update intents set decided_by = (number - 1) / 100 + 1, sent_in = array[(number - 1) / 100 + 1]`,
    );
    await query(
      tx,
      `insert into balances (account_id, meter, period, granted, committed)
       select gen_random_uuid(), 'gas', (now() at time zone 'utc')::date - 1 - n % 365, 0, 1 from generate_series(1, ${count}) as n`,
    );
    await query(
      tx,
      `insert into webhook_deliveries (id, webhook_id, account_id, event, intent_id, payload, status)
       select gen_random_uuid(), account_id, account_id, 'intent.confirmed', id, '{}', 'delivered' from intents`,
    );
  });
  await query(db, 'vacuum analyze');
}
