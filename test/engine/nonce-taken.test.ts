import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Wallet } from 'ethers';
import { query } from '../../src/db/client.ts';
import { embeddedAccounts } from '../../src/embedded/accounts.ts';
import { deployTargets } from '../../lab/load/load.ts';
import type { Target } from '../../lab/load/load.ts';
import { openProvider } from '../../lab/stage/provider.ts';
import { startTestService } from '../../lab/stage/service.ts';
import type { TestService } from '../../lab/stage/service.ts';
import { SHORT_TIMINGS } from './timings.ts';

let mintmark: TestService;
let targets: Target[];

beforeAll(async () => {
  mintmark = await startTestService({ MAX_BATCH: '1' }, { timings: SHORT_TIMINGS });
  targets = await deployTargets(await Promise.all([mintmark.register(), mintmark.register()]));
});

afterAll(() => mintmark.stop());

/** Sends with the key of the service, as a script of Hardhat does whose first account is the same. */
async function sendElsewhere(count: number): Promise<void> {
  using provider = openProvider(mintmark.chain.url, { cacheTimeout: -1 });
  const wallet = new Wallet(embeddedAccounts[0].privateKey, provider);
  for (let sent = 0; sent < count; sent += 1) {
    await (await wallet.sendTransaction({ to: wallet.address })).wait();
  }
}

async function mint({ account, address }: Target): Promise<number> {
  const { response } = await account.api.POST('/tokens/{address}/mint', {
    params: { path: { address } },
    body: { owner: '0x3440326f551B8A7ee198cEE35cb5D517f2d296a2', amount: '1' },
  });
  return response.status;
}

test('nonces that another program used are found in seconds, though the chain makes no new block', async () => {
  await sendElsewhere(5);
  const begin = Date.now();
  expect(await Promise.all(targets.map(mint))).toEqual([200, 200]);
  expect(Date.now() - begin).toBeLessThan(60_000);
  const { db } = mintmark.service.context;
  // A no-op may be open: on a machine that is slow enough, one is sent for the block that it brings.
  const rows = await query<{ status: string; count: number }>(
    db,
    `select status, count(*)::int as count from transactions
      where status not in ('mined', 'final') and not is_noop group by status`,
  );
  expect(rows).toEqual([{ status: 'displaced', count: 2 }]);
  expect(await mint(targets[0]!)).toBe(200);
});
