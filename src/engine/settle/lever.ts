import type { Rpc } from '../../chain/rpc/rpc.ts';
import type { Db } from '../../db/client.ts';
import type { Logger } from '../../telemetry/logger.ts';
import type { LaneConfig } from '../lane/config.ts';
import type { Effects } from '../ports.ts';

/** What a command of a person needs to give intents their verdicts. */
export interface LeverParts {
  db: Db;
  rpc: Pick<Rpc, 'call'>;
  log: Logger;
  config: Pick<LaneConfig, 'operator' | 'factories'>;
  effects: readonly Partial<Effects>[];
}
