import { createMintmarkClient } from '../../generated/client.ts';
import type { TestAccount, TestService } from '../../lab/stage/service.ts';
import type { ShownWorld } from './pages-to-show.ts';
import { makeShownTokens } from './shown-tokens.ts';

type ShownAccount = Omit<TestAccount, 'id' | 'token'>;

const HOLDER = '0x3440326f551B8A7ee198cEE35cb5D517f2d296a2';

const ALICE = { email: 'alice@example.com', password: 'correct horse battery' };

/** Registers the account that the pictures show. */
export async function registerAlice({ url, service, anonymous }: TestService): Promise<ShownAccount> {
  await service.context.accounts.ensureInvites(['pictures']);
  const { response } = await anonymous.POST('/v1/auth/register', {
    body: { ...ALICE, inviteCode: 'pictures' },
  });
  const { data } = await anonymous.POST('/auth/signin', { body: ALICE });
  const cookie = /service_session=([^;]+)/.exec(response.headers.getSetCookie()[0] ?? '')![1]!;
  return { ...ALICE, cookie, api: createMintmarkClient({ baseUrl: url, token: data!.token }) };
}

/** Makes what the pictures show, by the API. @param receiver URL of a webhook */
export async function makeShownWorld(
  { url }: TestService,
  { api, cookie }: ShownAccount,
  receiver: string,
): Promise<ShownWorld> {
  const account = createMintmarkClient({ baseUrl: url, cookie });
  const { data: webhook } = await account.POST('/v1/webhooks', { body: { url: receiver } });
  const { data: deployed } = await api.POST('/tokens', {
    body: { type: 'ERC20', name: 'Alice Coin', symbol: 'ALC' },
  });
  if (!deployed || !('data' in deployed)) throw new Error('the token was not deployed');
  const token = deployed.data.address;
  const path = { address: token };
  for (const amount of ['1500000000000000000000', '250000000000000000'])
    await api.POST('/tokens/{address}/mint', { params: { path }, body: { owner: HOLDER, amount } });
  await api.POST('/tokens/{address}/pause', { params: { path } });
  // Refused by the chain, as an example of that.
  const { response: refused } = await api.POST('/tokens/{address}/mint', {
    params: { path },
    body: { owner: HOLDER, amount: '1' },
  });
  await api.POST('/tokens/{address}/unpause', { params: { path } });
  for (const [name, environment] of [
    ['shop backend', 'live'],
    ['nightly job', 'live'],
    ['trying things out', 'sandbox'],
  ] as const)
    await account.POST('/v1/api-keys', { body: { name, environment } });
  return {
    ...{ token, failedIntent: refused.headers.get('Intent-Id')!, webhook: webhook!.id },
    ...(await makeShownTokens({ url }, { api, cookie })),
  };
}
