import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';
import helmet from 'helmet';
import { ConfigError, originOf } from '../config.ts';
import type { Config } from '../config.ts';
import { createApp } from '../http/app.ts';
import type { App } from '../http/app.ts';
import { prepareDrain } from '../http/drain.ts';
import { createErrorResponse } from '../http/error-response.ts';
import { createHttpServer } from '../http/limits.ts';
import { limitPages } from '../http/rate-limit.ts';
import type { Logger } from '../telemetry/logger.ts';
import { compose } from './compose.ts';
import type { Composition, ServiceOptions } from './compose.ts';

/** A running service. */
export interface Service extends AsyncDisposable {
  /** Where the API answers; null in the role of the engine. */
  url: string | null;
  /** Where METRICS_PORT answers; null without it. */
  metricsUrl: string | null;
  context: Composition;
  /** Compiles in the background what the first requests would wait for. Ends with `stop` at the latest. */
  warmUp(): Promise<void>;
  /** Lets requests that are under way end, then closes everything, last opened first. */
  stop(): Promise<void>;
}

/** Beyond the wait for a verdict, a connection without traffic for so long is closed. */
const SLOW_READER_MS = 60_000;

/** Starts the service. @throws Error with one sentence that says what is wrong. */
export async function startService(
  config: Config,
  log: Logger,
  options: ServiceOptions = {},
): Promise<Service> {
  await using stack = new AsyncDisposableStack();
  const context = stack.use(await compose(config, log, options));
  const metricsUrl =
    config.metrics && (await serveMetrics(config.metrics, config.pagesPerMinute, context, stack));
  const api = config.role === 'engine' ? null : createApp({ ...context.app, config, logger: log });
  const url = api && (await serveApi(api, config, context, options.drain, stack));
  const stopping = new AbortController();
  stack.defer(() => stopping.abort());
  const opened = stack.move();
  const stop = (): Promise<void> => opened.disposeAsync();
  return {
    url,
    metricsUrl,
    context,
    warmUp: async () => api?.warmUp(stopping.signal),
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

/** Serves the API until the end of the stack. Returns its URL. */
async function serveApi(
  { app }: App,
  config: Config,
  context: Composition,
  drainTimes: ServiceOptions['drain'],
  stack: AsyncDisposableStack,
): Promise<string> {
  const server = createHttpServer(app, { timeout: config.waitTimeoutMs + SLOW_READER_MS });
  const drain = prepareDrain(server);
  const port = await openPort(server, config, ['HOST', 'PORT']);
  // Whoever still waits for a verdict is answered 202 in the end; what is accepted goes on anyway.
  stack.defer(() => drain(context.engine.stopWaiting, drainTimes));
  return originOf(config.host, port);
}

/**
 * Serves the metrics until the end of the stack, and `GET /health` for whoever supervises the process: an engine has no
 * other port. Returns the URL of the metrics.
 */
async function serveMetrics(
  at: { host: string; port: number },
  pagesPerMinute: number,
  { metrics }: Composition,
  stack: AsyncDisposableStack,
): Promise<string> {
  const app = express().disable('x-powered-by');
  app.use(helmet({ strictTransportSecurity: false }));
  app.use('/metrics', limitPages(pagesPerMinute));
  app.use(metrics.page(() => true));
  app.get('/health', (_request, response) => void response.json({ ok: true }));
  app.use(createErrorResponse(new Map()));
  const server = createHttpServer(app, { timeout: SLOW_READER_MS });
  const port = await openPort(server, at, ['METRICS_HOST', 'METRICS_PORT']);
  stack.defer(() => {
    server.closeAllConnections();
    server.close();
  });
  return `${originOf(at.host, port)}/metrics`;
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
    // A kernel without IPv6 does not know the family of such an address.
    if (code === 'EADDRNOTAVAIL' || code === 'EAFNOSUPPORT' || code === 'ENOTFOUND') {
      throw new ConfigError(`${hostName} is "${host}", which is no address of this machine`);
    }
    throw error;
  }
}
