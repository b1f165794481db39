import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { readContractText } from '../../lab/stage/contract-coverage.ts';
import { startTestService } from '../../lab/stage/service.ts';
import type { TestService } from '../../lab/stage/service.ts';

let mintmark: TestService;

beforeAll(async () => {
  mintmark = await startTestService();
});

afterAll(async () => {
  await mintmark?.stop();
});

describe('/docs', () => {
  test('the content security policy lets the page connect to the service only', async () => {
    const { headers } = await fetch(`${mintmark.url}/docs`);
    expect(headers.get('Content-Type')).toBe('text/html; charset=utf-8');
    expect(headers.get('Content-Security-Policy')!.split('; ')).toEqual([
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'unsafe-inline'",
      "img-src 'self' data:",
      "connect-src 'self'",
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
    ]);
    expect(headers.get('X-Content-Type-Options')).toBe('nosniff');
  });

  test('redirects the address with a trailing slash', async () => {
    const { status, headers } = await fetch(`${mintmark.url}/docs/`, { redirect: 'manual' });
    expect(status).toBe(308);
    expect(headers.get('Location')).toBe('../docs');
  });

  test('serves the same script compressed and uncompressed', async () => {
    const load = async (encoding: string) => {
      const response = await fetch(`${mintmark.url}/docs/scalar.js`, {
        headers: { 'Accept-Encoding': encoding },
      });
      return { encoding: response.headers.get('Content-Encoding'), text: await response.text() };
    };
    const [packed, plain] = await Promise.all([load('gzip'), load('identity')]);
    expect([packed.encoding, plain.encoding]).toEqual(['gzip', null]);
    expect(packed.text.length).toBeGreaterThan(1_000_000);
    expect(packed.text === plain.text).toBe(true);
  });

  test('shows openapi.yaml, with optional parameters empty and all of them free text', async () => {
    interface Parameter {
      required?: boolean;
      example?: unknown;
      schema?: Record<string, unknown> | null;
    }
    interface Document {
      info: object | null;
      paths: Record<string, Record<string, { parameters?: Parameter[] }>>;
      components: { parameters: Record<string, Parameter> };
    }
    const document = parse(readContractText()) as Document;
    const served = (await (await fetch(`${mintmark.url}/docs/openapi.json`)).json()) as Document & {
      info: { description: string };
    };
    const { IdempotencyKey, TokenAddress } = served.components.parameters;
    expect(IdempotencyKey!.example).toBe('');
    expect(TokenAddress!.example).toMatch(/^0x/);
    expect(TokenAddress!.schema).toMatchObject({ type: 'string', pattern: '^0x[0-9a-fA-F]{40}$' });
    expect(served.info.description).toContain('(openapi.yaml)');
    const parametersOf = ({ components, paths }: Document): Parameter[] =>
      [
        ...Object.values(components.parameters),
        ...Object.values(paths).flatMap((item) =>
          Object.values(item).flatMap(({ parameters = [] }) => parameters),
        ),
      ].filter(({ schema }) => schema);
    for (const { schema } of parametersOf(served)) expect(schema).not.toHaveProperty('examples');
    for (const parameter of parametersOf(document)) if (!parameter.required) parameter.example = '';
    for (const parameter of [...parametersOf(served), ...parametersOf(document)]) parameter.schema = null;
    expect({ ...served, info: null }).toEqual({ ...document, info: null });
  });
});
