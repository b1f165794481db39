import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { createApp } from '../http/app.ts';
import { ConfigError, originOf } from '../config.ts';
import type { Config } from '../config.ts';
import { createContext } from './compose.ts';
import type { Context, ServiceOptions } from './compose.ts';
import { accountHandlers } from '../features/accounts/handlers.ts';
import { collectionHandlers } from '../features/collections/handlers.ts';
import { createDocs } from '../features/docs/pages.ts';
import { createExplorer } from '../features/explorer/pages.ts';
import { intentHandlers } from '../features/intents/handlers.ts';
import { keyHandlers } from '../features/keys/handlers.ts';
import { metadataHandlers } from '../features/metadata/handlers.ts';
import { meteringHandlers } from '../features/metering/handlers.ts';
import { tokenHandlers } from '../features/tokens/handlers.ts';
import { webhookHandlers } from '../features/webhooks/handlers.ts';
import { prepareDrain } from '../http/drain.ts';
import { createHttpServer } from '../http/limits.ts';
import { isFromThisMachine } from '../http/local.ts';
import type { Logger } from '../telemetry/logger.ts';

/** A running service. */
export interface Service {
  /** Where the API answers; null in the role of the engine. */
  url: string | null;
  /** Where METRICS_PORT answers; null without it. */
  metricsUrl: string | null;
  context: Context;
  /** Lets requests that are under way end, then closes everything, last opened first. */
  stop(): Promise<void>;
}

/** Beyond the wait for a verdict, a connection on which nothing moves for so long is closed. */
const SLOW_READER_MS = 60_000;

/** Starts the service. @throws Error with one sentence that says what is wrong. */
export async function startService(
  config: Config,
  log: Logger,
  options: ServiceOptions = {},
): Promise<Service> {
  const context = await createContext(config, log, options);
  try {
    const listening =
      config.role === 'engine' ? null : await listen(config, createServiceApp(config, context, log));
    const metrics = config.metrics && (await serveMetrics(config.metrics, context));
    return {
      url: listening && originOf(config.host, listening.port),
      metricsUrl: metrics && `${originOf(config.metrics!.host, metrics.port)}/metrics`,
      context,
      stop: async () => {
        // Whoever still waits for a verdict is answered 202 in the end; what is accepted goes on anyway.
        await listening?.drain(context.engine.stopWaiting);
        metrics?.server.closeAllConnections();
        metrics?.server.close();
        await context.dispose();
      },
    };
  } catch (error) {
    await context.dispose();
    throw error;
  }
}

function createServiceApp(config: Config, context: Context, log: Logger) {
  const { accounts, keys, metering, tokens, metadata, collections, webhooks, engine, explorerUrl, observe } =
    context;
  return createApp({
    handlers: {
      ...accountHandlers({ accounts }),
      ...keyHandlers({ keys }),
      ...meteringHandlers({ metering }),
      ...tokenHandlers({ tokens, explorerUrl }),
      ...metadataHandlers({ metadata, explorerUrl }),
      ...collectionHandlers({ collections, explorerUrl }),
      ...intentHandlers({ engine, explorerUrl }),
      ...webhookHandlers({ webhooks }),
    },
    authenticate: context.authenticate,
    readiness: context.readiness,
    config,
    logger: log,
    observe,
    pages: [
      createDocs(),
      createExplorer({ ...context, publicUrl: config.publicUrl }),
      // A port that the internet reaches tells its figures to this machine alone; METRICS_PORT is for the others.
      context.metrics.page(isFromThisMachine),
    ],
  });
}

async function listen({ host, port, waitTimeoutMs }: Config, app: ReturnType<typeof createApp>) {
  const server = createHttpServer(app, { timeout: waitTimeoutMs + SLOW_READER_MS });
  const drain = prepareDrain(server);
  return { port: await openPort(server, { host, port }, ['HOST', 'PORT']), drain };
}

async function serveMetrics(at: { host: string; port: number }, { metrics }: Context) {
  const app = express().disable('x-powered-by');
  app.use(metrics.page(() => true));
  const server = createHttpServer(app, { timeout: SLOW_READER_MS });
  return { server, port: await openPort(server, at, ['METRICS_HOST', 'METRICS_PORT']) };
}

/** Returns the port that it got. @throws ConfigError with a sentence that names the variable. */
async function openPort(
  server: Server,
  { host, port }: { host: string; port: number },
  [hostName, portName]: readonly [string, string],
): Promise<number> {
  server.listen(port, host);
  try {
    await once(server, 'listening');
    return (server.address() as AddressInfo).port;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EADDRINUSE')
      throw new ConfigError(`Port ${port} is taken by another program: set ${portName} to a free one`);
    if (code === 'EACCES')
      throw new ConfigError(`Port ${port} may not be opened by this user: set ${portName} to one above 1023`);
    if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') {
      throw new ConfigError(`${hostName} is "${host}", which is no address of this machine`);
    }
    throw error;
  }
}
