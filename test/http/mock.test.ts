import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createMintmarkClient } from '../../generated/client.ts';
import { examplesOf, readDocumented, schemesOf } from '../../lab/stage/documented.ts';
import type { Documented } from '../../lab/stage/documented.ts';
import { startPrism } from '../setup/prism.ts';
import type { Prism } from '../setup/prism.ts';

let mock: Prism;

beforeAll(async () => {
  mock = await startPrism(() => [process.execPath, 'scripts/mock.ts']);
});

afterAll(async () => {
  await mock?.stop();
});

/** A valid request for an operation: its own examples, and any credential of the first kind that it takes. */
async function ask(operation: Documented, prefer: string): Promise<Response> {
  const { method, path, parameters, requestBody } = operation;
  const [scheme] = schemesOf(operation);
  const [body] = requestBody ? examplesOf(requestBody) : [];
  const filled = parameters
    .filter((parameter) => parameter.in === 'path')
    .reduce((at, { name, example }) => at.replace(`{${name}}`, String(example)), path);
  return fetch(mock.url + filled, {
    method: method.toUpperCase(),
    headers: {
      Prefer: prefer,
      ...(scheme === 'session' ? { Cookie: 'service_session=any' } : {}),
      ...(scheme === undefined || scheme === 'session' ? {} : { Authorization: 'Bearer any' }),
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body.value) }),
  });
}

async function answered(response: Response): Promise<unknown> {
  const text = await response.text();
  const isJson = response.headers.get('Content-Type')?.startsWith('application/json') ?? false;
  return isJson ? JSON.parse(text) : text;
}

test.each(readDocumented().map((operation) => [operation.operationId, operation] as const))(
  'the mock gives each documented answer of %s, by status and by the name of its example',
  async (_id, operation) => {
    for (const [status, response] of Object.entries(operation.responses)) {
      const examples = examplesOf(response);
      const plain = await ask(operation, `code=${status}`);
      expect({ status: plain.status, body: await answered(plain) }).toEqual({
        status: Number(status),
        body: response.content ? examples[0]?.value : '',
      });
      for (const { name, value } of examples) {
        const named = await ask(operation, `code=${status}, example=${name}`);
        expect({ name, status: named.status, body: await answered(named) }).toEqual({
          name,
          status: Number(status),
          body: value,
        });
      }
    }
  },
);

test('the mock serves a deployment through the generated client', async () => {
  const client = createMintmarkClient({ baseUrl: mock.url, token: 'mta_any' });
  const { data, response } = await client.POST('/tokens', {
    body: { type: 'ERC20', name: 'Alice Coin', symbol: 'ALC' },
  });
  expect(response.status).toBe(200);
  expect(data).toMatchObject({ success: true, data: { symbol: 'ALC' } });
  expect(response.headers.get('intent-id')).toMatch(/^[0-9a-f-]{36}$/);
});

test('the mock checks cookies and returns errors', async () => {
  const client = createMintmarkClient({ baseUrl: mock.url, cookie: 'any' });
  expect((await client.GET('/v1/auth/me')).data).toMatchObject({ plan: 'BASIC' });
  expect((await client.GET('/me')).error).toMatchObject({ code: 'UNAUTHORIZED' });
});
