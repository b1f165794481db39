import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { getAddress } from 'ethers';
import { html, page } from '../../src/features/explorer/html.ts';
import { openChain } from '../setup/chain.ts';
import { waitForStatus } from '../setup/intents.ts';
import { makeRevert, withoutBlocks } from '../setup/mining.ts';
import { startTestService } from '../setup/service.ts';
import type { TestAccount, TestService } from '../setup/service.ts';
import { RECIPIENT, deployToken, requestMint } from '../setup/tokens.ts';

const HOSTILE = '<script>alert(1)</script>';

let mintmark: TestService;
let chain: ReturnType<typeof openChain>;
let alice: TestAccount;

beforeAll(async () => {
  mintmark = await startTestService();
  chain = openChain(mintmark);
  alice = await mintmark.register();
});

afterAll(async () => {
  chain?.close();
  await mintmark?.stop();
});

const open = async (path: string) => {
  const response = await fetch(mintmark.url + path);
  return { status: response.status, headers: response.headers, text: await response.text() };
};
/** Names and values of the page's first table, without markup. */
const readTable = (text: string): Record<string, string> =>
  Object.fromEntries(
    [...text.matchAll(/<th>(.*?)<\/th>\s*<td>(.*?)<\/td>/gs)].map(([, name, value]) => [
      name!,
      value!
        .replaceAll(/<[^>]+>/g, '')
        .replaceAll(/\s+/g, ' ')
        .trim(),
    ]),
  );

describe('/explorer/tx/{hash}', () => {
  test('shows the transaction that carried a mint, where the answer links to', async () => {
    const coin = await deployToken(alice);
    const minted = await requestMint(alice, coin);
    const hash = minted.headers.get('Transaction-Hash')!;
    const link = /^<(.+)>/.exec(minted.headers.get('Link')!)![1]!;
    expect(link).toBe(`${mintmark.url}/explorer/tx/${hash}`);

    const { status, headers, text } = await open(new URL(link).pathname);
    expect(status).toBe(200);
    expect(headers.get('Content-Type')).toBe('text/html; charset=utf-8');
    const receipt = (await chain.provider.getTransactionReceipt(hash))!;
    const transaction = (await chain.provider.getTransaction(hash))!;
    expect(readTable(text)).toMatchObject({
      Hash: hash,
      Status: 'mined',
      Block: String(receipt.blockNumber),
      From: transaction.from,
      To: expect.stringContaining(transaction.to!),
      Nonce: String(transaction.nonce),
      'Gas used': String(receipt.gasUsed),
    });
    expect(readTable(text)['To']).toMatch(/Operator$/);
    expect(text).toContain('One intent');
    expect(text).toMatch(/<td>\d+<\/td>\s*<td>done<\/td>/);
  });

  test('shows each intent of a shared transaction, and the reason of the one that failed, escaped', async () => {
    const art = await deployToken(alice, 'ERC721');
    const receiver = getAddress(`0x${randomBytes(20).toString('hex')}`);
    let hash = '';
    await withoutBlocks(chain, async (mine) => {
      // The first mint goes alone; the two that wait behind it share the next transaction.
      await requestMint(alice, art, { amount: null, prefer: 'respond-async' });
      const shared = await Promise.all(
        [RECIPIENT, receiver].map((owner) =>
          requestMint(alice, art, { owner, amount: null, prefer: 'respond-async' }),
        ),
      );
      const submitted = await waitForStatus(alice, shared[1]!.intentId!, 'submitted');
      hash = submitted.transaction!.hash;
      const waiting = await open(`/explorer/tx/${hash}`);
      expect(waiting.status).toBe(200);
      expect(readTable(waiting.text)).toMatchObject({
        Hash: hash,
        Status: 'waiting for a block',
        Block: 'none yet',
      });
      await makeRevert(chain, receiver, HOSTILE);
      await mine();
      await waitForStatus(alice, shared[1]!.intentId!, 'failed');
    });
    const { text } = await open(`/explorer/tx/${hash}`);
    expect(text).toMatch(/(One intent|\d+ intents)/);
    expect(text).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
    expect(text).not.toContain('<script');
  });

  test('takes a hash in upper case', async () => {
    const hash = (await requestMint(alice, await deployToken(alice))).headers.get('Transaction-Hash')!;
    const { status, text } = await open(`/explorer/tx/0x${hash.slice(2).toUpperCase()}`);
    expect(status).toBe(200);
    expect(readTable(text)['Hash']).toBe(hash);
  });

  test('an unknown hash is 404, on a page', async () => {
    const hash = `0x${'ab'.repeat(32)}`;
    const { status, headers, text } = await open(`/explorer/tx/${hash}`);
    expect(status).toBe(404);
    expect(headers.get('Content-Type')).toBe('text/html; charset=utf-8');
    expect(text).toContain(hash);
    expect(text).toContain('Transaction not found');
  });

  test.each(['0x12', `0x${'g'.repeat(64)}`, `0x${'a'.repeat(65)}`, 'latest', '%00', '1%20or%201'])(
    'what is no hash is 404, on a page: %s',
    async (hash) => {
      const { status, headers, text } = await open(`/explorer/tx/${hash}`);
      expect(status).toBe(404);
      expect(headers.get('Content-Type')).toBe('text/html; charset=utf-8');
      expect(text).toContain('Not a transaction hash');
    },
  );

  test.each([HOSTILE, '"><img src=x onerror=alert(1)>', `0x${'a'.repeat(64)}<svg onload=alert(1)>`])(
    'nothing of a hostile hash becomes markup: %s',
    async (hash) => {
      const { status, text } = await open(`/explorer/tx/${encodeURIComponent(hash)}`);
      expect(status).toBe(404);
      expect(text).not.toMatch(/<(script|img|svg)/);
    },
  );

  test('needs no credential, lets nothing run and is not kept', async () => {
    const { headers } = await open(`/explorer/tx/0x${'ab'.repeat(32)}`);
    expect(headers.get('Content-Security-Policy')).toContain("script-src 'self'");
    expect(headers.get('X-Content-Type-Options')).toBe('nosniff');
    expect(headers.get('Cache-Control')).toBe('no-store');
  });

  test('/explorer itself says where to look', async () => {
    const { status, text } = await open('/explorer');
    expect(status).toBe(200);
    expect(text).toContain('/explorer/tx/');
  });
});

describe('html', () => {
  test('escapes every value, in text and in attributes', () => {
    const value = `<b title="x" class='y'>&amp;</b>`;
    expect(String(html`<p title="${value}">${value}</p>`)).toBe(
      '<p title="&lt;b title=&quot;x&quot; class=&#39;y&#39;&gt;&amp;amp;&lt;/b&gt;">' +
        '&lt;b title=&quot;x&quot; class=&#39;y&#39;&gt;&amp;amp;&lt;/b&gt;</p>',
    );
  });

  test('takes markup of its own as it is, alone and in lists', () => {
    const items = ['<1>', '2'].map((item) => html`<li>${item}</li>`);
    expect(String(html`${items}|${html`<hr />`}|${3}|${4n}`)).toBe('<li>&lt;1&gt;</li><li>2</li>|<hr />|3|4');
  });

  test('escapes the title of a page', () => {
    expect(String(page(HOSTILE, html`x`))).not.toContain(HOSTILE);
  });
});
