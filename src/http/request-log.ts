import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Logger } from 'pino';
import { pinoHttp } from 'pino-http';
import type { HttpLogger } from 'pino-http';

const GIVEN_ID = /^[\w.-]{1,64}$/;

/** The caller's own `X-Request-Id` when it is harmless, else a new one; answered either way. */
function requestId(request: IncomingMessage, response: ServerResponse): string {
  const given = request.headers['x-request-id'];
  const id = typeof given === 'string' && GIVEN_ID.test(given) ? given : randomUUID();
  response.setHeader('X-Request-Id', id);
  return id;
}

/** Logs one line a request. What it may say is listed here; headers, queries and bodies can hold secrets and are left out. */
export function createRequestLog(logger: Logger): HttpLogger {
  return pinoHttp({
    logger,
    genReqId: requestId,
    wrapSerializers: false,
    serializers: {
      req: ({ id, method, url = '' }: IncomingMessage) => ({ id, method, path: url.split('?')[0] }),
      res: ({ statusCode }: ServerResponse) => ({ statusCode }),
    },
    autoLogging: { ignore: ({ url }) => url === '/health' || url === '/ready' },
    // The error itself is logged where it is answered; this line would only add the stack of the logger.
    customErrorObject: (_request, _response, _error, { err: _err, ...line }: Record<string, unknown>) => line,
    customLogLevel: (_request, { statusCode }) => (statusCode >= 500 ? 'error' : 'info'),
  });
}
