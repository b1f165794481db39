import { setTimeout as sleep } from 'node:timers/promises';
import { parse as parseUrl } from 'node:url';
import type { Request, RequestHandler, Response } from 'express';
import { ResponseValidator } from 'express-openapi-validator/dist/middlewares/openapi.response.validator.js';
import { OpenApiValidator } from 'express-openapi-validator/dist/openapi.validator.js';
import type { Spec } from 'express-openapi-validator/dist/framework/openapi.spec.loader.js';
import type {
  OpenAPIV3,
  OpenApiRequest,
  OpenApiRequestMetadata,
} from 'express-openapi-validator/dist/framework/types.js';
import { inlineReferences } from './inline-references.ts';
import type { ApiDocument, Operation } from './document.ts';

/**
 * What becomes of an answer that breaks the contract: it is 500 `INTERNAL_ERROR`, or sent and logged as an error, or
 * not noticed, which saves the comparison.
 */
export type WrongAnswers = 'refused' | 'logged' | 'unchecked';

/** Compares the requests to one operation with the contract, and its answers too when told to. */
export interface Validator {
  validate: RequestHandler;
  /** Compiles it now instead of with the first request. */
  compile(): void;
}

/**
 * The validator parses the URL of each request with a function of Node that warns, once, of calls that are not those of
 * a package: until it has, it looks for its caller in the stack, which takes 3 % of a mint. This call has it look no
 * more; nobody calls it but the validator.
 */
function warnOfParseUrl(): void {
  const { noDeprecation = false } = process;
  process.noDeprecation = true;
  parseUrl('/');
  process.noDeprecation = noDeprecation;
}

/**
 * Between two validators requests and lanes have the event loop for so long: the warm-up takes a tenth of a core at
 * most.
 */
const WARM_UP_PAUSE_MS = 200;

/**
 * A validator of its own for every operation: finding the route again among all paths costs 100 us a request.
 * Compiling takes the event loop for some milliseconds, so it is done when the first request comes, unless it has been
 * done before.
 */
export function createValidator(operation: Operation, wrongAnswers: WrongAnswers): Validator {
  let compiled: RequestHandler | undefined;
  const compile = (): RequestHandler => (compiled ??= compileValidator(operation, wrongAnswers));
  return {
    validate: (request, response, next) => compile()(request, response, next),
    compile: () => void compile(),
  };
}

/**
 * The first requests take the library's way, on which it waits for its document before each step, compiles the path and
 * finds the operation by it. What it found is the same for every request, so that later ones go straight to the steps
 * that compare: the router has matched their path, and has its parameters.
 */
function compileValidator(operation: Operation, wrongAnswers: WrongAnswers): RequestHandler {
  warnOfParseUrl();
  const apiSpec = inlineReferences(operation.document);
  const validateResponses = wrongAnswers !== 'unchecked';
  const validator = new OpenApiValidator({
    apiSpec,
    validateRequests: true,
    validateResponses,
    validateSecurity: false,
    fileUploader: false,
    // Without `urn:uuid:`, which RFC 4122 allows and the database does not read.
    formats: { uuid: /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i },
  });
  const steps: RequestHandler[] = [];
  const keep = (step: RequestHandler): RequestHandler => {
    steps.push(step);
    return step;
  };
  const ifWrong = wrongAnswers === 'logged' ? { onError: logWrongAnswer } : {};
  const makeRequestStep = validator['requestValidationMiddleware'] as (apiDoc: ApiDocument) => RequestHandler;
  Object.defineProperties(validator, {
    requestValidationMiddleware: {
      value: (apiDoc: ApiDocument) => keep(makeRequestStep.call(validator, apiDoc)),
    },
    responseValidationMiddleware: {
      value: (apiDoc: ApiDocument, serial: number) =>
        keep(new ResponseValidatorByStatus(apiDoc, validator.ajvOpts.response, ifWrong, serial).validate()),
    },
  });
  const wholeWay = validator.installMiddleware(Promise.resolve(describe(operation, apiSpec)));
  const stepCount = validateResponses ? 2 : 1;
  let found: OpenApiRequestMetadata | undefined;
  return (request: OpenApiRequest, response, next) => {
    if (found && steps.length === stepCount) {
      const pathParams = { ...request.params } as Record<string, string>;
      request.openapi = { ...found, pathParams };
      request.params = pathParams;
      runInTurn(steps, request, response, next);
      return;
    }
    runInTurn(wholeWay, request, response, (error?: unknown) => {
      found ??= request.openapi;
      next(error);
    });
  };
}

/** The answer is sent as it is: the client can read it. Its body is not logged, it may hold secrets. */
function logWrongAnswer(err: unknown, _body: unknown, { log }: Request): void {
  log.error({ err }, 'an answer breaks openapi.yaml');
}

/**
 * Compiles the schema of a status with the first answer of that status. The base class compiles those of all statuses
 * that an operation has, most of which are never answered, and again for another content type of the request.
 */
class ResponseValidatorByStatus extends ResponseValidator {
  override _getOrBuildValidator(
    request: OpenApiRequest,
    responses: OpenAPIV3.ResponsesObject,
  ): ReturnType<ResponseValidator['_getOrBuildValidator']> {
    const status = String(request.res?.statusCode);
    const response = responses[status];
    // The base class names what is wrong then.
    if (response === undefined) return super._getOrBuildValidator(request, responses);
    // It keeps what it has built by method, path and content type of the request.
    const key = { method: { value: status }, headers: { value: {} } };
    return super._getOrBuildValidator(Object.create(request, key) as OpenApiRequest, { [status]: response });
  }
}

/**
 * What the validator's own loader finds in a document. That one compiles the schema of OpenAPI first, to compare the
 * document with it: 30 ms for each operation, for what `npm run lint:openapi` has done with better messages.
 */
function describe({ method, path }: Operation, apiDoc: ApiDocument): Spec {
  const [openApiRoute] = Object.keys(apiDoc.paths ?? {}) as [string];
  return {
    apiDoc,
    basePaths: [''],
    routes: [
      {
        basePath: '',
        expressRoute: path,
        openApiRoute,
        method: method.toUpperCase(),
        pathParams: [...openApiRoute.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!),
      },
    ],
    serial: 0,
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
