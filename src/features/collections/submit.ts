import type { AskedIntent, Engine, Intent } from '../../engine/index.ts';
import type { Owner } from '../../lib/owner.ts';
import type { WriteOptions } from '../../lib/write-options.ts';
import { askInSandbox } from './intents.ts';

/** What is asked for, and its price in credits. */
type PricedIntent = Pick<AskedIntent, 'requestId' | 'contract' | 'call' | 'kind' | 'arguments'> & {
  price: number;
};

type Submit = (owner: Owner, request: PricedIntent, options: WriteOptions) => Promise<Intent>;

/** The one place where the environments part: the sandbox accepts the same requests, and sends and spends nothing. */
export function createSubmit({
  engine,
  creditsLeft,
}: {
  engine: Engine;
  /** Credits that are left in the running month. */
  creditsLeft(accountId: string): Promise<number>;
}): Submit {
  return async (owner, { price, ...intent }, { respondAsync, ...write }) => {
    if (owner.environment === 'live') {
      const cost = price === 0 ? null : { meter: 'credits' as const, amount: price };
      return engine.submit({ ...intent, ...owner, cost, ...write }, respondAsync);
    }
    const remaining = price === 0 ? null : await creditsLeft(owner.accountId);
    const sandboxed = { ...askInSandbox(intent, remaining), call: null, cost: null };
    return engine.submit({ ...intent, ...owner, ...sandboxed, ...write }, respondAsync);
  };
}
