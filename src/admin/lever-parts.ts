import type { LeverParts } from '../engine/index.ts';
import { createExplorerUrl } from '../chain/chain.ts';
import { createEffects } from '../features/effects.ts';
import { createLogger } from '../telemetry/logger.ts';
import type { AdministeredChain, Premises } from './open.ts';

/** What the engine gives verdicts with that a command asks for; its report is all that the command says. */
export function leverParts({ db, config }: Premises, { rpc, operator }: AdministeredChain): LeverParts {
  return {
    db,
    rpc,
    log: createLogger('silent'),
    config: { operator, factories: [] },
    effects: createEffects(createExplorerUrl(config.explorerUrl)),
  };
}
