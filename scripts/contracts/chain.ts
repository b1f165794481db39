import { JsonRpcProvider, Wallet } from 'ethers';
import type { Provider } from 'ethers';
import { pino } from 'pino';
import { LOCAL_CHAINS, profileOf } from '../../src/chain/profile.ts';
import { prepareSystem } from '../../src/chain/system/prepare.ts';
import { createRpc } from '../../src/chain/rpc/rpc.ts';
import type { Rpc } from '../../src/chain/rpc/rpc.ts';
import { createKeySigner } from '../../src/chain/signing/signer.ts';
import { describeSystem } from '../../src/chain/system/system-contracts.ts';
import type { System } from '../../src/chain/system/system-contracts.ts';
import { embeddedAccounts } from '../../src/embedded/accounts.ts';
import { startEmbeddedChain } from '../../src/embedded/chain.ts';

/** The first account is the signer of the service: others must not send from it. */
const [, ADMIN, YOU] = embeddedAccounts;

/** A chain with the system on it. */
export interface DeveloperChain extends AsyncDisposable {
  url: string;
  chainId: bigint;
  provider: Provider;
  system: System;
  /** Null on a chain that is not local: nothing is sent there. */
  accounts: {
    /** An executor, which owns nothing yet. */
    you: Wallet;
    /** The Operator's admin. */
    admin: Wallet;
  } | null;
}

/**
 * Opens the chain at `url`; without one the chain of an `npm start` that runs, else a new one of its own. On a local
 * chain the system is put in place where it is missing.
 * @param admin the Operator's admin, whose address determines those of the system; on a local chain the second account
 * @throws Error with one sentence
 */
export async function openDeveloperChain({
  url,
  defaultUrl,
  admin = ADMIN.address,
}: {
  url: string | undefined;
  defaultUrl: string;
  admin: string | undefined;
}): Promise<DeveloperChain> {
  await using stack = new AsyncDisposableStack();
  const own = stack.use(
    url || (await answers(defaultUrl)) ? null : await startEmbeddedChain({ port: 0, log: () => {} }),
  );
  const place = own?.url ?? url ?? defaultUrl;
  const rpc = stack.use(createRpc([place]));
  // ethers would cache results for a quarter of a second, also the next nonce.
  const provider = new JsonRpcProvider(place, undefined, { staticNetwork: true, cacheTimeout: -1 });
  stack.defer(() => provider.destroy());
  const chainId = BigInt(
    await rpc.call<string>('eth_chainId', []).catch(() => {
      throw new Error(`No chain answers at ${place}.`);
    }),
  );
  const system = describeSystem({ admin, adminDelay: 0, chainId });
  // There the accounts have public keys and ether.
  const isLocal = LOCAL_CHAINS.includes(chainId) && admin === ADMIN.address;
  if (isLocal) await prepareLocally(rpc, chainId, system);
  else if ((await rpc.call('eth_getCode', [system.operator, 'latest'])) === '0x') {
    throw new Error(
      `Chain ${chainId} has no Operator of the admin ${admin} at ${system.operator}: name the admin of its system with --admin.`,
    );
  }
  const wallet = ({ privateKey }: { privateKey: string }) => new Wallet(privateKey, provider);
  const accounts = isLocal ? { you: wallet(YOU), admin: wallet(ADMIN) } : null;
  const opened = stack.move();
  const dispose = (): Promise<void> => opened.disposeAsync();
  return { url: place, chainId, provider, system, accounts, [Symbol.asyncDispose]: dispose };
}

async function answers(url: string): Promise<boolean> {
  using rpc = createRpc([url], { timeoutMs: 1_000 });
  return await rpc.call('eth_chainId', []).then(
    () => true,
    () => false,
  );
}

async function prepareLocally(rpc: Rpc, chainId: bigint, system: System): Promise<void> {
  const you = createKeySigner(YOU.privateKey);
  await prepareSystem({
    rpc,
    log: pino({ level: 'silent' }),
    chainId,
    profile: profileOf(chainId, {}, await rpc.call<string>('web3_clientVersion', [])),
    system,
    operators: [system.operator],
    signers: [you],
    payer: you,
    admin: createKeySigner(ADMIN.privateKey),
  });
}
