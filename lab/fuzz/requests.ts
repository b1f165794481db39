import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import type { Operation } from '../../src/http/document.ts';
import { HEADERS, LONG, METHODS, PLACES, QUERIES, WIRE } from './hostile.ts';
import { resolve, valuesOf } from './schema.ts';
import type { Json, Schema } from './schema.ts';

/** How far a request is from the contract. */
export type Kind =
  'valid' | 'nearly valid' | 'hostile body' | 'hostile query' | 'hostile path' | 'hostile header' | 'wire';

/** One generated request. With `raw` it is bytes for a socket, and the other fields are ignored. */
export interface FuzzRequest {
  kind: Kind;
  operation: Operation;
  method: string;
  path: string;
  headers: Record<string, string | string[]>;
  body: Buffer | null;
  raw?: string;
}

/** Values for requests that are not in the contract. */
interface Ingredients {
  operations: readonly Operation[];
  /** Headers of credentials of every kind. */
  credentials: readonly Record<string, string>[];
  /** Addresses of tokens and collections: own, foreign, of the sandbox, unknown. */
  addresses: readonly string[];
  /** Ids of intents. */
  ids: readonly string[];
}

interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header';
  required?: boolean;
  schema: Schema;
}

interface OperationObject {
  parameters?: (Parameter & { $ref?: string })[];
  requestBody?: { content: Record<string, { schema: Schema }> };
}

type PathItem = Partial<Record<Operation['method'], OperationObject>> & { parameters?: Parameter[] };

/** Values that have broken other programs. */
const HOSTILE: readonly Json[] = [
  null,
  true,
  false,
  0,
  -1,
  1.5,
  1e308,
  -1e308,
  2 ** 53,
  2 ** 53 + 2,
  1e21,
  '',
  ' ',
  '\u0000',
  'a\u0000b',
  '\ud800',
  '\udfff\ud800',
  '\u202e',
  '\ufeff',
  '😀'.repeat(300),
  LONG,
  '0x',
  '-1',
  '1e9',
  '00',
  '9'.repeat(78),
  '9'.repeat(400),
  "'; drop table accounts; --",
  '${7*7}',
  '{{7*7}}',
  '../../etc/passwd',
  '<script>alert(1)</script>',
  '%00',
  '__proto__',
  'constructor',
  [],
  [[]],
  {},
  { __proto__: null },
  { toString: 1 },
  { length: 1e9 },
  { $ref: '#/a' },
  [null],
  Array.from({ length: 2_000 }, () => 0),
  JSON.parse('{"__proto__": {"admin": true}}'),
];
const hostileValue = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...HOSTILE) },
  { weight: 1, arbitrary: fc.jsonValue() },
);

type Step = string | number;

function placesIn(value: Json, place: Step[] = []): Step[][] {
  if (typeof value !== 'object' || value === null) return [place];
  return [place, ...Object.entries(value).flatMap(([key, item]) => placesIn(item, [...place, key]))];
}

function changedAt(value: Json, [step, ...rest]: Step[], change: (old: Json) => Json): Json {
  if (step === undefined) return change(value);
  const copy = (Array.isArray(value) ? [...(value as Json[])] : { ...(value as object) }) as Record<
    Step,
    Json
  >;
  copy[step] = changedAt(copy[step], rest, change);
  return copy;
}

/** Text of a body that differs from a valid one in one place. */
function nearly(body: Json): fc.Arbitrary<string> {
  const whole = JSON.stringify(body);
  // As text: an object cannot hold a key twice, nor the key __proto__ without care.
  const member = (name: string, value: string): string => {
    const rest = whole.slice(1);
    return `{${JSON.stringify(name)}:${value}${rest === '}' ? '' : ','}${rest}`;
  };
  const replaced = fc
    .tuple(fc.constantFrom(...placesIn(body)), hostileValue)
    .map(([place, value]) => JSON.stringify(changedAt(body, place, () => value)));
  const added = fc
    .tuple(
      fc.constantFrom(
        '__proto__',
        'constructor',
        'prototype',
        'toString',
        'id',
        'accountId',
        'plan',
        '',
        LONG,
      ),
      fc.constantFrom('1', '{"plan":"PRO_PLUS"}', 'null'),
    )
    .map(([name, value]) => member(name, value));
  const keys = Object.keys(body ?? {});
  const doubled =
    keys.length === 0 ? replaced : fc.constantFrom(...keys).map((key) => member(key, '"first"'));
  const missing =
    keys.length === 0
      ? replaced
      : fc.constantFrom(...keys).map((key) => JSON.stringify({ ...(body as object), [key]: undefined }));
  return fc.oneof(replaced, replaced, added, doubled, missing);
}

const JSON_TYPE = { 'Content-Type': 'application/json' };

/** An invalid body with matching headers. */
function hostileBody(valid: string): fc.Arbitrary<{ headers: Record<string, string>; body: Buffer }> {
  const asJson = (body: string | Buffer) => ({ headers: JSON_TYPE, body: Buffer.from(body) });
  const typed = (type: string) => ({ headers: { 'Content-Type': type }, body: Buffer.from(valid) });
  const encoded = (encoding: string, body = Buffer.from(valid)) => ({
    headers: { ...JSON_TYPE, 'Content-Encoding': encoding },
    body,
  });
  return fc.oneof(
    fc.nat(valid.length).map((length) => asJson(valid.slice(0, length))),
    fc.uint8Array({ maxLength: 200 }).map((bytes) => asJson(Buffer.from(bytes))),
    fc.constantFrom(10, 1_000, 100_000).map((depth) => asJson('['.repeat(depth) + ']'.repeat(depth))),
    fc
      .constantFrom(10, 1_000, 100_000)
      .map((depth) => asJson(`${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`)),
    // Only the one that is chosen is made: some are megabytes.
    fc
      .constantFrom(
        () => asJson('null'),
        () => asJson('1'),
        () => asJson('"text"'),
        () => asJson('[]'),
        () => asJson('{}'),
        () => asJson(''),
        () => asJson('{'),
        () => asJson('{"a"'),
        () => asJson('nul'),
        () => asJson(`\ufeff${valid}`),
        () => asJson(`${valid}${valid}`),
        () => asJson(`${valid} //`),
        () => asJson('{"a":01}'),
        () => asJson('{"a":NaN}'),
        () => asJson(Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d])),
        () => asJson(Buffer.from(valid, 'utf16le')),
        () => asJson('{"a":9007199254740993}'),
        () => asJson(`{"a":0.${'1'.repeat(10_000)}}`),
        () => asJson('{"a":1e400}'),
        () => asJson(`{"a":"${'a'.repeat(16_376)}"}`),
        () => asJson(`{"a":"${'a'.repeat(16_377)}"}`),
        () => asJson(JSON.stringify({ a: 'a'.repeat(900_000) })),
        () => asJson(JSON.stringify({ a: 'a'.repeat(1_100_000) })),
        () => asJson(`{${Array.from({ length: 20_000 }, (_, index) => `"k${index}":1`).join()}}`),
        () => typed('text/plain'),
        () => typed('application/x-www-form-urlencoded'),
        () => typed('multipart/form-data; boundary=a'),
        () => typed('application/json; charset=utf-16'),
        () => typed('application/json; charset=latin1'),
        () => typed('application/json;;;'),
        () => typed('application/jsonx'),
        () => typed('application/xml'),
        () => typed('*/*'),
        () => typed(''),
        () => typed('APPLICATION/JSON'),
        () => typed(`application/json; a=${LONG}`),
        () => encoded('gzip', gzipSync(valid)),
        () => encoded('gzip'),
        () => encoded('br'),
        () => encoded('deflate'),
        () => encoded('identity'),
        () => encoded('what'),
        () => encoded('gzip', gzipSync(Buffer.alloc(5_000_000))),
      )
      .map((make) => make()),
  );
}

function objectOf({ document, method }: Operation): { parameters: Parameter[]; body: Schema | null } {
  const [item] = Object.values(document['paths'] as Record<string, PathItem>);
  const operation = item![method]!;
  return {
    parameters: [...(item!.parameters ?? []), ...(operation.parameters ?? [])].map((each) =>
      resolve<Parameter>(document, each),
    ),
    body: operation.requestBody?.content['application/json']?.schema ?? null,
  };
}

/** Requests that fit the contract, as far as a schema can say it. */
function validRequests(
  operation: Operation,
  { credentials, addresses, ids }: Ingredients,
): fc.Arbitrary<FuzzRequest & { json: Json }> {
  const { parameters, body } = objectOf(operation);
  const { document } = operation;
  const valueOf = ({ name, in: place, schema, required }: Parameter): fc.Arbitrary<string | undefined> => {
    const values =
      place === 'path' && name === 'id'
        ? fc.oneof(fc.constantFrom(...ids), fc.uuid())
        : name === 'tokenId'
          ? fc.constantFrom('0', '1', '2', '9'.repeat(77))
          : valuesOf(document, schema, addresses).map(String);
    return required ? values : fc.option(values, { nil: undefined });
  };
  const partsIn = (place: Parameter['in']) =>
    fc.record(
      Object.fromEntries(
        parameters.filter((each) => each.in === place).map((each) => [each.name, valueOf(each)]),
      ),
    );
  return fc
    .record({
      path: partsIn('path'),
      query: partsIn('query'),
      header: partsIn('header'),
      json: body ? valuesOf(document, body, addresses) : fc.constant(null),
      credential: fc.constantFrom(...credentials),
    })
    .map(({ path, query, header, json, credential }) => {
      const search = new URLSearchParams(
        Object.entries(query).flatMap(([name, value]) =>
          value === undefined ? [] : [[name, value] as [string, string]],
        ),
      ).toString();
      const given = Object.fromEntries(
        Object.entries(header).filter(([, value]) => value !== undefined),
      ) as Record<string, string>;
      return {
        kind: 'valid' as const,
        operation,
        method: operation.method.toUpperCase(),
        path:
          operation.path.replace(/:(\w+)/g, (_all, name: string) => encodeURIComponent(path[name] ?? '')) +
          (search && `?${search}`),
        // Other tests wait for blocks.
        headers: {
          ...credential,
          ...(body ? JSON_TYPE : {}),
          ...given,
          ...(operation.isWrite ? { Prefer: 'respond-async' } : {}),
        },
        body: body ? Buffer.from(JSON.stringify(json)) : null,
        json,
      };
    });
}

/** Requests of every kind, to every operation. */
export function fuzzRequests(ingredients: Ingredients): fc.Arbitrary<FuzzRequest> {
  const ofOperation = (operation: Operation): fc.Arbitrary<FuzzRequest> => {
    const valid = validRequests(operation, ingredients);
    const without = ({ json: _json, ...request }: FuzzRequest & { json: Json }): FuzzRequest => request;
    const vary = (
      weight: number,
      change: (request: FuzzRequest & { json: Json }) => fc.Arbitrary<Partial<FuzzRequest>>,
    ) => ({
      weight,
      arbitrary: valid.chain((request) =>
        change(request).map((changes): FuzzRequest => ({ ...without(request), ...changes })),
      ),
    });
    return fc.oneof(
      { weight: 4, arbitrary: valid.map(without) },
      vary(operation.hasBody ? 6 : 1, ({ json }) =>
        nearly(json ?? {}).map((text) => ({ kind: 'nearly valid', body: Buffer.from(text) })),
      ),
      vary(4, ({ json, headers }) =>
        hostileBody(JSON.stringify(json ?? { a: 1 })).map((hostile) => ({
          kind: 'hostile body',
          body: hostile.body,
          headers: { ...headers, ...hostile.headers },
        })),
      ),
      vary(2, ({ path }) =>
        fc
          .constantFrom(...QUERIES)
          .map((query) => ({ kind: 'hostile query', path: path.split('?')[0] + query })),
      ),
      vary(2, ({ path, method }) =>
        fc
          .tuple(fc.constantFrom(...PLACES), fc.constantFrom(...METHODS, method, method, method), fc.nat(5))
          .map(([place, newMethod, way]) => ({
            kind: 'hostile path',
            method: newMethod,
            path:
              way < 3
                ? operation.path.replace(/:\w+/, place)
                : way === 3
                  ? `${path.split('?')[0]}/`
                  : way === 4
                    ? path.toUpperCase()
                    : `/${path}`,
          })),
      ),
      vary(2, ({ headers }) =>
        fc
          .constantFrom(...HEADERS)
          .map((hostile) => ({ kind: 'hostile header', headers: { ...headers, ...hostile } })),
      ),
      vary(1, () => fc.constantFrom(...WIRE).map((raw) => ({ kind: 'wire', raw }))),
    );
  };
  return fc.oneof(...ingredients.operations.map(ofOperation));
}
