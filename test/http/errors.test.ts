import { afterAll, expect, test } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { AppError, ERROR_STATUS } from '../../src/errors.ts';
import type { ErrorCode } from '../../src/errors.ts';
import { STATUS_OF_ERROR } from '../../lab/stage/error-status.ts';
import { ADDRESS, INTENT_ID, send, serve } from '../../lab/stage/serve.ts';

const service = await serve();
afterAll(() => service[Symbol.asyncDispose]());

const codes = Object.entries(STATUS_OF_ERROR) as [ErrorCode, number][];
const at = '2026-09-14T08:30:12.345Z';
const mint = { as: 'access', body: { owner: ADDRESS } };
const mintRoute = `POST /tokens/${ADDRESS}/mint`;

test('the contract and the code know the same error codes', () => {
  const document = parse(readFileSync('openapi.yaml', 'utf8')) as {
    components: {
      schemas: { ErrorCode: { enum: string[] } };
    };
  };
  expect(ERROR_STATUS).toEqual(STATUS_OF_ERROR);
  expect(document.components.schemas.ErrorCode.enum.toSorted()).toEqual(
    Object.keys(STATUS_OF_ERROR).toSorted(),
  );
});

// No operation answers 400: the server does, before there is one.
test.each(codes.filter(([, status]) => status !== 503 && status !== 400))(
  '%s is answered with %i',
  async (code, status) => {
    await using service = await serve({
      handlers: {
        mintToken: async () => {
          throw new AppError(code, 'One sentence.');
        },
      },
    });
    expect(await send(service, mintRoute, mint)).toMatchObject({
      status,
      body: { code, message: 'One sentence.' },
    });
  },
);

test('DEPLOY_UNAVAILABLE is answered with 503 by a deployment', async () => {
  await using service = await serve({
    handlers: {
      deployToken: async () => {
        throw new AppError('DEPLOY_UNAVAILABLE', 'One sentence.');
      },
    },
  });
  const body = { type: 'ERC20', name: 'A', symbol: 'A' };
  expect(await send(service, 'POST /tokens', { as: 'access', body })).toMatchObject({ status: 503 });
});

test('an error carries its intent, its retry time and its challenge in headers', async () => {
  await using service = await serve({
    handlers: {
      mintToken: async () => {
        throw new AppError('CHAIN_ERROR', 'Reverted.', { intentId: INTENT_ID });
      },
      getStats: async () => {
        throw new AppError('RATE_LIMITED', 'Too many.', { retryAfterSeconds: 30 });
      },
    },
  });
  expect((await send(service, mintRoute, mint)).headers.get('intent-id')).toBe(INTENT_ID);
  expect((await send(service, 'GET /stats', { as: 'access' })).headers.get('retry-after')).toBe('30');
  expect((await send(service, 'GET /stats')).headers.get('www-authenticate')).toBe('Bearer');
});

test('an unexpected error is hidden from the client and logged in full', async () => {
  await using service = await serve({
    handlers: {
      getStats: async () => {
        throw new Error('the left cog is missing');
      },
    },
  });
  const answer = await send(service, 'GET /stats', { as: 'access' });
  expect(answer).toMatchObject({ status: 500, body: { code: 'INTERNAL_ERROR' } });
  expect(JSON.stringify(answer.body)).not.toMatch(/cog|stack|\.ts/);
  expect(service.log()).toContain('the left cog is missing');
  expect(service.log()).toContain(answer.headers.get('x-request-id'));
});

test.each(['GET /nothing', 'POST /health', 'DELETE /tokens', 'GET /Health', 'PUT /tokens/0x00/unheard'])(
  '%s is an unknown route',
  async (route) => {
    expect(await send(service, route)).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } });
  },
);

test.each([
  ['{"owner":', {}, 'The body is not valid JSON.'],
  ['"owner"', {}, 'The body is not valid JSON.'],
  [JSON.stringify({ owner: 'x'.repeat(16_384) }), {}, 'The body is too large: at most 16 KiB.'],
  [
    '{"owner":"\u0080"}',
    { 'content-type': 'application/json; charset=utf-16' },
    'The body must be JSON in UTF-8.',
  ],
  ['{}', { 'content-type': 'application/json; charset=latin1' }, 'The body must be JSON in UTF-8.'],
  ['{}', { 'content-encoding': 'gzip' }, 'The body must be sent without a content encoding.'],
  ['owner=1', { 'content-type': 'application/x-www-form-urlencoded' }, 'Send the body as application/json.'],
  ['{}', { 'content-type': 'text/plain' }, 'Send the body as application/json.'],
  ['', {}, 'This operation needs a JSON body.'],
])('body %.20s with %j is 422', async (body, headers, message) => {
  const answer = await send(service, mintRoute, { as: 'access', body, headers });
  expect(answer).toMatchObject({ status: 422, body: { code: 'VALIDATION_ERROR', message } });
});

test('a path that cannot be decoded is 422', async () => {
  expect(await send(service, 'GET /tokens/%E0%A4%A', { as: 'access' })).toMatchObject({ status: 422 });
});

test('an answer that breaks the contract is 500, and the log says how', async () => {
  await using service = await serve({
    handlers: {
      getStats: async () => ({
        status: 200,
        body: { plan: 'BASIC', mintsUsed: -1, mintsRemaining: 100, periodStart: at, periodEnd: at },
      }),
    },
  });
  const answer = await send(service, 'GET /stats', { as: 'access' });
  expect(answer).toMatchObject({ status: 500, body: { code: 'INTERNAL_ERROR' } });
  expect(service.log()).toContain('/response');
});

test('outside of tests an answer that breaks the contract is sent, and logged as an error', async () => {
  await using logging = await serve({
    config: { wrongAnswers: 'logged' },
    handlers: {
      getStats: async () => ({
        status: 200,
        body: { plan: 'BASIC', mintsUsed: -1, mintsRemaining: 100, periodStart: at, periodEnd: at },
      }),
      getProfile: async () => {
        throw new AppError('CONFLICT', 'Not in the contract.');
      },
    },
  });
  const wrong = await send(logging, 'GET /stats', { as: 'access' });
  expect(wrong).toMatchObject({ status: 200, body: { mintsUsed: -1 } });
  const unlisted = await send(logging, 'GET /me', { as: 'access' });
  expect(unlisted).toMatchObject({ status: 409, body: { code: 'CONFLICT' } });
  const lines = logging.log().match(/.*an answer breaks openapi\.yaml.*/g) ?? [];
  expect(lines).toHaveLength(2);
  for (const line of lines) expect(JSON.parse(line)).toMatchObject({ level: 50, req: { method: 'GET' } });
  expect(lines[0]).toMatch(/mintsUsed/);
  expect(lines[1]).toMatch(/status code '409'/);
});

test('an error that the contract does not list for the operation is 500', async () => {
  await using service = await serve({
    handlers: {
      getStats: async () => {
        throw new AppError('CONFLICT', 'Not in the contract.');
      },
    },
  });
  expect(await send(service, 'GET /stats', { as: 'access' })).toMatchObject({
    status: 500,
    body: { code: 'INTERNAL_ERROR' },
  });
  expect(service.log()).toContain("no schema defined for status code '409'");
});
