import { combineFollowUps } from '../engine/index.ts';
import type { CommandParts } from '../engine/index.ts';
import { createExplorerUrl } from '../chain/chain.ts';
import { createFollowUps } from '../features/follow-ups.ts';
import { createLogger } from '../telemetry/logger.ts';
import type { AdminContext, AdministeredChain } from './open.ts';

/** Builds what commands of a person settle intents with. The engine's logs are silenced. */
export function commandParts(
  { db, config }: AdminContext,
  { rpc, operator, formerOperators }: AdministeredChain,
): CommandParts {
  return {
    db,
    rpc,
    log: createLogger('silent'),
    config: { operator, formerOperators },
    followUps: combineFollowUps(createFollowUps(db, createExplorerUrl(config.explorerUrl))),
  };
}
