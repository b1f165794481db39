import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { adopt } from '../../src/admin/adopt.ts';
import { openAdminContext } from '../../src/admin/open.ts';
import { createMintmarkClient } from '../../generated/client.ts';
import { readConfig } from '../../src/config.ts';
import { createTestDatabase } from '../../lab/stage/database.ts';
import { inParallel } from '../../lab/load/load.ts';
import { waitForStatus } from '../../lab/stage/intents.ts';
import type { TestAccount } from '../../lab/stage/service.ts';
import { requestErc20, requestMint } from '../../lab/stage/tokens.ts';
import { startEpochStand } from '../setup/epoch-stand.ts';
import type { EpochStand } from '../setup/epoch-stand.ts';

const MINTS = 60;

/**
 * Asks for a token and its mints under a key each, and follows none of them. What is not accepted is asked again, but while `isOver`
 * says that there is no service.
 */
async function askForAll(
  account: TestAccount,
  isOver: () => boolean = () => false,
): Promise<{ address: string; ids: (string | null)[] }> {
  const ask = async (send: () => ReturnType<typeof requestMint>): Promise<string | null> => {
    for (;;) {
      const { intentId } = await send().catch(() => ({ intentId: null }));
      if (intentId !== null || isOver()) return intentId;
      await sleep(500);
    }
  };
  const intentId = await ask(() => requestErc20(account, { key: 'token' }));
  await waitForStatus(account, intentId!, 'confirmed');
  const { data } = await account.api.GET('/intents/{id}', { params: { path: { id: intentId! } } });
  const ids: (string | null)[] = [];
  await inParallel(MINTS, 6, async (place) => {
    const mint = { key: `mint ${place}`, prefer: 'respond-async' };
    ids[place] = await ask(() => requestMint(account, data!.contract, mint));
    await sleep(40);
  });
  return { address: data!.contract, ids };
}

/** The same person, in the database that took the place of the one that is gone. */
async function registerAgain({ mintmark }: EpochStand, account: TestAccount): Promise<TestAccount> {
  const { url, service, anonymous } = mintmark;
  await service.context.accounts.ensureInvites(['another-invite']);
  const { email, password } = account;
  const { data } = await anonymous.POST('/v1/auth/register', {
    body: { email: email.toUpperCase(), password, inviteCode: 'another-invite' },
  });
  const { data: signedIn } = await anonymous.POST('/auth/signin', { body: { email, password } });
  const { token } = signedIn!;
  return { ...account, id: data!.id, token, api: createMintmarkClient({ baseUrl: url, token }) };
}

/** An empty database in the place of that of a service, with what commands do their work with. */
async function replaceDatabase({ environment }: EpochStand['mintmark']) {
  await using opening = new AsyncDisposableStack();
  const database = opening.use(await createTestDatabase());
  const replaced = { DATABASE_URL: database.url };
  const config = readConfig([], { ...environment, ...replaced });
  const context = opening.use(await openAdminContext(config, () => undefined));
  const opened = opening.move();
  return { replaced, context, [Symbol.asyncDispose]: () => opened.disposeAsync() };
}

test('when the database is gone without a backup, clients that repeat all they asked for double nothing, and find it again', async () => {
  await using stand = await startEpochStand();
  const { mintmark, countEffects, quiet } = stand;
  const before = await countEffects();
  const account = await mintmark.register();
  let isGone = false;
  const asking = askForAll(account, () => isGone);
  const half = before + 1 + MINTS / 3;
  while ((await countEffects()) < half) await sleep(50);
  // All that is known is thrown away in the middle of it.
  const { operator } = mintmark.service.context.system;
  isGone = true;
  await mintmark.service.stop();
  const first = await asking;

  await using burnt = await replaceDatabase(mintmark);
  const { context, replaced } = burnt;
  await expect(mintmark.restart(replaced)).rejects.toThrow(`recover --adopt ${operator}`);
  expect((await adopt(context, operator)).json).toMatchObject({ operator: expect.any(String) });
  await mintmark.restart(replaced);
  await stand.waitForEpoch(2);

  const again = await registerAgain(stand, account);
  expect(again.id).toBe(account.id);
  const done = await countEffects();
  const second = await askForAll(again);
  for (const id of second.ids) await waitForStatus(again, id!, 'confirmed');
  await quiet();
  expect(second.address).toBe(first.address);
  const answered = first.ids.map((id, place) => [id, second.ids[place]]).filter(([id]) => id !== null);
  expect(answered.length).toBeGreaterThan(10);
  for (const [id, now] of answered) expect(now).toBe(id);
  // One token and its mints, each once, of which some were done before.
  expect(done).toBeGreaterThanOrEqual(half);
  expect(await countEffects()).toBe(before + 1 + MINTS);
  await expect(adopt(context, operator)).rejects.toThrow('only one that nobody has used');
});

test('of an Operator that is old the chain is read from two days ago on', async () => {
  await using stand = await startEpochStand();
  const { mintmark, anvil } = stand;
  const { operator } = mintmark.service.context.system;
  await mintmark.service.stop();
  const DAY = 86_400;
  await anvil.call('evm_increaseTime', [DAY]);
  await anvil.call('anvil_mine', ['0x20', `0x${(3600).toString(16)}`]);
  await anvil.call('evm_increaseTime', [DAY]);
  await using burnt = await replaceDatabase(mintmark);
  await expect(mintmark.restart(burnt.replaced)).rejects.toThrow(`recover --adopt ${operator}`);
  const timeOf = async (block: number | 'latest') => {
    const at = typeof block === 'number' ? `0x${block.toString(16)}` : block;
    const { timestamp } = await anvil.call<{ timestamp: string }>('eth_getBlockByNumber', [at, false]);
    return Number(timestamp);
  };
  const { fromBlock } = (await adopt(burnt.context, operator)).json as { fromBlock: number };
  const now = await timeOf('latest');
  // A block may have come meanwhile.
  expect(now - (await timeOf(fromBlock))).toBeLessThan(2 * DAY + 10);
  expect(now - (await timeOf(fromBlock - 1))).toBeGreaterThan(2 * DAY);
});
