import type { ErrorRequestHandler, RequestHandler } from 'express';
import { AppError } from '../errors.ts';
import { endTurn } from './dear-turns.ts';
import type { Operation } from './document.ts';
import { noteRevert, operationOf } from './observe-request.ts';
import { whoAndWhat } from './request-log.ts';

/** One finding of the validator: a JSON pointer to the value, and what it must be. */
interface Finding {
  path: string;
  message: string;
  errorCode?: string;
}
type HttpError = Error & { status?: number; errors?: Finding[] };

const MAX_MESSAGE_LENGTH = 300;
/** A number in a path is the place of an item. */
const ITEM = /\.(\d+)(?=\.|$)/g;
const PATTERN = /^must match pattern "(.*)"$/;

/** `/body/items/1/to` is `items[1].to`, as the rules of the features name a place; a body as a whole is `body`. */
function fieldOf(path: string): string {
  const parts = path.split('/').filter((part) => part !== '');
  const place = parts[0] ?? 'body';
  const inside = ['body', 'query', 'params', 'headers'].includes(place) ? parts.slice(1) : parts;
  return inside.join('.').replaceAll(ITEM, '[$1]') || place;
}

const TYPE_WORDS: Record<string, string> = {
  string: 'a string',
  number: 'a number',
  integer: 'a whole number',
  boolean: 'a boolean',
  object: 'an object',
  array: 'a list',
  null: 'null',
};

/** `must be string,number`, as the validator has it, in words. */
function typeInWords(message: string): string {
  const words = message.replace(/^must be /, '').split(',');
  const known = words.map((word) => TYPE_WORDS[word] ?? word);
  return `must be ${known.join(', ').replace(/, ([^,]*)$/, ' or $1')}`;
}

function explain(
  { path, message, errorCode = '' }: Finding,
  patternWords: ReadonlyMap<string, string>,
): string {
  const field = fieldOf(path);
  const keyword = errorCode.split('.')[0];
  if (keyword === 'required') return `${field} is required.`;
  if (keyword === 'type') return `${field} ${typeInWords(message)}.`;
  if (keyword === 'additionalProperties') return `${field} is not a known field.`;
  if (message.startsWith('Unknown query parameter')) return `${field} is not a known query parameter.`;
  if (message.startsWith('Empty value')) return `${field} must not be empty.`;
  const words = patternWords.get(PATTERN.exec(message)?.[1] ?? '');
  if (words !== undefined) return `${field} must be ${words}.`;
  // The choice of a discriminated body is reported without a place, in a sentence of its own.
  if (message.startsWith("'")) return message.replaceAll("'", '');
  return `${field} ${message}.`;
}

function validationError(message: string, cause: unknown) {
  return new AppError(
    'VALIDATION_ERROR',
    message.length > MAX_MESSAGE_LENGTH ? `${message.slice(0, MAX_MESSAGE_LENGTH)}...` : message,
    { cause },
  );
}

/** Everything that can be thrown on the way of a request, as one kind of error. */
export function toAppError(error: unknown, patternWords: ReadonlyMap<string, string>): AppError {
  if (error instanceof AppError) return error;
  const { status, errors } = (error instanceof Error ? error : {}) as HttpError;
  if (status !== undefined && status >= 400 && status < 500) {
    const finding = errors?.find(({ errorCode }) => errorCode !== 'oneOf.openapi.validation');
    const message = finding && explain(finding, patternWords);
    return validationError(message ?? 'The request is not as the contract asks for.', error);
  }
  return new AppError(
    'INTERNAL_ERROR',
    'Something went wrong on our side. Quote the X-Request-Id when you report it.',
    { cause: error },
  );
}

function headersOf(
  { code, intentId, retryAfterSeconds }: AppError,
  takesBearer: boolean,
): Record<string, string> {
  return {
    // There is no scheme for a cookie (RFC 9110, section 11.1).
    ...(code === 'UNAUTHORIZED' && takesBearer ? { 'WWW-Authenticate': 'Bearer' } : {}),
    ...(intentId === undefined ? {} : { 'Intent-Id': intentId }),
    ...(retryAfterSeconds === undefined ? {} : { 'Retry-After': String(retryAfterSeconds) }),
  };
}

/** Refuses whatever no route took, and says which methods the address takes. */
export function createUnknownRoute(operations: readonly Operation[]): RequestHandler {
  const routes = Map.groupBy(operations, ({ path }) => path);
  const patterns = [...routes].map(([path, each]) => ({
    pattern: new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/:\w+/g, '[^/]+')}/?$`),
    methods: each.map(({ method }) => method.toUpperCase()),
  }));
  return ({ method, path }) => {
    const known = patterns.find(({ pattern }) => pattern.test(path));
    const message = known
      ? `There is no ${method} at this address: it takes ${known.methods.join(', ')}.`
      : 'There is nothing at this address. The routes are listed at /openapi.yaml.';
    throw new AppError('NOT_FOUND', message);
  };
}

/** The last step of the pipeline: `{code, message}`, never a stack. Logs what the caller cannot be blamed for. */
export function createErrorResponse(patternWords: ReadonlyMap<string, string>): ErrorRequestHandler {
  return (thrown: unknown, request, response, next) => {
    endTurn(response);
    const error = toAppError(thrown, patternWords);
    if (error.code === 'INTERNAL_ERROR') {
      request.log.error({ err: error.cause ?? error, ...whoAndWhat(response) }, 'unexpected error');
    }
    if (error.isRevert) noteRevert(response, error.message);
    if (response.headersSent) return next(thrown);
    const takesBearer = operationOf(response)?.takesBearer ?? false;
    response
      .set(headersOf(error, takesBearer))
      .status(error.status)
      .json({ code: error.code, message: error.message });
  };
}
