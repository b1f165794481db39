import type { Rpc } from '../../chain/rpc/rpc.ts';
import type { Db } from '../../db/client.ts';
import type { Logger } from '../../telemetry/logger.ts';
import type { LaneConfig } from '../lane/config.ts';
import type { Effects } from '../ports.ts';

/** Dependencies of operator commands that settle intents (`resolve`, `retry`, `bury`). */
export interface CommandParts {
  db: Db;
  rpc: Pick<Rpc, 'call'>;
  log: Logger;
  config: Pick<LaneConfig, 'operator' | 'formerOperators' | 'factories'>;
  effects: readonly Partial<Effects>[];
}
