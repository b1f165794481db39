import { ContractFactory, toUtf8Bytes } from 'ethers';
import type { BaseContract, TransactionReceipt } from 'ethers';
import { admin, hre, newHolder } from './stage.ts';
import type { PLAIN } from './stage.ts';

/** Keys and values of a layout, as the service's contracts take them. */
export const layout = (count: number, value: string): [string, Uint8Array, number][] =>
  Array.from({ length: count }, (_, i) => [`key-${i}-abcd`, toUtf8Bytes(`${value}-${i}`), 0]);

/** The gas of what contracts of OpenZeppelin alone do, called by their owner directly. */
export async function measurePlain(): Promise<Record<string, number>> {
  const nft = await deploy('PlainERC721');
  const coin = await deploy('PlainERC20');
  const split = (count: number, value: string): unknown[] => [
    layout(count, value).map(([key]) => key),
    layout(count, value).map(([, data]) => data),
  ];
  const first = await send(nft, 'mint', newHolder());
  const lone = await send(nft, 'mint', newHolder());
  for (let i = 0; i < 4; i += 1) await send(nft, 'mint', newHolder());
  return {
    'first mint of a collection': first,
    'lone mint': lone,
    collection: await deployGas(nft),
    'ERC-20 with permit': await deployGas(coin),
    'ERC-20 mint, first': await send(coin, 'mint', newHolder(), 10n ** 18n),
    'ERC-20 mint, new holder': await send(coin, 'mint', newHolder(), 10n ** 18n),
    'metadata, 5 keys': await send(nft, 'setMetadata', 1, ...split(5, 'first')),
    'metadata, 16 keys': await send(nft, 'setMetadata', 2, ...split(16, 'first')),
    'metadata, 5 keys again': await send(nft, 'setMetadata', 1, ...split(5, 'again')),
    'metadata, 16 keys again': await send(nft, 'setMetadata', 2, ...split(16, 'again')),
    'mint with 5 keys': await send(nft, 'mintWithMetadata', newHolder(), ...split(5, 'first')),
  };
}

async function deploy(name: (typeof PLAIN)[number]): Promise<BaseContract> {
  const { abi, bytecode } = await hre.artifacts.readArtifact(name);
  const deployed = await new ContractFactory(abi, bytecode, admin).deploy('Night Cats', 'CAT');
  await deployed.waitForDeployment();
  return deployed;
}

const deployGas = async (contract: BaseContract): Promise<number> =>
  Number((await contract.deploymentTransaction()!.wait())!.gasUsed);

const send = (contract: BaseContract, name: string, ...args: unknown[]): Promise<number> =>
  receiptGas(
    admin.sendTransaction({ to: contract, data: contract.interface.encodeFunctionData(name, args) }),
  );

async function receiptGas(sent: Promise<{ wait(): Promise<TransactionReceipt | null> }>): Promise<number> {
  return Number((await (await sent).wait())!.gasUsed);
}
