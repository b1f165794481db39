import { readFile, writeFile } from 'node:fs/promises';
import { BrowserProvider, ContractFactory, Interface, toUtf8Bytes, Wallet, ZeroAddress } from 'ethers';
import type { BaseContract, TransactionReceipt } from 'ethers';
import hre from 'hardhat';
import * as generated from '../generated/contracts.ts';
import { encodeMints } from '../src/chain/abi/mint-list.ts';
import type { Hex } from '../src/lib/hex.ts';
import { deploySystem, word } from '../lab/stage/system.ts';

/**
 * Measures what the service's operations cost, as gas of the receipt of a transaction that goes through
 * `Operator.execute`, and prints it beside its target and a plain OpenZeppelin contract.
 * Compares with the committed snapshot. `--update` writes the snapshot.
 */

interface Figure {
  gas: number;
  /** The most that it may cost; null for what has no target. */
  target: number | null;
  /** The same done by a plain OpenZeppelin contract, called by its owner directly. */
  plain: number | null;
}

const snapshotFile = new URL('../contracts/gas-snapshot.json', import.meta.url);

await hre.tasks.getTask('build').run({ quiet: true });
const { provider: raw } = await hre.network.create();
const provider = new BrowserProvider(raw, undefined, { cacheTimeout: -1 });
const admin = await provider.getSigner(0);
const executor = await provider.getSigner(1);
const system = await deploySystem(admin, executor.address);
const tokens = new Interface(generated.managedErc721Abi);
const runSelector = tokens.getFunction('mintRun')!.selector;
if (!(await system.operator.getFunction('isSelectorAllowed')(runSelector))) {
  const data = system.operator.interface.encodeFunctionData('setSelectorAllowed', [runSelector, true]);
  await (await admin.sendTransaction({ to: system.operator, data })).wait();
}
const erc20 = new Interface(generated.managedErc20Abi);
const factories = new Interface([
  ...generated.collectionFactoryAbi,
  ...generated.tokenFactoryAbi.filter((item) => item.type === 'function'),
]);

/** The first one of an Operator. */
const EPOCH = 1;
// Past the first word of the bitmap, with the next word in use, as in regular operation.
let intents = 71_936;
let recipients = 0;

interface Call {
  target: string;
  data: string;
  gasCap?: number;
}

/** A derived address, the same on every run, which never received anything. */
function newHolder(): string {
  recipients += 1;
  return new Wallet(word(1_000_000 + recipients)).address;
}

async function execute(calls: Call[]): Promise<TransactionReceipt> {
  const batch = calls.map(({ target, data, gasCap = 600_000 }) => ({
    target,
    gasCap,
    number: intents++,
    data,
  }));
  const compact = encodeMints(
    BigInt(EPOCH),
    batch.map(({ target, number, gasCap, data }) => ({
      target: target.toLowerCase() as Hex,
      gasCap,
      number: BigInt(number),
      data: data as Hex,
    })),
  );
  const input = compact ?? system.operator.interface.encodeFunctionData('execute', [EPOCH, batch]);
  const sent = await executor.sendTransaction({ to: system.operator, data: input, gasLimit: 16_000_000 });
  const receipt = (await sent.wait())!;
  const failed = system.operator.interface.getEvent('CallFailed')!.topicHash;
  const failure = receipt.logs.find((log) => log.topics[0] === failed);
  if (failure !== undefined) throw new Error(`A measured call failed: ${failure.data}`);
  return receipt;
}

async function gas(calls: Call[]): Promise<number> {
  return Number((await execute(calls)).gasUsed);
}

let salts = 0;

function collectionCall(): Call {
  salts += 1;
  const args = [system.operator.target, 'Night Cats', 'CAT', '', false, 0, 0, false, ZeroAddress, 0];
  const salt = keccakLike(salts);
  return {
    target: system.collectionFactory.target as string,
    data: factories.encodeFunctionData('createCollection', [salt, args]),
  };
}

/** A salt with all its bytes in use, as a real one has. */
function keccakLike(seed: number): string {
  return word(seed).replace(/^0x0{56}/, `0x${'5ab3c71f'.repeat(7)}`);
}

async function createCollection(): Promise<{ address: string; gas: number }> {
  const receipt = await execute([collectionCall()]);
  const created = factories.getEvent('TokenCreated')!.topicHash;
  const log = receipt.logs.find((entry) => entry.topics[0] === created)!;
  return { address: `0x${log.topics[1]!.slice(26)}`, gas: Number(receipt.gasUsed) };
}

const mint = (target: string, to = newHolder()): Call => ({
  target,
  data: tokens.encodeFunctionData('mint(address)', [to]),
});

const run = (target: string, count: number): Call => ({
  target,
  data: tokens.encodeFunctionData('mintRun', [newHolder(), count]),
  gasCap: 2_000_000,
});

const layout = (count: number, value: string): [string, Uint8Array, number][] =>
  Array.from({ length: count }, (_, i) => [`key-${i}-abcd`, toUtf8Bytes(`${value}-${i}`), 0]);

const setMetadata = (target: string, tokenId: number, count: number, value: string): Call => ({
  target,
  data: tokens.encodeFunctionData('setMetadata', [tokenId, layout(count, value)]),
});

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

async function plain(name: string): Promise<BaseContract> {
  const { abi, bytecode } = await hre.artifacts.readArtifact(name);
  const deployed = await new ContractFactory(abi, bytecode, admin).deploy('Night Cats', 'CAT');
  await deployed.waitForDeployment();
  return deployed;
}

async function receiptGas(sent: Promise<{ wait(): Promise<TransactionReceipt | null> }>): Promise<number> {
  return Number((await (await sent).wait())!.gasUsed);
}

async function measurePlain(): Promise<Record<string, number>> {
  const nft = await plain('PlainERC721');
  const coin = await plain('PlainERC20');
  const send = (contract: typeof nft, name: string, ...args: unknown[]): Promise<number> =>
    receiptGas(
      admin.sendTransaction({ to: contract, data: contract.interface.encodeFunctionData(name, args) }),
    );
  const split = (count: number, value: string): unknown[] => [
    layout(count, value).map(([key]) => key),
    layout(count, value).map(([, data]) => data),
  ];
  const deployGas = async (contract: typeof nft): Promise<number> =>
    Number((await contract.deploymentTransaction()!.wait())!.gasUsed);
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

async function measure(): Promise<Record<string, number>> {
  await createCollection();
  const { address, gas: collection } = await createCollection();
  const first = await gas([mint(address)]);
  const lone = await gas([mint(address)]);
  const holder = newHolder();
  await execute([mint(address, holder)]);
  const again = await gas([mint(address, holder)]);
  const batch = await gas(Array.from({ length: 10 }, () => mint(address)));
  const hundred = await gas(Array.from({ length: 100 }, () => mint(address)));
  const spread = await gas((await usedCollections(10)).map((target) => mint(target)));
  const items = Array.from({ length: 100 }, () => [newHolder(), []]);
  const mintBatch = await gas([
    { target: address, data: tokens.encodeFunctionData('mintBatch', [items]), gasCap: 14_000_000 },
  ]);
  const tokenArgs = [system.operator.target, 'Night Coin', 'NIGHT', 18, false, 0, 0, false];
  const tokenCall = {
    target: system.tokenFactory.target as string,
    data: factories.encodeFunctionData('createToken', [keccakLike(1), tokenArgs]),
  };
  const coin = (await system.tokenFactory.getFunction('predict')(
    system.operator.target,
    keccakLike(1),
    tokenArgs,
  )) as string;
  const token = await gas([tokenCall]);
  const coins = (): Call => ({
    target: coin,
    data: erc20.encodeFunctionData('mint', [newHolder(), 10n ** 18n]),
  });
  const figures: Record<string, number> = {
    'lone mint': lone,
    'lone mint, holder has some': again,
    'first mint of a collection': first,
    '10 mints on one contract, each': Math.ceil(batch / 10),
    '10 mints on 10 contracts, each': Math.ceil(spread / 10),
    '100 mints on one contract, each': Math.ceil(hundred / 100),
    '100 tokens by one mintBatch, each': Math.ceil(mintBatch / 100),
    collection: collection,
    'ERC-20 with permit': token,
    'ERC-20 mint, first': await gas([coins()]),
    'ERC-20 mint, new holder': await gas([coins()]),
    'metadata, 5 keys': await gas([setMetadata(address, 1, 5, 'first')]),
    'metadata, 16 keys': await gas([setMetadata(address, 2, 16, 'first')]),
    'metadata, 5 keys again': await gas([setMetadata(address, 1, 5, 'again')]),
    'metadata, 16 keys again': await gas([setMetadata(address, 2, 16, 'again')]),
    'mint with 5 keys': await gas([
      {
        target: address,
        data: tokens.encodeFunctionData('mintWithMetadata', [newHolder(), layout(5, 'first')]),
      },
    ]),
    'run of 100 to one holder, each': Math.ceil((await gas([run(address, 100)])) / 100),
    pause: await gas([{ target: address, data: tokens.encodeFunctionData('pause') }]),
  };
  return figures;
}

/** The most that each may cost. */
const TARGETS: Record<string, number> = {
  'lone mint': 95_500,
  'lone mint, holder has some': 78_895,
  'first mint of a collection': 113_083,
  '10 mints on one contract, each': 56_500,
  '10 mints on 10 contracts, each': 65_000,
  '100 mints on one contract, each': 52_800,
  '100 tokens by one mintBatch, each': 53_445,
  collection: 107_334,
  'ERC-20 with permit': 107_457,
  'ERC-20 mint, first': 88_591,
  'ERC-20 mint, new holder': 71_491,
  'metadata, 5 keys': 139_109,
  'metadata, 16 keys': 254_712,
  'metadata, 5 keys again': 139_086,
  'metadata, 16 keys again': 254_689,
  'mint with 5 keys': 181_587,
  'run of 100 to one holder, each': 4_000,
  pause: 48_082,
};

interface Snapshot {
  [operation: string]: Figure;
}

async function takeSnapshot(): Promise<Snapshot> {
  const plainFigures = await measurePlain();
  const measured = await measure();
  return Object.fromEntries(
    Object.entries(measured).map(([operation, gasUsed]) => [
      operation,
      {
        gas: gasUsed,
        target: TARGETS[operation] ?? null,
        plain: plainFigures[operation] ?? null,
      },
    ]),
  );
}

const snapshot = await takeSnapshot();
console.table(snapshot);
if (process.argv.includes('--update')) {
  await writeFile(snapshotFile, `${JSON.stringify(snapshot, null, 2)}\n`);
} else {
  const committed = JSON.parse(await readFile(snapshotFile, 'utf8')) as Snapshot;
  const changed = [...new Set([...Object.keys(committed), ...Object.keys(snapshot)])].filter(
    (operation) => committed[operation]?.gas !== snapshot[operation]?.gas,
  );
  for (const operation of changed) {
    console.error(
      `${operation}: ${committed[operation]?.gas ?? 'new'} -> ${snapshot[operation]?.gas ?? 'gone'}`,
    );
  }
  if (changed.length > 0) {
    console.error(
      'The gas of the contracts changed. Run `npm run gas:update` and commit contracts/gas-snapshot.json.',
    );
    process.exitCode = 1;
  }
}
