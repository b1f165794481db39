import { randomUUID } from 'node:crypto';
import type { TestAccount } from '../setup/service.ts';
import type { ClientLog } from './judge.ts';

/** A token with the account that may mint it. */
export interface Target {
  account: TestAccount;
  address: string;
}

const RECIPIENT = '0x3440326f551B8A7ee198cEE35cb5D517f2d296a2';

/** Deploys one ERC-20 for each account. */
export function deployTargets(accounts: readonly TestAccount[]): Promise<Target[]> {
  return Promise.all(
    accounts.map(async (account) => {
      const { data, error } = await account.api.POST('/tokens', {
        body: { type: 'ERC20', name: 'Coin', symbol: 'C', decimals: 18, isPermissionless: true },
      });
      if (!data || !('success' in data)) throw new Error(`cannot deploy: ${JSON.stringify(error ?? data)}`);
      return { account, address: data.data.address };
    }),
  );
}

export const emptyLog = (): ClientLog => ({
  acknowledged: new Set(),
  unknown: 0,
  refused: 0,
  claims: [],
});

/**
 * Mints once with `Prefer: respond-async` and writes down what the client saw. With `retry` a broken request is sent
 * again under its `Idempotency-Key` until it is answered, as a careful client does.
 */
export async function mintOnce(
  { account, address }: Target,
  log: ClientLog,
  { retry = false, owner = RECIPIENT }: { retry?: boolean; owner?: string } = {},
): Promise<void> {
  const key = randomUUID();
  for (let tries = 0; tries < (retry ? 600 : 1); tries += 1) {
    try {
      const { response } = await account.api.POST('/tokens/{address}/mint', {
        params: { path: { address }, header: { Prefer: 'respond-async', 'Idempotency-Key': key } },
        body: { owner, amount: '1' },
      });
      const intent = response.headers.get('Intent-Id');
      if (response.ok && intent) log.acknowledged.add(intent);
      else log.refused += 1;
      return;
    } catch {
      if (retry) await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
  log.unknown += 1;
}

/** Runs `count` jobs, at most `width` at a time. */
export async function inParallel(
  count: number,
  width: number,
  job: (index: number) => Promise<void>,
): Promise<void> {
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < count) {
      next += 1;
      await job(next - 1);
    }
  };
  await Promise.all(Array.from({ length: Math.min(width, count) }, worker));
}
