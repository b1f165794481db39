import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { openChain } from '../setup/chain.ts';
import { createAsk } from '../../lab/stage/request.ts';
import type { Ask } from '../../lab/stage/request.ts';
import { startTestService } from '../../lab/stage/service.ts';
import type { TestAccount, TestService } from '../../lab/stage/service.ts';
import { RECIPIENT, deployToken, requestMint } from '../../lab/stage/tokens.ts';
import type { TestAnswer } from '../../lab/stage/tokens.ts';

let mintmark: TestService;
let chain: ReturnType<typeof openChain>;
let ask: Ask;
let alice: TestAccount;
let coin: string;
let art: string;

beforeAll(async () => {
  mintmark = await startTestService();
  chain = openChain(mintmark);
  ask = createAsk(mintmark.url);
  alice = await mintmark.register();
  [coin, art] = await Promise.all([deployToken(alice), deployToken(alice, 'ERC721')]);
  await requestMint(alice, art, { amount: null });
});

afterAll(async () => {
  chain?.close();
  await mintmark?.stop();
});

const put = (address: string, body: unknown) => ask(alice, 'PUT', `/tokens/${address}/metadata`, body);
/** A public read, without a credential. */
const uri = (path: string): Promise<TestAnswer> => ask(null, 'GET', `/tokenURI/${path}`);

function failed({ status, body }: TestAnswer): string {
  const { code, message } = body as { code: string; message: string };
  return `${status} ${code} ${message}`;
}

function decode(dataUri: string, type: string): string {
  const prefix = `data:${type};base64,`;
  expect(dataUri.startsWith(prefix)).toBe(true);
  return Buffer.from(dataUri.slice(prefix.length), 'base64').toString();
}

const thirteen = Object.fromEntries(
  Array.from({ length: 13 }, (_, index) => [
    `trait ${String.fromCharCode(97 + index)}`,
    index % 2 ? index : `v${index}`,
  ]),
);

describe('GET /tokenURI/{address}/{tokenId}', () => {
  test('returns what tokenURI renders to any client, up to 16 keys', async () => {
    await put(art, {
      name: 'Blue "Hour"',
      description: 'Line one\nline two \\ \u0001',
      image: 'ipfs://bafybeialiceart/1.png',
      attributes: thirteen,
      tokenId: '1',
    });
    const answer = await uri(`${art}/1`);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('Content-Type')).toContain('application/json');
    expect(answer.body).toEqual({
      name: 'Blue "Hour"',
      description: 'Line one\nline two \\ \u0001',
      image: 'ipfs://bafybeialiceart/1.png',
      attributes: Object.entries(thirteen).map(([name, value]) => ({ trait_type: name, value })),
    });
    const onChain = (await chain.erc721(art).getFunction('tokenURI')(1)) as string;
    expect(JSON.parse(decode(onChain, 'application/json'))).toEqual(answer.body);
    expect((await uri(`${art.toLowerCase()}/1`)).body).toEqual(answer.body);
  });

  test('renders numbers and booleans without quotes', async () => {
    await put(art, {
      name: 'n',
      description: 'd',
      image: 'ipfs://x',
      attributes: { a: 1.5, b: true, c: '1.5', d: 'true' },
      tokenId: '1',
    });
    expect(((await uri(`${art}/1`)).body as { attributes: unknown }).attributes).toEqual([
      { trait_type: 'a', value: 1.5 },
      { trait_type: 'b', value: true },
      { trait_type: 'c', value: '1.5' },
      { trait_type: 'd', value: 'true' },
    ]);
  });

  test('draws a token without an image, with its name and id', async () => {
    const own = await deployToken(alice, 'ERC721');
    await requestMint(alice, own, { amount: null });
    const bare = (await uri(`${own}/1`)).body as { name: string; image: string };
    expect(bare.name).toBe('Art #1');
    expect(decode(bare.image, 'image/svg+xml')).toMatch(/^<svg [^]*Art #1[^]*A #1[^]*<\/svg>$/);

    await put(own, { name: 'Fish & <Chips>', description: 'd', tokenId: '1' });
    const named = (await uri(`${own}/1`)).body as { name: string; image: string };
    expect(named.name).toBe('Fish & <Chips>');
    expect(decode(named.image, 'image/svg+xml')).toContain('Fish &amp; &lt;Chips&gt;');
  });

  test('shows a change at once', async () => {
    for (const name of ['first', 'second', 'third']) {
      await put(art, { name, description: 'd', tokenId: '1' });
      expect(((await uri(`${art}/1`)).body as { name: string }).name).toBe(name);
    }
  });

  test('a token with a base URI and no metadata is 404 with its URL there', async () => {
    const { body } = await ask(alice, 'POST', '/tokens', {
      type: 'ERC721',
      name: 'Based',
      symbol: 'B',
      baseUri: 'https://example.com/nft/',
    });
    const { address } = (body as { data: { address: string } }).data;
    await requestMint(alice, address, { amount: null });
    const answer = await uri(`${address}/1`);
    expect(failed(answer)).toContain('404 NOT_FOUND');
    expect(failed(answer)).toContain('https://example.com/nft/1');
    await put(address, { name: 'Own', description: 'd', tokenId: '1' });
    expect((await uri(`${address}/1`)).status).toBe(200);
  });

  test('404 for an unknown contract, 422 for an id that it does not have', async () => {
    expect(failed(await uri(`${RECIPIENT}/1`))).toContain('404 NOT_FOUND');
    expect(failed(await uri(`${coin}/1`))).toContain('422 VALIDATION_ERROR');
    expect(failed(await uri(`${art}/99`))).toBe(
      '422 VALIDATION_ERROR tokenId 99 was never minted, or is burned',
    );
    expect(failed(await uri(`${art}/0`))).toContain('422 VALIDATION_ERROR');
    expect(failed(await uri(`${art}/01`))).toContain('422 VALIDATION_ERROR');
    expect(failed(await uri(`0x12/1`))).toContain('422 VALIDATION_ERROR');
  });
});

describe('GET /tokenURI/{address}', () => {
  test('returns what contractURI renders to any client, for both types', async () => {
    await put(coin, { name: 'Alice Coin', description: 'Points', attributes: { season: 3 } });
    const answer = await uri(coin);
    expect(answer).toMatchObject({
      status: 200,
      body: {
        name: 'Alice Coin',
        symbol: 'C',
        description: 'Points',
        attributes: [{ trait_type: 'season', value: 3 }],
      },
    });
    const onChain = (await chain.erc20(coin).getFunction('contractURI')()) as string;
    expect(JSON.parse(decode(onChain, 'application/json'))).toEqual(answer.body);
    expect((await uri(art)).body).toEqual({ name: 'Art', symbol: 'A' });
  });

  test('404 for an unknown contract, 422 for an invalid address', async () => {
    expect(failed(await uri(RECIPIENT))).toContain('404 NOT_FOUND');
    expect(failed(await uri('0x12'))).toContain('422 VALIDATION_ERROR');
  });
});
