import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Request, Response } from 'express';
import type { Logger } from 'pino';
import { pinoHttp } from 'pino-http';
import type { HttpLogger } from 'pino-http';
import { addressOf } from './client-address.ts';
import { revertOf } from './observe-request.ts';
import type { Principal } from './operation.ts';

const GIVEN_ID = /^[\w.-]{1,64}$/;

/** The caller's own `X-Request-Id` when it is harmless, else a new one; answered either way. */
function requestId(request: IncomingMessage, response: ServerResponse): string {
  const given = request.headers['x-request-id'];
  const id = typeof given === 'string' && GIVEN_ID.test(given) ? given : randomUUID();
  response.setHeader('X-Request-Id', id);
  return id;
}

/**
 * Who asked, for which intent, and why the contract refused it, as far as known: a part of each log line of a request.
 */
export function whoAndWhat(response: ServerResponse): Record<string, string> {
  const { principal } = (response as Response).locals as { principal?: Principal | null };
  const intent = response.getHeader('Intent-Id');
  const reason = revertOf(response as Response);
  return {
    ...(principal && { account: principal.accountId, credential: principal.credentialId }),
    ...(typeof intent === 'string' && { intent }),
    ...(reason !== undefined && { reason }),
  };
}

/**
 * Logs one line a request. What it may say is listed here; headers, queries and bodies can hold secrets and are left
 * out.
 */
export function createRequestLog(logger: Logger): HttpLogger {
  return pinoHttp({
    logger,
    genReqId: requestId,
    wrapSerializers: false,
    serializers: {
      req: (request: Request) => {
        const { id, method, url = '' } = request;
        return { id, method, path: url.split('?')[0], client: addressOf(request) };
      },
      res: ({ statusCode }: ServerResponse) => ({ statusCode }),
    },
    autoLogging: { ignore: ({ url }) => url === '/health' || url === '/ready' },
    // The error itself is logged where it is answered; this line would only add the stack of the logger.
    customErrorObject: (_request, response, _error, { err: _err, ...line }: Record<string, unknown>) => ({
      ...line,
      ...whoAndWhat(response),
    }),
    customSuccessObject: (_request, response, line: Record<string, unknown>) => ({
      ...line,
      ...whoAndWhat(response),
    }),
    // What a contract refuses wakes nobody.
    customLogLevel: (_request, response) =>
      response.statusCode >= 500 && revertOf(response as Response) === undefined ? 'error' : 'info',
  });
}
