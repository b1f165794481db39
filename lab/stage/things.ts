import { setPlan } from './accounts.ts';
import { makeCredential } from './credentials.ts';
import { createAsk } from './request.ts';
import type { TestAccount, TestService } from './service.ts';
import { RECIPIENT, deployToken, requestMint } from './tokens.ts';

/** One object of each kind, by its name in a path. */
export interface Things {
  token: string;
  collection: string;
  intent: string;
  webhook: string;
  /** A delivery of that webhook. */
  delivery: string;
}

/** An account with things in both environments. */
export interface Owner {
  account: TestAccount;
  live: Things;
  sandbox: Things;
}

/** Makes an account that owns a token, a collection with one NFT, and the same collection in the sandbox. */
export async function createOwner(mintmark: TestService): Promise<Owner> {
  const { db } = mintmark.service.context;
  const account = await mintmark.register();
  await setPlan(mintmark, account, 'PRO_PLUS');
  const ask = createAsk(mintmark.url);
  const create = async (secret: string): Promise<Omit<Things, 'token'>> => {
    const caller = { token: secret };
    const made = await ask(caller, 'POST', '/v1/collections', { name: 'Art', symbol: 'A' });
    const { address } = made.body as { address: string };
    const minted = await ask(caller, 'POST', `/v1/collections/${address}/mint`, { to: RECIPIENT });
    if (minted.status !== 201) throw new Error(`cannot mint: ${JSON.stringify(minted.body)}`);
    const registered = await ask(caller, 'POST', '/v1/webhooks', { url: 'https://receiver.invalid/hook' });
    const { id: webhook } = registered.body as { id: string };
    const tested = await ask(caller, 'POST', `/v1/webhooks/${webhook}/test`);
    const { id: delivery } = tested.body as { id: string };
    return { collection: address, intent: minted.intentId!, webhook, delivery };
  };
  const liveKey = await makeCredential(db, account.id, 'api_key');
  const sandboxKey = await makeCredential(db, account.id, 'api_key', { environment: 'sandbox' });
  const token = await deployToken(account, 'ERC20', true, { recoverable: true });
  if ((await requestMint(account, token)).status !== 200) throw new Error('cannot mint');
  const sandbox = await create(sandboxKey.secret);
  return {
    account,
    live: { token, ...(await create(liveKey.secret)) },
    // In the sandbox there are only collections.
    sandbox: { token: sandbox.collection, ...sandbox },
  };
}
