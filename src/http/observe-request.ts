import type { RequestHandler, Response } from 'express';
import type { Observe } from '../telemetry/observe.ts';
import type { Operation } from './document.ts';

/** Notes on the answer which operation it belongs to. */
export const noteOperation = ({ id, path }: Operation): RequestHandler => {
  const operation = { id, route: path.replaceAll(/:(\w+)/g, '{$1}') };
  return (_request, response, next) => {
    response.locals['operation'] = operation;
    next();
  };
};

const operationOf = (response: Response) =>
  response.locals['operation'] as { id: string; route: string } | undefined;

const single = (header: string | string[] | undefined): string | undefined =>
  typeof header === 'string' ? header : undefined;

/** Tells of each request when it has ended. */
export const observeRequests =
  (observe: Pick<Observe, 'request'>): RequestHandler =>
  (request, response, next) => {
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
        seconds: (performance.now() - startedAt) / 1_000,
      });
    });
  };
