import type { RequestHandler, Response } from 'express';
import type { Observe } from '../telemetry/observe.ts';
import type { Operation } from './document.ts';

/** Notes on the answer which operation it belongs to, and whether that takes a Bearer token. */
export function noteOperation({ id, path, accepts }: Operation): RequestHandler {
  const takesBearer = accepts.some((scheme) => scheme !== 'session');
  const operation = { id, route: path.replaceAll(/:(\w+)/g, '{$1}'), takesBearer };
  return (_request, response, next) => {
    response.locals['operation'] = operation;
    next();
  };
}

/** Notes on the answer why the contract refused what was asked for: no failure of the service, whatever the status. */
export function noteRevert(response: Response, reason: string): void {
  response.locals['revert'] = reason;
}

/** The reason of `noteRevert`; undefined for any other answer. */
export const revertOf = (response: Response): string | undefined =>
  response.locals['revert'] as string | undefined;

export function operationOf(response: Response) {
  return response.locals['operation'] as { id: string; route: string; takesBearer: boolean } | undefined;
}

function single(header: string | string[] | undefined): string | undefined {
  return typeof header === 'string' ? header : undefined;
}

/** Reports each request when it has ended. */
export function observeRequests(observe: Pick<Observe, 'request'>): RequestHandler {
  return (request, response, next) => {
    const startedAt = performance.now();
    const { method, headers } = request;
    const traceparent = single(headers['traceparent']);
    const tracestate = single(headers['tracestate']);
    const end = observe.request({ method, traceparent, tracestate }, next);
    response.once('close', () => {
      const operation = operationOf(response);
      end({
        operation: operation?.id ?? 'page',
        route: operation?.route,
        status: response.writableFinished ? response.statusCode : 'aborted',
        isRevert: revertOf(response) !== undefined,
        seconds: (performance.now() - startedAt) / 1_000,
      });
    });
  };
}
