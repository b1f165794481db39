import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Interface, concat, getAddress, toUtf8Bytes, zeroPadValue } from 'ethers';
import type { JsonRpcSigner, TransactionResponse } from 'ethers';
import { tokenFactoryAbi } from '../../generated/contracts.ts';
import { createRpc } from '../../src/chain/rpc/rpc.ts';
import { createBlockCache } from '../../src/chain/rpc/block-cache.ts';
import type { Hex } from '../../src/lib/hex.ts';
import { embeddedAccounts } from '../../src/embedded/accounts.ts';
import { readAddress } from '../../src/features/explorer/read-address.ts';
import { openChain } from '../setup/chain.ts';
import { createCollection, createKey, requestBatch, requestNft } from '../../lab/stage/collections.ts';
import { openPage } from '../setup/pages.ts';
import type { TestPage } from '../setup/pages.ts';
import { createAsk } from '../../lab/stage/request.ts';
import type { Ask } from '../../lab/stage/request.ts';
import { startTestService } from '../../lab/stage/service.ts';
import type { TestAccount, TestService } from '../../lab/stage/service.ts';
import { RECIPIENT, deployToken, requestErc20, requestMint } from '../../lab/stage/tokens.ts';

const NFTS_ON_A_PAGE = 8;

let mintmark: TestService;
let chain: ReturnType<typeof openChain>;
let alice: TestAccount;
let ask: Ask;
let stranger: JsonRpcSigner;

beforeAll(async () => {
  mintmark = await startTestService();
  chain = openChain(mintmark);
  alice = await mintmark.register();
  ask = createAsk(mintmark.url);
  stranger = await chain.provider.getSigner(embeddedAccounts[4].address);
});

afterAll(async () => {
  chain?.close();
  await mintmark?.stop();
});

async function open(address: string, query = ''): Promise<TestPage> {
  const page = await openPage(`${mintmark.url}/explorer/address/${address}${query}`);
  for (const secret of [alice.email, alice.id, alice.id.replaceAll('-', '')]) {
    expect(page.text).not.toContain(secret);
  }
  return page;
}

const titleOf = ({ text }: TestPage): string => /<h1><bdi>(.*?)<\/bdi><\/h1>/s.exec(text)![1]!;
const badgesOf = ({ text }: TestPage): string[] =>
  [...text.matchAll(/<span class="badge[^>]*>(.*?)<\/span>/gs)].map(([, badge]) => badge!);
const picturesOf = ({ text }: TestPage): string[] =>
  [...text.matchAll(/<img src="(.*?)"/g)].map(([, source]) => source!);

describe('/explorer/address/{address} of a token', () => {
  test('shows an ERC-20 and its history', async () => {
    const deployed = await requestErc20(alice, { name: 'Amber' });
    const coin = (deployed.body as { data: { address: string } }).data.address;
    const minted = await requestMint(alice, coin, { amount: '2500000000000000000' });
    await ask(alice, 'PUT', `/tokens/${coin}/metadata`, {
      name: 'Amber',
      description: 'A coin <b>of</b> amber.',
      image: 'https://evil.example/coin.png',
      attributes: { colour: 'yellow' },
    });
    await ask(alice, 'POST', `/tokens/${coin}/lock-transfers`);
    await ask(alice, 'POST', `/tokens/${coin}/pause`);

    const page = await open(coin.toLowerCase());
    expect(page.status).toBe(200);
    expect(titleOf(page)).toBe('Amber');
    expect(badgesOf(page).slice(0, 4)).toEqual(['ERC-20', 'paused', 'transfers locked', 'permissionless']);
    const operator = `Operator ${getAddress(mintmark.service.context.system.operator)}`;
    const deployment = deployed.headers.get('Transaction-Hash')!;
    expect(page.facts).toMatchObject({
      Address: coin,
      Symbol: 'C',
      Supply: '2.5 C',
      Decimals: '18',
      Owner: operator,
      Operator: operator,
      Description: 'A coin <b>of</b> amber.',
      Image: 'https://evil.example/coin.png',
      'Deployed in': deployment,
      Balance: '0 ether',
    });
    expect(page.text).toContain('yellow');
    // Shown as text, neither loaded nor a link.
    expect(page.text).not.toMatch(/(src|href)="[^"]*evil/);
    const kinds = [...page.text.matchAll(/<span>([a-z ]+)\s*<a\s+href="\/explorer\/tx\/(0x\w+)"/g)];
    expect(kinds.map(([, kind]) => kind!.trim())).toEqual([
      'pause',
      'lock transfers',
      'set metadata',
      'mint',
      'deploy token',
    ]);
    expect(kinds.at(-1)![2]).toBe(deployment);
    expect(kinds.at(-2)![2]).toBe(minted.headers.get('Transaction-Hash'));
  });

  test('shows a collection with the pictures of its newest tokens, and other tokens by their id', async () => {
    const { api } = await createKey(mintmark, alice);
    const lights = await createCollection(api);
    const count = NFTS_ON_A_PAGE + 3;
    await requestBatch(
      api,
      lights,
      Array.from({ length: count }, () => ({ to: RECIPIENT })),
    );
    const hosted = { name: 'Pier', description: 'A pier.', image: 'ipfs://pier' };
    await requestNft(api, lights, { metadata: hosted });

    const newest = await open(lights);
    expect(badgesOf(newest).slice(0, 3)).toEqual(['ERC-721', 'active', 'permissionless']);
    expect(newest.facts).toMatchObject({ Symbol: 'HARB', Supply: String(count + 1) });
    expect(newest.text).toContain('image hosted elsewhere');
    expect(newest.text).toContain('<code>ipfs://pier</code>');
    const pictures = picturesOf(newest);
    expect(pictures).toHaveLength(NFTS_ON_A_PAGE - 1);
    expect(new Set(pictures).size).toBe(pictures.length);
    for (const source of pictures) expect(source).toMatch(/^data:image\/svg\+xml;base64,[\w+/=]+$/);
    const older = `/explorer/address/${lights}?token=${count + 1 - NFTS_ON_A_PAGE}`;
    expect(newest.text).toContain(`href="${older}">older</a>`);

    const rest = await openPage(mintmark.url + older);
    expect(picturesOf(rest)).toHaveLength(count + 1 - NFTS_ON_A_PAGE);
    expect(rest.text).toContain('>newer</a>');
    expect(rest.text).not.toContain('>older</a>');
    for (const nonsense of ['0', '-1', '1e3', '9'.repeat(90), `${'9'.repeat(78)}`, '<b>', '']) {
      expect(picturesOf(await open(lights, `?token=${nonsense}`))).toEqual(pictures);
    }
  });

  test('shows what bounds a token, and nothing of it for a token without bounds', async () => {
    const royalty = { receiver: RECIPIENT, basisPoints: 250 };
    const bounds = { maxSupply: '10', mintLimitPerDay: '5', recoverable: true } as const;
    const art = await deployToken(alice, 'ERC721', true, { ...bounds, royalty });
    await requestMint(alice, art, { amount: null });
    const page = await open(art);
    expect(badgesOf(page).slice(0, 4)).toEqual(['ERC-721', 'active', 'permissionless', 'recoverable']);
    expect(page.facts).toMatchObject({
      Cap: '10 for ever',
      'Minting by the operator': 'at most 5 a day (4 now)',
      Holdings: 'owner and operator may move or burn them (ERC-7943)',
      Royalty: `2.5 % to ${RECIPIENT}`,
    });
    await ask(alice, 'POST', `/tokens/${art}/close-mint`);
    await ask(alice, 'POST', `/tokens/${art}/metadata/freeze`);
    const closed = await open(art);
    expect(badgesOf(closed).slice(2, 6)).toEqual([
      'permissionless',
      'mint closed',
      'metadata frozen',
      'recoverable',
    ]);
    expect(closed.facts).toMatchObject({ Minting: 'closed for ever' });

    const coin = await deployToken(alice, 'ERC20', true, {
      ...bounds,
      maxSupply: '1234567500000000000000000',
    });
    expect((await open(coin)).facts).toMatchObject({ Cap: '1,234,567.5 C for ever' });
    const plain = await open(await deployToken(alice));
    expect(badgesOf(plain)).not.toContain('recoverable');
    for (const name of ['Cap', 'Minting by the operator', 'Holdings', 'Royalty']) {
      expect(plain.facts).not.toHaveProperty([name]);
    }
  });

  test('a burned token has no picture and no owner', async () => {
    const art = await deployToken(alice, 'ERC721');
    await requestMint(alice, art, { amount: null, owner: stranger.address });
    const contract = chain.erc721(art).connect(stranger);
    const burning: unknown = await (contract as ReturnType<typeof chain.erc721>).getFunction('burn')(1n);
    await (burning as TransactionResponse).wait();
    const page = await open(art);
    expect(page.facts['Supply']).toBe('0 (1 minted, 1 burned)');
    expect(page.text).toContain('>burned</div>');
    expect(picturesOf(page)).toEqual([]);
  });

  test('a sandbox collection is 404, since it is on no chain', async () => {
    const { api } = await createKey(mintmark, alice, 'sandbox');
    const address = await createCollection(api, 'Only a test');
    await requestNft(api, address);
    const page = await open(address);
    expect(page.status).toBe(404);
    expect(page.text).not.toContain('Only a test');
    // Nor is it named where somebody uses its address.
    const { headers } = await requestMint(alice, await deployToken(alice), { owner: address });
    const { text } = await openPage(`${mintmark.url}/explorer/tx/${headers.get('Transaction-Hash')}`);
    expect(text).toContain(address);
    expect(text).not.toContain('Only a test');
  });

  test('a name with markup or invalid UTF-8 is shown as text', async () => {
    const { tokenFactory } = mintmark.service.context.system;
    // The factory's ABI, with `bytes` in place of strings.
    const factory = new Interface([
      `function createToken(bytes32 salt, (address owner, bytes name, bytes symbol, uint8 decimals, bool permissioned,
        uint256 maxSupply, uint256 mintLimitPerDay, bool recoverable) args)`,
    ]);
    const name = concat([toUtf8Bytes('<script>x</script>\u202Egnp.'), '0xff00fe', toUtf8Bytes('"\'&')]);
    const data = factory.encodeFunctionData('createToken', [
      zeroPadValue('0x01', 32),
      [stranger.address, name, '0xc3', 18, true, 0, 0, false],
    ]);
    const { selector } = new Interface(tokenFactoryAbi).getFunction('createToken')!;
    const sent = await stranger.sendTransaction({ to: tokenFactory, data: selector + data.slice(10) });
    const receipt = (await sent.wait())!;
    const token = getAddress(`0x${receipt.logs[0]!.topics[1]!.slice(-40)}`);
    const page = await open(token);
    expect(page.status).toBe(200);
    expect(titleOf(page)).toBe(
      '&lt;script&gt;x&lt;/script&gt;[U+202E]gnp.\uFFFD[U+0000]\uFFFD&quot;&#39;&amp;',
    );
    expect(page.text).toMatch(/<title\s*>&lt;script&gt;/);
    expect(page.facts).toMatchObject({ Symbol: '\uFFFD', Owner: stranger.address });
    expect(badgesOf(page)).toContain('permissioned');
    const made = await openPage(`${mintmark.url}/explorer/tx/${sent.hash}`);
    expect(made.cards[0]).toContain('name <script>x</script>[U+202E]gnp.\uFFFD[U+0000]\uFFFD"\'&');
    expect(made.text).not.toContain('<script');
  });
});

describe('/explorer/address/{address} of anything else', () => {
  test('shows the system contracts', async () => {
    const { system } = mintmark.service.context;
    const operator = await open(system.operator);
    expect(titleOf(operator)).toBe('Operator');
    expect(operator.facts['Signers']).toBe(embeddedAccounts[0].address);
    expect(operator.text).toContain('Newest transactions');
    const factory = await open(system.collectionFactory);
    expect([titleOf(factory), factory.facts['State']]).toEqual(['CollectionFactory', 'open']);
    for (const [address, name] of [
      [system.descriptor, 'TokenDescriptor'],
      [system.managedErc20, 'ManagedERC20'],
      [system.managedErc721, 'ManagedERC721'],
    ] as const) {
      expect(titleOf(await open(address))).toBe(name);
    }
  });

  test('shows a signer with its role and its transactions', async () => {
    const minted = await requestMint(alice, await deployToken(alice));
    const page = await open(embeddedAccounts[0].address);
    expect(titleOf(page)).toBe('Signer of this service');
    expect(page.facts['Balance']).toMatch(/^\d{1,3}(,\d{3})+\.\d+ ether$/);
    expect(page.text).toContain('executor: may send calls');
    expect(page.text).toContain(`/explorer/tx/${minted.headers.get('Transaction-Hash')}`);
  });

  test('shows an account with its balance and nonce', async () => {
    const { address } = embeddedAccounts[5];
    const page = await open(address);
    expect(titleOf(page)).toBe('Account');
    expect(page.facts).toEqual({
      Address: address,
      Balance: `${((await chain.provider.getBalance(address)) / 10n ** 18n).toLocaleString('en')} ether`,
      Nonce: '0',
    });
  });

  test('shows a contract that the service did not deploy', async () => {
    const address = getAddress(`0x${randomBytes(20).toString('hex')}`);
    await chain.provider.send('hardhat_setCode', [address, '0x6001600155']);
    const page = await open(address);
    expect([titleOf(page), page.facts['Code']]).toEqual(['A contract', '5 bytes']);
  });

  test('an unknown address is a 404 page', async () => {
    const address = getAddress(`0x${randomBytes(20).toString('hex')}`);
    const page = await open(address);
    expect([page.status, titleOf(page)]).toEqual([404, 'Nothing at this address']);
    expect(page.text).toContain(address);
  });

  test.each([
    '0x12',
    'vitalik.eth',
    `0x${'g'.repeat(40)}`,
    RECIPIENT.replace('f551B', 'f551b'),
    '%00',
    '%3Cb%3E',
  ])('an invalid or mistyped address is a 404 page: %s', async (address) => {
    const page = await open(address);
    expect([page.status, titleOf(page)]).toEqual([404, 'Not an address']);
    expect(page.headers.get('Content-Type')).toBe('text/html; charset=utf-8');
  });

  test('needs a bounded number of RPC calls, and reads the views of a token once a block', async () => {
    const { db, system } = mintmark.service.context;
    const { api } = await createKey(mintmark, alice);
    const lights = await createCollection(api);
    await requestBatch(
      api,
      lights,
      Array.from({ length: 50 }, () => ({ to: RECIPIENT })),
    );
    using rpc = createRpc([mintmark.chain.url]);
    const parts = { db, chain: { rpc, system, formerOperators: [], blockCache: createBlockCache(rpc) } };
    const basics = { eth_getCode: 1, eth_getBalance: 1, eth_getTransactionCount: 1 };
    await readAddress(parts, embeddedAccounts[5].address.toLowerCase() as Hex, null);
    expect(rpc.counts()).toEqual({ ...basics, eth_call: 2 });
    await readAddress(parts, lights.toLowerCase() as Hex, null);
    // State, bounds, supply and description of the contract; owner and description of each token on the page.
    const calls = 2 + 4 + 2 * NFTS_ON_A_PAGE;
    expect(rpc.counts()['eth_call']).toBe(calls);
    await readAddress(parts, lights.toLowerCase() as Hex, null);
    expect(rpc.counts()['eth_call']).toBe(calls);
  });
});
