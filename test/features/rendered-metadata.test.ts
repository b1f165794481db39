import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { AbiCoder, JsonRpcProvider, id } from 'ethers';
import fc from 'fast-check';
import { fromEntries } from '../../src/chain/abi/metadata-rules.ts';
import { entriesView, keysView } from '../../src/chain/abi/metadata.ts';
import { readRendered } from '../../src/features/metadata/preview.ts';
import type { Hex } from '../../src/lib/hex.ts';
import { send, serve } from '../../lab/stage/serve.ts';
import { createAsk } from '../../lab/stage/request.ts';
import type { Ask } from '../../lab/stage/request.ts';
import { startTestService } from '../../lab/stage/service.ts';
import type { TestAccount, TestService } from '../../lab/stage/service.ts';
import { RECIPIENT, deployToken, requestMint } from '../../lab/stage/tokens.ts';
import { METADATA_FORMS, toMetadataInput } from './metadata-forms.ts';

/** In all places of the contract that show keyed metadata: an answer that breaks its schema is 500 in tests. */

let mintmark: TestService;
let ask: Ask;
let alice: TestAccount;

beforeAll(async () => {
  mintmark = await startTestService();
  ask = createAsk(mintmark.url);
  alice = await mintmark.register();
});

afterAll(() => mintmark?.stop());

const contract = { name: 'Harbour', symbol: 'HARB' };
const preview = (metadata: unknown, tokenId?: string) =>
  ask(alice, 'POST', '/metadata/preview', { ...contract, metadata, ...(tokenId && { tokenId }) });

const TEXT_FIELDS = [
  ...['external_url', 'animation_url', 'background_color', 'display_type'],
  ...['external_link', 'banner_image', 'featured_image'],
];

test('an attribute with the name of a top-level field is that field, in a preview and after a mint', async () => {
  const fields = Object.fromEntries(TEXT_FIELDS.map((key) => [key, `of ${key}`]));
  const metadata = {
    name: 'N',
    description: 'D',
    image: 'ipfs://x/1.png',
    attributes: { ...fields, collaborators: `${RECIPIENT}, ${RECIPIENT}`, mood: 'calm', animation_url: 7 },
  };
  const shown = {
    ...{ name: 'N', description: 'D', image: 'ipfs://x/1.png', ...fields, animation_url: '7' },
    collaborators: [RECIPIENT, RECIPIENT],
    attributes: [{ trait_type: 'mood', value: 'calm' }],
  };
  expect(await preview(metadata, '1')).toMatchObject({ status: 200, body: shown });
  expect(await preview(metadata)).toMatchObject({ status: 200, body: { ...shown, symbol: 'HARB' } });

  const art = await deployToken(alice, 'ERC721');
  await requestMint(alice, art, { amount: null });
  await ask(alice, 'PUT', `/tokens/${art}/metadata`, { ...metadata, tokenId: '1' });
  expect(await ask(null, 'GET', `/tokenURI/${art}/1`)).toMatchObject({ status: 200, body: shown });
  const coin = await deployToken(alice);
  await ask(alice, 'PUT', `/tokens/${coin}/metadata`, metadata);
  expect((await ask(null, 'GET', `/tokenURI/${coin}`)).status).toBe(200);
});

test.each(Object.entries(METADATA_FORMS))('a file with %s is shown as it was given', async (_form, file) => {
  const { attributes, ...fields } = toMetadataInput(file);
  const { status, body } = await preview({ ...fields, attributes }, '1');
  expect({ status, body }).toMatchObject({ status: 200, body: fields });
  const { attributes: traits = [], ...shown } = body as Record<string, unknown> & {
    attributes?: { trait_type: string; value: unknown }[];
  };
  const { collaborators, ...plain } = shown;
  expect({
    ...Object.fromEntries(traits.map(({ trait_type, value }) => [trait_type, value])),
    ...Object.fromEntries(Object.entries(plain).filter(([key]) => key in attributes)),
    ...(collaborators !== undefined && { collaborators: (collaborators as string[]).join(' ') }),
  }).toEqual(attributes);
});

/** One entry as a contract may hold it, written by its owner past this service: any bytes, any kind. */
type RawEntry = [key: Uint8Array, value: Uint8Array, kind: number];

const bytesOf = (text: string): Uint8Array => new Uint8Array(Buffer.from(text));
const anyKey = fc.oneof(
  fc.constantFrom(
    'name',
    'description',
    'image',
    'symbol',
    'attributes',
    '__proto__',
    'collaborators',
    ...TEXT_FIELDS,
  ),
  fc.string({ unit: 'binary', maxLength: 12 }),
);
const anyText = fc.oneof(
  fc.constantFrom(
    '',
    'true',
    '7',
    '-0',
    '1e999',
    '12345678901234567890',
    '0.1234567890123456789',
    'a, b',
    ',,',
  ),
  fc.double().map(String),
  fc.bigInt().map(String),
  fc.string({ unit: 'binary' }),
  fc.string({ minLength: 1_100, maxLength: 1_200 }),
);
const anyBytes = (text: fc.Arbitrary<string>) =>
  fc.oneof({ weight: 4, arbitrary: text.map(bytesOf) }, fc.uint8Array());
/** No key is empty or there twice, and a layout has 16 at most. */
const layouts = fc.uniqueArray(
  fc.tuple(
    anyBytes(anyKey).filter(({ length }) => length > 0),
    anyBytes(anyText),
    fc.constantFrom(0, 1, 2),
  ),
  { maxLength: 16, selector: ([key]) => Buffer.from(key).toString('hex') },
);

describe('whatever a layout holds', () => {
  /** What the handlers answer. */
  let answer: unknown;
  const handler = async () => ({ status: 200, body: answer });
  const names = ['getTokenUri', 'getContractUri', 'getMetadata', 'listMetadataKeys'];
  let checked: Awaited<ReturnType<typeof serve>>;
  let node: JsonRpcProvider;

  beforeAll(async () => {
    checked = await serve({ handlers: Object.fromEntries(names.map((name) => [name, handler])) });
    node = new JsonRpcProvider(mintmark.chain.url, undefined, { staticNetwork: true });
  });
  afterAll(async () => {
    node?.destroy();
    await checked?.[Symbol.asyncDispose]();
  });

  const coder = AbiCoder.defaultAbiCoder();
  const LAYOUT = '(bytes,bytes,uint8)[]';
  async function render(name: 'tokenURI' | 'contractURI', layout: readonly RawEntry[]): Promise<string> {
    const isToken = name === 'tokenURI';
    const types = ['string', 'string', ...(isToken ? ['uint256'] : []), LAYOUT];
    const signature = `${name}(string,string,${isToken ? 'uint256,' : ''}(string,bytes,uint8)[])`;
    const values = ['Harbour', 'HARB', ...(isToken ? [1n] : []), layout];
    const data = id(signature).slice(0, 10) + coder.encode(types, values).slice(2);
    const { descriptor } = mintmark.service.context.system;
    return coder.decode(['string'], await node.call({ to: descriptor, data }))[0] as string;
  }
  const show = async (path: string, body: unknown): Promise<unknown> => {
    answer = body;
    const { status, body: sent } = await send(checked, `GET ${path}`, { as: 'access' });
    expect({ status, sent }).toMatchObject({ status: 200 });
    return sent;
  };

  test('what the contract renders is a body that openapi.yaml allows', async () => {
    const property = fc.asyncProperty(layouts, async (layout) => {
      await show(`/tokenURI/${RECIPIENT}/1`, readRendered(await render('tokenURI', layout)));
      await show(`/tokenURI/${RECIPIENT}`, readRendered(await render('contractURI', layout)));
    });
    await fc.assert(property, { numRuns: 40 });
  });

  test('what is read of it is a body that openapi.yaml allows', async () => {
    const property = fc.asyncProperty(layouts, async (layout) => {
      const entries = coder.encode([LAYOUT], [layout]) as Hex;
      await show(`/tokens/${RECIPIENT}/metadata`, fromEntries(entriesView(null).decode(entries)));
      const keys = coder.encode(['bytes[]'], [layout.map(([key]) => key)]) as Hex;
      await show(`/tokens/${RECIPIENT}/metadata/keys`, { keys: keysView(null).decode(keys) });
    });
    await fc.assert(property, { numRuns: 50 });
  });

  test('a number that a double cannot hold is text, and no digit of it is lost', async () => {
    const numbers = ['12345678901234567890', '1e999', '0.12345678901234567890', '7', '1.50'];
    const layout = numbers.map((text, place): RawEntry => [bytesOf(`n${place}`), bytesOf(text), 1]);
    const kept = ['12345678901234567890', '1e999', '0.12345678901234567890', 7, 1.5];
    const shown = await show(`/tokenURI/${RECIPIENT}/1`, readRendered(await render('tokenURI', layout)));
    expect(shown).toMatchObject({
      attributes: kept.map((value, place) => ({ trait_type: `n${place}`, value })),
    });
    const entries = coder.encode([LAYOUT], [layout]) as Hex;
    const read = await show(`/tokens/${RECIPIENT}/metadata`, fromEntries(entriesView(null).decode(entries)));
    expect(read).toMatchObject({
      attributes: Object.fromEntries(kept.map((value, place) => [`n${place}`, value])),
    });
  });
});
