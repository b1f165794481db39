import { JsonRpcProvider } from 'ethers';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ServiceOptions } from '../../src/start/compose.ts';
import { startAnvil } from '../../lab/stage/anvil.ts';
import type { Anvil } from '../../lab/stage/anvil.ts';
import type { ShownIntent } from '../../lab/stage/intents.ts';
import { startTestService } from '../../lab/stage/service.ts';
import type { TestAccount, TestService } from '../../lab/stage/service.ts';
import { deploySystem } from '../../lab/stage/system.ts';
import { deployToken, requestMint } from '../../lab/stage/tokens.ts';
import { openChain } from './chain.ts';

/** Wei per gas: before whatever the service sends. */
const FIRST_IN_BLOCK = { maxFeePerGas: 10n ** 12n, maxPriorityFeePerGas: 10n ** 11n };

/** The service on a chain of its own, whose Operator has an admin that the service does not know the key of. */
export interface AdminStand extends AsyncDisposable {
  anvil: Anvil;
  provider: JsonRpcProvider;
  /** Address of the service's signer. */
  signer: string;
  /** Address of the admin. */
  admin: string;
  mintmark: TestService;
  chain: ReturnType<typeof openChain>;
  account: TestAccount;
  token: string;
  /** Sends a call as the admin, first in its block; `mined` waits for that. */
  asAdmin(name: string, args?: readonly unknown[], mined?: boolean): Promise<void>;
  /** What the Operator does to itself for its admin. */
  asItself(name: string, args: readonly unknown[]): Promise<void>;
  stopMining(): Promise<void>;
  startMining(): Promise<void>;
  mine(): Promise<void>;
  /** Asks for a mint and does not wait for it. Returns its intent. */
  startMint(): Promise<string>;
  shown(intent: string): Promise<ShownIntent>;
  /** Waits until what is shown of an intent says so. */
  untilWaitingFor(intent: string, cause: RegExp): Promise<{ cause: string; action: string }>;
  /** Waits until `/ready` says so. Returns its text. */
  untilReady(isReady: boolean): Promise<string>;
  /** Of the token. */
  supply(): Promise<bigint>;
}

export async function startAdminStand(options: ServiceOptions = {}): Promise<AdminStand> {
  await using opening = new AsyncDisposableStack();
  const anvil = opening.use(await startAnvil());
  const provider = new JsonRpcProvider(anvil.url, undefined, { staticNetwork: true, cacheTimeout: -1 });
  opening.defer(() => provider.destroy());
  // The admin's key is not the service's: what it sends uses no nonce of a lane.
  const [signer, admin] = [await provider.getSigner(0), await provider.getSigner(3)];
  await deploySystem(admin, signer.address);
  const variables = { OPERATOR_ADMIN: admin.address };
  const mintmark = opening.use(await startTestService(variables, { rpcUrl: anvil.url, ...options }));
  const chain = opening.use(openChain(mintmark));
  const account = await mintmark.register();
  const token = await deployToken(account);
  const { operator } = mintmark.service.context.system;
  const encode = (name: string, args: readonly unknown[] = []) =>
    chain.operator.interface.encodeFunctionData(name, args);
  const asAdmin: AdminStand['asAdmin'] = async (name, args, mined = true) => {
    const call = { to: operator, data: encode(name, args), gasLimit: 200_000 };
    const sent = await admin.sendTransaction({ ...call, ...FIRST_IN_BLOCK });
    if (mined) await sent.wait();
  };
  const opened = opening.move();
  return {
    ...{ anvil, provider, mintmark, chain, account, token, asAdmin },
    ...{ signer: signer.address, admin: admin.address },
    asItself: (name, args) => asAdmin('adminExecute', [operator, encode(name, args)]),
    stopMining: () => provider.send('evm_setAutomine', [false]),
    startMining: () => provider.send('evm_setAutomine', [true]),
    mine: () => provider.send('evm_mine', []),
    supply: async () => (await chain.erc20(token)['totalSupply']!()) as bigint,
    ...looksOf({ mintmark, account, token }),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

/** What is asked of the service. */
function looksOf({ mintmark, account, token }: Pick<AdminStand, 'mintmark' | 'account' | 'token'>) {
  const shown: AdminStand['shown'] = async (intent) =>
    (await account.api.GET('/intents/{id}', { params: { path: { id: intent } } })).data!;
  const readReady = async (): Promise<{ status: number; text: string }> => {
    const response = await fetch(`${mintmark.url}/ready`);
    return { status: response.status, text: await response.text() };
  };
  return {
    shown,
    startMint: async (): Promise<string> => {
      const { status, body, intentId } = await requestMint(account, token, { prefer: 'respond-async' });
      if (status !== 202) throw new Error(`a mint is answered ${status}: ${JSON.stringify(body)}`);
      return intentId!;
    },
    untilWaitingFor: async (intent: string, cause: RegExp): Promise<{ cause: string; action: string }> => {
      for (let look = 0; look < 6_000; look += 1) {
        const { waiting } = await shown(intent);
        if (waiting && cause.test(waiting.cause)) return waiting;
        await sleep(50);
      }
      throw new Error(`The intent is ${JSON.stringify(await shown(intent))}`);
    },
    untilReady: async (isReady: boolean): Promise<string> => {
      for (let look = 0; look < 3_000; look += 1) {
        const { status, text } = await readReady();
        if ((status === 200) === isReady) return text;
        await sleep(100);
      }
      throw new Error(`/ready stays as it is: ${(await readReady()).text}`);
    },
  };
}
