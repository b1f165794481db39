import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createApp } from './app.ts';
import { ConfigError } from './config.ts';
import type { Config } from './config.ts';
import { createContext } from './context.ts';
import type { Context } from './context.ts';
import { accountHandlers } from './features/accounts/handlers.ts';
import { collectionHandlers } from './features/collections/handlers.ts';
import { createExplorer } from './features/explorer/pages.ts';
import { intentHandlers } from './features/intents/handlers.ts';
import { keyHandlers } from './features/keys/handlers.ts';
import { metadataHandlers } from './features/metadata/handlers.ts';
import { meteringHandlers } from './features/metering/handlers.ts';
import { createMetrics } from './features/metrics/pages.ts';
import { tokenHandlers } from './features/tokens/handlers.ts';
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

/** Requests that still wait for a verdict after this are answered 202; what is accepted goes on anyway. */
const GRACE_MS = 5_000;
/** Whoever has not read the answer by then is cut off. */
const DRAIN_MS = 15_000;

/** Starts the service. @throws Error with one sentence that says what is wrong. */
export async function startService(config: Config, log: Logger): Promise<Service> {
  const context = await createContext(config, log);
  try {
    const server =
      config.role === 'engine' ? null : await listen(config, createServiceApp(config, context, log));
    return {
      url: server && `http://${config.host}:${(server.address() as AddressInfo).port}`,
      context,
      stop: async () => {
        if (server) await drain(server, context);
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
    pages: [createExplorer(context), createMetrics(context)],
  });
}

async function listen({ host, port }: Config, app: ReturnType<typeof createApp>): Promise<Server> {
  const server = createHttpServer(app);
  server.listen(port, host);
  try {
    await once(server, 'listening');
    return server;
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

async function drain(server: Server, { engine }: Context): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  const grace = setTimeout(() => engine.stopWaiting(), GRACE_MS);
  const end = setTimeout(() => server.closeAllConnections(), DRAIN_MS);
  await closed;
  clearTimeout(grace);
  clearTimeout(end);
}
