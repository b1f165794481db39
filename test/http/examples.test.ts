import { afterAll, expect, test } from '@jest/globals';
import { examplesOf, readDocumented, schemesOf } from '../../lab/stage/documented.ts';
import type { Documented } from '../../lab/stage/documented.ts';
import { STATUS_OF_ERROR } from '../../lab/stage/error-status.ts';
import { send, serve } from '../../lab/stage/serve.ts';

const operations = readDocumented().map((operation) => [operation.operationId, operation] as const);

/** What the handler of the operation under test returns. */
let answer: unknown;
const handlers = Object.fromEntries(operations.map(([id]) => [id, async () => answer]));
const service = await serve({ handlers });
afterAll(() => service[Symbol.asyncDispose]());

const credentials: Record<string, object> = {
  accessToken: { as: 'access' },
  liveKey: { as: 'live' },
  sandboxKey: { as: 'sandbox' },
  session: { headers: { cookie: 'service_session=session' } },
};

function routeOf({ method, path, parameters }: Documented): string {
  const inPlace = (place: string) => parameters.filter((parameter) => parameter.in === place);
  const filled = inPlace('path').reduce(
    (at, { name, example }) => at.replace(`{${name}}`, String(example)),
    path,
  );
  const query = inPlace('query').map(({ name, example }) => `${name}=${encodeURIComponent(String(example))}`);
  return `${method.toUpperCase()} ${filled}${query.length > 0 ? `?${query.join('&')}` : ''}`;
}

/** Every example of an answer, as a handler would return it; the service checks it against its schema. */
function answersOf({ responses }: Documented): { status: number; body: unknown }[] {
  return Object.entries(responses).flatMap(([status, response]) => {
    const cookie = response.headers?.['Set-Cookie'] ? { cookie: 'clear' } : {};
    const bodies = response.content ? examplesOf(response).map(({ value }) => value) : [undefined];
    return bodies.map((body) => ({ status: Number(status), body, ...cookie }));
  });
}

const firstScheme = (operation: Documented): object => credentials[schemesOf(operation)[0] ?? ''] ?? {};
const bodiesOf = ({ requestBody }: Documented): unknown[] =>
  requestBody ? examplesOf(requestBody).map(({ value }) => value) : [undefined];

test.each(operations)(
  '%s accepts the examples of its requests, from every credential it lists',
  async (_id, operation) => {
    const success = answersOf(operation).find(({ status }) => status < 300)!;
    answer = success;
    const schemes = schemesOf(operation);
    expect(bodiesOf(operation).length).toBeGreaterThan(0);
    for (const scheme of schemes.length > 0 ? schemes : ['none']) {
      for (const body of bodiesOf(operation)) {
        const got = await send(service, routeOf(operation), { ...credentials[scheme], body });
        const refused = got.status === success.status ? {} : { got: got.body };
        expect({ scheme, body, status: got.status, ...refused }).toEqual({
          scheme,
          body,
          status: success.status,
        });
      }
    }
  },
);

test.each(operations)(
  '%s may answer the examples of its responses, successes and errors',
  async (_id, operation) => {
    const [body] = bodiesOf(operation);
    const documented = answersOf(operation);
    expect(documented.length).toBeGreaterThan(1);
    for (const example of documented) {
      answer = example;
      const got = await send(service, routeOf(operation), { ...firstScheme(operation), body });
      expect({ status: got.status, body: got.body }).toEqual({
        status: example.status,
        body: example.body ?? '',
      });
    }
  },
);

test('an example that breaks its schema is reported', async () => {
  answer = { status: 403, body: { code: 'NO_SUCH_CODE', message: 'x' } };
  expect((await send(service, 'GET /me', { as: 'access' })).status).toBe(500);
});

test.each(operations)(
  '%s lists each example of an error under the status of its code',
  (id, { responses }) => {
    const misplaced = Object.entries(responses).flatMap(([status, response]) =>
      Number(status) < 400
        ? []
        : examplesOf(response)
            .map(({ value }) => value as { code: string; message: string })
            .filter(({ code }) => STATUS_OF_ERROR[code] !== Number(status)),
    );
    expect(misplaced).toEqual([]);
    // These two ignore whatever could be wrong with a request.
    const takesAnything = id === 'getHealth' || id === 'getReady';
    const always = takesAnything ? ['500'] : ['422', '500'];
    expect(Object.keys(responses)).toEqual(expect.arrayContaining(always));
  },
);
