import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createDb, query } from '../../src/db/client.ts';
import { openChain } from '../setup/chain.ts';
import { startTestService } from '../setup/service.ts';
import type { TestAccount, TestService } from '../setup/service.ts';

const RECIPIENT = '0x3440326f551B8A7ee198cEE35cb5D517f2d296a2';
const PER_ACCOUNT = 50;
const ACCOUNTS = 4;
const KILLS = 3;

let mintmark: TestService;
let chain: ReturnType<typeof openChain>;
let child: ChildProcess | undefined;

beforeAll(async () => {
  mintmark = await startTestService();
  chain = openChain(mintmark);
});

afterAll(async () => {
  child?.kill('SIGKILL');
  chain?.close();
  await mintmark?.stop();
});

/** The service as a process of its own, over the same database and chain. */
async function spawnService(): Promise<ChildProcess> {
  const started = spawn(process.execPath, ['src/main.ts'], {
    env: { ...process.env, ...mintmark.environment, LOG_LEVEL: 'warn' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  for await (const chunk of started.stdout) if (String(chunk).includes('is ready')) return started;
  throw new Error('the service ended before it was ready');
}

async function deploy({ api }: TestAccount): Promise<string> {
  const { data } = await api.POST('/tokens', {
    body: { type: 'ERC20', name: 'Coin', symbol: 'C', decimals: 18, isPermissionless: true },
  });
  return (data as { data: { address: string } }).data.address;
}

test('kill -9 while mints are under way: every acknowledged one happens once, no unknown one twice', async () => {
  const accounts = await Promise.all(Array.from({ length: ACCOUNTS }, () => mintmark.register()));
  const addresses = await Promise.all(accounts.map(deploy));
  const { operator } = mintmark.service.context.system;
  await mintmark.service.stop();

  const acknowledged: { account: number; intent: string }[] = [];
  let unknown = 0;
  // Each mint has an amount of its own, so that the chain's events tell which ones happened, and how often.
  const mint = async (account: number, amount: number): Promise<void> => {
    try {
      const { response } = await accounts[account]!.api.POST('/tokens/{address}/mint', {
        params: { path: { address: addresses[account]! }, header: { Prefer: 'respond-async' } },
        body: { owner: RECIPIENT, amount: String(amount) },
      });
      const intent = response.headers.get('Intent-Id');
      if (response.ok && intent) acknowledged.push({ account, intent });
    } catch {
      unknown += 1;
    }
  };

  for (let kill = 0; kill <= KILLS; kill += 1) {
    child = await spawnService();
    const share = Math.ceil(PER_ACCOUNT / (KILLS + 1));
    const first = kill * share;
    const requests = Array.from({ length: Math.min(share, PER_ACCOUNT - first) }, (_, index) =>
      accounts.map((_account, account) => mint(account, first + index + 1)),
    ).flat();
    if (kill < KILLS) {
      await sleep(20 + 60 * kill);
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
    await Promise.all(requests);
  }

  const db = createDb(mintmark.databaseUrl, 2);
  try {
    const openIntents = () =>
      query<{ n: bigint }>(db, `select count(*) as n from intents where status in ('queued', 'submitted')`);
    for (let look = 0; look < 300 && (await openIntents())[0]!.n > 0n; look += 1) await sleep(100);
    expect((await openIntents())[0]!.n).toBe(0n);
    process.stdout.write(`${acknowledged.length} acknowledged, ${unknown} unknown, ${KILLS} kills\n`);
    expect(acknowledged.length).toBeGreaterThan(0);

    for (const { account, intent } of acknowledged) {
      const { data } = await accounts[account]!.api.GET('/intents/{id}', {
        params: { path: { id: intent } },
      });
      expect(data!.status).toBe('confirmed');
    }
    const perAccount = await Promise.all(addresses.map(mintedAmounts));
    for (const amounts of perAccount) expect(new Set(amounts).size).toBe(amounts.length);
    const effects = perAccount.flat().length;
    expect(effects).toBeGreaterThanOrEqual(acknowledged.length);
    expect(effects).toBeLessThanOrEqual(acknowledged.length + unknown);
    const used = await query<{ held: bigint; committed: bigint }>(
      db,
      'select sum(held)::bigint as held, sum(committed)::bigint as committed from balances',
    );
    expect(used[0]).toEqual({ held: 0n, committed: BigInt(effects + ACCOUNTS) });
    const nonces = await query<{ gaps: bigint }>(
      db,
      `select count(*) as gaps from (select nonce - lag(nonce) over (order by nonce) as step from transactions) s where step <> 1`,
    );
    expect(nonces[0]!.gaps).toBe(0n);
    expect(await chain.provider.getCode(operator)).not.toBe('0x');
  } finally {
    await db.destroy();
    child?.kill('SIGTERM');
    if (child) await once(child, 'exit');
  }
}, 120_000);

async function mintedAmounts(address: string): Promise<bigint[]> {
  const token = chain.erc20(address);
  const events = await token.queryFilter(token.filters.Transfer!(null, RECIPIENT), 0);
  return events.map((event) => BigInt(event.data));
}
