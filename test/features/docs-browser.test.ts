import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { createMintmarkClient } from '../../generated/client.ts';
import { openChain } from '../setup/chain.ts';
import { openChromium } from '../../lab/stage/chromium.ts';
import type { Browser } from '../../lab/stage/chromium.ts';
import { openDocsClient } from '../setup/docs-page.ts';
import type { Changes, DocsClient } from '../setup/docs-page.ts';
import { examplesOf, readDocumented } from '../../lab/stage/documented.ts';
import type { Documented } from '../../lab/stage/documented.ts';
import { waitForStatus } from '../../lab/stage/intents.ts';
import { withoutBlocks } from '../setup/mining.ts';
import { findProgram } from '../../lab/stage/program.ts';
import { startPrefixProxy } from '../setup/prefix-proxy.ts';
import { startReceiver } from '../../lab/stage/receiver.ts';
import type { Receiver } from '../../lab/stage/receiver.ts';
import { startTestService } from '../../lab/stage/service.ts';
import type { TestService } from '../../lab/stage/service.ts';

const chromium = await findProgram('chromium', 'chromium');
const operations = readDocumented();

let mintmark: TestService;

beforeAll(async () => {
  const [account] = examplesOf(findOperation('post /v1/auth/register').requestBody!);
  mintmark = await startTestService({
    // So that the page's own example of an account registers one.
    BOOTSTRAP_INVITES: (account!.value as { inviteCode: string }).inviteCode,
    // One transaction at a time, so that a second write is queued behind the first.
    MAX_IN_FLIGHT: '1',
    WEBHOOK_ALLOW_PRIVATE: 'true',
  });
});

afterAll(async () => {
  await mintmark?.stop();
});

function findOperation(route: string): Documented {
  const found = operations.find(({ method, path }) => `${method} ${path}` === route);
  if (!found) throw new Error(`openapi.yaml has no ${route}`);
  return found;
}

(chromium === null ? describe.skip : describe)('/docs in Chromium', () => {
  let browser: Browser;
  let page: Page;
  let receiver: Receiver;
  let client: DocsClient;

  beforeAll(async () => {
    [browser, receiver] = await Promise.all([openChromium(chromium!), startReceiver()]);
    page = await browser.context.newPage();
  });

  afterAll(async () => {
    await browser?.close();
    await receiver?.stop();
  });

  test('loads the reference on a phone when the button is pressed', async () => {
    const phone = await browser.context.newPage();
    await phone.setViewportSize({ width: 390, height: 844 });
    const isAsked = () => browser.asked.some((url) => url.endsWith('/docs/scalar.js'));
    await phone.goto(`${mintmark.url}/docs`, { waitUntil: 'networkidle' });
    expect(await phone.getByRole('heading', { name: 'Mintmark API' }).isVisible()).toBe(true);
    expect(isAsked()).toBe(false);
    await phone.getByRole('button', { name: /Show every operation/ }).click();
    await phone.getByRole('heading', { name: 'How it works' }).waitFor();
    expect(isAsked()).toBe(true);
    await phone.close();
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

  /** What the service answered with success, by route and example. */
  const answers = new Map<string, unknown>();
  const answered = <Body>(what: string): Body => answers.get(what) as Body;
  const tokenOf = (example: string) => ({
    address: answered<{ data: { address: string } }>(`post /tokens ${example}`).data.address,
  });
  const collection = () => ({ address: answered<{ address: string }>('post /v1/collections').address });
  const idOf = (what: string) => ({ id: answered<{ id: string }>(what).id });

  interface Step {
    /** Method and path, and the name of an example body when it is not the first. */
    what: string;
    /** What must be changed; all else is sent as the page suggests it. */
    change?: () => Changes | Promise<Changes>;
    /** 2xx, and that of the operation, when there is none. */
    status?: number;
  }

  async function take({ what, change = () => ({}), status }: Step): Promise<void> {
    const [method, path, example] = what.split(' ');
    const operation = findOperation(`${method} ${path}`);
    const { body, ...answer } = await client.attempt(operation, { example, ...(await change()) });
    const success = Object.keys(operation.responses).find((each) => each.startsWith('2'));
    expect({ ...answer, body }).toEqual({ status: status ?? Number(success), body });
    expect(Object.keys(operation.responses)).toContain(String(answer.status));
    if (answer.status < 300) answers.set(what, body);
  }

  const story: Step[] = [
    { what: 'get /health' },
    { what: 'get /ready' },
    { what: 'get /openapi.yaml' },
    { what: 'get /network' },
    { what: 'get /v1/auth/me', status: 401 },
    { what: 'post /v1/auth/register' },
    { what: 'post /v1/auth/login' },
    { what: 'get /v1/auth/me' },
    { what: 'post /auth/token' },
    { what: 'post /auth/signin' },
    {
      what: 'get /me',
      change: () => ({ token: answered<{ token: string }>('post /auth/signin').token }),
    },
    { what: 'patch /me' },
    { what: 'get /stats' },
    { what: 'get /stats/gas' },
    { what: 'get /audit', change: () => ({ parameters: { limit: '1' } }) },
    { what: 'post /tokens erc20' },
    { what: 'post /tokens erc721' },
    { what: 'get /tokens' },
    ...[
      'get /tokens/{address}',
      'post /tokens/{address}/mint',
      'post /tokens/{address}/pause',
      'post /tokens/{address}/unpause',
      'post /tokens/{address}/lock-transfers',
      'post /tokens/{address}/unlock-transfers',
      'post /tokens/{address}/freeze',
      'post /tokens/{address}/unfreeze',
      'post /tokens/{address}/approve-account',
      'post /tokens/{address}/unapprove-account',
      'put /tokens/{address}/metadata erc20',
      'get /tokens/{address}/metadata',
      'get /tokens/{address}/metadata/keys',
      'get /tokenURI/{address}',
    ].map((what) => ({ what, change: () => ({ parameters: tokenOf('erc20') }) })),
    ...[
      'post /tokens/{address}/mint erc721',
      'put /tokens/{address}/metadata nft',
      'get /tokenURI/{address}/{tokenId}',
    ].map((what) => ({ what, change: () => ({ parameters: tokenOf('erc721') }) })),
    { what: 'post /tokens bounded' },
    ...[
      'post /tokens/{address}/mint erc721',
      'get /tokens/{address}/limits',
      'get /tokens/{address}/accounts/{account}',
      'post /tokens/{address}/force-transfer erc721',
      'put /tokens/{address}/royalty',
      // Nothing is given up yet, and on a local chain it is so for good at once.
      'delete /tokens/{address}/metadata/freeze',
      'delete /tokens/{address}/renounce-controls',
      'delete /tokens/{address}/close-mint',
      'post /tokens/{address}/metadata/freeze nft',
      'post /tokens/{address}/renounce-controls',
    ].map((what) => ({ what, change: () => ({ parameters: tokenOf('bounded') }) })),
    {
      what: 'put /tokens/{address}/mint-limit',
      // That of the example is higher than the token's.
      change: () => ({ parameters: tokenOf('bounded'), body: { perDay: '100' } }),
    },
    { what: 'post /tokens/{address}/close-mint', change: () => ({ parameters: tokenOf('bounded') }) },
    // The page renders only the visible part of a long list: one entry is visible whole.
    { what: 'get /intents', change: () => ({ parameters: { limit: '1' } }) },
    ...['get /intents/{id}', 'get /intents/{id}/timeline'].map((what) => ({
      what,
      change: () => {
        const [newest] = answered<{ data: { id: string }[] }>('get /intents').data;
        return { parameters: { id: newest!.id } };
      },
    })),
    { what: 'post /metadata/preview' },
    { what: 'post /v1/api-keys' },
    { what: 'get /v1/api-keys' },
    { what: 'delete /v1/api-keys/{id}', change: () => ({ parameters: idOf('post /v1/api-keys') }) },
    { what: 'post /v1/collections' },
    { what: 'get /v1/collections' },
    { what: 'get /v1/billing/credits' },
    ...[
      'post /v1/collections/{address}/mint',
      'post /v1/collections/{address}/mint/batch',
      'put /v1/collections/{address}/metadata',
      'put /v1/collections/{address}/tokens/{tokenId}/metadata',
      'get /v1/collections/{address}',
      'get /v1/collections/{address}/tokens',
    ].map((what) => ({ what, change: () => ({ parameters: collection() }) })),
    // Nothing is sent to the host of the example.
    { what: 'post /v1/webhooks', change: () => ({ body: { url: receiver.urlOf('shop') } }) },
    { what: 'get /v1/webhooks' },
    ...[
      'get /v1/webhooks/{id}',
      'post /v1/webhooks/{id}/test',
      'get /v1/webhooks/{id}/deliveries',
      'post /v1/webhooks/{id}/rotate-secret',
    ].map((what) => ({ what, change: () => ({ parameters: idOf('post /v1/webhooks') }) })),
    {
      what: 'post /v1/webhooks/{id}/deliveries/{deliveryId}/replay',
      change: () => ({
        parameters: {
          ...idOf('post /v1/webhooks'),
          deliveryId: idOf('post /v1/webhooks/{id}/test').id,
        },
      }),
    },
    {
      what: 'patch /v1/webhooks/{id}',
      change: async () => {
        await receiver.waitForMessages(2);
        return { parameters: idOf('post /v1/webhooks') };
      },
    },
    { what: 'delete /v1/webhooks/{id}', change: () => ({ parameters: idOf('post /v1/webhooks') }) },
  ];

  test('opens its request client', async () => {
    client = await openDocsClient(page, mintmark.url, findOperation('get /health'));
  });

  test.each(story.map((step) => [step.what, step.status ?? 'success', step] as const))(
    'tries %s: %s',
    (_what, _status, step) => take(step),
  );

  test('tries to cancel a queued write', async () => {
    using chain = openChain(mintmark);
    const { token } = answered<{ token: string }>('post /auth/signin');
    const api = createMintmarkClient({ baseUrl: mintmark.url, token });
    const mint: Step = {
      what: 'post /tokens/{address}/mint',
      change: () => ({ parameters: { ...tokenOf('erc20'), Prefer: 'respond-async' } }),
      status: 202,
    };
    const begin = async (): Promise<string> => {
      await take(mint);
      return answered<{ intent: { id: string } }>(mint.what).intent.id;
    };
    await withoutBlocks(chain, async () => {
      await waitForStatus({ api }, await begin(), 'submitted');
      const id = await begin();
      await take({ what: 'post /intents/{id}/cancel', change: () => ({ parameters: { id } }) });
    });
  });

  // Each of these ends a credential that the next one does not need.
  test.each(['delete /auth/token', 'post /v1/auth/password', 'post /v1/auth/logout'])(
    'tries %s last',
    (what) => take({ what }),
  );

  test('tried every operation of openapi.yaml', () => {
    const tried = [...answers.keys()].map((what) => what.split(' ', 2).join(' '));
    const all = operations.map(({ method, path }) => `${method} ${path}`);
    expect(all.filter((route) => !tried.includes(route))).toEqual([]);
  });

  test('keeps no secret in the browser but the cookie, which no script can read', async () => {
    const kept = await page.evaluate<string>(
      'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])',
    );
    expect(kept).not.toMatch(/mt[aks]_|service_session|whsec_|correct horse/);
  });

  test('also works under a host name and a path prefix that the service does not know', async () => {
    await using proxy = await startPrefixProxy(mintmark.url, '/mint');
    const health = findOperation('get /health');
    const proxied = await openDocsClient(page, proxy.url, health);
    expect(await proxied.attempt(health)).toEqual({ status: 200, body: { ok: true } });
    expect(browser.asked.at(-1)).toBe(`${proxy.url}/health`);
  });

  // Last, so that it checks all of the above.
  test('sent requests to the service only, and broke no content security policy', () => {
    expect(browser.asked.length).toBeGreaterThan(15);
    const hosts = new Set(browser.asked.map((url) => new URL(url).hostname));
    expect([...hosts].sort()).toEqual(['127.0.0.1', 'localhost']);
    expect(browser.complaints).toEqual([]);
  });

  test('the check detects a request to another host', async () => {
    await page.evaluate(() => fetch('https://fonts.example/inter.woff2').catch(() => undefined));
    expect(browser.complaints.join()).toContain('https://fonts.example/inter.woff2');
  });
});
