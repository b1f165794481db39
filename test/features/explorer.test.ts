import { randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Wallet, getAddress, keccak256 } from 'ethers';
import { createRpc } from '../../src/chain/rpc/rpc.ts';
import { query } from '../../src/db/client.ts';
import { embeddedAccounts } from '../../src/embedded/accounts.ts';
import type { Hex } from '../../src/lib/hex.ts';
import { readTransaction } from '../../src/features/explorer/read-transaction.ts';
import { startRpcProxy } from '../../lab/proxies/rpc-proxy.ts';
import type { Fault, RpcProxy } from '../../lab/proxies/rpc-proxy.ts';
import { openChain } from '../setup/chain.ts';
import { createCollection, createKey, requestBatch } from '../../lab/stage/collections.ts';
import { waitForStatus } from '../../lab/stage/intents.ts';
import { makeRevert, withoutBlocks } from '../setup/mining.ts';
import { openPage, readText } from '../setup/pages.ts';
import type { TestPage } from '../setup/pages.ts';
import { createAsk } from '../../lab/stage/request.ts';
import { startTestService } from '../../lab/stage/service.ts';
import type { TestAccount, TestService } from '../../lab/stage/service.ts';
import { RECIPIENT, deployToken, requestErc20, requestMint } from '../../lab/stage/tokens.ts';

const HOSTILE = '<script>alert(1)</script>';

let mintmark: TestService;
let proxy: RpcProxy;
let chain: ReturnType<typeof openChain>;
let alice: TestAccount;
let faultOf: (method: string) => Fault | null = () => null;
/** What a call waits for before the node gets it. */
let hold: (method: string, params: unknown[]) => Promise<unknown> | undefined = () => undefined;
/** What no page may show. */
const secrets: string[] = [];

beforeAll(async () => {
  mintmark = await startTestService();
  proxy = await startRpcProxy({
    target: mintmark.chain.url,
    faultFor: (method) => faultOf(method),
    before: (method, params) => hold(method, params),
  });
  await mintmark.restart({ RPC_URL: proxy.url });
  chain = openChain(mintmark);
  alice = await mintmark.register();
  keep(alice.email, alice.id, alice.token);
});

afterAll(async () => {
  faultOf = () => null;
  chain?.close();
  await mintmark?.stop();
  await proxy?.stop();
});

/** Calldata holds ids without their dashes. */
function keep(...values: string[]): void {
  secrets.push(...values.flatMap((value) => [value, value.replaceAll('-', '')]));
}

/** Opens a page, and checks that it shows nothing of accounts and escapes markup. */
async function open(path: string): Promise<TestPage> {
  const page = await openPage(mintmark.url + path);
  // Shows why: the page says only that something went wrong.
  if (page.status === 500) expect(mintmark.errors).toEqual([]);
  for (const secret of secrets) expect(page.text.toLowerCase()).not.toContain(secret.toLowerCase());
  expect(page.text).not.toMatch(/<(script|iframe|object|embed|link rel="stylesheet")/i);
  return page;
}

const camelCase = (words: string): string =>
  words.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase());

const hashOf = ({ headers }: { headers: Headers }): string => headers.get('Transaction-Hash')!;

describe('/explorer/tx/{hash}', () => {
  test('shows the transaction of a mint at the URL of the Link header', async () => {
    const coin = await deployToken(alice);
    const minted = await requestMint(alice, coin, { amount: '1500000000000000000' });
    keep(minted.intentId!);
    const hash = hashOf(minted);
    const link = /^<(.+)>/.exec(minted.headers.get('Link')!)![1]!;
    expect(link).toBe(`${mintmark.url}/explorer/tx/${hash}`);

    const { status, headers, facts, cards } = await open(new URL(link).pathname);
    expect(status).toBe(200);
    expect(headers.get('Content-Type')).toBe('text/html; charset=utf-8');
    const receipt = (await chain.provider.getTransactionReceipt(hash))!;
    const transaction = (await chain.provider.getTransaction(hash))!;
    const block = (await chain.provider.getBlock(receipt.blockNumber))!;
    const inEnglish = (value: bigint): string => value.toLocaleString('en');
    expect(facts).toMatchObject({
      Hash: hash,
      Status: 'mined',
      Block: expect.stringMatching(new RegExp(`^${receipt.blockNumber} \\((1 confirmation|final)\\)$`)),
      Time: `${new Date(block.timestamp * 1_000).toISOString().slice(0, 19).replace('T', ' ')} UTC`,
      From: transaction.from,
      To: `Operator ${transaction.to}`,
      Nonce: String(transaction.nonce),
      'Gas used': `${inEnglish(receipt.gasUsed)} of ${inEnglish(transaction.gasLimit)}`,
    });
    expect(facts['Fee']).toMatch(/^0\.000\d+ ether$/);
    expect(cards).toEqual([
      expect.stringMatching(
        new RegExp(
          `^mint on Coin done Intent \\d+ of epoch 1, at most [\\d,]+ gas to ${RECIPIENT} amount 1\\.5 C ` +
            `Events Transfer from nobody \\(the zero address\\) to ${RECIPIENT} value 1\\.5 C$`,
        ),
      ),
    ]);
  });

  test('a deployment shows the new contract, and nothing about the account', async () => {
    const deployed = await requestErc20(alice, { name: 'Amber & Co', key: 'order-17-of-alice' });
    keep(deployed.intentId!, 'order-17-of-alice');
    const { address } = (deployed.body as { data: { address: string } }).data;
    const { text, cards } = await open(`/explorer/tx/${hashOf(deployed)}`);
    expect(cards[0]).toMatch(/^createToken on TokenFactory done .* name Amber & Co symbol C decimals 18/);
    expect(cards[0]).toContain(`TokenCreated token Amber & Co ${address} owner Operator `);
    expect(text).toContain('Amber &amp; Co');
  });

  test('shows each call of a shared transaction, and the reason of the one that failed, escaped', async () => {
    const art = await deployToken(alice, 'ERC721');
    const receiver = getAddress(`0x${randomBytes(20).toString('hex')}`);
    // It takes tokens until they are sent: push4 selector push1 224 shl push0 mstore push1 32 push0 return.
    await chain.provider.send('hardhat_setCode', [receiver, '0x63150b7a0260e01b5f5260205ff3']);
    const hashes: string[] = [];
    await withoutBlocks(chain, async (mine) => {
      // The first mint goes alone; those that wait behind it share the next transaction.
      await requestMint(alice, art, { amount: null, prefer: 'respond-async' });
      const shared = await Promise.all(
        [RECIPIENT, receiver].map((owner) =>
          requestMint(alice, art, { owner, amount: null, prefer: 'respond-async' }),
        ),
      );
      for (const { intentId } of shared) {
        const submitted = await waitForStatus(alice, intentId!, 'submitted');
        hashes.push(submitted.transaction!.hash);
      }
      const waiting = await open(`/explorer/tx/${hashes[1]}`);
      expect(waiting.status).toBe(200);
      expect(waiting.facts).toMatchObject({
        Hash: hashes[1],
        Status: 'waiting for a block',
        Block: 'none yet',
      });
      expect(waiting.cards).not.toEqual([]);
      for (const card of waiting.cards) expect(card).toContain('no verdict yet');
      await makeRevert(chain, receiver, HOSTILE);
      await mine();
      await waitForStatus(alice, shared[1]!.intentId!, 'failed');
    });
    const pages = [await open(`/explorer/tx/${hashes[0]}`), await open(`/explorer/tx/${hashes[1]}`)];
    expect(pages[1]!.text).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
    const done = pages[0]!.cards.find((card) => card.includes(RECIPIENT));
    expect(done).toMatch(/^mintNext on Art done .* to 0x/);
    // Of plain mints that share a transaction one event tells all, so that theirs stand together below.
    expect(pages[0]!.text).toContain('<strong>Transfer</strong>');
    const failed = pages[1]!.cards.find((card) => card.includes(receiver));
    expect(failed).toMatch(
      /^mintNext on Art failed .* Reason ReceiverRefused to 0x\w+ error reason <script>alert\(1\)<\/script>$/i,
    );
  });

  test('shows metadata key by key, and the first items of a long batch', async () => {
    const { api } = await createKey(mintmark, alice);
    const lights = await createCollection(api);
    const metadata = { name: 'Pier', description: 'A pier.', attributes: { [HOSTILE]: 'x', level: 7 } };
    const batch = await requestBatch(
      api,
      lights,
      Array.from({ length: 30 }, (_, index) => ({ to: RECIPIENT, ...(index === 0 ? { metadata } : {}) })),
    );
    expect(batch.status).toBe(201);
    const { transaction } = batch.body as { data: { transaction: { hash: string } }[] } & {
      transaction: { hash: string };
    };
    const { cards } = await open(`/explorer/tx/${transaction.hash}`);
    expect(cards).toHaveLength(1);
    expect(cards[0]).toMatch(/^mintBatch on Harbour Lights done/);
    expect(cards[0]).toContain('name: Pier');
    expect(cards[0]).toContain('level: 7 (number)');
    expect(cards[0]).toContain(`${HOSTILE}: x`);
    expect(cards[0]).toContain('and 5 more');
    expect(cards[0]).toMatch(/and \d+ more events$/);
  });

  test('every write that sends a transaction links to a page that names the call', async () => {
    const ask = createAsk(mintmark.url);
    const { key: token } = await createKey(mintmark, alice);
    const account = { account: getAddress(`0x${randomBytes(20).toString('hex')}`) };
    const layout = { name: 'A', description: 'B' };
    let [coin, art, lights] = ['', '', ''];
    const erc20 = { type: 'ERC20', name: 'Coin', symbol: 'C', isPermissionless: false };
    const erc721 = { type: 'ERC721', name: 'Art', symbol: 'A' };
    type Write = [title: string, write: () => [method: 'POST' | 'PUT', path: string, body?: unknown]];
    const writes: Write[] = [
      ['createToken on TokenFactory', () => ['POST', '/tokens', erc20]],
      ['createCollection on CollectionFactory', () => ['POST', '/tokens', erc721]],
      [
        'createCollection on CollectionFactory',
        () => ['POST', '/v1/collections', { name: 'Lights', symbol: 'L' }],
      ],
      ...['approve-account', 'unapprove-account', 'freeze', 'unfreeze'].map((control): Write => [
        `${camelCase(control)} on Coin`,
        () => ['POST', `/tokens/${coin}/${control}`, account],
      ]),
      ...['lock-transfers', 'unlock-transfers', 'pause', 'unpause'].map((control): Write => [
        `${camelCase(control)} on Coin`,
        () => ['POST', `/tokens/${coin}/${control}`],
      ]),
      ['setContractMetadata on Coin', () => ['PUT', `/tokens/${coin}/metadata`, layout]],
      ['mintNext on Art', () => ['POST', `/tokens/${art}/mint`, { owner: RECIPIENT }]],
      ['setMetadata on Art', () => ['PUT', `/tokens/${art}/metadata`, { ...layout, tokenId: '1' }]],
      ['mintNext on Lights', () => ['POST', `/v1/collections/${lights}/mint`, { to: RECIPIENT }]],
      [
        'mintWithMetadata on Lights',
        () => ['POST', `/v1/collections/${lights}/mint`, { to: RECIPIENT, metadata: layout }],
      ],
      [
        'mintBatch on Lights',
        () => ['POST', `/v1/collections/${lights}/mint/batch`, { items: [{ to: RECIPIENT }] }],
      ],
      ['setMetadata on Lights', () => ['PUT', `/v1/collections/${lights}/tokens/1/metadata`, layout]],
      ['setContractMetadata on Lights', () => ['PUT', `/v1/collections/${lights}/metadata`, layout]],
    ];
    for (const [title, write] of writes) {
      const [method, path, body] = write();
      const answer = await ask({ token }, method, path, body);
      keep(answer.intentId!);
      const { data, address } = answer.body as { data?: { address?: string }; address?: string };
      if (path === '/tokens' && body === erc20) coin = data!.address!;
      if (path === '/tokens' && body === erc721) art = data!.address!;
      if (path === '/v1/collections') lights = address!;
      const shown = await open(`/explorer/tx/${hashOf(answer)}`);
      expect([path, shown.status, shown.facts['Status']]).toEqual([path, 200, 'mined']);
      expect(shown.cards).toEqual([expect.stringMatching(new RegExp(`^${title} done `))]);
      expect(shown.text).not.toMatch(/unknown/i);
      const { body: intent } = await ask({ token }, 'GET', `/intents/${answer.intentId}`);
      expect((intent as { transaction: object }).transaction).toEqual({
        hash: hashOf(answer),
        explorerUrl: `${mintmark.url}/explorer/tx/${hashOf(answer)}`,
      });
    }
  });

  test('shows a direct call, and why it was reverted', async () => {
    const coin = await deployToken(alice);
    const stranger = new Wallet(embeddedAccounts[3].privateKey, chain.provider);
    const send = async (to: string, data: string): Promise<string> => {
      const nonce = Number(
        await chain.provider.send('eth_getTransactionCount', [stranger.address, 'latest']),
      );
      const request = await stranger.populateTransaction({ to, data, nonce, gasLimit: 200_000 });
      const raw = await stranger.signTransaction(request);
      // The node mines a transaction that reverts, and returns an error as well.
      await chain.provider.send('eth_sendRawTransaction', [raw]).catch(() => undefined);
      const hash = keccak256(raw);
      // Anvil answers before the block is there.
      while ((await chain.provider.getTransactionReceipt(hash)) === null) await sleep(50);
      return hash;
    };
    const token = chain.erc20(coin).interface;
    const refused = await open(
      `/explorer/tx/${await send(coin, token.encodeFunctionData('transfer', [RECIPIENT, 5n]))}`,
    );
    expect(refused.facts['Status']).toBe('reverted ERC20InsufficientBalance');
    expect(refused.facts['To']).toBe(`Coin ${coin}`);
    expect(refused.cards).toEqual([`transfer on Coin to ${RECIPIENT} value 0.000000000000000005 C`]);

    const operator = chain.operator;
    const takeover = operator.interface.encodeFunctionData('adminExecute', [
      coin,
      token.encodeFunctionData('transferOwnership', [RECIPIENT]),
    ]);
    const denied = await open(`/explorer/tx/${await send(operator.target as string, takeover)}`);
    expect(denied.facts['Status']).toBe('reverted AccessControlUnauthorizedAccount');
    expect(denied.cards).toEqual([
      expect.stringMatching(new RegExp(`^adminExecute on Operator target Coin ${coin} data 0x`)),
      `transferOwnership on Coin newOwner ${RECIPIENT}`,
    ]);

    const approved = await open(
      `/explorer/tx/${await send(coin, token.encodeFunctionData('approve', [RECIPIENT, 7n]))}`,
    );
    expect(approved.text).toContain('<h2>Events</h2>');
    expect(approved.text).toContain('<strong>Approval</strong>');

    const unknown = await open(`/explorer/tx/${await send(coin, '0x12345678')}`);
    expect(unknown.facts['Status']).toBe('reverted without a reason');
    expect(unknown.cards).toEqual(['unknown function 0x12345678 on Coin']);
  });

  test('a final page is made once, and may be cached anywhere', async () => {
    const path = `/explorer/tx/${hashOf(await requestMint(alice, await deployToken(alice)))}`;
    const isFinal = async () => (await open(path)).headers.get('Cache-Control')!.includes('public');
    for (let look = 0; !(await isFinal()); look += 1) {
      if (look === 200) throw new Error('the page did not become final');
      await sleep(50);
    }
    const final = await open(path);
    expect(final.headers.get('Cache-Control')).toBe('public, max-age=3600, immutable');
    expect(final.facts['Block']).toMatch(/^\d+ \(final\)$/);
    faultOf = () => 'drop';
    expect((await open(path)).text).toBe(final.text);
    expect((await open(path.replace(/0x.*/, (hash) => `0x${hash.slice(2).toUpperCase()}`))).text).toBe(
      final.text,
    );
    faultOf = () => null;
  });

  test('is final once the service has settled its block for good', async () => {
    const hash = hashOf(await requestMint(alice, await deployToken(alice))) as Hex;
    const { db, rpc, system } = mintmark.service.context;
    const { blockNumber } = (await chain.provider.getTransactionReceipt(hash))!;
    const looked = db.transaction(async (tx) => {
      for (const [final, isFinal] of [
        [blockNumber - 1, false],
        [blockNumber, true],
      ] as const) {
        await query(tx, 'update reader set final_number = :final', { final });
        const read = await readTransaction({ db: tx, chain: { rpc, system, formerOperators: [] } }, hash);
        expect(read).toMatchObject({ found: { mined: { isFinal } } });
      }
      throw new Error('nothing is kept of it');
    });
    await expect(looked).rejects.toThrow('nothing is kept of it');
  });

  test('shows the first of many events, and is read once in ten seconds though it may change', async () => {
    // LOG0 in a loop of 2,000 passes.
    const logs = '0x6107d05b60006000a0600190038060035700';
    const stranger = new Wallet(embeddedAccounts[4].privateKey, chain.provider);
    const { hash } = await stranger.sendTransaction({ data: logs, gasLimit: 3_000_000 });
    while ((await chain.provider.getTransactionReceipt(hash)) === null) await sleep(50);
    const [first, second] = await Promise.all([open(`/explorer/tx/${hash}`), open(`/explorer/tx/${hash}`)]);
    expect(first.text).toContain('Unknown event');
    expect(first.text.match(/Unknown event/g)).toHaveLength(25);
    expect(first.text).toContain('and 1975 more events');
    expect(first.text.length).toBeLessThan(100_000);
    expect(second.text).toBe(first.text);
    faultOf = () => 'drop';
    expect((await open(`/explorer/tx/${hash}`)).text).toBe(first.text);
    faultOf = () => null;
  });

  test('a replaced attempt links to its replacement', async () => {
    const coin = await deployToken(alice);
    faultOf = (method) => (method === 'eth_sendRawTransaction' ? 'withhold' : null);
    const { intentId } = await requestMint(alice, coin, { prefer: 'respond-async' });
    const { transaction } = await waitForStatus(alice, intentId!, 'submitted');
    const waiting = await open(`/explorer/tx/${transaction!.hash}`);
    expect(waiting.status).toBe(200);
    expect(waiting.text).toContain('waits for a block');
    faultOf = () => null;
    for (let block = 0; block < 5; block += 1) {
      await chain.provider.send('evm_mine', []);
      await new Promise((resolve) => setTimeout(resolve, 300));
    }
    const mined = await waitForStatus(alice, intentId!, 'confirmed');
    expect(mined.transaction!.hash).not.toBe(transaction!.hash);
    const outbid = await open(`/explorer/tx/${transaction!.hash}`);
    expect(outbid.status).toBe(200);
    expect(outbid.text).toContain('mined as another attempt');
    expect(outbid.text).toContain(`/explorer/tx/${mined.transaction!.hash}`);
    expect((await open(`/explorer/tx/${mined.transaction!.hash}`)).facts['Status']).toBe('mined');
  });

  test('takes a hash in upper case', async () => {
    const hash = hashOf(await requestMint(alice, await deployToken(alice)));
    const { status, facts } = await open(`/explorer/tx/0x${hash.slice(2).toUpperCase()}`);
    expect(status).toBe(200);
    expect(facts['Hash']).toBe(hash);
  });

  test('an unknown hash is a 404 page', async () => {
    const hash = `0x${'ab'.repeat(32)}`;
    const { status, headers, text } = await open(`/explorer/tx/${hash}`);
    expect(status).toBe(404);
    expect(headers.get('Content-Type')).toBe('text/html; charset=utf-8');
    expect(text).toContain(hash);
    expect(text).toContain('Transaction not found');
  });

  test.each(['0x12', `0x${'g'.repeat(64)}`, `0x${'a'.repeat(65)}`, 'latest', '%00', '1%20or%201'])(
    'an invalid hash is a 404 page: %s',
    async (hash) => {
      const { status, headers, text } = await open(`/explorer/tx/${hash}`);
      expect(status).toBe(404);
      expect(headers.get('Content-Type')).toBe('text/html; charset=utf-8');
      expect(text).toContain('Not a transaction hash');
    },
  );

  test.each([HOSTILE, '"><img src=x onerror=alert(1)>', `0x${'a'.repeat(64)}<svg onload=alert(1)>`])(
    'markup in a hash is escaped: %s',
    async (hash) => {
      const { status, text } = await open(`/explorer/tx/${encodeURIComponent(hash)}`);
      expect(status).toBe(404);
      expect(text).not.toMatch(/<(script|img|svg)/);
    },
  );

  test('needs four RPC calls, and one more for the reason of a revert', async () => {
    const { db, system } = mintmark.service.context;
    const cost = async (hash: string): Promise<Record<string, number>> => {
      using rpc = createRpc([mintmark.chain.url]);
      await readTransaction({ db, chain: { rpc, system, formerOperators: [] } }, hash as Hex);
      return rpc.counts();
    };
    const read = { eth_getTransactionByHash: 1, eth_getTransactionReceipt: 1, eth_blockNumber: 1 };
    expect(await cost(hashOf(await requestMint(alice, await deployToken(alice))))).toEqual({
      ...read,
      eth_getBlockByNumber: 1,
    });
    expect(await cost(`0x${'cd'.repeat(32)}`)).toEqual(read);
  });
});

test('EXPLORER=off takes the pages away', async () => {
  const ask = createAsk(mintmark.url);
  const elsewhere = { EXPLORER: 'off', EXPLORER_URL: 'https://scan.example' };
  await mintmark.restart({ RPC_URL: proxy.url, ...elsewhere });
  const coin = await deployToken(alice);
  const hash = hashOf(await requestMint(alice, coin));
  const unknown = await ask(null, 'GET', '/nowhere');
  for (const path of ['', `/tx/${hash}`, `/address/${coin}`]) {
    const { status, body } = await ask(null, 'GET', `/explorer${path}`);
    expect({ status, body }).toEqual({ status: 404, body: unknown.body });
  }
  expect((await fetch(`${mintmark.url}/docs`)).status).toBe(200);
  const minted = await requestMint(alice, coin);
  expect(minted.headers.get('Link')).toBe(`<https://scan.example/tx/${hashOf(minted)}>; rel="related"`);
  await mintmark.restart({ RPC_URL: proxy.url });
});

describe('every page', () => {
  test('needs no credential, allows no scripts or foreign resources, and is not cached', async () => {
    for (const path of ['', '/', `/tx/0x${'ab'.repeat(32)}`, `/address/${RECIPIENT}`, '/nowhere']) {
      const { headers } = await open(`/explorer${path}`);
      const policy = headers.get('Content-Security-Policy')!;
      expect(policy).toContain("default-src 'none'");
      expect(policy).not.toMatch(/unsafe|script-src|https?:/);
      expect(headers.get('X-Content-Type-Options')).toBe('nosniff');
      expect(headers.get('Referrer-Policy')).toBe('no-referrer');
      expect(headers.get('Cache-Control')).toBe('no-store');
    }
  });

  test('/explorer names the contracts and the newest transactions', async () => {
    const hash = hashOf(await requestMint(alice, await deployToken(alice)));
    const { status, text } = await open('/explorer');
    expect(status).toBe(200);
    expect(text).toContain(getAddress(mintmark.service.context.system.operator));
    expect(text).toContain(`/explorer/tx/${hash}`);
  });

  test('the search field finds what is pasted into it', async () => {
    const find = async (what: string) => open(`/explorer?q=${encodeURIComponent(what)}`);
    const hash = `0x${'ab'.repeat(32)}`;
    const found = await find(` ${hash} `);
    expect([found.status, found.headers.get('Location')]).toEqual([303, `/explorer/tx/${hash}`]);
    const address = await find(RECIPIENT.toLowerCase());
    expect(address.headers.get('Location')).toBe(`/explorer/address/${RECIPIENT}`);
    const other = await find(HOSTILE);
    expect(other.status).toBe(404);
    expect(readText(other.text)).toContain('is neither a transaction (0x and 64 hexadecimal digits)');
    const mistyped = await find(RECIPIENT.replace('b', 'B'));
    expect(readText(mistyped.text)).toContain('carries a checksum (EIP-55), and that of this one is wrong');
    expect((await open(`/explorer?q=${hash}&q=${hash}`)).status).toBe(200);
  });

  test('reads the chain for four pages at a time, and lets twenty of an address wait', async () => {
    const receiptsAsked = () => mintmark.service.context.rpc.counts()['eth_getTransactionReceipt'] ?? 0;
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    hold = (method, [hash]) =>
      method === 'eth_getTransactionReceipt' && String(hash).startsWith('0xeeee') ? released : undefined;
    const before = receiptsAsked();
    const refused: (string | null)[] = [];
    const pages = Array.from({ length: 30 }, async (_, index) => {
      const hash = `0xeeee${String(index).padStart(60, '0')}`;
      const { status, headers } = await fetch(`${mintmark.url}/explorer/tx/${hash}`);
      if (status === 429) refused.push(headers.get('Retry-After'));
      return status;
    });
    for (let look = 0; refused.length < 10 && look < 200; look += 1) await sleep(50);
    expect(receiptsAsked() - before).toBe(4);
    // What asks the chain nothing is not held up.
    expect((await open('/explorer')).status).toBe(200);
    release();
    hold = () => undefined;
    expect((await Promise.all(pages)).filter((status) => status === 404)).toHaveLength(20);
    expect(refused).toEqual(Array.from({ length: 10 }, () => '1'));
  });

  test('any other path is a 404 page', async () => {
    for (const path of ['/nowhere', '/tx', '/address', `/tx/0x${'ab'.repeat(32)}/more`, `/${randomUUID()}`]) {
      const { status, headers } = await open(`/explorer${path}`);
      expect(status).toBe(404);
      expect(headers.get('Content-Type')).toBe('text/html; charset=utf-8');
    }
  });

  test.each(['drop', 'error-500', 'error-429'] as const)(
    'is a 502 page while the chain is unreachable (%s)',
    async (fault) => {
      faultOf = () => fault;
      for (const path of [`tx/0x${'ab'.repeat(32)}`, `address/${RECIPIENT}`]) {
        const { status, headers, text } = await open(`/explorer/${path}`);
        expect(status).toBe(502);
        expect(headers.get('Content-Type')).toBe('text/html; charset=utf-8');
        expect(headers.get('Content-Security-Policy')).toContain("default-src 'none'");
        expect(text).toContain('The chain is out of reach');
      }
      // The start page needs no chain.
      expect((await open('/explorer')).status).toBe(200);
      faultOf = () => null;
    },
  );
});
