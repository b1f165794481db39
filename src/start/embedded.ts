import path from 'node:path';
import type { Config } from '../config.ts';
import { startEmbeddedChain } from '../embedded/chain.ts';
import type { EmbeddedChain } from '../embedded/chain.ts';
import { startEmbeddedPostgres } from '../embedded/postgres.ts';
import type { EmbeddedPostgres } from '../embedded/postgres.ts';
import type { Logger } from '../telemetry/logger.ts';

/**
 * Database and chain that the service brings along; null where the configuration names others. Whoever awaits one
 * disposes of it.
 */
export interface Embedded {
  database: Promise<EmbeddedPostgres & AsyncDisposable> | null;
  chain: Promise<EmbeddedChain> | null;
  /** Resolves once other processes do the work, or one of the two has failed. */
  underWay: Promise<void>;
}

/** Starts them side by side. */
export function startEmbedded(
  { databaseUrl, rpcUrls, dataDir, embeddedChainPort: port }: Config,
  log: Logger,
): Embedded {
  const { promise: underWay, resolve: onWait } = Promise.withResolvers<void>();
  const chain = rpcUrls ? null : startEmbeddedChain({ port, log: (message) => log.debug(message) });
  const database = databaseUrl
    ? null
    : startEmbeddedPostgres({
        dataDir: path.resolve(dataDir, chain ? 'embedded' : 'pg'),
        log: (message) => log.info(message),
        data: chain ? 'reused' : 'lasting',
        onWait,
      });
  // An error is for whoever awaits the one that failed, which may be later.
  chain?.catch(() => undefined);
  if (database) database.catch(() => onWait());
  else onWait();
  return { database, chain, underWay };
}
