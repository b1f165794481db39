import { once } from 'node:events';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import express from 'express';
import type { AddressInfo } from 'node:net';
import { createConsole } from '../../src/features/console/pages.ts';
import { startTestService } from '../../lab/stage/service.ts';
import type { TestService } from '../../lab/stage/service.ts';

let mintmark: TestService;

beforeAll(async () => {
  mintmark = await startTestService();
});

afterAll(() => mintmark?.stop());

const open = (where: string, headers: Record<string, string> = {}) =>
  fetch(mintmark.url + where, { headers });

/** What the page loads at once: its script and its styles. */
async function namesOfAssets(): Promise<string[]> {
  const text = await (await open('/console')).text();
  return [...text.matchAll(/(?:src|href)="\.\/(assets\/[^"]+)"/g)].map(([, name]) => name!);
}

describe('the document', () => {
  test.each([
    ['/console', 'console/'],
    ['/console/', './'],
    ['/console/tokens', './'],
    ['/console/tokens/0x5dad7600C5D89fE3824fFa99ec1c3eB8BF3b0501', '../'],
    ['/console/tokens/0x5dad7600C5D89fE3824fFa99ec1c3eB8BF3b0501/mint', '../../'],
  ])('stands at %s, with its folder at %s', async (where, base) => {
    const response = await open(where);
    expect(response.status).toBe(200);
    expect(response.headers.get('Content-Type')).toBe('text/html; charset=utf-8');
    expect(response.headers.get('Cache-Control')).toBe('no-store');
    expect(await response.text()).toContain(`<base href="${base}" />`);
    expect(new URL(base, response.url).pathname).toBe('/console/');
  });

  test('may run its own scripts alone, and carries a new nonce each time', async () => {
    const read = async () => {
      const response = await open('/console');
      const policy = response.headers.get('Content-Security-Policy')!;
      return { policy, nonce: /'nonce-([^']+)'/.exec(policy)![1]!, text: await response.text() };
    };
    const [one, other] = [await read(), await read()];
    expect(one.policy.replace(one.nonce, 'N')).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self' 'nonce-N'; img-src 'self' data:; connect-src 'self'; base-uri 'self'; form-action 'none'; frame-ancestors 'none'",
    );
    expect(one.nonce).not.toBe(other.nonce);
    expect(one.text).toContain(`nonce="${one.nonce}"`);
    expect(one.text).not.toContain('__NONCE__');
  });

  test('may load pictures from the gateway to IPFS that IPFS_GATEWAY names, and says which one it is', async () => {
    expect(await (await open('/console')).text()).toContain('<meta name="ipfs-gateway" content="" />');
    await mintmark.restart({ IPFS_GATEWAY: 'https://ipfs.example/gateway/' });
    const response = await open('/console');
    expect(response.headers.get('Content-Security-Policy')).toContain(
      "img-src 'self' data: https://ipfs.example; connect-src 'self';",
    );
    expect(await response.text()).toContain(
      '<meta name="ipfs-gateway" content="https://ipfs.example/gateway" />',
    );
    await mintmark.restart();
  });

  test('is linked from the first page', async () => {
    const text = await (await open('/', { Accept: 'text/html' })).text();
    expect(text).toContain('href="console"');
  });
});

describe('a file of the build', () => {
  test.each([
    ['br', 'br'],
    ['gzip', 'gzip'],
    ['gzip, deflate, br, zstd', 'br'],
    ['identity', null],
  ])('is served packed to a client that takes %s, and kept for ever', async (accepted, encoding) => {
    const names = await namesOfAssets();
    expect(new Set(names.map((name) => path.extname(name)))).toEqual(new Set(['.css', '.js']));
    let length = 0;
    for (const name of names) {
      const response = await open(`/console/${name}`, { 'Accept-Encoding': accepted });
      expect(response.status).toBe(200);
      expect(response.headers.get('Content-Encoding')).toBe(encoding);
      expect(response.headers.get('Cache-Control')).toBe('public, max-age=31536000, immutable');
      expect(response.headers.get('Vary')).toContain('Accept-Encoding');
      expect(response.headers.get('Content-Type')).toMatch(/^text\/(css|javascript); charset=utf-8$/);
      length += (await response.text()).length;
    }
    expect(length).toBeGreaterThan(300_000);
  });

  test.each(['assets/missing-AAAAAAAA.js', 'assets/..%2findex.html', 'assets/index.js.br', 'assets/'])(
    'that is missing is an unknown path: %s',
    async (name) => {
      const response = await open(`/console/${name}`);
      expect(response.status).toBe(404);
      expect(await response.json()).toMatchObject({ code: 'NOT_FOUND' });
    },
  );

  test('the script that sets the colours is asked for at each visit, since its name never changes', async () => {
    const response = await open('/console/theme.js');
    expect(response.headers.get('Cache-Control')).toBe('no-cache');
    expect(await response.text()).toContain('data-mantine-color-scheme');
  });
});

test('where the console is not built, a page says which command builds it', async () => {
  await using folder = await mkdtempDisposable(path.join(tmpdir(), 'mintmark-console-'));
  const server = express()
    .use(createConsole({ directory: folder.path }))
    .listen(0, '127.0.0.1');
  await using stack = new AsyncDisposableStack();
  stack.defer(() => new Promise<void>((resolve) => void server.close(() => resolve())));
  await once(server, 'listening');
  const response = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/console/tokens`, {
    headers: { Connection: 'close' },
  });
  expect(response.status).toBe(503);
  expect(response.headers.get('Content-Security-Policy')).toContain("default-src 'none'");
  expect(await response.text()).toContain('<code>npm run console:build</code>');
});
