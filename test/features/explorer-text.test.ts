import { describe, expect, test } from '@jest/globals';
import { explorerPage } from '../../src/features/explorer/page.ts';
import { readDescription } from '../../src/features/explorer/picture.ts';
import { showBytesAsText, showText } from '../../src/features/explorer/text.ts';
import { html } from '../../src/features/html.ts';

const HOSTILE = '<script>alert(1)</script>';

describe('html', () => {
  test('escapes every value, in text and in attributes', () => {
    const value = `<b title="x" class='y'>&amp;</b>`;
    expect(String(html`<p title="${value}">${value}</p>`)).toBe(
      '<p title="&lt;b title=&quot;x&quot; class=&#39;y&#39;&gt;&amp;amp;&lt;/b&gt;">' +
        '&lt;b title=&quot;x&quot; class=&#39;y&#39;&gt;&amp;amp;&lt;/b&gt;</p>',
    );
  });

  test('inserts its own markup unescaped, alone and in lists', () => {
    const items = ['<1>', '2'].map((item) => html`<li>${item}</li>`);
    expect(String(html`${items}|${html`<hr />`}|${3}|${4n}`)).toBe('<li>&lt;1&gt;</li><li>2</li>|<hr />|3|4');
  });

  test('escapes the title of a page', () => {
    expect(String(explorerPage('', HOSTILE, html`x`))).not.toContain(HOSTILE);
  });
});

describe('text from users', () => {
  test.each([
    ['what rearranges a line', 'a\u202Egpj.exe\u202C', 'a[U+202E]gpj.exe[U+202C]'],
    ['isolates', '\u2066x\u2069', '[U+2066]x[U+2069]'],
    ['controls', 'a\u0000b\u001bc\u0085d\u007f', 'a[U+0000]b[U+001B]c[U+0085]d[U+007F]'],
    ['what has no width', 'pay\u200Bpal\uFEFF\u00AD', 'pay[U+200B]pal[U+FEFF][U+00AD]'],
    ['separators of lines', 'a\u2028b', 'a[U+2028]b'],
    ['tags', 'a\u{E0041}', 'a[U+E0041]'],
    ['half a surrogate pair', 'a\uD800', 'a[U+D800]'],
    ['a joiner between letters', 'a\u200Db', 'a[U+200D]b'],
    ['breaks of lines as spaces', 'a\r\n\nb\tc', 'a b c'],
    ['a pile of accents', `x${'\u0301'.repeat(40)}y`, 'x\u0301\u0301\u0301y'],
  ])('cannot change how the text around it reads: %s', (_, given, shown) => {
    expect(showText(given)).toBe(shown);
  });

  test.each(['Zoë & Søn', 'שלום', '日本語', 'नमस्ते', '👩‍👧', '👩🏽‍🚀', '🏳️‍🌈'])('%s is not changed', (given) => {
    expect(showText(given)).toBe(given);
  });

  test('long text is cut between characters', () => {
    expect(showText('😀'.repeat(300), 10)).toBe(`${'😀'.repeat(10)}… (600 characters)`);
    expect(showText('x'.repeat(5_000_000))).toHaveLength(200 + '… (5000000 characters)'.length);
    expect(showText('x'.repeat(200))).toBe('x'.repeat(200));
  });

  test('invalid UTF-8 becomes replacement characters', () => {
    expect(showBytesAsText('0x41ff42c3')).toBe('A\uFFFDB\uFFFD');
    expect(showBytesAsText('0x')).toBe('');
  });
});

const hex = (text: string) => `0x${Buffer.from(text).toString('hex')}` as const;
const uriOf = (json: unknown) =>
  hex(`data:application/json;base64,${Buffer.from(JSON.stringify(json)).toString('base64')}`);

describe('the JSON of a token', () => {
  const svg = `data:image/svg+xml;base64,${Buffer.from('<svg/>').toString('base64')}`;

  test('is read with its image and attributes', () => {
    const attributes = [
      { trait_type: 'level', value: 7 },
      { trait_type: 'lit', value: true },
      { trait_type: 'keeper', value: HOSTILE },
    ];
    expect(readDescription(uriOf({ name: 'Pier', description: 'A pier.', image: svg, attributes }))).toEqual({
      name: 'Pier',
      description: 'A pier.',
      picture: svg,
      link: null,
      attributes: [
        { name: 'level', value: '7' },
        { name: 'lit', value: 'true' },
        { name: 'keeper', value: HOSTILE },
      ],
    });
  });

  test.each([
    'https://evil.example/x.png',
    'ipfs://picture',
    'javascript:alert(1)',
    'data:text/html,<script>alert(1)</script>',
    'data:image/svg+xmlx,no',
    `data:image/png;base64,${'A'.repeat(200_000)}`,
  ])('the image %s is shown as text', (image) => {
    expect(readDescription(uriOf({ image }))).toMatchObject({ picture: null, link: image });
  });

  test.each([
    ['no JSON', hex('data:application/json;base64,####')],
    ['null', uriOf(null)],
    ['a list', uriOf([1, 2])],
    ['other types', uriOf({ name: 1, image: {}, attributes: 'x', description: [] })],
    [
      'attributes of other types',
      uriOf({ attributes: [null, 3, { trait_type: 1 }, { trait_type: 'a', value: {} }] }),
    ],
    ['nothing', hex('')],
  ])('%s gives no description', (_, uri) => {
    expect(readDescription(uri)).toEqual({
      name: null,
      description: null,
      picture: null,
      link: null,
      attributes: [],
    });
  });

  test('a URI of another host is shown and not loaded', () => {
    expect(readDescription(hex('https://art.example/7'))).toMatchObject({
      picture: null,
      link: 'https://art.example/7',
    });
  });
});
