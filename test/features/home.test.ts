import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { openChain } from '../setup/chain.ts';
import { openPage, readText } from '../setup/pages.ts';
import { createAsk } from '../../lab/stage/request.ts';
import { startTestService } from '../../lab/stage/service.ts';
import type { TestService } from '../../lab/stage/service.ts';
import { RECIPIENT } from '../../lab/stage/tokens.ts';

const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';

let mintmark: TestService;

beforeAll(async () => {
  mintmark = await startTestService();
});

afterAll(async () => {
  await mintmark?.stop();
});

const get = (path: string, accept: string) => fetch(mintmark.url + path, { headers: { Accept: accept } });

test('the explorer of a new service says that nothing was sent yet', async () => {
  const { text } = await openPage(`${mintmark.url}/explorer`);
  expect(readText(text)).toContain('None yet. The first write to the chain appears here.');
});

describe('/', () => {
  test('a browser gets a page that runs no script and loads nothing', async () => {
    const response = await get('/', BROWSER);
    expect(response.status).toBe(200);
    expect(response.headers.get('Content-Type')).toBe('text/html; charset=utf-8');
    expect(response.headers.get('Vary')).toContain('Accept');
    const policy = response.headers.get('Content-Security-Policy')!;
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toContain('unsafe');
    const text = await response.text();
    const links = [...text.matchAll(/<a [^>]*href="([^"#]+)"/g)].map(([, href]) => href!);
    expect(links).toEqual(expect.arrayContaining(['docs', 'openapi.yaml', 'openapi.json', 'llms.txt']));
    for (const href of links) expect((await fetch(new URL(href, `${mintmark.url}/`))).status).toBe(200);
  });

  test.each(['*/*', 'application/json', 'application/json, text/plain, */*'])(
    'a program that accepts %s gets the answer to every unknown path',
    async (accept) => {
      const response = await get('/', accept);
      expect(response.status).toBe(404);
      expect(await response.json()).toMatchObject({ code: 'NOT_FOUND' });
    },
  );

  test('its first mint works when pasted', async () => {
    const text = await (await get('/', BROWSER)).text();
    const [, markup] = /<pre[^>]*><code>(.*?)<\/code><\/pre>/s.exec(text)!;
    const invite = randomUUID();
    await mintmark.service.context.accounts.ensureInvites([invite]);
    const lines = markup!
      .replaceAll('&quot;', '"')
      .replaceAll('&#39;', "'")
      .replaceAll('&amp;', '&')
      .replace('your-invite-code', invite)
      .replaceAll('alice@example.com', 'first-page@example.com');
    expect(lines).toContain(`API=${mintmark.url}`);
    const { stdout } = await promisify(execFile)('bash', ['-eu', '-c', lines]);
    const [, hash] = /"hash":"(0x[0-9a-f]{64})"/.exec(stdout) ?? [];
    using chain = openChain(mintmark);
    expect((await chain.provider.getTransactionReceipt(hash ?? ''))?.status).toBe(1);
  });
});

describe('for programs', () => {
  test('/openapi.json is /openapi.yaml', async () => {
    const [json, yaml] = await Promise.all([
      get('/openapi.json', '*/*').then((response) => response.json()),
      get('/openapi.yaml', '*/*').then((response) => response.text()),
    ]);
    expect(json).toEqual(parse(yaml));
  });

  test.each(['/openapi.json', '/openapi.yaml', '/docs/openapi.json'])(
    '%s is not sent again to a client that has it',
    async (path) => {
      const first = await get(path, '*/*');
      expect(first.headers.get('Content-Encoding')).toBe('gzip');
      const condition = { 'If-None-Match': first.headers.get('ETag')! };
      const again = await fetch(mintmark.url + path, { headers: condition });
      expect([again.status, await again.text()]).toEqual([304, '']);
    },
  );

  test('/llms.txt names every operation', async () => {
    const response = await get('/llms.txt', '*/*');
    expect(response.headers.get('Content-Type')).toBe('text/plain; charset=utf-8');
    const text = await response.text();
    const { paths } = (await (await get('/openapi.json', '*/*')).json()) as { paths: Record<string, object> };
    const operations = Object.entries(paths).flatMap(([path, item]) =>
      Object.keys(item)
        .filter((method) => method !== 'parameters')
        .map((method) => `\`${method.toUpperCase()} ${path}\``),
    );
    expect(operations.length).toBeGreaterThan(50);
    expect(operations.filter((operation) => !text.includes(operation))).toEqual([]);
    expect(text).toMatch(/^# Mintmark\n\n> /);
  });

  test.each(['/favicon.svg', '/favicon.ico'])('%s is a picture', async (path) => {
    const response = await get(path, 'image/*');
    expect(response.headers.get('Content-Type')).toMatch(/^image\/svg\+xml/);
    expect(await response.text()).toMatch(/^<svg /);
  });
});

test('the explorer says what transactions did, in words', async () => {
  const ask = createAsk(mintmark.url);
  const alice = await mintmark.register();
  const { body } = await ask(alice, 'POST', '/tokens', {
    type: 'ERC721',
    name: 'Harbour <i>Lights',
    symbol: 'HL',
  });
  const { address } = (body as { data: { address: string } }).data;
  const { headers } = await ask(alice, 'POST', `/tokens/${address}/mint`, { owner: RECIPIENT });
  const words = `1 mint of Harbour <i>Lights to ${RECIPIENT.slice(0, 8)}…${RECIPIENT.slice(-6)}`;
  const pages = await Promise.all(
    ['', `/tx/${headers.get('Transaction-Hash')}`].map((path) => openPage(`${mintmark.url}/explorer${path}`)),
  );
  for (const { text } of pages) expect(readText(text)).toContain(words);
  expect(readText(pages[0]!.text)).not.toContain('None yet');
  expect(readText(pages[0]!.text)).toContain('1 deployment of Harbour <i>Lights');
});
