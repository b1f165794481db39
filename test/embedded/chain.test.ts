import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { HDNodeWallet, JsonRpcProvider, Wallet, getCreate2Address, keccak256, parseEther } from 'ethers';
import { once } from 'node:events';
import { request } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { embeddedAccounts, startEmbeddedChain } from '../../src/embedded/chain.ts';
import type { EmbeddedChain } from '../../src/embedded/chain.ts';
import { openProvider } from '../../lab/stage/provider.ts';
import { endHolders, hold, processesWith } from './hold.ts';
import { until } from '../setup/until.ts';

let chain: EmbeddedChain;
let provider: JsonRpcProvider;

const log = () => undefined;

beforeAll(async () => {
  chain = await startEmbeddedChain({ port: 0, log });
  provider = new JsonRpcProvider(chain.url, chain.chainId, { staticNetwork: true, cacheTimeout: -1 });
});

afterAll(async () => {
  provider.destroy();
  await chain.stop();
});

afterEach(endHolders);

/** Processes of the chain that serves a port. */
const chainOn = (port: string) => processesWith(`chain-process.ts {"port":${port},`);

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  return String(port);
}

test('its accounts are the first of the standard mnemonic, and have ether', async () => {
  const phrase = 'test test test test test test test test test test test junk';
  const standard = embeddedAccounts.map((_, index) =>
    HDNodeWallet.fromPhrase(phrase, '', `m/44'/60'/0'/0/${index}`),
  );
  expect(embeddedAccounts).toEqual(standard.map(({ address, privateKey }) => ({ address, privateKey })));
  expect(await provider.getBalance(embeddedAccounts[5].address)).toBe(parseEther('1000000'));
});

test('a transaction is mined at once, and blocks have the real time', async () => {
  const signer = new Wallet(embeddedAccounts[2].privateKey, provider);
  for (let count = 0; count < 5; count += 1) {
    const sent = await signer.sendTransaction({ to: embeddedAccounts[3].address, value: 1n });
    expect((await provider.getTransactionReceipt(sent.hash))?.status).toBe(1);
  }
  const block = await provider.getBlock('latest');
  // Hardhat's clock is behind by what its start takes, and gives each of several blocks in a second a second of its
  // own.
  expect(Math.abs(block!.timestamp - Date.now() / 1_000)).toBeLessThan(60);
  expect(await provider.send('eth_chainId', [])).toBe('0x7a69');
});

test('the deterministic deployer is at its address', async () => {
  const signer = new Wallet(embeddedAccounts[4].privateKey, provider);
  // Returns one byte of code: PUSH1 1, PUSH1 0, RETURN.
  const initcode = '0x60016000f3';
  const salt = `0x${'00'.repeat(31)}2a`;
  const deployer = '0x4e59b44847b379578588920ca78fbf26c0b4956c';
  const sent = await signer.sendTransaction({
    to: deployer,
    data: salt + initcode.slice(2),
    gasLimit: 200_000,
  });
  await sent.wait();
  expect(await provider.getCode(getCreate2Address(deployer, salt, keccak256(initcode)))).toBe('0x00');
});

test('with a block time, a transaction waits for its block', async () => {
  await using slow = await startEmbeddedChain({ port: 0, log, blockTimeSeconds: 600 });
  using slowProvider = openProvider(slow.url);
  const signer = new Wallet(embeddedAccounts[2].privateKey, slowProvider);
  const sent = await signer.sendTransaction({ to: embeddedAccounts[3].address, value: 1n });
  expect(await slowProvider.getTransactionReceipt(sent.hash)).toBeNull();
});

/** Asks for the chain's id with these headers. Returns the status and the headers of the answer. */
async function askWith(headers: Record<string, string>, method = 'POST') {
  const asking = request(chain.url, { method, headers: { 'content-type': 'text/plain', ...headers } });
  asking.end(
    method === 'POST' ? JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_chainId' }) : undefined,
  );
  const [response] = (await once(asking, 'response')) as [IncomingMessage];
  response.resume();
  return { status: response.statusCode, headers: response.headers };
}

test.each([
  ['of another origin', { origin: 'https://evil.example' }],
  ['of another port of this machine', { origin: 'http://127.0.0.1:3000' }],
  ['of no origin', { origin: 'null' }],
  ['that says no origin', { 'sec-fetch-site': 'cross-site' }],
  ['of a site beside', { 'sec-fetch-site': 'same-site' }],
  ['whose own name leads here', { host: 'evil.example:8545' }],
  ['whose own name begins like this machine', { host: '127.0.0.1.evil.example' }],
])('it refuses a page %s', async (_which, headers) => {
  for (const method of ['POST', 'OPTIONS']) {
    const answer = await askWith(headers, method);
    expect(answer.status).toBe(403);
    expect(answer.headers['access-control-allow-origin']).toBeUndefined();
  }
});

test('it answers programs, under any name of this machine', async () => {
  const { host, port } = new URL(chain.url);
  expect((await askWith({ host })).status).toBe(200);
  expect((await askWith({ host: `localhost:${port}` })).status).toBe(200);
  expect((await askWith({ host: `[::1]:${port}` })).status).toBe(200);
});

test('it opens a WebSocket to programs, and to no page', async () => {
  const open = async (headers: Record<string, string>) => {
    const asking = request(chain.url, {
      headers: {
        connection: 'Upgrade',
        upgrade: 'websocket',
        'sec-websocket-version': '13',
        'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
        ...headers,
      },
    }).end();
    const status = await Promise.race([
      once(asking, 'upgrade').then(() => 101),
      once(asking, 'response').then(([response]) => (response as IncomingMessage).statusCode),
    ]);
    asking.destroy();
    return status;
  };
  expect(await open({})).toBe(101);
  expect(await open({ origin: 'https://evil.example' })).toBe(403);
});

test('a port in use fails with one sentence', async () => {
  const { port } = new URL(chain.url);
  await expect(startEmbeddedChain({ port: Number(port), log })).rejects.toThrow(
    new RegExp(`^Port ${port} is taken by another program.*EMBEDDED_CHAIN_PORT`),
  );
});

test('it ends when the service is killed', async () => {
  const port = await freePort();
  const service = await hold(['chain', port]);
  await service.line('url');
  expect(await chainOn(port)).toHaveLength(1);
  await service.kill();
  await until(async () => (await chainOn(port)).length === 0);
});

test('it outlives Ctrl-C until the service stops it', async () => {
  const port = await freePort();
  const service = await hold(['chain', port]);
  const url = await service.line('url');
  service.interruptGroup();
  await service.line('interrupted');
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_blockNumber', params: [] });
  const answer = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
  expect(await answer.json()).toMatchObject({ result: '0x0' });
  service.letGo();
  expect(await service.exit).toEqual([0, null]);
  expect(await chainOn(port)).toEqual([]);
});

test('it reports when it ends by itself', async () => {
  let said = '';
  const mortal = await startEmbeddedChain({ port: 0, log: (message) => void (said = message) });
  process.kill(Number(/\d+/.exec(said)?.[0]), 'SIGKILL');
  expect(await mortal.ended).toContain('The embedded chain has ended');
  await mortal.stop();
});
