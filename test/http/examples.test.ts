import { afterAll, expect, test } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { ERROR_STATUS } from '../../src/errors.ts';
import type { ErrorCode } from '../../src/errors.ts';
import { readContract } from '../../src/http/document.ts';
import { send, serve } from './serve.ts';

type Example = { value: unknown };
type Content = { content?: Record<string, { examples: Record<string, Example> }> };
type Parameter = { name: string; in: string; example: unknown };
type OperationObject = {
  operationId: string;
  security: Record<string, unknown>[];
  parameters?: Parameter[];
  requestBody?: Content;
  responses: Record<string, Content & { headers?: Record<string, unknown> }>;
};

const METHODS = ['get', 'post', 'put', 'patch', 'delete'];

/** The contract with every reference replaced by what it refers to, but for schemas, which examples do not need. */
const readExamples = (): Record<string, Record<string, OperationObject>> => {
  const document = parse(readFileSync('openapi.yaml', 'utf8')) as Record<string, unknown>;
  const resolve = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(resolve);
    if (typeof value !== 'object' || value === null) return value;
    if ('$ref' in value) {
      const path = (value.$ref as string).slice(2).split('/');
      return resolve(path.reduce<unknown>((at, key) => (at as Record<string, unknown>)[key], document));
    }
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [key, key === 'schema' ? item : resolve(item)]),
    );
  };
  return resolve(document['paths']) as ReturnType<typeof readExamples>;
};

const examplesOf = ({ content }: Content): unknown[] =>
  Object.values(content ?? {}).flatMap(({ examples }) => Object.values(examples).map(({ value }) => value));

const operations = Object.entries(readExamples()).flatMap(([path, item]) =>
  METHODS.flatMap((method) => {
    const operation = item[method];
    if (operation === undefined) return [];
    const shared = (item as { parameters?: Parameter[] }).parameters ?? [];
    return [{ ...operation, method, path, parameters: [...shared, ...(operation.parameters ?? [])] }];
  }),
);

/** What the handler of the operation under test answers. */
let answer: unknown;
const handlers = Object.fromEntries(readContract().operations.map(({ id }) => [id, async () => answer]));
const service = await serve({ handlers });
afterAll(() => service[Symbol.asyncDispose]());

const credentials = {
  none: {},
  accessToken: { as: 'access' },
  liveKey: { as: 'live' },
  sandboxKey: { as: 'sandbox' },
  session: { headers: { cookie: 'service_session=session' } },
};

const routeOf = ({ method, path, parameters }: (typeof operations)[number]): string => {
  const inPlace = (place: string) => parameters.filter((parameter) => parameter.in === place);
  const filled = inPlace('path').reduce(
    (at, { name, example }) => at.replace(`{${name}}`, String(example)),
    path,
  );
  const query = inPlace('query').map(({ name, example }) => `${name}=${encodeURIComponent(String(example))}`);
  return `${method.toUpperCase()} ${filled}${query.length > 0 ? `?${query.join('&')}` : ''}`;
};

const successesOf = ({ responses }: OperationObject): { status: number }[] =>
  Object.entries(responses)
    .filter(([status]) => Number(status) < 300)
    .flatMap(([status, response]) => {
      const cookie = response.headers?.['Set-Cookie'] ? { cookie: 'clear' } : {};
      const bodies = response.content ? examplesOf(response) : [undefined];
      return bodies.map((body) => ({ status: Number(status), body, ...cookie }));
    });

test.each(operations.map((operation) => [operation.operationId, operation] as const))(
  '%s takes the examples of its requests, from every credential it lists, and answers those of its responses',
  async (_id, operation) => {
    const schemes = operation.security.flatMap((scheme) =>
      Object.keys(scheme),
    ) as (keyof typeof credentials)[];
    const bodies = operation.requestBody ? examplesOf(operation.requestBody) : [undefined];
    const answers = successesOf(operation);
    expect(bodies.length * answers.length).toBeGreaterThan(0);
    for (const scheme of schemes.length > 0 ? schemes : (['none'] as const)) {
      for (const body of bodies) {
        for (answer of answers) {
          const { status } = answer as { status: number };
          const got = await send(service, routeOf(operation), { ...credentials[scheme], body });
          expect({
            scheme,
            body,
            status: got.status,
            ...(got.status === status ? {} : { got: got.body }),
          }).toEqual({
            scheme,
            body,
            status,
          });
        }
      }
    }
  },
);

test.each(operations.map((operation) => [operation.operationId, operation] as const))(
  '%s gives each example of an error under the status of its code',
  (_id, { responses }) => {
    const misplaced = Object.entries(responses).flatMap(([status, response]) =>
      Number(status) < 400
        ? []
        : (examplesOf(response) as { code: ErrorCode; message: string }[]).filter(
            ({ code }) => ERROR_STATUS[code] !== Number(status),
          ),
    );
    expect(misplaced).toEqual([]);
    expect(Object.keys(responses)).toEqual(expect.arrayContaining(['422', '500']));
  },
);
