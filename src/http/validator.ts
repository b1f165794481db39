import { setTimeout as sleep } from 'node:timers/promises';
import type { Request, RequestHandler, Response } from 'express';
import { middleware } from 'express-openapi-validator';
import type { Operation } from './document.ts';

/** Compares the requests to one operation with the contract, and its answers too when told to. */
export interface Validator {
  validate: RequestHandler;
  /** Compiles it now instead of with the first request. */
  compile(): void;
}

type ApiSpec = Parameters<typeof middleware>[0]['apiSpec'];

/** Between two validators requests and lanes have the event loop for so long: the warm-up takes a fifth of a core at most. */
const WARM_UP_PAUSE_MS = 200;

/**
 * A validator of its own for every operation: finding the route again among all paths costs 100 us a request.
 * Compiling takes 50 ms of the event loop, so it is done when the first request comes, unless it has been done before.
 */
export function createValidator(
  operation: Pick<Operation, 'document'>,
  validateResponses: boolean,
): Validator {
  let compiled: RequestHandler[] | undefined;
  const compile = (): RequestHandler[] =>
    (compiled ??= middleware({
      apiSpec: operation.document as ApiSpec,
      // `npm run lint:openapi` has done that, with better messages.
      validateApiSpec: false,
      validateRequests: true,
      validateResponses,
      validateSecurity: false,
      fileUploader: false,
    }));
  return {
    validate: (request, response, next) => runInTurn(compile(), request, response, next),
    compile: () => void compile(),
  };
}

function runInTurn(
  [first, ...rest]: RequestHandler[],
  request: Request,
  response: Response,
  next: (error?: unknown) => void,
): void {
  if (!first) {
    next();
    return;
  }
  void first(request, response, (error?: unknown) => {
    if (error === undefined) runInTurn(rest, request, response, next);
    else next(error);
  });
}

/** Compiles one validator after the other, each in a turn of the event loop of its own. Ends early on the signal. */
export async function warmUp(validators: readonly Validator[], signal: AbortSignal): Promise<void> {
  for (const validator of validators) {
    await sleep(WARM_UP_PAUSE_MS, undefined, { ref: false, signal }).catch(() => undefined);
    if (signal.aborted) return;
    validator.compile();
  }
}
