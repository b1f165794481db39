import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Command } from 'commander';
import { query } from '../src/db/client.ts';
import { startEmbeddedPostgres } from '../src/embedded/postgres.ts';
import { startAnvil } from '../lab/stage/anvil.ts';
import { startTestService } from '../lab/stage/service.ts';
import type { TestAccount } from '../lab/stage/service.ts';
import { prepareTemplate } from '../lab/stage/template.ts';
import { waitForStatus } from '../lab/stage/intents.ts';
import { deployToken, requestErc20, requestMint, toAnswer } from '../lab/stage/tokens.ts';
import { keepSnapshot } from '../lab/upgrade/snapshot.ts';

const [version = ''] = new Command('npm run keep-upgrade --')
  .description(
    'Leaves a database and a chain in the middle of work, as lab/upgrade/VERSION.json.gz: the versions after this one are tested by going on with it.',
  )
  .argument('<version>', 'name of the file, such as 0.1')
  .parse().args;

/** Neither mints nor receives. */
const FROZEN = '0x00000000000000000000000000000000000A11cE';

/** What is done before the chain stops to make blocks. */
async function finishSome(account: TestAccount): Promise<{ coin: string; art: string }> {
  const { api } = account;
  const coin = await deployToken(account);
  const art = await deployToken(account, 'ERC721');
  await requestMint(account, coin, { amount: '1000' });
  await requestMint(account, art, { amount: null });
  await api.PUT('/tokens/{address}/metadata', {
    params: { path: { address: art } },
    body: { tokenId: '1', name: 'First', description: '', attributes: { rank: 1 } },
  });
  await api.POST('/tokens/{address}/freeze', {
    params: { path: { address: coin } },
    body: { account: FROZEN },
  });
  return { coin, art };
}

/** Accepts writes of all kinds: the first is in flight, and the others wait for it. */
async function openSome(account: TestAccount, coin: string, art: string): Promise<string[]> {
  const { api } = account;
  const prefer = 'respond-async';
  const onCoin = { params: { path: { address: coin }, header: { Prefer: prefer } } } as const;
  const first = await requestMint(account, coin, { amount: '1', prefer });
  await waitForStatus(account, first.intentId!, 'submitted');
  const others = [
    await requestMint(account, art, { amount: null, prefer }),
    await requestErc20(account, { name: 'Late coin', prefer }),
    toAnswer(await api.POST('/tokens/{address}/lock-transfers', onCoin)),
    await requestMint(account, coin, { amount: '10', prefer }),
    toAnswer(await api.POST('/tokens/{address}/unlock-transfers', onCoin)),
  ];
  return [first, ...others].map(({ intentId }) => intentId!);
}

async function keep(): Promise<void> {
  await using folder = await mkdtempDisposable(path.join(tmpdir(), 'mintmark-upgrade-'));
  await using postgres = await startEmbeddedPostgres({ dataDir: folder.path, log: () => undefined });
  process.env['TEST_DATABASE_URL'] = postgres.url;
  await prepareTemplate(postgres.url);
  await using anvil = await startAnvil();
  await using mintmark = await startTestService({ MAX_IN_FLIGHT: '1' }, { rpcUrl: anvil.url });
  const account = await mintmark.register();
  const { coin, art } = await finishSome(account);
  await anvil.call('evm_setAutomine', [false]);
  const open = await openSome(account, coin, art);
  const { db, system } = mintmark.service.context;
  const states = await query<{ status: string; count: number }>(
    db,
    `select status, count(*)::int as count from intents group by 1 order by 1`,
  );
  await keepSnapshot(version, db, anvil, {
    ...{ email: account.email, password: account.password },
    operator: system.operator,
    ...{ coin, units: '1011', art, tokens: '2', open },
  });
  process.stdout.write(`${states.map(({ status, count }) => `${count} ${status}`).join(', ')}\n`);
  // A stop waits for what is in flight.
  await anvil.call('evm_setAutomine', [true]);
  await anvil.call('evm_mine');
}

await keep();
process.exit();
