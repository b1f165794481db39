import { presentAddress } from '../../chain/address.ts';
import type { Intent } from '../../engine/index.ts';
import type { Schemas } from '../../http/operation.ts';
import { kindOf, presentTransaction } from '../answer-intent.ts';
import type { ExplorerUrl } from '../../chain/chain.ts';
import { presentSubject } from './subject.ts';

/** An intent as answers show it, and messages to webhooks. */
export function presentIntent(intent: Intent, explorerUrl: ExplorerUrl): Schemas['Intent'] {
  return {
    id: intent.id,
    kind: kindOf(intent),
    contract: presentAddress(intent.contract),
    ...presentSubject(intent),
    status: intent.status,
    transaction: presentTransaction(intent.transactionHash, explorerUrl),
    error: intent.error,
    createdAt: intent.createdAt.toISOString(),
    updatedAt: intent.updatedAt.toISOString(),
  };
}
