import { Interface, ZeroAddress } from 'ethers';
import type { TransactionReceipt } from 'ethers';
import * as generated from '../../generated/contracts.ts';
import { word } from '../../lab/stage/system.ts';
import { layout } from './plain.ts';
import { execute, executeRows, executeWithKey, measureKeys, newHolder, system } from './stage.ts';
import type { Call } from './stage.ts';

const tokens = new Interface(generated.managedErc721Abi);
const erc20 = new Interface(generated.managedErc20Abi);
const factories = new Interface([
  ...generated.collectionFactoryAbi,
  ...generated.tokenFactoryAbi.filter((item) => item.type === 'function'),
]);

const ONE_COIN = 10n ** 18n;
const BATCH = 100;
const CHUNK = 256;
let salts = 0;

const gasOf = ({ gasUsed }: TransactionReceipt): number => Number(gasUsed);
const each = (receipt: TransactionReceipt, count: number): number => Math.ceil(gasOf(receipt) / count);
const gas = async (call: Call): Promise<number> => gasOf(await execute([call]));

/** The gas of each operation of the service, of the receipt of a transaction through the Operator. */
export async function measure(): Promise<Record<string, number>> {
  await createCollection();
  const { address, receipt } = await createCollection();
  const mints = await measureMints(address);
  const coin = await measureCoin();
  return { ...mints, collection: gasOf(receipt), ...coin, ...(await measureOthers(address)) };
}

async function measureMints(address: string): Promise<Record<string, number>> {
  const first = await gas(mint(address));
  const lone = await gas(mint(address));
  const holder = newHolder();
  await execute([mint(address, holder)]);
  const again = await gas(mint(address, holder));
  const withKey = gasOf(await executeWithKey(mint(address)));
  const ten = await execute(times(10, () => mint(address)));
  const hundred = each(await execute(times(BATCH, () => mint(address))), BATCH);
  const spread = await execute((await usedCollections(10)).map((target) => mint(target)));
  const items = times(BATCH, () => [newHolder(), []]);
  const batch = await execute([
    { target: address, data: tokens.encodeFunctionData('mintBatch', [items]), gasCap: 14_000_000 },
  ]);
  return {
    'lone mint': lone,
    'lone mint, holder has some': again,
    'lone mint, what the client’s key adds': withKey - lone,
    'first mint of a collection': first,
    '10 mints on one contract, each': each(ten, 10),
    '10 mints on 10 contracts, each': each(spread, 10),
    '100 mints on one contract, each': hundred,
    '100 mints on one contract, what the client’s key adds': await measureKeys(address, BATCH, 0n),
    '100 tokens by one mintBatch, each': each(batch, BATCH),
    '256 ERC-721 rows to new holders, each': each(await executeRows(address, 0n), CHUNK),
  };
}

async function measureCoin(): Promise<Record<string, number>> {
  const args = [system.operator.target, 'Night Coin', 'NIGHT', 18, false, 0, 0, false];
  const salt = keccakLike(1);
  const target = (await system.tokenFactory.getFunction('predict')(
    system.operator.target,
    salt,
    args,
  )) as string;
  const deployment = await gas({
    target: system.tokenFactory.target as string,
    data: factories.encodeFunctionData('createToken', [salt, args]),
  });
  const coins = (): Call => ({
    target,
    data: erc20.encodeFunctionData('mint', [newHolder(), ONE_COIN]),
  });
  const first = await gas(coins());
  const next = await gas(coins());
  const hundred = each(await execute(times(BATCH, coins)), BATCH);
  return {
    'ERC-20 with permit': deployment,
    'ERC-20 mint, first': first,
    'ERC-20 mint, new holder': next,
    '100 ERC-20 mints on one contract, each': hundred,
    '100 ERC-20 mints, what the client’s key adds': await measureKeys(target, BATCH, ONE_COIN),
    '256 ERC-20 rows to new holders, each': each(await executeRows(target, ONE_COIN), CHUNK),
  };
}

async function measureOthers(address: string): Promise<Record<string, number>> {
  const run = { data: tokens.encodeFunctionData('mintRun', [newHolder(), BATCH]), gasCap: 2_000_000 };
  const withMetadata = tokens.encodeFunctionData('mintWithMetadata', [newHolder(), layout(5, 'first')]);
  return {
    'metadata, 5 keys': await gas(setMetadata(address, 1, 5, 'first')),
    'metadata, 16 keys': await gas(setMetadata(address, 2, 16, 'first')),
    'metadata, 5 keys again': await gas(setMetadata(address, 1, 5, 'again')),
    'metadata, 16 keys again': await gas(setMetadata(address, 2, 16, 'again')),
    'mint with 5 keys': await gas({ target: address, data: withMetadata }),
    'run of 100 to one holder, each': each(await execute([{ target: address, ...run }]), BATCH),
    pause: await gas({ target: address, data: tokens.encodeFunctionData('pause') }),
  };
}

/** Repeats in separate, already used collections what is to be measured in batches on different contracts. */
async function usedCollections(count: number): Promise<string[]> {
  const addresses: string[] = [];
  for (let i = 0; i < count; i += 1) {
    const { address } = await createCollection();
    await execute([mint(address)]);
    addresses.push(address);
  }
  return addresses;
}

async function createCollection(): Promise<{ address: string; receipt: TransactionReceipt }> {
  salts += 1;
  const args = [system.operator.target, 'Night Cats', 'CAT', '', false, 0, 0, false, ZeroAddress, 0];
  const receipt = await execute([
    {
      target: system.collectionFactory.target as string,
      data: factories.encodeFunctionData('createCollection', [keccakLike(salts), args]),
    },
  ]);
  const created = factories.getEvent('TokenCreated')!.topicHash;
  const log = receipt.logs.find((entry) => entry.topics[0] === created)!;
  return { address: `0x${log.topics[1]!.slice(26)}`, receipt };
}

/** A salt with all its bytes in use, as a real one has. */
function keccakLike(seed: number): string {
  return word(seed).replace(/^0x0{56}/, `0x${'5ab3c71f'.repeat(7)}`);
}

const times = <Item>(count: number, make: () => Item): Item[] => Array.from({ length: count }, make);

const mint = (target: string, to = newHolder()): Call => ({
  target,
  data: tokens.encodeFunctionData('mintNext', [to]),
});

const setMetadata = (target: string, tokenId: number, count: number, value: string): Call => ({
  target,
  data: tokens.encodeFunctionData('setMetadata', [tokenId, layout(count, value)]),
});
