import { createMintmarkClient } from '../../generated/client.ts';
import type { MintmarkClient } from '../../generated/client.ts';
import type { TestAccount, TestService } from './service.ts';
import { RECIPIENT } from './tokens.ts';

/** Calls with the session cookie. */
export const sessionOf = ({ url }: TestService, { cookie }: TestAccount): MintmarkClient =>
  createMintmarkClient({ baseUrl: url, cookie });

export interface TestKey {
  id: string;
  /** The raw key. */
  key: string;
  /** Calls with the key. */
  api: MintmarkClient;
}

/** Makes an API key of an account. */
export async function createKey(
  test: TestService,
  account: TestAccount,
  environment: 'live' | 'sandbox' = 'live',
): Promise<TestKey> {
  const { data, error } = await sessionOf(test, account).POST('/v1/api-keys', {
    body: { name: `a ${environment} key`, environment },
  });
  if (!data?.key) throw new Error(`cannot make a key: ${JSON.stringify(error)}`);
  return {
    id: data.id,
    key: data.key,
    api: createMintmarkClient({ baseUrl: test.url, token: data.key }),
  };
}

/** Creates a collection. Returns its address. */
export async function createCollection(api: MintmarkClient, name = 'Harbour Lights'): Promise<string> {
  const { data, error } = await api.POST('/v1/collections', { body: { name, symbol: 'HARB' } });
  if (!data || !('address' in data))
    throw new Error(`cannot create a collection: ${JSON.stringify(error ?? data)}`);
  return data.address;
}

interface MintBody {
  to?: string;
  metadata?: { name: string; description: string; image?: string };
}

/** Requests a mint. Returns status, headers and body of any answer. */
export async function requestNft(
  api: MintmarkClient,
  address: string,
  { to = RECIPIENT, metadata, key }: MintBody & { key?: string } = {},
) {
  const { data, error, response } = await api.POST('/v1/collections/{address}/mint', {
    params: { path: { address }, header: key === undefined ? {} : { 'Idempotency-Key': key } },
    body: { to, ...(metadata ? { metadata } : {}) },
  });
  return { status: response.status, headers: response.headers, body: (data ?? error) as unknown };
}

/** Requests a batch mint, likewise. */
export async function requestBatch(
  api: MintmarkClient,
  address: string,
  items: {
    to: string;
    metadata?: {
      name: string;
      description: string;
      image?: string;
      attributes?: Record<string, string | number | boolean>;
    };
  }[],
) {
  const { data, error, response } = await api.POST('/v1/collections/{address}/mint/batch', {
    params: { path: { address } },
    body: { items },
  });
  return { status: response.status, headers: response.headers, body: (data ?? error) as unknown };
}

/** Credits that an account has left. */
export async function creditsLeft(test: TestService, account: TestAccount): Promise<number> {
  const { data } = await sessionOf(test, account).GET('/v1/billing/credits');
  return data!.creditsRemaining;
}
