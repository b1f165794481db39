import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from '@jest/globals';
import { query } from '../../src/db/client.ts';
import { startAnvil } from '../../lab/stage/anvil.ts';
import { startTestService } from '../../lab/stage/service.ts';
import type { TestAccount, TestService } from '../../lab/stage/service.ts';
import { deployToken } from '../../lab/stage/tokens.ts';

describe('GET /ready', () => {
  /** Longer than a busy machine needs for fifty writes. */
  const MAX_STALL_MS = 20_000;
  const WRITES = 650;

  const lock = ({ api }: TestAccount, address: string, isLocked: boolean) => {
    const options = { params: { path: { address }, header: { Prefer: 'respond-async' } } };
    return isLocked
      ? api.POST('/tokens/{address}/lock-transfers', options)
      : api.POST('/tokens/{address}/unlock-transfers', options);
  };

  const readReady = async ({ url }: TestService): Promise<string> =>
    ((await (await fetch(`${url}/ready`)).json()) as { message?: string }).message ?? 'ready';

  const readOldestMs = async ({ service }: TestService): Promise<number> => {
    const [row] = await query<{ age: number }>(
      service.context.db,
      `select coalesce(extract(epoch from now() - min(created_at)) * 1000, 0)::float8 as age from intents where status = 'queued'`,
    );
    return row!.age;
  };

  test('stays 200 while 650 free writes of one account wait for a slow chain, and is 503 when that stands still', async () => {
    await using anvil = await startAnvil({ blockTimeSeconds: 0.5 });
    await using mintmark = await startTestService(
      {
        MAX_BATCH: '5',
        MAX_IN_FLIGHT: '1',
        GAS_PER_DAY: 'BASIC=5000000000',
      },
      { rpcUrl: anvil.url, maxStallMs: MAX_STALL_MS },
    );
    const account = await mintmark.register();
    const address = await deployToken(account);
    for (let sent = 0; sent < WRITES; sent += 50) {
      const writes = Array.from({ length: 50 }, (_, index) => lock(account, address, index % 2 === 0));
      const statuses = (await Promise.all(writes)).map(({ response }) => response.status);
      expect(statuses.filter((status) => status > 202)).toEqual([]);
      expect(await readReady(mintmark)).toBe('ready');
    }
    while ((await readOldestMs(mintmark)) < 1.25 * MAX_STALL_MS) {
      expect(await readReady(mintmark)).toBe('ready');
      await sleep(200);
    }
    expect(await readReady(mintmark)).toBe('ready');

    await anvil.call('evm_setIntervalMining', [0]);
    const stoppedAt = Date.now();
    let answer = 'ready';
    while (answer === 'ready' && Date.now() < stoppedAt + 5 * MAX_STALL_MS) {
      await sleep(200);
      answer = await readReady(mintmark);
    }
    expect(answer).toMatch(
      /^Nothing was sent, mined or settled for \d+ seconds, though writes wait for it\.$/,
    );
    expect(Date.now() - stoppedAt).toBeGreaterThan(MAX_STALL_MS / 2);
    await anvil.call('evm_setIntervalMining', [1]);
    for (const end = Date.now() + 60_000; Date.now() < end && (await readReady(mintmark)) !== 'ready';)
      await sleep(200);
    expect(await readReady(mintmark)).toBe('ready');
  });
});
