import { expect, test } from '@jest/globals';
import { INTENT_ID, refusal, send, serve } from '../../lab/stage/serve.ts';

const ORIGIN = 'https://app.example.com';
const preflight = { origin: ORIGIN, 'access-control-request-method': 'POST' };

test('by default no other origin may read an answer', async () => {
  await using service = await serve();
  const answers = [
    await send(service, 'GET /me', { as: 'access', headers: { origin: ORIGIN } }),
    await send(service, 'OPTIONS /tokens', { headers: preflight }),
  ];
  const names = answers.flatMap(({ headers }) => [...headers.keys()]);
  expect(names.filter((name) => name.startsWith('access-control'))).toEqual([]);
});

test('configured origins may read answers, with a Bearer credential', async () => {
  await using service = await serve({ config: { corsOrigins: [ORIGIN, 'https://b.example'] } });
  const asked = await send(service, 'OPTIONS /tokens', { headers: preflight });
  expect(asked.status).toBe(204);
  expect(asked.headers.get('access-control-allow-origin')).toBe(ORIGIN);
  expect(asked.headers.get('access-control-allow-headers')).toMatch(
    /Authorization.*Idempotency-Key.*traceparent,tracestate/,
  );
  const answer = await send(service, 'GET /me', { as: 'access', headers: { origin: ORIGIN } });
  expect(answer.headers.get('access-control-allow-origin')).toBe(ORIGIN);
  expect(answer.headers.get('access-control-expose-headers')).toMatch(/Intent-Id/);
  expect(answer.headers.get('vary')).toMatch(/Origin/);
});

test('other origins may not, and cookies are never allowed across origins', async () => {
  await using service = await serve({ config: { corsOrigins: [ORIGIN] } });
  const foreign = await send(service, 'GET /me', {
    as: 'access',
    headers: { origin: 'https://evil.example' },
  });
  expect(foreign.headers.get('access-control-allow-origin')).toBeNull();
  const named = await send(service, 'GET /me', { as: 'access', headers: { origin: ORIGIN } });
  expect(named.headers.get('access-control-allow-credentials')).toBeNull();
  const written = await send(service, `POST /intents/${INTENT_ID}/cancel`, {
    headers: { origin: ORIGIN, cookie: 'service_session=session' },
  });
  expect(written).toMatchObject({ status: 403, body: refusal('FORBIDDEN', expect.any(String)) });
});
