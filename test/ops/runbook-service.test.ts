import { expect } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import { commandIn } from '../../lab/faults/alive.ts';
import { query } from '../../src/db/client.ts';
import { startPostgresProxy } from '../../lab/proxies/postgres-proxy.ts';
import { refuseVerdicts } from '../../lab/faults/refused-verdicts.ts';
import { openChain } from '../setup/chain.ts';
import { waitForStatus } from '../../lab/stage/intents.ts';
import { makeRevert } from '../setup/mining.ts';
import { RECIPIENT, deployToken, requestMint } from '../../lab/stage/tokens.ts';
import { SHORT_TIMINGS } from '../engine/timings.ts';
import { openTestDb } from '../../lab/stage/database.ts';
import { startMint, walk } from './runbook/walk.ts';
import type { Site } from './runbook/walk.ts';

/*
 * Alerts about the processes, the database, and what becomes of writes.
 */

const timings = SHORT_TIMINGS;

walk({
  alert: 'MintmarkDown',
  fault: 'the process is stopped',
  heal: 'it is started again',
  induce: ({ mintmark }) => mintmark.service.stop(),
  repair: async (site) => {
    await site.mintmark.restart();
    expect((await requestMint(site.account, site.token)).status).toBe(200);
  },
});

walk({
  alert: 'MintmarkNotReady',
  fault: "the Operator's execution is stopped while a write waits",
  heal: '`GET /ready` names `execution start`',
  induce: async (site) => {
    await site.cli.say('execution', 'stop');
    // A lane notices it when it sends.
    await startMint(site);
  },
  repair: async (site) => {
    const command = commandIn(await (await fetch(`${site.mintmark.url}/ready`)).text());
    expect(command).toEqual(['execution', 'start']);
    await site.cli.say(...command!);
  },
});

walk({
  alert: 'MintmarkServerErrors',
  fault: 'the database refuses connections while requests arrive',
  heal: 'the database is repaired',
  isSlow: true,
  induce: async (site) => {
    const proxy = site.stack.use(await startPostgresProxy(site.mintmark.databaseUrl));
    // The service closes its connections first.
    site.stack.defer(() => site.mintmark.service.stop());
    await site.mintmark.restart({ DATABASE_URL: proxy.url });
    const look = () => site.account.api.GET('/stats');
    expect((await look()).response.status).toBe(200);
    proxy.refuse();
    // The first answers of a status begin its series: only what comes after them is seen to grow.
    for (const end = performance.now() + 15_000; performance.now() < end; await sleep(200))
      expect((await look()).response.status).toBeGreaterThanOrEqual(500);
    proxy.accept();
  },
  repair: async (site) => {
    expect(await readFigures(site, 'mintmark_http_request_duration_seconds_count')).toMatch(
      /operation="getStats".*status="50/,
    );
    expect((await requestMint(site.account, site.token)).status).toBe(200);
  },
});

const readFigures = async ({ mintmark }: Site, name: string): Promise<string> =>
  (await (await fetch(`${mintmark.url}/metrics`)).text())
    .split('\n')
    .filter((line) => line.startsWith(name))
    .join('\n');

walk({
  alert: 'MintmarkSlowVerdicts',
  fault: 'verdicts on writes that were accepted 3 minutes before',
  heal: 'by itself: `mintmark_lane_transactions` shows few, and the next ones are quick',
  timings,
  induce: async (site) => {
    for (let rounds = 0; rounds < 3; rounds += 1) {
      await site.anvil.call('evm_setAutomine', [false]);
      await waitForStatus(site.account, await startMint(site), 'submitted');
      await site.age(
        `update intents set created_at = created_at - interval '3 minutes' where status = 'submitted'`,
      );
      await site.anvil.call('evm_setAutomine', [true]);
      await site.anvil.call('evm_mine');
      await site.quiet();
    }
  },
  repair: async (site) => {
    expect(await readFigures(site, 'mintmark_lane_transactions')).toMatch(/state="open"\} 0/);
    for (let mints = 0; mints < 5; mints += 1)
      expect((await requestMint(site.account, site.token)).status).toBe(200);
  },
});

walk({
  alert: 'MintmarkFailures',
  fault: 'every call of one contract reverts',
  heal: '`intents show` has the reason; the contract is repaired by its account',
  timings,
  induce: async (site) => {
    using chain = openChain(site.mintmark);
    const code = await chain.provider.getCode(site.token);
    await makeRevert(chain, site.token, 'paused');
    for (let mints = 0; mints < 5; mints += 1)
      expect((await requestMint(site.account, site.token)).status).toBe(502);
    return code;
  },
  repair: async (site, code) => {
    const [row] = await site.waitForRow<{ id: string }>(`select id from intents where status = 'failed'`);
    expect(await site.admin('intents show ID', { ID: row!.id })).toContain('paused');
    await site.anvil.call('anvil_setCode', [site.token, code]);
    expect((await requestMint(site.account, site.token)).status).toBe(200);
  },
});

const HOSTILE = '0x00000000000000000000000000000000000bad00';
/** Returns the selector of `onERC721Received`, and burns all gas. */
const ACCEPTS = '0x63150b7a0260e01b5f5260205ff3';
const BURNS = '0x5b5f56';

walk({
  alert: 'MintmarkReverts',
  fault: 'a receiver takes 25 NFTs in the simulation and burns the gas in the block',
  heal: 'the SQL shows whose it is; `accounts suspend`',
  timings,
  induce: async (site) => {
    const badges = await deployToken(site.account, 'ERC721');
    await site.quiet();
    site.proxy.options.before = (method) => {
      const code = { eth_call: ACCEPTS, eth_sendRawTransaction: BURNS }[method];
      return code === undefined ? undefined : site.anvil.call('anvil_setCode', [HOSTILE, code]);
    };
    for (let mints = 0; mints < 25; mints += 1)
      await requestMint(site.account, badges, { owner: HOSTILE, amount: null, prefer: 'respond-async' });
    await site.quiet();
  },
  repair: async (site) => {
    const rows = (await site.sql()) as { account_id: string; count: bigint }[];
    expect(new Set(rows.map((row) => row.account_id))).toEqual(new Set([site.account.id]));
    expect(rows.reduce((sum, row) => sum + row.count, 0n)).toBe(25n);
    await site.admin('accounts suspend EMAIL', { EMAIL: site.account.email });
    const { status } = await requestMint(site.account, site.token, { owner: RECIPIENT });
    expect([401, 403]).toContain(status);
  },
});

walk({
  alert: 'MintmarkQuarantine',
  fault: 'a constraint refuses a verdict',
  heal: '`intents quarantined` shows the error; the constraint is repaired; `intents retry`',
  timings,
  induce: async (site) => {
    await refuseVerdicts(site.db);
    await query(
      site.db,
      'create function note_all() returns trigger language plpgsql as $$ begin insert into refused values (new.id); return new; end $$',
    );
    await query(
      site.db,
      'create trigger note_all after insert on intents for each row execute function note_all()',
    );
    await startMint(site);
  },
  repair: async (site) => {
    expect(await site.admin('intents quarantined')).toContain('this verdict cannot be stored');
    await query(site.db, 'drop function note_all cascade');
    await query(site.db, 'delete from refused');
    const [row] = await site.waitForRow<{ id: string }>(`select id from intents where kind = 'mint'`);
    await site.admin('intents retry ID', { ID: row!.id });
    await waitForStatus(site.account, row!.id, 'confirmed');
  },
});

walk({
  alert: 'MintmarkDatabaseBusy',
  fault: 'somebody holds a lock on the table of intents, while 30 clients read theirs',
  heal: 'the SQL shows the session that others wait for; it is ended',
  isSlow: true,
  induce: async (site) => {
    const locker = site.stack.use(openTestDb(site.mintmark.databaseUrl, 1));
    // As of a person's psql: the service's own sessions end after 5 s.
    await query(locker, 'set idle_in_transaction_session_timeout = 0');
    const lock = await locker.transaction();
    await query(lock, 'lock table intents in access exclusive mode');
    let isOver = false;
    const clients = Array.from({ length: 30 }, async () => {
      while (!isOver) await site.account.api.GET('/intents').catch(() => undefined);
    });
    const end = async (): Promise<void> => {
      isOver = true;
      await Promise.all(clients);
    };
    site.stack.defer(async () => {
      await lock.rollback().catch(() => undefined);
      await end();
    });
    return end;
  },
  repair: async (site, end) => {
    // As psql does, over a connection of its own.
    await using own = openTestDb(site.mintmark.databaseUrl, 1);
    const [row] = await site.sql({}, own);
    expect(row).toMatchObject({ state: 'idle in transaction' });
    await site.sql({ PID: String(row!['pid']) }, own, 1);
    await end();
    expect((await requestMint(site.account, site.token)).status).toBe(200);
  },
});
