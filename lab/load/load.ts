import { randomUUID } from 'node:crypto';
import type { TestAccount } from '../stage/service.ts';
import { deployToken, RECIPIENT } from '../stage/tokens.ts';
import type { ClientLog } from '../faults/judge.ts';

/** A token with the account that may mint it. */
export interface Target {
  account: TestAccount;
  address: string;
  /** An ERC-721; an ERC-20 otherwise. */
  isNft?: boolean;
}

/** Deploys one token for each account: an ERC-20, or an ERC-721 for those places that `isNft` says. */
export function deployTargets(
  accounts: readonly TestAccount[],
  isNft: (place: number) => boolean = () => false,
): Promise<Target[]> {
  return Promise.all(
    accounts.map(async (account, place) => {
      const type = isNft(place) ? 'ERC721' : 'ERC20';
      return { account, address: await deployToken(account, type), isNft: isNft(place) };
    }),
  );
}

/** The body of a mint of one unit. */
export const mintBody = ({ isNft }: Target, owner: string): { owner: string; amount?: string } =>
  isNft ? { owner } : { owner, amount: '1' };

export const emptyLog = (): ClientLog => ({
  acknowledged: new Set(),
  unknown: 0,
  refused: [],
  claims: [],
});

/**
 * Mints once with `Prefer: respond-async` and writes down what the client saw. With `retry` a broken request is sent
 * again under its `Idempotency-Key` until it is answered, as a careful client does.
 */
export async function mintOnce(
  target: Target,
  log: ClientLog,
  { retry = false, owner = RECIPIENT }: { retry?: boolean; owner?: string } = {},
): Promise<void> {
  const { account, address } = target;
  const key = randomUUID();
  for (let tries = 0; tries < (retry ? 600 : 1); tries += 1) {
    try {
      const { response } = await account.api.POST('/tokens/{address}/mint', {
        params: { path: { address }, header: { Prefer: 'respond-async', 'Idempotency-Key': key } },
        body: mintBody(target, owner),
      });
      const intent = response.headers.get('Intent-Id');
      if (response.ok && intent) log.acknowledged.add(intent);
      else log.refused.push(response.status);
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
