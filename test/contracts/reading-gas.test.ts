import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Interface, JsonRpcProvider, ZeroAddress, dataSlice, toUtf8Bytes } from 'ethers';
import type { JsonRpcSigner } from 'ethers';
import { collectionFactoryAbi, managedErc721Abi } from '../../generated/contracts.ts';
import { startEmbeddedChain } from '../../src/embedded/chain.ts';
import type { EmbeddedChain } from '../../src/embedded/chain.ts';
import { deploySystem, word } from '../../lab/stage/system.ts';
import { TOP_LEVEL_FIELDS } from './top-level-fields.ts';

/** What a `tokenURI` of the largest layouts costs, with the code that is deployed. */
const MAX_LAYOUT_BYTES = 8_192;
/** All that the call has, the 21,000 of a transaction included. */
const GAS_LIMIT = 10_000_000;

const collections = new Interface(managedErc721Abi);
/** The ABI encodes string and bytes alike, so `bytes` can hold invalid text. */
const raw = new Interface(['function setMetadata(uint256, (bytes key, bytes value, uint8 kind)[])']);
let chain: EmbeddedChain;
let provider: JsonRpcProvider;
let admin: JsonRpcSigner;
let address: string;

beforeAll(async () => {
  chain = await startEmbeddedChain({ port: 0, log: () => {} });
  provider = new JsonRpcProvider(chain.url, undefined, { staticNetwork: true, cacheTimeout: -1 });
  admin = await provider.getSigner(0);
  const system = await deploySystem(admin, await admin.getAddress());
  const factories = new Interface(collectionFactoryAbi);
  const text = { name: '\u0001'.repeat(64), symbol: '\u0001'.repeat(16) };
  const args = [admin.address, text.name, text.symbol, '', false, 0, 0, false, ZeroAddress, 0];
  const data = factories.encodeFunctionData('createCollection', [word(7), args]);
  const receipt = await (await admin.sendTransaction({ to: system.collectionFactory.target, data })).wait();
  const created = factories.getEvent('TokenCreated')!.topicHash;
  const log = receipt!.logs.find(({ topics }) => topics[0] === created)!;
  address = dataSlice(log.topics[1]!, 12);
  const mint = collections.encodeFunctionData('mint(address)', [admin.address]);
  await (await admin.sendTransaction({ to: address, data: mint })).wait();
});

afterAll(async () => {
  provider.destroy();
  await chain.stop();
});

type Entry = [key: Uint8Array, value: Uint8Array, kind: number];

const bytes = (...values: number[]): Uint8Array => Uint8Array.from(values);
const concat = (...parts: Uint8Array[]): Uint8Array => Uint8Array.from(Buffer.concat(parts));

/** Text or bytes, repeated up to a size. */
function filled(unit: string | Uint8Array, size: number): Uint8Array {
  const of = typeof unit === 'string' ? toUtf8Bytes(unit) : unit;
  return Uint8Array.from({ length: size }, (_, i) => of[i % of.length]!);
}

/** The largest value that fits beside its key. */
function alone(key: string, unit: string | Uint8Array, kind = 0): Entry[] {
  return [[toUtf8Bytes(key), filled(unit, MAX_LAYOUT_BYTES - key.length), kind]];
}

const CONTROL = bytes(0x01);
const FIELDS = ['description', ...TOP_LEVEL_FIELDS];

const LAYOUTS: Record<string, Entry[]> = {
  English: alone('description', 'plain English text '),
  'quoted English': alone('description', 'He said: "well, this is it". Then '),
  Japanese: alone('description', '日本語の長い説明'),
  'characters of two bytes': alone('description', 'éàüöñç'),
  'characters of four bytes': alone('description', '🐈🐕🐎'),
  quotes: alone('description', '"'),
  'quotes and line feeds': alone('description', '""\n'),
  'control characters': alone('description', CONTROL),
  'bytes that are no UTF-8': alone('description', bytes(0xff)),
  'control characters that are drawn too': alone('name', CONTROL),
  'a number': alone('n', '1', 1),
  'almost a number': [[bytes(0x6e), concat(filled('1', MAX_LAYOUT_BYTES - 2), CONTROL), 1]],
  'a list of short values': alone('collaborators', 'a,'),
  'a list of short values to escape': alone('collaborators', '",'),
  'a list of one value to escape': alone('collaborators', '"'),
  'a list of separators': alone('collaborators', ', '),
  'sixteen attributes': Array.from({ length: 16 }, (_, i) => [
    concat(filled(CONTROL, 254), bytes(0x41 + i)),
    filled(CONTROL, 257),
    0,
  ]),
  'sixteen attributes with short keys': Array.from({ length: 16 }, (_, i) => [
    bytes(1 + i),
    filled(CONTROL, 511),
    0,
  ]),
  'fields at the top and attributes': [...FIELDS, ...'abcdefgh'].map((key) => [
    toUtf8Bytes(key),
    filled(CONTROL, 505),
    0,
  ]),
};

test.each(Object.entries(LAYOUTS))('%s: eth_call has it with 10,000,000 gas', async (_, layout) => {
  const size = layout.reduce((sum, [key, value]) => sum + key.length + value.length, 0);
  expect(size).toBeGreaterThan(MAX_LAYOUT_BYTES - 32);
  const { selector } = collections.getFunction('setMetadata')!;
  const data = selector + raw.encodeFunctionData('setMetadata', [1, layout]).slice(10);
  await (await admin.sendTransaction({ to: address, data, gasLimit: 16_000_000 })).wait();
  const encoded = collections.encodeFunctionData('tokenURI', [1]);
  const answer = await provider.call({ to: address, data: encoded, gasLimit: GAS_LIMIT });
  const uri = collections.decodeFunctionResult('tokenURI', answer)[0] as string;
  const [head, text = ''] = uri.split(',');
  expect(head).toBe('data:application/json;base64');
  const json = JSON.parse(Buffer.from(text, 'base64').toString()) as object;
  expect(Object.keys(json)).toContain('name');
});
