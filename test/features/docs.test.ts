import { once } from 'node:events';
import { createServer, request as forward } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { parse } from 'yaml';
import { until } from '../embedded/hold.ts';
import { openChromium } from '../setup/chromium.ts';
import type { Browser } from '../setup/chromium.ts';
import { readContractText } from '../setup/contract-coverage.ts';
import { findProgram } from '../setup/program.ts';
import { startTestService } from '../setup/service.ts';
import type { TestAccount, TestService } from '../setup/service.ts';

const chromium = await findProgram('chromium', 'chromium');

let mintmark: TestService;
let alice: TestAccount;

beforeAll(async () => {
  mintmark = await startTestService();
  alice = await mintmark.register();
});

afterAll(async () => {
  await mintmark?.stop();
});

const { paths } = parse(readContractText()) as {
  paths: Record<string, Record<string, { operationId?: string; summary: string; tags: [string] }>>;
};
const operations = Object.entries(paths).flatMap(([path, item]) =>
  Object.entries(item).flatMap(([method, { operationId, summary, tags }]) =>
    operationId === undefined ? [] : [{ route: `${method} ${path}`, summary, tag: tags[0] }],
  ),
);

/** JSON without what only makes it readable. */
const compact = (json: string): string => json.replaceAll(/\s+/g, '');

/** Opens an operation in the page's own client, as a reader does. */
async function openOperation(page: Page, url: string, route: string) {
  const { tag } = operations.find((operation) => operation.route === route)!;
  const [method, path] = route.split(' ') as [string, string];
  await page.goto(`${url}/docs#tag/${tag}/${method.toUpperCase()}${path}`);
  await page.getByRole('button', { name: `Test Request (${route})`, exact: true }).click();
  const dialog = page.getByRole('dialog');
  return {
    dialog,
    authenticate: async (token: string) => {
      const field = dialog.getByPlaceholder('Token');
      const section = dialog.getByRole('button', { name: /^Authentication/ });
      await section.waitFor();
      if (!(await field.isVisible())) await section.click();
      await field.fill(token);
    },
    write: async (body: unknown) => {
      const editor = dialog.locator('.cm-content[data-language=json][contenteditable=true]');
      await editor.fill(JSON.stringify(body));
    },
    /** What the service answered, once the page shows just that. */
    send: async (): Promise<{ status: number; body: unknown }> => {
      const answered = page.waitForResponse(
        (response) => response.request().method() === method.toUpperCase(),
      );
      await dialog.getByRole('button', { name: /^Send/ }).first().click();
      const response = await answered;
      const body = (await response.json()) as unknown;
      await dialog.getByText(new RegExp(`^${response.status()} `)).waitFor();
      await dialog.getByRole('button', { name: 'Raw' }).last().click();
      const shown = dialog.locator('.scalar-code-block, .cm-content').last();
      await until(async () => compact(await shown.innerText()) === compact(await response.text()));
      await page.keyboard.press('Escape');
      await dialog.waitFor({ state: 'hidden' });
      return { status: response.status(), body };
    },
  };
}

(chromium === null ? describe.skip : describe)('/docs in Chromium', () => {
  let browser: Browser;
  let page: Page;

  beforeAll(async () => {
    browser = await openChromium(chromium!);
    page = await browser.context.newPage();
  });

  afterAll(async () => {
    await browser?.close();
  });

  test('lists every operation of openapi.yaml', async () => {
    await page.goto(`${mintmark.url}/docs`);
    const closed = page.getByRole('button', { name: /^Open Group/ });
    await closed.first().waitFor();
    while ((await closed.count()) > 0) await closed.first().click();
    const lines = (await page.locator('body').innerText()).split('\n');
    expect(operations.map(({ summary }) => summary).filter((summary) => !lines.includes(summary))).toEqual(
      [],
    );
  });

  test('tries a public operation', async () => {
    const health = await openOperation(page, mintmark.url, 'get /health');
    expect(await health.send()).toEqual({ status: 200, body: { ok: true } });
  });

  test('tries operations with an access token, as documented and more than once', async () => {
    for (let deployed = 0; deployed < 2; deployed += 1) {
      const deploy = await openOperation(page, mintmark.url, 'post /tokens');
      await deploy.authenticate(alice.token);
      const { status, body } = await deploy.send();
      expect(status).toBe(200);
      const { address } = (body as { data: { address: string } }).data;
      const { data } = await alice.api.GET('/tokens/{address}', { params: { path: { address } } });
      expect(data).toMatchObject({ address, name: 'Alice Coin', creator: alice.email });
    }
    // The token of one operation is that of all which take one.
    const list = await openOperation(page, mintmark.url, 'get /tokens');
    const { status, body } = await list.send();
    expect(status).toBe(200);
    expect((body as { data: unknown[] }).data).toHaveLength(2);
  });

  test('tries operations with the session cookie that the browser keeps', async () => {
    const without = await openOperation(page, mintmark.url, 'get /v1/auth/me');
    expect(await without.send()).toMatchObject({
      status: 401,
      body: { code: 'UNAUTHORIZED' },
    });

    const login = await openOperation(page, mintmark.url, 'post /v1/auth/login');
    await login.write({ email: alice.email, password: alice.password });
    expect((await login.send()).status).toBe(200);
    const session = await openOperation(page, mintmark.url, 'get /v1/auth/me');
    expect(await session.send()).toMatchObject({ status: 200, body: { email: alice.email } });
    const collection = await openOperation(page, mintmark.url, 'post /v1/collections');
    expect(await collection.send()).toMatchObject({
      status: 201,
      body: { name: 'Harbour Lights' },
    });
  });

  test('tries operations under another name and another path than the service knows of', async () => {
    await using proxy = await startProxy(mintmark.url, '/mint');
    const health = await openOperation(page, proxy.url, 'get /health');
    expect(await health.send()).toEqual({ status: 200, body: { ok: true } });
    expect(browser.asked.at(-1)).toBe(`${proxy.url}/health`);
  });

  // Last, so that it judges all of the above.
  test('asked nobody but the service, and wanted nothing that its policy forbids', () => {
    expect(browser.asked.length).toBeGreaterThan(15);
    const hosts = new Set(browser.asked.map((url) => new URL(url).hostname));
    expect([...hosts].sort()).toEqual(['127.0.0.1', 'localhost']);
    expect(browser.complaints).toEqual([]);
  });

  test('would have told of a foreign request', async () => {
    await page.evaluate(() => fetch('https://fonts.example/inter.woff2').catch(() => undefined));
    expect(browser.complaints.join()).toContain('https://fonts.example/inter.woff2');
  });
});

describe('/docs', () => {
  test('lets the page talk to the service alone', async () => {
    const { headers } = await fetch(`${mintmark.url}/docs`);
    expect(headers.get('Content-Type')).toBe('text/html; charset=utf-8');
    expect(headers.get('Content-Security-Policy')!.split('; ')).toEqual([
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'unsafe-inline'",
      "img-src 'self' data:",
      "connect-src 'self'",
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
    ]);
    expect(headers.get('X-Content-Type-Options')).toBe('nosniff');
  });

  test('sends whoever adds a slash to where its links lead right', async () => {
    const { status, headers } = await fetch(`${mintmark.url}/docs/`, { redirect: 'manual' });
    expect(status).toBe(308);
    expect(headers.get('Location')).toBe('../docs');
  });

  test('serves the same script packed and unpacked', async () => {
    const load = async (encoding: string) => {
      const response = await fetch(`${mintmark.url}/docs/scalar.js`, {
        headers: { 'Accept-Encoding': encoding },
      });
      return { encoding: response.headers.get('Content-Encoding'), text: await response.text() };
    };
    const [packed, plain] = await Promise.all([load('gzip'), load('identity')]);
    expect([packed.encoding, plain.encoding]).toEqual(['gzip', null]);
    expect(packed.text.length).toBeGreaterThan(1_000_000);
    expect(packed.text === plain.text).toBe(true);
  });

  test('leaves optional parameters empty, and everything else as in openapi.yaml', async () => {
    const served = (await (await fetch(`${mintmark.url}/docs/openapi.json`)).json()) as typeof document;
    const document = parse(readContractText()) as {
      info: { description: string };
      components: { parameters: Record<string, { required: boolean; example: unknown }> };
    };
    const { IdempotencyKey, TokenAddress } = served.components.parameters;
    expect(IdempotencyKey!.example).toBe('');
    expect(TokenAddress!.example).toMatch(/^0x/);
    expect(served.info.description).toContain('(openapi.yaml)');
    for (const parameter of Object.values(document.components.parameters)) {
      if (!parameter.required) parameter.example = '';
    }
    expect({ ...served, info: null }).toEqual({ ...document, info: null });
  });
});

/** A reverse proxy with a name and a path of its own, which it takes away before the service sees it. */
async function startProxy(target: string, prefix: string) {
  const server = createServer((incoming, outgoing) => {
    const { method, headers, url } = incoming;
    const upstream = forward(target + url!.slice(prefix.length), { method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode!, answer.headers);
      answer.pipe(outgoing);
    });
    incoming.pipe(upstream);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://localhost:${(server.address() as AddressInfo).port}${prefix}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
