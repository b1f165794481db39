import type { Db } from '../db/client.ts';
import type { FollowUps } from '../engine/index.ts';
import type { ExplorerUrl } from '../chain/chain.ts';
import { nfts } from './collections/intents.ts';
import { findFirstIds } from './collections/store.ts';
import { presentIntent } from './intents/present.ts';
import { holds } from './metering/intents.ts';
import { deployments } from './tokens/intents.ts';
import { createWakeLines } from './webhooks/delivery-jobs.ts';
import { createWebhookFollowUps } from './webhooks/intents.ts';

/** What the features write beside acceptances and verdicts, in the order in which they write it. */
export function createFollowUps(db: Db, explorerUrl: ExplorerUrl): readonly Partial<FollowUps>[] {
  const webhooks = createWebhookFollowUps((intent) => presentIntent(intent, explorerUrl), {
    findFirstIds,
    wake: createWakeLines(db),
  });
  return [deployments, nfts, holds, webhooks];
}
