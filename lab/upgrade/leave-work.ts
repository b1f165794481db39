import type { Anvil } from '../stage/anvil.ts';
import { waitForStatus } from '../stage/intents.ts';
import type { TestAccount, TestService } from '../stage/service.ts';
import { deployToken, requestErc20, requestMint, toAnswer } from '../stage/tokens.ts';
import { takeSnapshot } from './snapshot.ts';
import type { Snapshot } from './snapshot.ts';

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

/**
 * Leaves work of all kinds, done, in flight and queued, and takes a snapshot of it.
 * @param mintmark a service over `anvil` with MAX_IN_FLIGHT=1
 */
export async function leaveWork(mintmark: TestService, anvil: Anvil): Promise<Snapshot> {
  const account = await mintmark.register();
  const { coin, art } = await finishSome(account);
  await anvil.call('evm_setAutomine', [false]);
  const open = await openSome(account, coin, art);
  const { db, system } = mintmark.service.context;
  const snapshot = await takeSnapshot(db, anvil, {
    ...{ email: account.email, password: account.password },
    operator: system.operator,
    ...{ coin, units: '1011', art, tokens: '2', open },
  });
  // A stop waits for what is in flight.
  await anvil.call('evm_setAutomine', [true]);
  await anvil.call('evm_mine');
  return snapshot;
}
