import type { Effects } from '../engine/index.ts';
import { nfts } from '../features/collections/intents.ts';
import { presentIntent } from '../features/intents/present.ts';
import { holds } from '../features/metering/intents.ts';
import { deployments } from '../features/tokens/intents.ts';
import { createWebhookEffects } from '../features/webhooks/intents.ts';
import type { Premises } from './open.ts';

/** What the features write beside a verdict that a command gives. */
export function effectsOf({ config }: Premises): readonly Partial<Effects>[] {
  const webhooks = createWebhookEffects((intent) =>
    presentIntent(intent, (hash) => `${config.explorerUrl}/tx/${hash}`),
  );
  return [deployments, nfts, holds, webhooks];
}
