import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createKey, sessionOf } from '../../lab/stage/collections.ts';
import { cookie } from '../../lab/stage/credentials.ts';
import { createAsk } from '../../lab/stage/request.ts';
import type { Ask } from '../../lab/stage/request.ts';
import { startTestService } from '../../lab/stage/service.ts';
import type { TestAccount, TestService } from '../../lab/stage/service.ts';
import { RECIPIENT } from '../../lab/stage/tokens.ts';

let mintmark: TestService;
let ask: Ask;
let alice: TestAccount;

beforeAll(async () => {
  mintmark = await startTestService();
  ask = createAsk(mintmark.url);
  alice = await mintmark.register();
});

afterAll(() => mintmark?.stop());

const contract = { name: 'Harbour "Lights"', symbol: 'HARB' };
const metadata = {
  name: 'Blue Hour',
  description: 'Line one\nline two',
  attributes: { edition: 7, framed: true, mood: 'calm' },
};
const preview = (body: unknown) => ask(alice, 'POST', '/metadata/preview', body);

describe('POST /metadata/preview', () => {
  test('answers what the chain renders afterwards, of NFTs with and without metadata, and of the contract', async () => {
    const session = sessionOf(mintmark, alice);
    const made = await session.POST('/v1/collections', { body: contract });
    const { address } = made.data as { address: string };
    const path = { params: { path: { address } } };
    await session.POST('/v1/collections/{address}/mint', { ...path, body: { to: RECIPIENT, metadata } });
    await session.POST('/v1/collections/{address}/mint', { ...path, body: { to: RECIPIENT } });
    const described = { name: 'Harbour', description: 'Of boats.', image: 'ipfs://bafybeialiceart/1.png' };
    await session.PUT('/v1/collections/{address}/metadata', { ...path, body: described });

    for (const [asked, shown] of [
      [{ ...contract, tokenId: '1', metadata }, `/${address}/1`],
      [{ ...contract, tokenId: '2' }, `/${address}/2`],
      [{ ...contract, metadata: described }, `/${address}`],
    ] as const) {
      const rendered = await ask(null, 'GET', `/tokenURI${shown}`);
      expect(rendered.status).toBe(200);
      expect(await preview(asked)).toMatchObject({ status: 200, body: rendered.body });
      expect((await preview(asked)).body).toEqual(rendered.body);
    }
    const drawn = (await preview({ ...contract, tokenId: '2' })).body as { image: string };
    expect(drawn.image).toMatch(/^data:image\/svg\+xml;base64,/);
  });

  test('writes nothing, and works with each credential', async () => {
    const { key } = await createKey(mintmark, alice, 'sandbox');
    const before = (await ask(alice, 'GET', '/intents')).body;
    for (const headers of [cookie(alice.cookie), { Authorization: `Bearer ${key}` }])
      expect((await ask(null, 'POST', '/metadata/preview', contract, headers)).status).toBe(200);
    expect((await ask(alice, 'GET', '/intents')).body).toEqual(before);
  });

  test.each([
    ['a metadata rule', { metadata: { ...metadata, attributes: { name: 'x' } } }, /metadata\.attributes/],
    ['an id beyond 256 bits', { tokenId: String(2n ** 256n) }, /tokenId must be below 2\^256/],
    ['a field that it does not have', { baseUri: 'ipfs://x/' }, /baseUri/],
  ])('%s is 422', async (_what, rest, message) => {
    const { status, body } = await preview({ ...contract, ...rest });
    expect(status).toBe(422);
    expect((body as { message: string }).message).toMatch(message);
  });
});
