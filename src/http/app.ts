import express from 'express';
import type { Express, RequestHandler, Router } from 'express';
import helmet from 'helmet';
import type { Logger } from 'pino';
import type { Authenticate } from './auth.ts';
import { readContract } from './document.ts';
import { createErrorResponse, createUnknownRoute } from './error-response.ts';
import type { Handlers } from './operation.ts';
import { createCors } from './cors.ts';
import { observeRequests } from './observe-request.ts';
import { createRequestLog } from './request-log.ts';
import { createRequestLimits, limitPages, limitUnknown } from './rate-limit.ts';
import { createRoutes } from './routes.ts';
import { createServiceHandlers } from './service.ts';
import { warmUp } from './validator.ts';
import type { WrongAnswers } from './validator.ts';
import type { Observe } from '../telemetry/observe.ts';

/** What of the configuration the pipeline needs. */
interface AppConfig {
  publicUrl: string;
  wrongAnswers: WrongAnswers;
  /** Of one account, with all its credentials. */
  requestsPerMinute: number;
  /** Of one address without a credential. */
  anonymousRequestsPerMinute: number;
  /** Pages outside the contract, of one address. */
  pagesPerMinute: number;
  /** Reverse proxies in front whose X-Forwarded-For is believed. */
  trustProxy: number;
  /** Origins of pages that may call the API. */
  corsOrigins: readonly string[];
}

export interface AppOptions {
  /** Every operation of the contract that belongs to a feature. */
  handlers: Omit<Handlers, keyof ReturnType<typeof createServiceHandlers>>;
  authenticate: Authenticate;
  /** What is out of order, in sentences; empty when the service can do its work. */
  readiness: () => Promise<readonly string[]>;
  config: AppConfig;
  logger: Logger;
  observe: Pick<Observe, 'request'>;
  pages?: readonly Pages[];
}

/** Pages outside the contract, such as the explorer. */
export interface Pages {
  /** The path that they lie at and below, or all of their paths. */
  path: string | RegExp;
  router: Router;
}

/** Node leaves out the body of an answer to HEAD by itself, so HEAD is handled as GET. */
const answerHeadAsGet: RequestHandler = (request, _response, next) => {
  if (request.method === 'HEAD') request.method = 'GET';
  next();
};

/** Warns once that a proxy seems to be in front: limits by address would then apply to all its clients together. */
function warnOfProxy(logger: Logger): RequestHandler {
  let isSaid = false;
  return (request, _response, next) => {
    if (!isSaid && request.headers['x-forwarded-for'] !== undefined) {
      isSaid = true;
      logger.warn('X-Forwarded-For arrives but is not believed: behind a reverse proxy, set TRUST_PROXY');
    }
    next();
  };
}

/**
 * Hardly an answer has a validator to compare with (text-sender.ts): without this Express would answer `*` with 304.
 */
const forgetConditions: RequestHandler = (request, _response, next) => {
  delete request.headers['if-none-match'];
  delete request.headers['if-modified-since'];
  next();
};

/**
 * A path with a broken escape is read literally, so that it goes through the same checks in the same order:
 * `checkEscapes`.
 */
const readBrokenEscapes: RequestHandler = (request, _response, next) => {
  const [path] = request.url.split('?', 1) as [string];
  try {
    if (path.includes('%')) decodeURIComponent(path);
  } catch {
    request.url = path.replaceAll('%', '%25') + request.url.slice(path.length);
  }
  next();
};

const NOTHING = ["'none'"];

/**
 * An answer is data: a browser that shows one runs nothing of it and loads nothing. Pages set policies of their own.
 */
const DATA_POLICY = {
  useDefaults: false,
  directives: {
    defaultSrc: NOTHING,
    baseUri: NOTHING,
    formAction: NOTHING,
    frameAncestors: NOTHING,
  },
};

function securityHeaders(isHttps: boolean): RequestHandler {
  return helmet({ contentSecurityPolicy: DATA_POLICY, strictTransportSecurity: isHttps });
}

/** Answers belong to one account: no cache in between may keep them. */
const forbidCaching: RequestHandler = (_request, response, next) => {
  response.setHeader('Cache-Control', 'no-store');
  next();
};

export interface App {
  app: Express;
  /** Compiles the validators one by one, ahead of the first requests. Ends early on the signal. */
  warmUp(signal: AbortSignal): Promise<void>;
}

/** The pipeline, in order. */
export function createApp({
  handlers,
  authenticate,
  readiness,
  config,
  logger,
  observe,
  pages = [],
}: AppOptions): App {
  const publicUrl = new URL(config.publicUrl);
  const contract = readContract();
  const limit = createRequestLimits({
    perAccount: config.requestsPerMinute,
    perAddress: config.anonymousRequestsPerMinute,
  });
  const app = express();
  app.disable('x-powered-by').disable('etag').set('trust proxy', config.trustProxy);

  app.use(observeRequests(observe));
  app.use(createRequestLog(logger));
  if (config.trustProxy === 0) app.use(warnOfProxy(logger));
  app.use(answerHeadAsGet);
  app.use(forgetConditions);
  app.use(readBrokenEscapes);
  app.use(securityHeaders(publicUrl.protocol === 'https:'));
  app.use(forbidCaching);
  if (config.corsOrigins.length > 0) app.use(createCors(config.corsOrigins));
  const { router, validators } = createRoutes({
    contract,
    handlers: { ...createServiceHandlers({ contract, publicUrl, readiness }), ...handlers },
    authenticate,
    publicUrl,
    limit,
    wrongAnswers: config.wrongAnswers,
  });
  app.use(router);
  const limitPage = limitPages(config.pagesPerMinute);
  for (const { path, router: page } of pages) app.use(path, limitPage).use(page);
  app.use(limitUnknown(limit), createUnknownRoute(contract.operations));
  const answerError = createErrorResponse(contract.patternWords);
  // Twice: where wrong answers are refused, an error that the contract does not list for the operation is an error
  // itself.
  app.use(answerError, answerError);
  return { app, warmUp: (signal) => warmUp(validators, signal) };
}
