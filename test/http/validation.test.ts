import { afterAll, expect, test } from '@jest/globals';
import type { Request } from '../../src/http/operation.ts';
import { ADDRESS, INTENT_ID, refusal, send, serve } from '../../lab/stage/serve.ts';

const service = await serve();
afterAll(() => service[Symbol.asyncDispose]());

const mint = `POST /tokens/${ADDRESS}/mint`;
const cancel = `POST /intents/${INTENT_ID}/cancel`;
const erc20 = { type: 'ERC20', name: 'Alice Coin', symbol: 'ALC' };
const erc721 = { type: 'ERC721', name: 'Alice Art', symbol: 'ART' };
const account = { email: 'alice@example.com', password: 'correct horse', inviteCode: 'WELCOME' };

const refused: [route: string, body: unknown, message: string][] = [
  [mint, {}, 'owner is required.'],
  [mint, { owner: 'bob' }, 'owner must be an address: 0x and 40 hexadecimal digits.'],
  [mint, { owner: 7 }, 'owner must be a string.'],
  [mint, { owner: null }, 'owner must be a string.'],
  [mint, [], 'body must be an object.'],
  [mint, { owner: ADDRESS, to: ADDRESS }, 'to is not a known field.'],
  ...['0', '-1', '1.5', '1e18', '01', '', ' 1', '0x1', '9'.repeat(79)].map(
    (amount): [string, unknown, string] => [
      mint,
      { owner: ADDRESS, amount },
      'amount must be a positive whole number as a decimal string.',
    ],
  ),
  [mint, { owner: ADDRESS, amount: 1 }, 'amount must be a string.'],
  ['POST /tokens', {}, 'type must be equal to one of the allowed values: ERC20, ERC721.'],
  ['POST /tokens', [], 'type must be equal to one of the allowed values: ERC20, ERC721.'],
  [
    'POST /tokens',
    { ...erc20, type: 'ERC1155' },
    'type must be equal to one of the allowed values: ERC20, ERC721.',
  ],
  ['POST /tokens', { ...erc20, baseUri: 'ipfs://a/' }, 'baseUri is not a known field.'],
  ['POST /tokens', { ...erc721, decimals: 0 }, 'decimals is not a known field.'],
  ['POST /tokens', { ...erc20, decimals: 19 }, 'decimals must be <= 18.'],
  ['POST /tokens', { ...erc20, decimals: 1.5 }, 'decimals must be a whole number.'],
  ['POST /tokens', { ...erc20, decimals: '18' }, 'decimals must be a whole number.'],
  ['POST /tokens', { ...erc20, isPermissionless: 'true' }, 'isPermissionless must be a boolean.'],
  ['POST /tokens', { ...erc20, name: '' }, 'name must NOT have fewer than 1 characters.'],
  ['POST /tokens', { ...erc20, name: 'x'.repeat(65) }, 'name must NOT have more than 64 characters.'],
  ['POST /tokens', { ...erc20, symbol: 'x'.repeat(17) }, 'symbol must NOT have more than 16 characters.'],
  ['PATCH /me', {}, 'walletAddress is required.'],
  ['PATCH /me', { walletAddress: '0x' }, 'walletAddress must be an address: 0x and 40 hexadecimal digits.'],
  ['PATCH /me', { walletAddress: 1 }, 'walletAddress must be a string or null.'],
  [
    'POST /v1/auth/register',
    { ...account, email: 'alice' },
    'email must be an e-mail address, of a domain with a dot.',
  ],
  [
    'POST /v1/auth/register',
    { ...account, password: '1234567' },
    'password must NOT have fewer than 8 characters.',
  ],
  ['POST /v1/auth/register', { ...account, inviteCode: undefined }, 'inviteCode is required.'],
  ['POST /auth/signin', { email: 'alice@example.com' }, 'password is required.'],
  ['GET /tokens/0x12', undefined, 'address must be an address: 0x and 40 hexadecimal digits.'],
  ['GET /intents/7', undefined, 'id must match format "uuid".'],
  ['GET /intents/urn:uuid:3a2cf1f6-90dd-4ecb-aa84-46042086a99b', undefined, 'id must match format "uuid".'],
  ['GET /tokens?limit=0', undefined, 'limit must be >= 1.'],
  ['GET /tokens?limit=101', undefined, 'limit must be <= 100.'],
  ...['ten', 'Infinity', '1e400', '1e1', '0x10', '1.5', '-1', '+1', ' 1', '1000', 'NaN'].map(
    (limit): [string, unknown, string] => [
      `GET /tokens?limit=${encodeURIComponent(limit)}`,
      undefined,
      'limit must be a whole number of at most three digits.',
    ],
  ),
  ['GET /tokens?limit=1&limit=2', undefined, 'limit must be a whole number.'],
  ['GET /tokens?limit=', undefined, 'limit must not be empty.'],
  ['GET /tokens?cursor=..', undefined, 'cursor must be the nextCursor of the page before.'],
  ['GET /tokens?page=2', undefined, 'page is not a known query parameter.'],
  ['GET /openapi.yaml?deep=1', undefined, 'deep is not a known query parameter.'],
];

test.each(refused)('%s with %j says: %s', async (route, body, message) => {
  const answer = await send(service, route, { as: 'access', body });
  expect(answer.body).toEqual(refusal('VALIDATION_ERROR', message));
  expect(answer.status).toBe(422);
});

test.each([
  ['POST /tokens', erc20],
  ['POST /tokens', { ...erc20, decimals: 0, isPermissionless: false }],
  ['POST /tokens', { ...erc721, baseUri: 'x'.repeat(2_000) }],
  ['PATCH /me', { walletAddress: null }],
  ['PATCH /me', { walletAddress: ADDRESS }],
  ['POST /v1/auth/register', { ...account, password: '💧'.repeat(128) }],
])('%s accepts %.60j', async (route, body) => {
  expect((await send(service, route, { as: 'access', body })).status).toBeLessThan(300);
});

test('the base URI is checked by the handler, which has its own error code for it', async () => {
  let baseUri: string | undefined;
  await using service = await serve({
    handlers: {
      deployToken: async ({ body }) => {
        if (body.type === 'ERC721') baseUri = body.baseUri;
        throw new Error('enough');
      },
    },
  });
  await send(service, 'POST /tokens', { as: 'access', body: { ...erc721, baseUri: 'x'.repeat(300) } });
  expect(baseUri).toHaveLength(300);
});

test.each([
  ['a NUL', '{"type":"ERC20","symbol":"A","name":"a\\u0000b"}'],
  ['half of a surrogate pair', '{"type":"ERC20","symbol":"A","name":"\\ud83d"}'],
])('%s is refused, since PostgreSQL cannot store it', async (_what, body) => {
  const answer = await send(service, 'POST /tokens', { as: 'access', body });
  expect(answer).toMatchObject({
    status: 422,
    body: { message: expect.stringMatching(/^name must be text/) },
  });
});

test('a handler gets path, query and body in the types of the contract', async () => {
  const seen: Pick<Request<'listTokens'>, 'query'>[] = [];
  await using service = await serve({
    handlers: {
      listTokens: async ({ query }) => {
        seen.push({ query: { ...query } });
        return { status: 200, body: { data: [], nextCursor: null } };
      },
    },
  });
  await send(service, 'GET /tokens', { as: 'access' });
  await send(service, 'GET /tokens?limit=7&cursor=abc', { as: 'access' });
  expect(seen).toEqual([{ query: { limit: 20 } }, { query: { limit: 7, cursor: 'abc' } }]);
});

test('a Content-Type is ignored without a body, and its parameters with one', async () => {
  for (const type of ['a/b', 'text/plain; x=1', 'application/json; v=2']) {
    const answer = await send(service, 'GET /tokens', { as: 'access', headers: { 'content-type': type } });
    expect(answer.status).toBe(200);
  }
  const headers = { 'content-type': 'application/json; v=2' };
  expect(await send(service, mint, { as: 'access', body: { owner: ADDRESS }, headers })).toMatchObject({
    status: 202,
  });
});

test('an intent is found by its id in upper case', async () => {
  expect(await send(service, `GET /intents/${INTENT_ID.toUpperCase()}`, { as: 'live' })).toMatchObject({
    status: 200,
  });
});

test('a body that is nested too deeply is refused', async () => {
  const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
  const messageOf = async (route: string, body: string) => {
    const answer = await send(service, route, { as: 'access', body });
    expect(answer).toMatchObject({ status: 422, body: { code: 'VALIDATION_ERROR' } });
    return (answer.body as { message: string }).message;
  };
  expect(await messageOf(mint, `{"owner":${nested(15)}}`)).toBe('owner must be a string.');
  expect(await messageOf(cancel, nested(16))).toBe('This operation takes no body.');
  const tooDeep = 'The body is nested too deeply: at most 16 levels.';
  for (const depth of [17, 8_000]) {
    expect(await messageOf(mint, `{"owner":${nested(depth - 1)}}`)).toBe(tooDeep);
    expect(await messageOf(cancel, nested(depth))).toBe(tooDeep);
  }
});

const image = (uri: string) =>
  send(service, `PUT /v1/collections/${ADDRESS}/metadata`, {
    as: 'live',
    body: { name: 'N', description: 'D', image: uri },
  });

test.each(['https:///x', 'https://?', 'https://a.b/"x', 'https://a.b/<x>', 'https://a.b/\\x'])(
  'an image at %s is refused',
  async (uri) => {
    expect(await image(uri)).toMatchObject({
      status: 422,
      body: refusal('VALIDATION_ERROR', 'image must be an ipfs, http or https URI.'),
    });
  },
);

test.each(['https://a.b/c?d=e#f', 'HTTPS://A.B/c', 'IPFS://bafy/1.png', 'http://[::1]/ü.png'])(
  'an image at %s is accepted',
  async (uri) => {
    expect((await image(uri)).status).not.toBe(422);
  },
);

test.each([
  ['text', 'x', 'text/plain'],
  ['an unknown field', '{"a":1}', 'application/json'],
  ['a list of something', '[1]', 'application/json'],
])('an operation without a body refuses %s', async (_what, body, type) => {
  const headers = { 'content-type': type };
  expect(await send(service, cancel, { as: 'access', body, headers })).toMatchObject({
    status: 422,
    body: refusal('VALIDATION_ERROR', 'This operation takes no body.'),
  });
});

test.each(['{}', '[]', 'null', ' null '])('where no body is needed, %s is none', async (body) => {
  const none = [cancel, 'POST /v1/auth/logout', `POST /tokens/${ADDRESS}/pause`];
  const optional = ['POST /auth/token', `POST /tokens/${ADDRESS}/metadata/freeze`];
  for (const route of [...none, ...optional]) {
    const headers = { cookie: 'service_session=session', authorization: 'Bearer access' };
    const { status } = await send(service, route, { body, headers });
    expect({ route, status }).not.toEqual({ route, status: 422 });
  }
});

test.each(['null', '[]', '{}'])('where a body is needed, %s is refused', async (body) => {
  const { status, body: refused } = await send(service, mint, { as: 'access', body });
  expect(status).toBe(422);
  expect(refused).toMatchObject({
    message: expect.stringMatching(/needs a JSON body|body must be an object|owner is required/),
  });
});

test.each([
  [{ items: [{ to: ADDRESS }, { to: 7 }] }, 'items[1].to must be a string.'],
  [{ items: [{ to: ADDRESS }, {}] }, 'items[1].to is required.'],
  [{ items: [{ to: ADDRESS, extra: 1 }] }, 'items[0].extra is not a known field.'],
  [
    { items: [{ to: ADDRESS, metadata: { name: 'N', description: 'D', attributes: { size: null } } }] },
    'items[0].metadata.attributes.size must be a string, a number or a boolean.',
  ],
])('%j is refused with its place, as every rule names one', async (body, message) => {
  const route = `POST /v1/collections/${ADDRESS}/mint/batch`;
  expect(await send(service, route, { as: 'live', body })).toMatchObject({
    status: 422,
    body: refusal('VALIDATION_ERROR', message),
  });
});

test.each(['utf-8', 'UTF8', '"utf8"', 'Utf-8'])('charset=%s is UTF-8', async (charset) => {
  const headers = { 'content-type': `application/json; charset=${charset}` };
  const answer = await send(service, mint, { as: 'access', body: { owner: ADDRESS }, headers });
  expect(answer.status).toBe(202);
});

test.each(['GET /health?x=1', 'GET /ready?x=1&x=2&limit=Infinity', 'GET /health?', 'GET /ready?x='])(
  '%s ignores its query',
  async (route) => {
    expect(await send(service, route)).toMatchObject({ status: 200 });
  },
);

test('If-None-Match: * is ignored', async () => {
  const headers = { 'if-none-match': '*' };
  expect(await send(service, 'GET /health', { headers })).toMatchObject({ status: 200, body: { ok: true } });
});
