import { acceptReorg } from '../engine/index.ts';
import { nfts } from '../features/collections/intents.ts';
import { holds } from '../features/metering/intents.ts';
import { deployments } from '../features/tokens/intents.ts';
import { createLogger } from '../telemetry/logger.ts';
import type { Premises } from './open.ts';
import type { Report } from './report.ts';

/** Lets the service judge again what a reorg undid that is deeper than it undoes by itself. */
export async function acceptDeepReorg({ db, chain }: Premises): Promise<Report> {
  const { rpc, profile } = await chain();
  // No webhooks: nothing has a new verdict yet.
  const effects = [deployments, nfts, holds];
  const rewound = await acceptReorg({ db, rpc, profile, effects, log: createLogger('silent') });
  if (!rewound)
    return { json: { accepted: false }, text: 'There is no reorg: the chain contains the last final block.' };
  const { ancestor, transactions, successes } = rewound;
  return {
    json: { accepted: true, ancestor: Number(ancestor.number), transactions, successes },
    text:
      `Everything above block ${ancestor.number} is judged again: ${transactions} transactions, ${successes} writes that ` +
      'were final. The service goes on, or can be started.',
  };
}
