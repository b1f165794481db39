import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { toUtf8String } from 'ethers';
import { openChain } from '../setup/chain.ts';
import { waitForStatus } from '../../lab/stage/intents.ts';
import { withoutBlocks } from '../setup/mining.ts';
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
let bob: TestAccount;
let coin: string;
let art: string;

beforeAll(async () => {
  mintmark = await startTestService();
  chain = openChain(mintmark);
  ask = createAsk(mintmark.url);
  [alice, bob] = await Promise.all([mintmark.register(), mintmark.register()]);
  [coin, art] = await Promise.all([deployToken(alice), deployToken(alice, 'ERC721')]);
  for (let id = 1; id <= 3; id += 1) await requestMint(alice, art, { amount: null });
});

afterAll(async () => {
  chain?.close();
  await mintmark?.stop();
});

const put = (address: string, body: unknown, headers?: Record<string, string>): Promise<TestAnswer> =>
  ask(alice, 'PUT', `/tokens/${address}/metadata`, body, headers);
const get = (address: string, query = '') => ask(alice, 'GET', `/tokens/${address}/metadata${query}`);
const keys = (address: string, query = '') => ask(alice, 'GET', `/tokens/${address}/metadata/keys${query}`);
const done = { status: 200, body: { success: true } };

function failed({ status, body }: TestAnswer): string {
  const { code, message } = body as { code: string; message: string };
  return `${status} ${code} ${message}`;
}

const thirteen = (): Record<string, string> =>
  Object.fromEntries(
    Array.from({ length: 13 }, (_, index) => [`k${String(index).padStart(2, '0')}`, `v${index}`]),
  );

/** The layout of a token as the chain has it: key, value as text, kind. */
async function layout(address: string, tokenId: string | null): Promise<[string, string, number][]> {
  const found = (
    tokenId === null
      ? await chain.erc20(address).getFunction('contractMetadataEntries')()
      : await chain.erc721(address).getFunction('entries')(tokenId)
  ) as [string, string, bigint][];
  return found.map(([key, value, kind]) => [key, toUtf8String(value), Number(kind)]);
}

describe('PUT /tokens/{address}/metadata', () => {
  const full = {
    name: 'Blue Hour',
    description: 'The harbour after sunset.',
    image: 'ipfs://bafybeialiceart/1.png',
    // By UTF-16 the emoji would come before the tilde.
    attributes: {
      mood: 'calm',
      '😀': 'last',
      '～': 'wide',
      edition: 7,
      framed: true,
      Z: -0.5,
      '10': 1e21,
      é: '',
      ключ: 'значение',
    },
  };
  const written: [string, string, number][] = [
    ['name', 'Blue Hour', 0],
    ['description', 'The harbour after sunset.', 0],
    ['image', 'ipfs://bafybeialiceart/1.png', 0],
    ['10', '1e+21', 1],
    ['Z', '-0.5', 1],
    ['edition', '7', 1],
    ['framed', 'true', 2],
    ['mood', 'calm', 0],
    ['é', '', 0],
    ['ключ', 'значение', 0],
    ['～', 'wide', 0],
    ['😀', 'last', 0],
  ];

  test('ERC-721: name, description, image, then attributes by UTF-8 bytes, for that token only, without quota', async () => {
    const used = (await alice.api.GET('/stats')).data!.mintsUsed;
    const answer = await put(art, { ...full, tokenId: '1' });
    expect(answer).toMatchObject(done);
    const hash = answer.headers.get('Transaction-Hash');
    expect(answer.headers.get('Link')).toBe(`<${mintmark.url}/explorer/tx/${hash}>; rel="related"`);
    expect(await waitForStatus(alice, answer.intentId!, 'confirmed')).toMatchObject({
      kind: 'set_metadata',
      transaction: { hash },
    });
    expect(await layout(art, '1')).toEqual(written);
    expect(await layout(art, '2')).toEqual([]);
    expect((await alice.api.GET('/stats')).data!.mintsUsed).toBe(used);

    // ERC-8048: each value under its key, and an event for each.
    const ofToken = chain.erc721(art).getFunction('metadata');
    for (const [key, text] of written) expect(toUtf8String((await ofToken(1, key)) as string)).toBe(text);
    expect(await ofToken(1, 'nothing')).toBe('0x');
    const receipt = await chain.provider.getTransactionReceipt(hash!);
    const events = receipt!.logs.flatMap((log) => {
      const event = chain.erc721(art).interface.parseLog(log);
      return event?.name === 'MetadataSet'
        ? [[event.args[0], event.args[2], toUtf8String(event.args[3] as string)]]
        : [];
    });
    expect(events).toEqual(written.map(([key, text]) => [1n, key, text]));
  });

  test('ERC-20: sets the metadata of the contract, ERC-8049', async () => {
    expect(await put(coin, full)).toMatchObject(done);
    expect(await layout(coin, null)).toEqual(written);
    const ofContract = chain.erc20(coin).getFunction('contractMetadata');
    for (const [key, text] of written) expect(toUtf8String((await ofContract(key)) as string)).toBe(text);
  });

  test('replaces all keys: those not given are removed', async () => {
    await put(art, { ...full, tokenId: '2' });
    await put(art, { name: 'Bare', description: '', tokenId: '2' });
    expect(await layout(art, '2')).toEqual([
      ['name', 'Bare', 0],
      ['description', '', 0],
    ]);
    expect(await chain.erc721(art).getFunction('metadata')(2, 'mood')).toBe('0x');
  });

  test('the same keys can be written repeatedly', async () => {
    const gas: bigint[] = [];
    for (const mood of ['calm', 'calm', 'wild']) {
      const answer = await put(art, { ...full, attributes: { mood }, tokenId: '3' });
      expect(answer).toMatchObject(done);
      gas.push(
        (await chain.provider.getTransactionReceipt(answer.headers.get('Transaction-Hash')!))!.gasUsed,
      );
    }
    expect((await layout(art, '3')).at(-1)).toEqual(['mood', 'wild', 0]);
    // Of the former layout only the keys are read, to tell which are dropped.
    for (const again of gas.slice(1)) expect(Number(again - gas[0]!)).toBeLessThan(4_000);
  });

  test('13 attributes, so 16 keys, are accepted; 14 are not', async () => {
    const most = { name: 'n', description: 'd', image: 'https://example.com/i.png', attributes: thirteen() };
    expect(await put(art, { ...most, tokenId: '3' })).toMatchObject(done);
    expect((await layout(art, '3')).length).toBe(16);
    expect((await keys(art, '?tokenId=3')).body).toEqual({
      keys: ['name', 'description', 'image', ...Object.keys(thirteen())],
    });
    const tooMany = await put(art, { ...most, attributes: { ...thirteen(), one: 'more' }, tokenId: '3' });
    expect(failed(tooMany)).toContain('422 VALIDATION_ERROR attributes');
  });

  const text = (bytes: number) => 'x'.repeat(bytes);
  const given = { name: 'n', description: 'd' };
  test.each([
    ['name of 256 bytes', { name: text(256) }],
    ['description of 2,048 bytes', { description: text(2_048) }],
    ['image of 2,048 bytes', { image: `http://${text(2_041)}` }],
    ['a key of 64 and a value of 1,024 bytes', { attributes: { [text(64)]: text(1_024) } }],
    ['8,192 bytes in total', { attributes: Object.fromEntries(totalOf(8_192 - 'namendescriptiond'.length)) }],
  ])('takes %s', async (_what, part) => {
    expect(await put(coin, { ...given, ...part })).toMatchObject(done);
  });

  test.each([
    ['no name', 'name', { description: 'd' }],
    ['no description', 'description', { name: 'n' }],
    ['an empty name', 'name', { ...given, name: '' }],
    ['a name that is no text', 'name', { ...given, name: 1 }],
    ['a name of 257 bytes', 'name', { ...given, name: text(257) }],
    ['a name of 256 characters and 257 bytes', 'name', { ...given, name: `${text(255)}é` }],
    ['a description of 2,049 bytes', 'description', { ...given, description: `${text(2_047)}é` }],
    ['an image of 2,049 bytes', 'image', { ...given, image: `https://${text(2_039)}é` }],
    ['an image of another scheme', 'image', { ...given, image: 'data:image/png;base64,AA' }],
    ['an empty image', 'image', { ...given, image: '' }],
    ['a reserved key name', 'attributes.name', { ...given, attributes: { name: 'x' } }],
    ['a reserved key description', 'attributes.description', { ...given, attributes: { description: 'x' } }],
    ['a reserved key image', 'attributes.image', { ...given, attributes: { image: 'x' } }],
    ['an empty key', 'attributes', { ...given, attributes: { '': 'x' } }],
    ['a key of 65 bytes', 'attributes', { ...given, attributes: { [`${text(63)}é`]: 'x' } }],
    ['a value of 1,025 bytes', 'attributes.a', { ...given, attributes: { a: `${text(1_023)}é` } }],
    ['a value that is null', 'attributes.a', { ...given, attributes: { a: null } }],
    ['a value that is a list', 'attributes.a', { ...given, attributes: { a: ['x'] } }],
    ['attributes that are a list', 'attributes', { ...given, attributes: ['x'] }],
    ['a total of 8,193 bytes', 'metadata', { ...given, attributes: Object.fromEntries(totalOf(8_193 - 17)) }],
    ['an unknown field', 'imageUrl', { ...given, imageUrl: 'https://example.com' }],
    ['a tokenId that is a number', 'tokenId', { ...given, tokenId: 1 }],
    ['a tokenId with a sign', 'tokenId', { ...given, tokenId: '-1' }],
  ])('refuses %s, and names the field', async (_what, field, body) => {
    const refused = await put(coin, body);
    expect(failed(refused)).toContain('422 VALIDATION_ERROR');
    expect((refused.body as { message: string }).message).toContain(field);
    // The body is validated before the token is looked up.
    expect((await ask(bob, 'PUT', `/tokens/${coin}/metadata`, body)).status).toBe(422);
  });

  test('refuses a number beyond the range of a double', async () => {
    const response = await fetch(`${mintmark.url}/tokens/${coin}/metadata`, {
      method: 'PUT',
      headers: { Authorization: `Bearer ${alice.token}`, 'Content-Type': 'application/json' },
      body: '{"name":"n","description":"d","attributes":{"a":1e400}}',
    });
    expect(response.status).toBe(422);
    expect(await response.json()).toMatchObject({ code: 'VALIDATION_ERROR' });
  });

  test('a tokenId is required for ERC-721, refused for ERC-20, and must exist', async () => {
    const with1 = { ...given, tokenId: '1' };
    expect(failed(await put(coin, with1))).toContain('422 VALIDATION_ERROR tokenId');
    expect(failed(await put(art, given))).toContain('422 VALIDATION_ERROR tokenId');
    expect(failed(await put(art, { ...given, tokenId: '4' }))).toContain('422 VALIDATION_ERROR');
    expect(failed(await put(art, { ...given, tokenId: '0' }))).toContain('422 VALIDATION_ERROR');
    expect(failed(await put(art, { ...given, tokenId: '9'.repeat(78) }))).toContain('422 VALIDATION_ERROR');
    // The id is validated after the owner of the token was checked.
    expect(failed(await ask(bob, 'PUT', `/tokens/${coin}/metadata`, with1))).toContain('403 FORBIDDEN');
    expect(failed(await put(RECIPIENT, with1))).toContain('404 NOT_FOUND');
  });

  test('401 without a credential', async () => {
    expect(failed(await ask(null, 'PUT', `/tokens/${coin}/metadata`, given))).toContain('401 UNAUTHORIZED');
  });

  test('202 with respond-async; takes effect once under one Idempotency-Key', async () => {
    const key = { 'Idempotency-Key': randomUUID() };
    let accepted: TestAnswer;
    await withoutBlocks(chain, async () => {
      accepted = await put(coin, given, { ...key, Prefer: 'respond-async' });
      expect(accepted.status).toBe(202);
      expect(accepted.body).toMatchObject({ intent: { id: accepted.intentId, kind: 'set_metadata' } });
    });
    const replayed = await put(coin, given, key);
    expect(replayed).toMatchObject({ ...done, intentId: accepted!.intentId });
    expect(failed(await put(coin, { ...given, name: 'other' }, key))).toContain('422 VALIDATION_ERROR');
  });

  test('502 while the token is paused', async () => {
    await ask(alice, 'POST', `/tokens/${coin}/pause`);
    expect(failed(await put(coin, given))).toBe('502 CHAIN_ERROR The call reverted: TokenPaused()');
    await ask(alice, 'POST', `/tokens/${coin}/unpause`);
    expect(await put(coin, given)).toMatchObject(done);
  });

  test('concurrent writes for many tokens all take effect', async () => {
    const answers = await Promise.all(
      ['1', '2', '3'].map((tokenId) => put(art, { name: `Nr ${tokenId}`, description: 'd', tokenId })),
    );
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    for (const tokenId of ['1', '2', '3']) {
      expect((await layout(art, tokenId))[0]).toEqual(['name', `Nr ${tokenId}`, 0]);
    }
  });
});

/** Attributes whose keys and values have so many bytes together. */
function totalOf(bytes: number): [string, string][] {
  const pairs: [string, string][] = [];
  for (let left = bytes; left > 0;) {
    const size = Math.min(left, 1_000);
    pairs.push([`key${pairs.length}`, 'x'.repeat(size - 4)]);
    left -= size;
  }
  return pairs;
}

describe('GET /tokens/{address}/metadata', () => {
  test('returns the values with their types', async () => {
    const given = {
      name: 'Typed',
      description: '"quoted" \u2028',
      image: 'https://example.com/1.png',
      attributes: { a: 'text', b: 1.5, c: false, d: '7', e: 'true', f: 1e21, g: 0 },
    };
    await put(art, { ...given, tokenId: '1' });
    expect(await get(art, '?tokenId=1')).toMatchObject({ status: 200, body: given });
    await put(coin, given);
    expect(await get(coin)).toMatchObject({ status: 200, body: given });
  });

  test('returns null and an empty object where no key is set', async () => {
    const empty = { name: null, description: null, image: null, attributes: {} };
    expect((await get(await deployToken(alice))).body).toEqual(empty);
    const bare = await deployToken(alice, 'ERC721');
    await requestMint(alice, bare, { amount: null });
    expect((await get(bare, '?tokenId=1')).body).toEqual(empty);
  });
});

describe('GET /tokens/{address}/metadata/keys', () => {
  test('returns the order of the chain; without tokenId that of the latest write in the contract', async () => {
    const own = await deployToken(alice, 'ERC721');
    await requestMint(alice, own, { amount: null });
    await requestMint(alice, own, { amount: null });
    expect((await keys(own)).body).toEqual({ keys: [] });
    await put(own, { name: 'n', description: 'd', attributes: { b: 1, a: 2 }, tokenId: '2' });
    await put(own, { name: 'n', description: 'd', attributes: { c: 1 }, tokenId: '1' });
    expect((await keys(own, '?tokenId=2')).body).toEqual({ keys: ['name', 'description', 'a', 'b'] });
    expect((await keys(own, '?tokenId=1')).body).toEqual({ keys: ['name', 'description', 'c'] });
    expect((await keys(own)).body).toEqual({ keys: ['name', 'description', 'c'] });
  });

  test('returns the keys of the contract for an ERC-20', async () => {
    const own = await deployToken(alice);
    expect(await keys(own)).toMatchObject({ status: 200, body: { keys: [] } });
    await put(own, { name: 'n', description: 'd', image: 'ipfs://x', attributes: { z: 1, B: 2 } });
    expect((await keys(own)).body).toEqual({ keys: ['name', 'description', 'image', 'B', 'z'] });
  });

  test('needs no RPC call while nothing changes', async () => {
    const count = () => mintmark.service.context.rpc.counts()['eth_call'] ?? 0;
    await keys(coin);
    const before = count();
    await Promise.all([keys(coin), keys(coin), keys(coin)]);
    expect(count()).toBe(before);
  });
});

describe.each(['metadata', 'metadata/keys'])('GET /tokens/{address}/%s', (path) => {
  test('401, 403, 404, 422', async () => {
    const at = (address: string, query = '') => `/tokens/${address}/${path}${query}`;
    const codeOf = async (answer: Promise<TestAnswer>) =>
      failed(await answer)
        .split(' ')
        .slice(0, 2)
        .join(' ');
    expect(await codeOf(ask(null, 'GET', at(coin)))).toBe('401 UNAUTHORIZED');
    expect(await codeOf(ask(bob, 'GET', at(coin)))).toBe('403 FORBIDDEN');
    expect(await codeOf(ask(alice, 'GET', at(RECIPIENT)))).toBe('404 NOT_FOUND');
    const invalid = '422 VALIDATION_ERROR';
    expect(await codeOf(ask(alice, 'GET', at('0x12')))).toBe(invalid);
    expect(await codeOf(ask(alice, 'GET', at(coin, '?tokenId=1')))).toBe(invalid);
    expect(await codeOf(ask(bob, 'GET', at(coin, '?tokenId=1')))).toBe('403 FORBIDDEN');
    expect(await codeOf(ask(alice, 'GET', at(art, '?tokenId=x')))).toBe(invalid);
    expect(failed(await ask(alice, 'GET', at(art, '?tokenId=99')))).toBe(
      `${invalid} tokenId 99 was never minted, or is burned`,
    );
    expect(await codeOf(ask(alice, 'GET', at(art, `?tokenId=${'9'.repeat(78)}`)))).toBe(invalid);
    const without = await ask(alice, 'GET', at(art));
    expect(without.status).toBe(path === 'metadata' ? 422 : 200);
  });
});
