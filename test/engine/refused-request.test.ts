import { expect, test } from '@jest/globals';
import { startTestService } from '../../lab/stage/service.ts';
import { deployToken, requestMint } from '../../lab/stage/tokens.ts';

test('a request whose row the database refuses makes no other one fail that arrived with it', async () => {
  await using mintmark = await startTestService();
  const [alice, bob] = [await mintmark.register(), await mintmark.register()];
  const coins = [await deployToken(alice), await deployToken(bob)] as const;
  const { db } = mintmark.service.context;
  await db.raw(`alter table intents add constraint no_pause check (kind <> 'pause') not valid`);
  const mint = (account: typeof alice, address: string) =>
    requestMint(account, address, { prefer: 'respond-async' });
  const pause = async () => {
    const { response } = await alice.api.POST('/tokens/{address}/pause', {
      params: { path: { address: coins[0] } },
    });
    return { status: response.status };
  };
  const answers = await Promise.all([
    pause(),
    ...[1, 2, 3, 4].map(() => mint(bob, coins[1])),
    mint(alice, coins[0]),
    pause(),
  ]);
  expect(answers.map(({ status }) => status)).toEqual([500, 202, 202, 202, 202, 202, 500]);
  expect((await alice.api.GET('/stats')).data!.mintsUsed).toBe(2);
  expect((await bob.api.GET('/stats')).data!.mintsUsed).toBe(5);
});
