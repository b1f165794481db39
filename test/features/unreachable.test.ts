import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startRpcProxy } from '../../lab/proxies/rpc-proxy.ts';
import type { Fault, RpcProxy } from '../../lab/proxies/rpc-proxy.ts';
import { createAsk } from '../../lab/stage/request.ts';
import type { Ask } from '../../lab/stage/request.ts';
import { startTestService } from '../../lab/stage/service.ts';
import type { TestAccount, TestService } from '../../lab/stage/service.ts';
import { RECIPIENT, deployToken, requestMint } from '../../lab/stage/tokens.ts';

let mintmark: TestService;
let proxy: RpcProxy;
let ask: Ask;
let alice: TestAccount;
let coin: string;
let art: string;
let fault: Fault | null = null;

beforeAll(async () => {
  mintmark = await startTestService();
  proxy = await startRpcProxy({ target: mintmark.chain.url, faultFor: () => fault });
  await mintmark.restart({ RPC_URL: proxy.url });
  ask = createAsk(mintmark.url);
  alice = await mintmark.register();
  [coin, art] = await Promise.all([deployToken(alice), deployToken(alice, 'ERC721')]);
  await requestMint(alice, art, { amount: null });
});

afterAll(async () => {
  fault = null;
  await mintmark?.stop();
  await proxy?.stop();
});

describe('while the chain is unreachable', () => {
  const READS = [
    ['/tokens/{address}', () => `/tokens/${coin}`],
    ['/tokens/{address}/metadata', () => `/tokens/${coin}/metadata`],
    ['/tokens/{address}/metadata/keys', () => `/tokens/${coin}/metadata/keys`],
    ['/tokens/{address}/limits', () => `/tokens/${coin}/limits`],
    ['/tokens/{address}/accounts/{account}', () => `/tokens/${coin}/accounts/${RECIPIENT}`],
    ['/tokenURI/{address}', () => `/tokenURI/${coin}`],
    ['/tokenURI/{address}/{tokenId}', () => `/tokenURI/${art}/1`],
  ] as const;

  test.each(READS)('GET %s is 502 CHAIN_ERROR, and 200 once it is reachable again', async (_path, path) => {
    for (const kind of ['drop', 'error-500', 'error-429'] as const) {
      fault = kind;
      // Longer than the latest block is cached.
      await new Promise((resolve) => setTimeout(resolve, 300));
      expect(await ask(alice, 'GET', path())).toMatchObject({ status: 502, body: { code: 'CHAIN_ERROR' } });
      fault = null;
      expect((await ask(alice, 'GET', path())).status).toBe(200);
    }
  });

  test('a preview of metadata is 502 CHAIN_ERROR, and 200 once it is reachable again', async () => {
    const preview = () => ask(alice, 'POST', '/metadata/preview', { name: 'Art', symbol: 'A', tokenId: '1' });
    fault = 'drop';
    expect(await preview()).toMatchObject({ status: 502, body: { code: 'CHAIN_ERROR' } });
    fault = null;
    expect((await preview()).status).toBe(200);
  });

  test('a control is accepted, and takes effect once the chain is reachable again', async () => {
    fault = 'drop';
    const accepted = await ask(alice, 'POST', `/tokens/${coin}/pause`, undefined, {
      Prefer: 'respond-async',
    });
    expect(accepted.status).toBe(202);
    fault = null;
    const pause = await ask(alice, 'POST', `/tokens/${coin}/pause`);
    expect(pause.status).toBe(200);
    expect((await ask(alice, 'GET', `/tokens/${coin}`)).body).toMatchObject({ paused: true });
  });
});

test('a chain that accepts calls and never answers is unreachable', async () => {
  proxy.options.before = () => new Promise(() => undefined);
  const startedAt = performance.now();
  const { status, body } = await requestMint(alice, coin);
  const seconds = (performance.now() - startedAt) / 1_000;
  proxy.options.before = () => undefined;
  expect({ status, body }).toMatchObject({ status: 502, body: { code: 'CHAIN_ERROR' } });
  process.stdout.write(`a mint on a silent chain: 502 after ${seconds.toFixed(1)} s\n`);
  expect(seconds).toBeGreaterThan(10);
  expect(seconds).toBeLessThan(40);
});
