import type { Intent } from '../../engine/index.ts';
import type { Schemas } from '../../http/operation.ts';
import { presentTransaction } from '../../http/write-answer.ts';
import type { ExplorerUrl } from '../../http/write-answer.ts';

/** An intent as answers show it, and messages to webhooks. */
export const presentIntent = (intent: Intent, explorerUrl: ExplorerUrl): Schemas['Intent'] => ({
  id: intent.id,
  kind: intent.kind as Schemas['IntentKind'],
  status: intent.status,
  transaction: presentTransaction(intent.transactionHash, explorerUrl),
  error: intent.error,
  createdAt: intent.createdAt.toISOString(),
  updatedAt: intent.updatedAt.toISOString(),
});
