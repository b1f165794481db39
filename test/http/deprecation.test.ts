import { expect, test } from '@jest/globals';
import { readDeprecation } from '../../src/http/deprecation.ts';
import { readContract } from '../../src/http/document.ts';
import { send, serve } from '../../lab/stage/serve.ts';

test('each answer of a deprecated operation says since when it is, errors too, and no other does', async () => {
  const operation = readContract().operations.find(({ id }) => id === 'getProfile')!;
  using restored = new DisposableStack();
  restored.defer(() => (operation.deprecation = null));
  operation.deprecation = '@1796083200';
  await using service = await serve({ config: { corsOrigins: ['*'] } });
  const ask = async (route: string, as?: 'access') => {
    const { status, headers } = await send(service, route, as && { as });
    return [status, headers.get('deprecation'), headers.get('access-control-expose-headers')];
  };
  const readable = expect.stringContaining('Deprecation');
  expect(await ask('GET /me', 'access')).toEqual([200, '@1796083200', readable]);
  expect(await ask('GET /me')).toEqual([401, '@1796083200', readable]);
  expect(await ask('GET /me?x=1', 'access')).toEqual([422, '@1796083200', readable]);
  expect(await ask('GET /stats', 'access')).toEqual([200, null, readable]);
});

test('the contract names the day', () => {
  const operationId = 'getProfile';
  expect(readDeprecation({ operationId })).toBeNull();
  expect(readDeprecation({ operationId, deprecated: true, 'x-deprecated-at': '2026-12-01' })).toBe(
    '@1796083200',
  );
});

test.each([
  ['no day', { deprecated: true }],
  ['a day that does not exist', { deprecated: true, 'x-deprecated-at': '2026-13-01' }],
  ['a day alone', { 'x-deprecated-at': '2026-12-01' }],
])('%s is refused at the start', (_what, said) => {
  expect(() => readDeprecation({ operationId: 'getProfile', ...said })).toThrow('getProfile needs both');
});
