import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { PROFILES } from '../../src/chain/profile.ts';
import { RpcRefused } from '../../src/chain/rpc/rpc.ts';
import { readConfig } from '../../src/config.ts';
import { chooseProfile } from '../../src/start/chain-profile.ts';
import { openChain } from '../../src/start/chain.ts';
import { noopObserver } from '../../src/telemetry/observe.ts';
import { answerEach, startScriptedNode } from '../setup/scripted-node.ts';

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'mintmark-profile-'));
});

afterAll(() => rm(folder, { recursive: true }));

/** A node that says of itself what it is, or refuses to. */
function nodeThatIs(version: string | null) {
  return {
    call: async <T>(method: string): Promise<T> => {
      if (method !== 'web3_clientVersion' || version === null)
        throw new RpcRefused('other', 'no such method', -32_601, undefined);
      return version as T;
    },
  };
}

async function write(text: string): Promise<string> {
  const file = path.join(folder, 'profile.json');
  await writeFile(file, text);
  return file;
}

const choose = (
  chainProfile: string | null,
  { chainId = 1n, confirmations = null as number | null, version = null as string | null } = {},
) => chooseProfile({ chainProfile, confirmations }, nodeThatIs(version), chainId);

test('without CHAIN_PROFILE the chain id decides, and among local nodes what they say of themselves', async () => {
  expect(await choose(null)).toEqual(PROFILES['ethereum']);
  expect(await choose(null, { chainId: 31_337n, version: 'anvil/v1.7.1' })).toEqual(PROFILES['anvil']);
  expect(await choose(null, { chainId: 31_337n })).toEqual(PROFILES['unknown']);
});

test('CHAIN_PROFILE names a built-in profile, or a file that changes fields of one', async () => {
  expect(await choose('base', { chainId: 31_337n, version: 'anvil/v1.7.1' })).toEqual(PROFILES['base']);
  const own = await write('{"base": "bnb", "name": "own", "finality": "finalized"}');
  expect(await choose(own)).toEqual({ ...PROFILES['bnb'], name: 'own', finality: 'finalized' });
  const changed = await write('{"maxFeePerGas": "5"}');
  expect(await choose(changed)).toEqual({ ...PROFILES['ethereum'], maxFeePerGas: 5n });
});

test('CONFIRMATIONS is the finality when it is set', async () => {
  expect(await choose('polygon', { confirmations: 9 })).toEqual({ ...PROFILES['polygon'], finality: 9 });
});

test('no batch has more calls than CHAIN_PROFILE says', async () => {
  await using node = await startScriptedNode(answerEach(() => ({ result: '0x1' })));
  await using stack = new AsyncDisposableStack();
  const environment = {
    DATABASE_URL: 'postgresql://127.0.0.1/none',
    RPC_URL: node.url,
    SIGNER_KEY: `0x${'11'.repeat(32)}`,
    CHAIN_PROFILE: await write('{"maxBatchCalls": 3}'),
  };
  const { rpc } = await openChain(readConfig([], environment), null, noopObserver, stack);
  await Promise.all(Array.from({ length: 7 }, () => rpc.call('eth_gasPrice', [])));
  expect(node.requests.slice(-3).map(({ length }) => length)).toEqual([3, 3, 1]);
});

test('a bad CHAIN_PROFILE stops the start with a sentence that names variable and field', async () => {
  await expect(choose('/nowhere/profile.json')).rejects.toThrow(
    /^CHAIN_PROFILE is "\/nowhere\/profile.json", neither a file that can be read nor one of ethereum, sepolia, .*unknown$/,
  );
  const broken = await write('{');
  await expect(choose(broken)).rejects.toThrow(
    `CHAIN_PROFILE names ${broken}, which is no profile: it is no JSON`,
  );
  const wrong = await write('{"stuckMs": "soon"}');
  await expect(choose(wrong)).rejects.toThrow(
    `CHAIN_PROFILE names ${wrong}, which is no profile: the field stuckMs is "soon", not a whole number from 100 to 3600000`,
  );
});
