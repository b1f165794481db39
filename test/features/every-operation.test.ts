import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { query } from '../../src/db/client.ts';
import { readContractText } from '../../lab/stage/contract-coverage.ts';
import { bearer, cookie, inventSecret, makeCredential } from '../../lab/stage/credentials.ts';
import { startTestService } from '../../lab/stage/service.ts';
import type { TestAccount, TestService } from '../../lab/stage/service.ts';
import { RECIPIENT } from '../../lab/stage/tokens.ts';

interface OperationObject {
  operationId: string;
  security: Record<string, unknown>[];
  requestBody?: unknown;
  responses: Record<string, unknown>;
}

const METHODS = ['get', 'post', 'put', 'patch', 'delete'];
const { paths } = parse(readContractText()) as { paths: Record<string, Record<string, OperationObject>> };
const operations = Object.entries(paths).flatMap(([template, item]) =>
  Object.entries(item)
    .filter(([method]) => METHODS.includes(method))
    .map(([method, operation]) => ({
      name: operation.operationId,
      method: method.toUpperCase(),
      path: template
        .replace('{address}', RECIPIENT)
        .replace('{tokenId}', '1')
        .replace('{account}', RECIPIENT)
        .replace(/\{\w+\}/g, randomUUID()),
      hasBody: operation.requestBody !== undefined,
      schemes: operation.security.flatMap((schemes) => Object.keys(schemes)),
      statuses: Object.keys(operation.responses),
    })),
);
type Operation = (typeof operations)[number];

let mintmark: TestService;
let alice: TestAccount;
let suspended: TestAccount;
let sandboxKey: string;

beforeAll(async () => {
  mintmark = await startTestService();
  alice = await mintmark.register();
  suspended = await mintmark.register();
  await query(mintmark.service.context.db, 'update accounts set suspended_at = now() where id = :id', {
    id: suspended.id,
  });
  const options = { environment: 'sandbox' } as const;
  ({ secret: sandboxKey } = await makeCredential(mintmark.service.context.db, alice.id, 'api_key', options));
});

afterAll(() => mintmark?.stop());

function credentialFor({ schemes }: Operation, account = alice): Record<string, string> {
  if (schemes.includes('accessToken')) return bearer(account.token);
  return schemes.length > 0 ? cookie(account.cookie) : {};
}

async function call(operation: Operation, headers: Record<string, string>, query = ''): Promise<string> {
  const { method, path, hasBody } = operation;
  const response = await fetch(mintmark.url + path + query, {
    method,
    headers: { ...headers, ...(hasBody && { 'Content-Type': 'application/json' }) },
    ...(hasBody && { body: '{}' }),
  });
  const { code } = (await response.json()) as { code: string };
  return `${response.status} ${code}`;
}

const select = (choose: (operation: Operation) => boolean) =>
  operations.filter(choose).map((operation) => [operation.name, operation] as const);

describe('every operation of the contract', () => {
  test.each(select(({ schemes }) => schemes.length > 0))(
    '%s is 401 without a credential',
    async (_name, operation) => {
      expect(await call(operation, {})).toBe('401 UNAUTHORIZED');
      expect(await call(operation, bearer(inventSecret('access_token')))).toBe('401 UNAUTHORIZED');
    },
  );

  test.each(select(({ schemes }) => schemes.length > 0))(
    '%s is 403 with a credential of a suspended account',
    async (_name, operation) => {
      expect(await call(operation, credentialFor(operation, suspended))).toBe('403 FORBIDDEN');
    },
  );

  test.each(select(({ statuses }) => statuses.includes('422')))(
    '%s is 422 with a parameter that it does not have',
    async (_name, operation) => {
      expect(await call(operation, credentialFor(operation), '?nonsense=1')).toBe('422 VALIDATION_ERROR');
    },
  );

  test.each(select(({ schemes }) => schemes.includes('accessToken') && !schemes.includes('sandboxKey')))(
    '%s is 403 with a sandbox key',
    async (_name, operation) => {
      expect(await call(operation, bearer(sandboxKey))).toBe('403 FORBIDDEN');
    },
  );

  test.each(select(({ method, schemes }) => method !== 'GET' && schemes.includes('session')))(
    '%s is 403 with a session cookie from a page of another site',
    async (_name, operation) => {
      expect(await call(operation, { ...cookie(alice.cookie), 'Sec-Fetch-Site': 'cross-site' })).toBe(
        '403 FORBIDDEN',
      );
    },
  );
});

test('GET /openapi.yaml is the contract, to anybody', async () => {
  const response = await fetch(`${mintmark.url}/openapi.yaml`);
  expect(response.status).toBe(200);
  const served = parse(await response.text()) as { paths: object };
  expect(Object.keys(served.paths)).toEqual(Object.keys(paths));
});
