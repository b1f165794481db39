import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { inventSecret, makeCredential } from '../../lab/stage/credentials.ts';
import { createAsk } from '../../lab/stage/request.ts';
import type { Ask } from '../../lab/stage/request.ts';
import { startTestService } from '../../lab/stage/service.ts';
import type { TestAccount, TestService } from '../../lab/stage/service.ts';

let mintmark: TestService;
let ask: Ask;
let alice: TestAccount;

beforeAll(async () => {
  mintmark = await startTestService();
  ask = createAsk(mintmark.url);
  alice = await mintmark.register();
});

afterAll(() => mintmark?.stop());

async function signIn(): Promise<{ token: string }> {
  const { email, password } = alice;
  return (await mintmark.anonymous.POST('/auth/signin', { body: { email, password } })).data!;
}

describe('DELETE /auth/token', () => {
  test('ends the token that it is called with, and no other', async () => {
    const [one, other] = await Promise.all([signIn(), signIn()]);
    const answer = await ask(one, 'DELETE', '/auth/token');
    expect({ status: answer.status, body: answer.body }).toEqual({ status: 204, body: undefined });
    expect((await ask(one, 'GET', '/me')).status).toBe(401);
    expect((await ask(one, 'DELETE', '/auth/token')).status).toBe(401);
    expect((await ask(other, 'GET', '/me')).status).toBe(200);
    const session = await fetch(`${mintmark.url}/v1/auth/me`, {
      headers: { Cookie: `service_session=${alice.cookie}` },
    });
    expect(session.status).toBe(200);
  });

  test('401 without a credential, with an unknown one, and with a session', async () => {
    expect((await ask(null, 'DELETE', '/auth/token')).status).toBe(401);
    expect((await ask({ token: inventSecret('access_token') }, 'DELETE', '/auth/token')).status).toBe(401);
    const session = await fetch(`${mintmark.url}/auth/token`, {
      method: 'DELETE',
      headers: { Cookie: `service_session=${alice.cookie}` },
    });
    expect(session.status).toBe(401);
  });

  test('403 with an API key, which stays valid', async () => {
    const { secret: key } = await makeCredential(mintmark.service.context.db, alice.id, 'api_key');
    const refused = await ask({ token: key }, 'DELETE', '/auth/token');
    expect(refused).toMatchObject({ status: 403, body: { code: 'FORBIDDEN' } });
    expect((await ask({ token: key }, 'GET', '/tokens')).status).toBe(200);
  });

  test('422 for a parameter that the operation does not have', async () => {
    const refused = await ask(await signIn(), 'DELETE', '/auth/token?all=true');
    expect(refused).toMatchObject({ status: 422, body: { code: 'VALIDATION_ERROR' } });
  });
});
