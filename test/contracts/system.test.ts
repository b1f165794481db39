import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Contract, getAddress, Interface, JsonRpcProvider, keccak256, toUtf8Bytes } from 'ethers';
import type { JsonRpcSigner, Log, TransactionReceipt } from 'ethers';
import * as generated from '../../generated/contracts.ts';
import { TOKEN_LIMITS } from '../../src/chain/abi/bounds.ts';
import { encodeCollectionCreation, encodeTokenCreation } from '../../src/chain/abi/factory.ts';
import { predictClone } from '../../src/chain/system/clones.ts';
import { describeSystem } from '../../src/chain/system/system-contracts.ts';
import { startEmbeddedChain } from '../../src/embedded/chain.ts';
import type { EmbeddedChain } from '../../src/embedded/chain.ts';
import type { Hex } from '../../src/lib/hex.ts';
import { deploySystem, word } from '../../lab/stage/system.ts';
import type { System } from '../../lab/stage/system.ts';

/** The contracts as the service uses them: over JSON-RPC, at the predicted addresses. */
let chain: EmbeddedChain;
let provider: JsonRpcProvider;
let admin: JsonRpcSigner;
let executor: JsonRpcSigner;
let stranger: JsonRpcSigner;
let system: System;

const operatorInterface = new Interface(generated.operatorAbi);
const erc20 = new Interface(generated.managedErc20Abi);
const erc721 = new Interface(generated.managedErc721Abi);
const gasCap = 500_000n;
/** The first epoch of an Operator. */
const EPOCH = 1n;
/** How the Operator names an intent. */
const inEpoch = (number: bigint): bigint => (EPOCH << 64n) | number;
let intents = 300n;

beforeAll(async () => {
  chain = await startEmbeddedChain({ port: 0, log: () => {} });
  provider = new JsonRpcProvider(chain.url, undefined, { staticNetwork: true, cacheTimeout: -1 });
  admin = await provider.getSigner(0);
  executor = await provider.getSigner(1);
  stranger = await provider.getSigner(2);
  system = await deploySystem(admin, executor.address);
});

afterAll(async () => {
  provider.destroy();
  await chain.stop();
});

interface Call {
  target: string;
  data: string;
  intent?: bigint;
}

async function execute(calls: Call[]): Promise<{ receipt: TransactionReceipt; events: CallEvent[] }> {
  const batch = calls.map(({ target, data, intent }) => ({
    target,
    gasCap,
    number: intent ?? intents++,
    data,
  }));
  const data = operatorInterface.encodeFunctionData('execute', [EPOCH, batch]);
  const sent = await executor.sendTransaction({ to: system.operator, data, gasLimit: 15_000_000 });
  const receipt = (await sent.wait())!;
  return { receipt, events: receipt.logs.filter(isOperators).map(readEvent) };
}

interface CallEvent {
  name: string;
  intent: bigint;
  result: bigint | undefined;
  reason: string | undefined;
}

const isOperators = (log: Log): boolean => log.address === system.operator.target;

function readEvent(log: Log): CallEvent {
  const event = operatorInterface.parseLog(log)!;
  const values = event.args.toObject() as { intent: bigint; result?: bigint; reason?: string };
  return {
    name: event.name,
    intent: values.intent - inEpoch(0n),
    result: values.result,
    reason: values.reason,
  };
}

const unbounded = { maxSupply: null, mintLimitPerDay: null, recoverable: false, royalty: null };
const bounded = {
  maxSupply: 2n ** 208n - 1n,
  mintLimitPerDay: 7n,
  recoverable: true,
  royalty: { receiver: `0x${'be'.repeat(20)}`, basisPoints: 1_000 },
} as const;

const collectionArgs = {
  ...unbounded,
  owner: '',
  permissioned: false,
  decimals: 0,
  name: 'Nächte & Katzen',
  symbol: 'CAT',
  baseUri: '',
};

function createCollection(salt: string): Call {
  const owner = system.operator.target as string;
  return {
    target: system.collectionFactory.target as string,
    data: encodeCollectionCreation(salt as Hex, { ...collectionArgs, owner }),
  };
}

async function newCollection(salt: string): Promise<string> {
  const { events } = await execute([createCollection(salt)]);
  return getAddress(`0x${events[0]!.result!.toString(16).padStart(40, '0')}`);
}

const mint = (target: string, to: string): Call => ({
  target,
  data: erc721.encodeFunctionData('mint', [to]),
});

test('the addresses of the system follow from bytecode and admin', async () => {
  const described = describeSystem({ admin: admin.address, adminDelay: 0, chainId: 31_337n });
  const deployed = [system.operator, system.descriptor, system.tokenFactory, system.collectionFactory];
  expect(deployed.map(({ target }) => (target as string).toLowerCase())).toEqual([
    described.operator,
    described.descriptor,
    described.tokenFactory,
    described.collectionFactory,
  ]);
  for (const { address } of described.contracts) {
    expect((await provider.getCode(address)).length).toBeGreaterThan(1_000);
  }
});

test('one transaction deploys a token and a collection at their predicted addresses, once', async () => {
  const operator = system.operator.target as string;
  const tokenArgs = {
    ...unbounded,
    owner: stranger.address,
    permissioned: true,
    decimals: 6,
    name: 'Gold',
    symbol: 'AU',
    baseUri: '',
  };
  const salt = keccak256(toUtf8Bytes('one deployment'));
  const createToken = {
    target: system.tokenFactory.target as string,
    data: encodeTokenCreation(salt as Hex, tokenArgs),
  };
  const described = describeSystem({ admin: admin.address, adminDelay: 0, chainId: 31_337n });
  const token = predictClone(described, 'ERC20', salt, tokenArgs);
  const collection = predictClone(described, 'ERC721', salt, { ...collectionArgs, owner: operator });

  const { events } = await execute([createToken, createCollection(salt)]);
  expect(events.map(({ result }) => `0x${result!.toString(16).padStart(40, '0')}`)).toEqual([
    token,
    collection,
  ]);

  const state = (await new Contract(token, erc20, provider).getFunction('tokenState')()) as {
    toObject(): Record<string, unknown>;
  };
  expect(state.toObject()).toEqual({
    owner: stranger.address,
    operator,
    paused: false,
    transferLocked: false,
    permissioned: true,
    supply: 0n,
    name: 'Gold',
    symbol: 'AU',
    decimals: 6n,
  });
  expect(await new Contract(collection, erc721, provider).getFunction('name')()).toBe('Nächte & Katzen');

  const again = await execute([createToken]);
  expect(again.events[0]).toMatchObject({ name: 'CallExecuted', result: BigInt(token) });
});

test.each([
  ['all of them', bounded],
  ['a cap alone', { ...unbounded, maxSupply: 1n }],
  ['a limit alone', { ...unbounded, mintLimitPerDay: 1n }],
  ['a royalty alone', { ...unbounded, royalty: bounded.royalty }],
  ['a receiver of no royalty', { ...unbounded, royalty: { ...bounded.royalty, basisPoints: 0 } }],
  ['recoverable', { ...unbounded, recoverable: true }],
])('tokens with bounds are at their predicted addresses and tell them: %s', async (title, bounds) => {
  const owner = system.operator.target as string;
  const described = describeSystem({ admin: admin.address, adminDelay: 0, chainId: 31_337n });
  const salt = keccak256(toUtf8Bytes(title)) as Hex;
  const args = { ...collectionArgs, ...bounds, owner };
  const coin = { ...args, royalty: null };
  const { events } = await execute([
    { target: described.tokenFactory, data: encodeTokenCreation(salt, coin) },
    { target: described.collectionFactory, data: encodeCollectionCreation(salt, args) },
  ]);
  const tokens = [
    predictClone(described, 'ERC20', salt, coin),
    predictClone(described, 'ERC721', salt, args),
  ];
  expect(events.map(({ result }) => `0x${result!.toString(16).padStart(40, '0')}`)).toEqual(tokens);

  const limits = await Promise.all(
    tokens.map(async (to) =>
      TOKEN_LIMITS.decode((await provider.call({ to, data: TOKEN_LIMITS.data })) as Hex),
    ),
  );
  const { maxSupply, mintLimitPerDay: mintLimit, recoverable, royalty } = bounds;
  const none = {
    totalSupply: 0n,
    mintableNow: mintLimit,
    fullAt: mintLimit === null ? null : expect.any(Date),
    ...{ mintClosed: false, metadataFrozen: false, controlsRenounced: false },
    ...{ mintClosedForGoodAt: null, metadataFrozenForGoodAt: null, controlsRenouncedForGoodAt: null },
  };
  expect(limits).toEqual([
    { ...none, maxSupply, mintLimit, recoverable, royalty: null },
    { ...none, maxSupply, mintLimit, recoverable, royalty },
  ]);
});

test('a batch reports each result by its intent, and a failed call does not affect the others', async () => {
  const first = await newCollection(word(1));
  const second = await newCollection(word(2));
  const holder = stranger.address;
  const { events, receipt } = await execute([
    { ...mint(first, holder), intent: 9_000n },
    { ...mint(second, holder), intent: 9_001n },
    { ...mint(first, system.descriptor.target as string), intent: 9_002n },
    { ...mint(first, holder), intent: 9_003n },
    { ...mint(first, holder), intent: 9_000n },
  ]);
  expect(receipt.status).toBe(1);
  expect(events.map(({ name, intent, result }) => [name, intent, result])).toEqual([
    ['CallExecuted', 9_000n, 1n],
    ['CallExecuted', 9_001n, 1n],
    ['CallFailed', 9_002n, undefined],
    ['CallExecuted', 9_003n, 2n],
    ['CallFailed', 9_000n, undefined],
  ]);
  expect(erc721.parseError(events[2]!.reason!)?.name).toBe('ReceiverRefused');
  expect(operatorInterface.parseError(events[4]!.reason!)?.args.toObject()).toEqual({
    intent: inEpoch(9_000n),
  });
  expect(await new Contract(first, erc721, provider).getFunction('balanceOf')(holder)).toBe(2n);
  const marks = (await system.operator.getFunction('intentWord')(inEpoch(9_000n) / 256n)) as bigint;
  expect((marks >> (9_000n % 256n)) & 0b1111n).toBe(0b1011n);
});

test('eth_call of a batch returns the results of its calls', async () => {
  const collection = await newCollection(word(3));
  const calls = [
    { ...mint(collection, stranger.address), gasCap: 5_000_000n, number: 12_000n },
    { ...mint(collection, collection), gasCap: 5_000_000n, number: 12_001n },
  ];
  const data = operatorInterface.encodeFunctionData('execute', [EPOCH, calls]);
  const answer = await executor.call({ to: system.operator, data, gasLimit: 16_777_216 });
  const results = operatorInterface.decodeFunctionResult('execute', answer)[0] as {
    ok: boolean;
    gasUsed: bigint;
    returnData: string;
  }[];
  expect(results.map(({ ok }) => ok)).toEqual([true, false]);
  expect(results[0]!.returnData).toBe(word(1));
  expect(results[0]!.gasUsed).toBeGreaterThan(50_000n);
  expect(erc721.parseError(results[1]!.returnData)?.name).toBe('ReceiverRefused');
  expect(await system.operator.getFunction('intentDone')(inEpoch(12_000n))).toBe(false);
});

test('a hundred mints fit into one transaction', async () => {
  const collection = await newCollection(word(4));
  const calls = Array.from({ length: 100 }, (_, i) =>
    mint(collection, getAddress(word(0xabc000 + i).replace('0x000000000000000000000000', '0x'))),
  );
  const { events, receipt } = await execute(calls);
  expect(events.map(({ result }) => result)).toEqual(calls.map((_, i) => BigInt(i + 1)));
  expect(receipt.gasUsed).toBeLessThan(6_000_000n);
});

test('only an executor may call execute', async () => {
  const data = operatorInterface.encodeFunctionData('execute', [EPOCH, []]);
  await expect(stranger.call({ to: system.operator, data })).rejects.toMatchObject({
    data: expect.stringContaining(operatorInterface.getError('AccessControlUnauthorizedAccount')!.selector),
  });
});

test('interface ids and topics are those of the standards', () => {
  expect(erc721.getFunction('metadata')!.selector).toBe('0xdf670be1');
  expect(erc20.getFunction('contractMetadata')!.selector).toBe('0x8ec3f882');
  expect(erc721.getFunction('isTransferable')!.selector).toBe('0x91a6262f');
  expect(erc721.getEvent('MetadataSet')!.topicHash).toBe(
    '0x2c149ed548c6d2993cd73efe187df6eccabe4538091b33adbd25fafdb8a1468b',
  );
  for (const { type, name } of [...generated.managedErc721Abi, ...generated.managedErc20Abi] as {
    type: string;
    name?: string;
  }[]) {
    expect([type, name]).not.toEqual(['function', 'initialize']);
  }
});
