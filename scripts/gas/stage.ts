import {
  BrowserProvider,
  Interface,
  Wallet,
  concat,
  dataLength,
  solidityPacked,
  toBeHex,
  zeroPadValue,
} from 'ethers';
import type { TransactionReceipt } from 'ethers';
import { createHardhatRuntimeEnvironment } from 'hardhat/hre';
import { fileURLToPath } from 'node:url';
import config from '../../hardhat.config.ts';
import * as generated from '../../generated/contracts.ts';
import { deploySystem, localSystem, word } from '../../lab/stage/system.ts';
import { encodeMints } from '../../src/chain/abi/mint-list.ts';
import type { Hex } from '../../src/lib/hex.ts';

/** A chain with the system on it, and an executor who sends what is measured. */

export const PLAIN = ['PlainERC20', 'PlainERC721'] as const;

// Compiled as what is deployed is, and apart from it.
export const hre = await createHardhatRuntimeEnvironment(
  { ...config, paths: { ...config.paths, artifacts: 'cache/plain/artifacts', cache: 'cache/plain' } },
  { buildProfile: 'deployed' },
  fileURLToPath(new URL('../..', import.meta.url)),
);
await hre.tasks
  .getTask('build')
  .run({ quiet: true, files: PLAIN.map((name) => `test/contracts/plain/${name}.sol`) });

const { provider: raw } = await hre.network.create();
const provider = new BrowserProvider(raw, undefined, { cacheTimeout: -1 });
export const admin = await provider.getSigner(0);
const executor = await provider.getSigner(1);
export const system = await deploySystem(admin, executor.address);

const operator = new Interface(generated.operatorAbi);

/** The first one of an Operator. */
const EPOCH = 1;
const WORD_BITS = 256;
const GAS_LIMIT = 16_700_000;
/** One with all of its bytes in use, as a real one has. */
const KEY = 0x5ab3_c71f_d2e4_9816n;
const KEY_SHIFT = 64n;
// Past the first word of the bitmap, with the next word in use, as in regular operation.
let intents = 71_936;
/** Rows have numbers of their own, each chunk a word. */
let nextChunk = 2 ** 40;
let recipients = 0;

export interface Call {
  target: string;
  data: string;
  gasCap?: number;
}

/** A derived address, the same on every run, which never received anything. */
export function newHolder(): string {
  recipients += 1;
  return new Wallet(word(1_000_000 + recipients)).address;
}

async function send(data: string): Promise<TransactionReceipt> {
  const sent = await executor.sendTransaction({ to: system.operator, data, gasLimit: GAS_LIMIT });
  const receipt = (await sent.wait())!;
  const failed = operator.getEvent('CallFailed')!.topicHash;
  const failure = receipt.logs.find((log) => log.topics[0] === failed);
  if (failure !== undefined) throw new Error(`A measured call failed: ${failure.data}`);
  return receipt;
}

/** Runs calls as the service does, without keys of clients. */
export async function execute(calls: Call[]): Promise<TransactionReceipt> {
  const batch = calls.map(({ target, data, gasCap = 600_000 }) => ({
    target: target.toLowerCase() as Hex,
    gasCap,
    number: BigInt(intents++),
    key: 0n,
    data: data as Hex,
  }));
  const compact = encodeMints(BigInt(EPOCH), batch);
  return send(compact ?? operator.encodeFunctionData('execute', [EPOCH, batch]));
}

/** Runs one call with a client's key. */
export async function executeWithKey({ target, data, gasCap = 600_000 }: Call): Promise<TransactionReceipt> {
  const number = BigInt(intents++) | (KEY << KEY_SHIFT);
  return send(operator.encodeFunctionData('execute', [EPOCH, [{ target, gasCap, number, data }]]));
}

/** The gas that a client's key adds to each mint of a list, to new holders; `amount` 0 for an ERC-721. */
export async function measureKeys(token: string, count: number, amount: bigint): Promise<number> {
  const without = await mintList(token, count, amount, 0n);
  const withKeys = await mintList(token, count, amount, KEY);
  return Math.ceil(Number(withKeys.gasUsed - without.gasUsed) / count);
}

/** In a word of the bitmap of their own. */
async function mintList(
  token: string,
  count: number,
  amount: bigint,
  key: bigint,
): Promise<TransactionReceipt> {
  const amountBytes = bytesOf(amount);
  const first = nextChunk;
  nextChunk += WORD_BITS;
  const mints = Array.from({ length: count }, (_, index) =>
    concat([
      solidityPacked(['uint8', 'uint16', 'uint64', 'address'], [0, index, key, newHolder()]),
      amountOf(amount, amountBytes),
    ]),
  );
  const list = concat([
    solidityPacked(['uint8', 'address', 'uint32', 'uint8'], [1, token, 600_000, amountBytes]),
    ...mints,
  ]);
  return send(operator.encodeFunctionData('executeMints', [EPOCH, first, count, list]));
}

/** A whole chunk of rows of one token, to new holders, with a client's key. */
export async function executeRows(token: string, amount: bigint): Promise<TransactionReceipt> {
  const firstNumber = nextChunk;
  nextChunk += WORD_BITS;
  const amountBytes = bytesOf(amount);
  const rows = concat(
    Array.from({ length: WORD_BITS }, () => concat([newHolder(), amountOf(amount, amountBytes)])),
  );
  const wanted = 2n ** BigInt(WORD_BITS) - 1n;
  return send(
    operator.encodeFunctionData('executeRows', [
      EPOCH,
      [token, GAS_LIMIT - 1_500_000, firstNumber, wanted, KEY, amountBytes, rows],
    ]),
  );
}

const bytesOf = (amount: bigint): number => (amount === 0n ? 0 : Math.ceil(amount.toString(16).length / 2));
const amountOf = (amount: bigint, bytes: number): string =>
  bytes === 0 ? '0x' : zeroPadValue(toBeHex(amount), bytes);

/** Bytes of code of each contract of the system. */
export async function measureSizes(): Promise<Record<string, number>> {
  const { contracts } = localSystem(admin.address);
  const sizes = await Promise.all(
    contracts.map(async ({ name, address }) => [name, dataLength(await provider.getCode(address))] as const),
  );
  return Object.fromEntries(sizes);
}
