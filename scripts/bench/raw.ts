import { Interface, JsonRpcProvider, NonceManager, Transaction, Wallet } from 'ethers';
import { managedErc20Abi } from '../../generated/contracts.ts';
import { encodeCollectionCreation, encodeTokenCreation } from '../../src/chain/abi/factory.ts';
import { COLLECTION_FACTORY, TOKEN_FACTORY } from '../../src/chain/abi/interfaces.ts';
import type { System } from '../../src/chain/system/system-contracts.ts';
import { embeddedAccounts } from '../../src/embedded/accounts.ts';
import { inParallel } from '../../lab/load/load.ts';
import { openAgent, post } from '../../lab/load/http.ts';

const RECIPIENT = '0x3440326f551B8A7ee198cEE35cb5D517f2d296a2';
/** Embedded accounts that neither sign for the service nor administer it. */
const MINTERS = embeddedAccounts.slice(2);
const erc20 = new Interface(managedErc20Abi);

export interface Minter {
  wallet: Wallet;
  token: string;
}

const SALT = `0x${'0'.repeat(64)}` as const;
const COIN = {
  ...{ name: 'Coin', symbol: 'C', decimals: 18, baseUri: '', permissioned: false },
  ...{ maxSupply: null, mintLimitPerDay: null, recoverable: false, royalty: null },
};

/** One ERC-20 for each minter, owned by it, so that it may mint without the service. */
export const deployOwnTokens = (url: string, system: System): Promise<Minter[]> =>
  deployForEach(url, {
    to: system.tokenFactory,
    dataFor: (owner) => encodeTokenCreation(SALT, { ...COIN, owner }),
    readAddress: (answer) => TOKEN_FACTORY.decodeFunctionResult('createToken', answer)[0] as string,
  });

/** The same of ERC-721. */
export const deployOwnCollections = (url: string, system: System): Promise<Minter[]> =>
  deployForEach(url, {
    to: system.collectionFactory,
    dataFor: (owner) => encodeCollectionCreation(SALT, { ...COIN, owner }),
    readAddress: (answer) => COLLECTION_FACTORY.decodeFunctionResult('createCollection', answer)[0] as string,
  });

interface Creation {
  to: string;
  dataFor(owner: string): string;
  readAddress(answer: string): string;
}

async function deployForEach(url: string, { to, dataFor, readAddress }: Creation): Promise<Minter[]> {
  const provider = new JsonRpcProvider(url, undefined, { staticNetwork: true });
  const minters: Minter[] = [];
  for (const { privateKey, address } of MINTERS) {
    const signer = new NonceManager(new Wallet(privateKey, provider));
    const creation = { to, data: dataFor(address) };
    const token = readAddress(await signer.call(creation));
    await (await signer.sendTransaction(creation)).wait();
    minters.push({ wallet: new Wallet(privateKey), token });
  }
  provider.destroy();
  return minters;
}

const ONE_MINT = { data: erc20.encodeFunctionData('mint', [RECIPIENT, 1n]), gasLimit: 120_000n };

/** Signs `count` calls for each minter beforehand: signing is not part of the node's limit. */
export async function preSign(
  url: string,
  minters: readonly Minter[],
  count: number,
  call = ONE_MINT,
): Promise<string[][]> {
  const provider = new JsonRpcProvider(url, undefined, { staticNetwork: true });
  const { chainId } = await provider.getNetwork();
  const signed = await Promise.all(
    minters.map(async ({ wallet, token }) => {
      const first = await provider.getTransactionCount(wallet.address);
      return Promise.all(
        Array.from({ length: count }, (_, index) =>
          wallet.signTransaction({
            ...{ type: 2, chainId, nonce: first + index, to: token, value: 0n, ...call },
            ...{ maxFeePerGas: 10n ** 11n, maxPriorityFeePerGas: 10n ** 9n },
          }),
        ),
      );
    }),
  );
  provider.destroy();
  return signed;
}

export type RawWay = 'one after the other' | 'in parallel' | 'JSON-RPC batches of 100';

/** Sends pre-signed mints straight to the node. Returns seconds from the first send to the last one mined. */
export async function sendRaw(
  url: string,
  minters: readonly Minter[],
  signed: string[][],
  way: RawWay,
): Promise<number> {
  const agent = openAgent(minters.length);
  const send = (raws: string[]): Promise<unknown> =>
    post(
      agent,
      url,
      raws.map((raw, id) => ({ jsonrpc: '2.0', id, method: 'eth_sendRawTransaction', params: [raw] })),
    );
  const startedAt = performance.now();
  if (way === 'one after the other') {
    for (let index = 0; index < signed[0]!.length; index += 1) {
      for (const own of signed) await send([own[index]!]);
    }
  } else {
    const size = way === 'in parallel' ? 1 : 100;
    await inParallel(signed.length, signed.length, async (minter) => {
      const own = signed[minter]!;
      for (let index = 0; index < own.length; index += size) await send(own.slice(index, index + size));
    });
  }
  await untilMined(url, minters, signed);
  agent.destroy();
  return (performance.now() - startedAt) / 1_000;
}

async function untilMined(url: string, minters: readonly Minter[], signed: string[][]): Promise<void> {
  const provider = new JsonRpcProvider(url, undefined, { staticNetwork: true });
  const { nonce: last } = Transaction.from(signed[0]!.at(-1));
  for (let look = 0; look < 2_000; look += 1) {
    const counts = await Promise.all(
      minters.map(({ wallet }) => provider.getTransactionCount(wallet.address, 'latest')),
    );
    if (counts.every((count) => count > last)) break;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  provider.destroy();
}
