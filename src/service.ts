import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createApp } from './app.ts';
import { ConfigError } from './config.ts';
import type { Config } from './config.ts';
import { createContext } from './context.ts';
import type { Context } from './context.ts';
import { accountHandlers } from './features/accounts/handlers.ts';
import { collectionHandlers } from './features/collections/handlers.ts';
import { createDocs } from './features/docs/pages.ts';
import { createExplorer } from './features/explorer/pages.ts';
import { intentHandlers } from './features/intents/handlers.ts';
import { keyHandlers } from './features/keys/handlers.ts';
import { metadataHandlers } from './features/metadata/handlers.ts';
import { meteringHandlers } from './features/metering/handlers.ts';
import { createMetrics } from './features/metrics/pages.ts';
import { tokenHandlers } from './features/tokens/handlers.ts';
import { prepareDrain } from './http/drain.ts';
import { createHttpServer } from './http/limits.ts';
import type { Logger } from './logger.ts';

/** A running service. */
export interface Service {
  /** Where the API answers; null in the role of the engine. */
  url: string | null;
  context: Context;
  /** Lets requests that are under way end, then closes everything, last opened first. */
  stop(): Promise<void>;
}

/** Beyond the wait for a verdict, a connection on which nothing moves for so long is closed. */
const SLOW_READER_MS = 60_000;

/** Starts the service. @throws Error with one sentence that says what is wrong. */
export async function startService(config: Config, log: Logger): Promise<Service> {
  const context = await createContext(config, log);
  try {
    const listening =
      config.role === 'engine' ? null : await listen(config, createServiceApp(config, context, log));
    return {
      url: listening && `http://${config.host}:${(listening.server.address() as AddressInfo).port}`,
      context,
      stop: async () => {
        // Whoever still waits for a verdict is answered 202 in the end; what is accepted goes on anyway.
        await listening?.drain(context.engine.stopWaiting);
        await context.dispose();
      },
    };
  } catch (error) {
    await context.dispose();
    throw error;
  }
}

function createServiceApp(config: Config, context: Context, log: Logger) {
  const { accounts, keys, metering, tokens, metadata, collections, engine, explorerUrl } = context;
  return createApp({
    handlers: {
      ...accountHandlers({ accounts }),
      ...keyHandlers({ keys }),
      ...meteringHandlers({ metering }),
      ...tokenHandlers({ tokens, explorerUrl }),
      ...metadataHandlers({ metadata, explorerUrl }),
      ...collectionHandlers({ collections, explorerUrl }),
      ...intentHandlers({ engine, explorerUrl }),
    },
    authenticate: context.authenticate,
    readiness: context.readiness,
    config,
    logger: log,
    pages: [createDocs(), createExplorer(context), createMetrics(context)],
  });
}

async function listen({ host, port, waitTimeoutMs }: Config, app: ReturnType<typeof createApp>) {
  const server = createHttpServer(app, { timeout: waitTimeoutMs + SLOW_READER_MS });
  const drain = prepareDrain(server);
  server.listen(port, host);
  try {
    await once(server, 'listening');
    return { server, drain };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EADDRINUSE')
      throw new ConfigError(`Port ${port} is taken by another program: set PORT to a free one`);
    if (code === 'EACCES')
      throw new ConfigError(`Port ${port} may not be opened by this user: set PORT to one above 1023`);
    if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') {
      throw new ConfigError(`HOST is "${host}", which is no address of this machine`);
    }
    throw error;
  }
}
