import type { TestAccount } from './service.ts';

/** A recipient of tokens without an account of the service. */
export const RECIPIENT = '0x3440326f551B8A7ee198cEE35cb5D517f2d296a2';

export interface TestAnswer {
  status: number;
  headers: Headers;
  /** Data or error of the answer. */
  body: unknown;
  /** Header `Intent-Id`. */
  intentId: string | null;
}

interface WriteHeaders {
  key?: string;
  /** Value of the header `Prefer`. */
  prefer?: string;
}

const headerOf = ({ key, prefer }: WriteHeaders): Record<string, string> => ({
  ...(key === undefined ? {} : { 'Idempotency-Key': key }),
  ...(prefer === undefined ? {} : { Prefer: prefer }),
});

export const toAnswer = (answer: { data?: unknown; error?: unknown; response: Response }): TestAnswer => ({
  status: answer.response.status,
  headers: answer.response.headers,
  body: answer.data ?? answer.error,
  intentId: answer.response.headers.get('Intent-Id'),
});

/** Requests an ERC-20. */
export const requestErc20 = async (
  { api }: Pick<TestAccount, 'api'>,
  { name = 'Coin', ...write }: WriteHeaders & { name?: string } = {},
): Promise<TestAnswer> =>
  toAnswer(
    await api.POST('/tokens', {
      params: { header: headerOf(write) },
      body: { type: 'ERC20', name, symbol: 'C', decimals: 18, isPermissionless: true },
    }),
  );

/** Requests a mint: of `amount` for an ERC-20, of the next id when it is null. */
export const requestMint = async (
  { api }: Pick<TestAccount, 'api'>,
  address: string,
  {
    owner = RECIPIENT,
    amount = '1',
    ...write
  }: WriteHeaders & { owner?: string; amount?: string | null } = {},
): Promise<TestAnswer> =>
  toAnswer(
    await api.POST('/tokens/{address}/mint', {
      params: { path: { address }, header: headerOf(write) },
      body: { owner, ...(amount === null ? {} : { amount }) },
    }),
  );

/** What bounds a token; all of it may be left out. */
interface TestBounds {
  maxSupply?: string;
  mintLimitPerDay?: string;
  recoverable?: boolean;
  /** ERC-721 only. */
  royalty?: { receiver: string; basisPoints: number };
}

/** Deploys an ERC-20 or ERC-721, permissionless and without bounds by default. Returns its address. */
export async function deployToken(
  account: Pick<TestAccount, 'api'>,
  type: 'ERC20' | 'ERC721' = 'ERC20',
  isPermissionless = true,
  bounds: TestBounds = {},
): Promise<string> {
  const { data, error } = await account.api.POST('/tokens', {
    body:
      type === 'ERC20'
        ? { type, name: 'Coin', symbol: 'C', decimals: 18, isPermissionless, ...bounds }
        : { type, name: 'Art', symbol: 'A', isPermissionless, ...bounds },
  });
  if (!data || !('success' in data)) throw new Error(`cannot deploy: ${JSON.stringify(error ?? data)}`);
  return data.data.address;
}
