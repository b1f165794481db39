import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ContractFactory, Interface, JsonRpcProvider, toUtf8Bytes } from 'ethers';
import fc from 'fast-check';
import { tokenDescriptorAbi, tokenDescriptorBytecode } from '../../generated/contracts.ts';
import { startEmbeddedChain } from '../../src/embedded/chain.ts';
import type { EmbeddedChain } from '../../src/embedded/chain.ts';
import { TOP_LEVEL_FIELDS } from './top-level-fields.ts';

const abi = new Interface(tokenDescriptorAbi);
let chain: EmbeddedChain;
let provider: JsonRpcProvider;
let address: string;

beforeAll(async () => {
  chain = await startEmbeddedChain({ port: 0, log: () => {} });
  provider = new JsonRpcProvider(chain.url, undefined, { staticNetwork: true });
  const factory = new ContractFactory(
    tokenDescriptorAbi,
    tokenDescriptorBytecode,
    await provider.getSigner(0),
  );
  address = await (await factory.deploy()).getAddress();
});

afterAll(async () => {
  provider.destroy();
  await chain.stop();
});

/** Bytes of a string in the ABI, valid UTF-8 or not. */
type Bytes = Uint8Array;
interface Entry {
  key: Bytes;
  value: Bytes;
  kind: number;
}
interface Json {
  name: string;
  symbol?: string;
  description?: string;
  image?: string;
  attributes?: { trait_type: string; value: unknown }[];
}

// The ABI encodes string and bytes alike, so `bytes` can hold invalid text.
const rawEntry = '(bytes key, bytes value, uint8 kind)[]';
const rawAbi = new Interface([
  `function tokenURI(bytes collection, bytes symbol, uint256 tokenId, ${rawEntry})`,
  `function contractURI(bytes name, bytes symbol, ${rawEntry})`,
]);

async function ask(name: 'tokenURI' | 'contractURI', args: unknown[]): Promise<string> {
  const encoded = rawAbi.encodeFunctionData(name, args).slice(10);
  const data = abi.getFunction(name)!.selector + encoded;
  return abi.decodeFunctionResult(name, await provider.call({ to: address, data }))[0] as string;
}

const strictUtf8 = new TextDecoder('utf-8', { fatal: true });
const lenientUtf8 = new TextDecoder('utf-8', { ignoreBOM: true });

/** Opens a data URI; throws when it is not valid UTF-8, unless the decoder takes any bytes. */
function open(uri: string, type: string, utf8 = strictUtf8): string {
  const head = `data:${type};base64,`;
  expect(uri.slice(0, head.length)).toBe(head);
  return utf8.decode(Buffer.from(uri.slice(head.length), 'base64'));
}

async function tokenJson(
  ...[collection, symbol, tokenId, layout, utf8]: [Bytes, Bytes, bigint, Entry[], typeof strictUtf8?]
): Promise<Json> {
  const uri = await ask('tokenURI', [collection, symbol, tokenId, layout]);
  return JSON.parse(open(uri, 'application/json', utf8)) as Json;
}

const text = (value: string): Bytes => toUtf8Bytes(value);
const entry = (key: string, value: string, kind = 0): Entry => ({ key: text(key), value: text(value), kind });

test('a token with sixteen keys is rendered as JSON with all of them', async () => {
  const traits = Array.from({ length: 11 }, (_, i) => entry(`trait ${i}`, `value ${i}`));
  const layout = [
    entry('name', 'Luna'),
    entry('description', 'A cat.\n"Quoted" \\ and slashed.'),
    entry('image', 'ipfs://luna.png'),
    entry('level', '7', 1),
    entry('shiny', 'true', 2),
    ...traits,
  ];
  expect(await tokenJson(text('Cats'), text('CAT'), 3n, layout)).toEqual({
    name: 'Luna',
    description: 'A cat.\n"Quoted" \\ and slashed.',
    image: 'ipfs://luna.png',
    attributes: [
      { trait_type: 'level', value: 7 },
      { trait_type: 'shiny', value: true },
      ...traits.map((_, i) => ({ trait_type: `trait ${i}`, value: `value ${i}` })),
    ],
  });
});

test('a token without metadata shows its collection and a drawing', async () => {
  const json = await tokenJson(text('Cats & <Dogs>'), text('CAT'), 12n, []);
  expect(json.name).toBe('Cats & <Dogs> #12');
  expect(Object.keys(json)).toEqual(['name', 'image']);
  const svg = open(json.image!, 'image/svg+xml');
  expect(svg).toMatch(/^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg"/);
  expect(svg).toContain('>Cats &amp; &lt;Dogs&gt; #12<');
  expect(svg).toContain('>CAT #12<');
});

test('each token has its own drawing, which does not change', async () => {
  const drawing = async (id: bigint): Promise<string> =>
    (await tokenJson(text('Cats'), text('CAT'), id, [])).image!;
  expect(await drawing(1n)).toBe(await drawing(1n));
  expect(await drawing(1n)).not.toBe(await drawing(2n));
});

test('a long title is cut in the drawing between characters, but not in the JSON', async () => {
  const title = '🐈'.repeat(40);
  const json = await tokenJson(text('Cats'), text('CAT'), 1n, [entry('name', title)]);
  expect(json.name).toBe(title);
  expect(open(json.image!, 'image/svg+xml')).toContain(`>${'🐈'.repeat(22)}…<`);
});

test.each([
  ['0', 0],
  ['-0', -0],
  ['42', 42],
  ['-1.5', -1.5],
  ['1e3', 1000],
  ['1.25E-2', 0.0125],
  ['2e+1', 20],
])('the number %s has no quotes', async (written, value) => {
  const json = await tokenJson(text('C'), text('C'), 1n, [entry('n', written, 1)]);
  expect(json.attributes).toEqual([{ trait_type: 'n', value }]);
});

test.each([
  '',
  '-',
  '01',
  '+1',
  '.5',
  '1.',
  '1e',
  '1e+',
  '1.e2',
  'NaN',
  '0x10',
  '1 ',
  ' 1',
  '1,2',
  '1]',
  '--1',
  '00',
])('what is no number (%j) is quoted', async (written) => {
  const json = await tokenJson(text('C'), text('C'), 1n, [entry('n', written, 1)]);
  expect(json.attributes).toEqual([{ trait_type: 'n', value: written }]);
});

test.each(['', 'TRUE', 'true ', 'yes', '1', 'null'])(
  'an invalid boolean (%j) is rendered as a string',
  async (written) => {
    const json = await tokenJson(text('C'), text('C'), 1n, [entry('b', written, 2)]);
    expect(json.attributes).toEqual([{ trait_type: 'b', value: written }]);
  },
);

test('a contract shows name, symbol and metadata', async () => {
  const uri = await ask('contractURI', [
    text('Gold'),
    text('AU'),
    [entry('description', 'Heavy.'), entry('site', 'x')],
  ]);
  expect(JSON.parse(open(uri, 'application/json'))).toEqual({
    name: 'Gold',
    symbol: 'AU',
    description: 'Heavy.',
    attributes: [{ trait_type: 'site', value: 'x' }],
  });
  const named = await ask('contractURI', [text('Gold'), text('AU'), [entry('name', 'Pure Gold')]]);
  expect(JSON.parse(open(named, 'application/json'))).toEqual({ name: 'Pure Gold', symbol: 'AU' });
});

/** Random bytes, valid text, invalid UTF-8, and special characters of JSON and XML. */
const anyBytes = fc.oneof(
  fc.constantFrom('name', 'description', 'collaborators').map(text),
  fc.uint8Array({ maxLength: 40 }),
  fc.string({ unit: 'binary', maxLength: 20 }).map(text),
  fc.constantFrom('"', '\\', '</text>', '&amp;', ']]>', '\u0000\u001f', '\ufffe\uffff', '\u2028').map(text),
  fc
    .array(
      fc.constantFrom(
        0x00,
        0x7f,
        0x80,
        0xbf,
        0xc0,
        0xc2,
        0xe0,
        0xa0,
        0xed,
        0x9f,
        0xf0,
        0x90,
        0xf4,
        0x8f,
        0xff,
      ),
      {
        maxLength: 12,
      },
    )
    .map((bytes) => Uint8Array.from(bytes)),
);

/** Keys that stand at the top of the JSON, not among the attributes. */
const isField = (key: string): boolean =>
  ['name', 'description', 'image', 'collaborators', ...TOP_LEVEL_FIELDS].includes(key);

/** Decoders may differ in the number of U+FFFD for an invalid sequence, and in nothing else. */
const withoutReplacements = (value: string): string => value.replaceAll('\ufffd', '');

test('any input gives valid JSON with the same text in it, and a well-formed drawing', async () => {
  await fc.assert(
    fc.asyncProperty(
      anyBytes,
      anyBytes,
      anyBytes,
      fc.array(fc.record({ key: anyBytes, value: anyBytes, kind: fc.integer({ min: 0, max: 2 }) }), {
        maxLength: 4,
      }),
      async (collection, symbol, title, rest) => {
        const layout = [{ key: text('name'), value: title, kind: 0 }, ...rest];
        const json = await tokenJson(collection, symbol, 1n, layout, lenientUtf8);
        // Of keys that it has twice the last one counts.
        const named = layout.filter(({ key }) => lenientUtf8.decode(key) === 'name').at(-1)!;
        expect(withoutReplacements(json.name)).toBe(withoutReplacements(lenientUtf8.decode(named.value)));
        const keys = rest.map(({ key }) => lenientUtf8.decode(key)).filter((key) => !isField(key));
        const rendered = (json.attributes ?? []).map((trait) => withoutReplacements(trait.trait_type));
        expect(rendered).toEqual(keys.map(withoutReplacements));
        expectWellFormed(open(json.image!, 'image/svg+xml', lenientUtf8));
        const uri = await ask('contractURI', [collection, symbol, layout]);
        JSON.parse(open(uri, 'application/json', lenientUtf8));
      },
    ),
    { numRuns: 300 },
  );
});

const anyText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.string({ unit: fc.constantFrom('"', '\\', '\u0000', '\u001f', '\u007f', '\n', ',', ' ', '語', 'a') }),
  fc.constantFrom('', '\u2028\ufffe\uffff', '🐈', 'true', '7'),
);
/** Entries of a token, which has no key twice. */
const anyLayout = fc.uniqueArray(
  fc.tuple(
    fc.oneof(fc.constantFrom('name', 'description', 'image', 'collaborators', ...TOP_LEVEL_FIELDS), anyText),
    anyText,
    fc.integer({ min: 0, max: 2 }),
  ),
  { maxLength: 16, selector: ([key]) => key },
);
type Layout = [key: string, value: string, kind: number][];

/** The same JSON by JavaScript. */
function rendered(name: string, symbol: string | undefined, layout: Layout): string {
  const valueOf = (wanted: string): string | undefined => layout.find(([key]) => key === wanted)?.[1];
  const others = layout.filter(([key]) => key === 'collaborators' || TOP_LEVEL_FIELDS.includes(key));
  const traits = layout.filter(([key]) => !isField(key));
  return JSON.stringify({
    name: valueOf('name') ?? name,
    symbol,
    description: valueOf('description'),
    image: valueOf('image'),
    ...Object.fromEntries(
      others.map(([key, value]) => [
        key,
        key === 'collaborators' ? value.split(/[\u0000-\u0020,]+/).filter((one) => one !== '') : value,
      ]),
    ),
    attributes: traits.length === 0 ? undefined : traits.map(toAttribute),
  });
}

function toAttribute([key, value, kind]: Layout[number]): { trait_type: string; value: unknown } {
  const isBare = (kind === 1 && /^\d$/.test(value)) || (kind === 2 && /^(true|false)$/.test(value));
  return { trait_type: key, value: isBare ? (JSON.parse(value) as unknown) : value };
}

test('valid text is rendered to the byte as JavaScript writes the same JSON', async () => {
  await fc.assert(
    fc.asyncProperty(anyText, anyText, anyLayout, async (name, symbol, layout) => {
      const entries = layout.map(([key, value, kind]) => entry(key, value, kind));
      const contract = await ask('contractURI', [text(name), text(symbol), entries]);
      expect(open(contract, 'application/json')).toBe(rendered(name, symbol, layout));
      const token = await ask('tokenURI', [text(name), text(symbol), 7n, [...entries, entry('image', 'x')]]);
      expect(open(token, 'application/json')).toBe(
        rendered(`${name} #7`, undefined, [...layout.filter(([key]) => key !== 'image'), ['image', 'x', 0]]),
      );
    }),
    { numRuns: 300 },
  );
});

/** Our drawing has a fixed set of tags; text in it may hold no markup, no bare ampersand and no forbidden character. */
function expectWellFormed(svg: string): void {
  const texts = [...svg.matchAll(/<text [^>]*>([^<]*)<\/text>/g)].map(([, inner]) => inner!);
  expect(texts).toHaveLength(2);
  for (const inner of texts) {
    expect(inner.replace(/&(amp|lt|gt|quot|#39);/g, '')).not.toMatch(/[&<>]/);
    expect(inner).not.toMatch(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/);
  }
  const tags = svg.replace(/>[^<]*</g, '><').match(/<\/?[a-zA-Z]+/g)!;
  expect(tags.filter((tag) => tag === '<text' || tag === '</text')).toHaveLength(4);
}
