import { afterAll, expect, test } from '@jest/globals';
import { AppError } from '../../src/errors.ts';
import { ADDRESS, send, serve } from '../../lab/stage/serve.ts';

const service = await serve();
afterAll(() => service[Symbol.asyncDispose]());

const route = `POST /tokens/${ADDRESS}/mint`;

test('malformed JSON comes before the credential', async () => {
  expect(await send(service, route, { body: '{' })).toMatchObject({ status: 422 });
});

test.each([16_384, 1_048_576])('an oversized body comes before the credential: %i', async (length) => {
  const body = { owner: 'x'.repeat(length) };
  expect(await send(service, route, { body })).toMatchObject({ status: 422 });
});

test('the limit comes before the body', async () => {
  await using service = await serve({ config: { anonymousRequestsPerMinute: 2, requestsPerMinute: 2 } });
  const bodies = ['{', '{}', JSON.stringify({ owner: 'x'.repeat(20_000) })];
  expect(await send(service, route, { body: '{}' })).toMatchObject({ status: 401 });
  for (const body of bodies) expect(await send(service, route, { body })).toMatchObject({ status: 429 });
  expect(await send(service, route, { body: '{', as: 'access' })).toMatchObject({ status: 422 });
  for (const body of bodies)
    expect(await send(service, route, { body, as: 'access' })).toMatchObject({ status: 429 });
});

test('a large body that the operation takes comes after the credential', async () => {
  const batch = `POST /v1/collections/${ADDRESS}/mint/batch`;
  // It is not looked at: nobody without a credential gets more than 16 KiB read.
  expect(await send(service, batch, { body: `{${' '.repeat(20_000)}` })).toMatchObject({ status: 401 });
  expect(await send(service, batch, { body: '{' })).toMatchObject({ status: 422 });
  expect(await send(service, batch, { body: ' '.repeat(1_048_577) })).toMatchObject({ status: 422 });
});

test.each([
  ['body', route, { owner: 'nobody' }],
  ['path', 'POST /tokens/0x12/mint', { owner: ADDRESS }],
  ['escapes of the path', 'POST /tokens/%zz/mint', { owner: ADDRESS }],
  ['UTF-8 of the path', 'POST /tokens/%ff/mint', { owner: ADDRESS }],
  ['query', `${route}?page=1`, { owner: ADDRESS }],
  ['presence of the body', route, undefined],
])('the credential comes before validation of the %s', async (_place, invalid, body) => {
  expect(await send(service, invalid, { body })).toMatchObject({ status: 401 });
  expect(await send(service, invalid, { body, as: 'access' })).toMatchObject({ status: 422 });
});

test('a sandbox key is refused before validation', async () => {
  expect(await send(service, route, { body: {}, as: 'sandbox' })).toMatchObject({ status: 403 });
});

test('validation comes before the record', async () => {
  const asked: string[] = [];
  await using service = await serve({
    handlers: {
      mintToken: async ({ path }) => {
        asked.push(path.address);
        throw new AppError('NOT_FOUND', 'There is no token at this address.');
      },
    },
  });
  expect(await send(service, route, { as: 'access', body: { owner: '0x1' } })).toMatchObject({ status: 422 });
  expect(asked).toEqual([]);
  expect(await send(service, route, { as: 'access', body: { owner: ADDRESS } })).toMatchObject({
    status: 404,
  });
  expect(asked).toEqual([ADDRESS]);
});
