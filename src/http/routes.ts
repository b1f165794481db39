import { Router } from 'express';
import type { Request as ExpressRequest, RequestHandler, Response } from 'express';
import { AppError } from '../errors.ts';
import { createAdmission } from './admit.ts';
import { SESSION_COOKIE, createAuthentication, hasBody, hashCookie, isJson } from './auth.ts';
import type { Authenticate } from './auth.ts';
import { announceDeprecation } from './deprecation.ts';
import type { Contract, Operation } from './document.ts';
import type { Origin, WriteOptions } from '../lib/write-options.ts';
import type { Handlers, Principal, SessionCookie } from './operation.ts';
import { assertStorableText } from './text.ts';
import { noteOperation } from './observe-request.ts';
import { addressOf, networkOf } from './client-address.ts';
import { endTurn } from './dear-turns.ts';
import type { LimitRequests } from './rate-limit.ts';
import { createTextSender } from './text-sender.ts';
import { createValidator } from './validator.ts';
import type { Validator, WrongAnswers } from './validator.ts';
import { readWrite } from './write.ts';

interface RouteOptions {
  contract: Contract;
  handlers: Handlers;
  authenticate: Authenticate;
  publicUrl: URL;
  limit: LimitRequests;
  wrongAnswers: WrongAnswers;
}

/** `null`, `[]` and `{}`, as many clients send them with every POST: of use to nobody who wants no body. */
function isBlank(body: unknown): boolean {
  return body === null || (typeof body === 'object' && Object.keys(body).length === 0);
}

/** Refuses a path with a broken escape, which came to its route read literally. */
const checkEscapes: RequestHandler = ({ url, originalUrl }, _response, next) => {
  if (url !== originalUrl)
    throw new AppError(
      'VALIDATION_ERROR',
      'The path has a % that begins no escape of UTF-8 text: write a % itself as %25.',
    );
  next();
};

/** Settles the media type before the validator, which would compile and keep a validator for every type it meets. */
function settleMediaType({ hasBody: takesBody, needsBody, method }: Operation): RequestHandler {
  return (request, _response, next) => {
    if (takesBody) {
      const isGiven = hasBody(request);
      if (isGiven && !isJson(request))
        throw new AppError('VALIDATION_ERROR', 'Send the body as application/json.');
      if (needsBody && (!isGiven || request.body === null))
        throw new AppError('VALIDATION_ERROR', 'This operation needs a JSON body.');
      if (!needsBody && (!isGiven || isBlank(request.body))) request.body = {};
      request.headers['content-type'] = 'application/json';
    } else {
      if (method !== 'get' && hasBody(request) && !isBlank(request.body))
        throw new AppError('VALIDATION_ERROR', 'This operation takes no body.');
      request.body = undefined;
      delete request.headers['content-type'];
    }
    next();
  };
}

/**
 * What the validator takes for an integer besides: `1e1`, `0x10`, and `Infinity`, which no list can have as its limit.
 */
const QUERY_INTEGER = /^\d{1,3}$/;

/** Refuses other spellings of integers before the validator, which has messages of its own for none and for several. */
function checkIntegers({ integerQueries }: Operation): RequestHandler {
  return ({ query }, _response, next) => {
    for (const name of integerQueries) {
      const given = query[name];
      if (typeof given === 'string' && given !== '' && !QUERY_INTEGER.test(given))
        throw new AppError('VALIDATION_ERROR', `${name} must be a whole number of at most three digits.`);
    }
    next();
  };
}

function setCookie(response: Response, cookie: SessionCookie, secure: boolean): void {
  const attributes = { httpOnly: true, sameSite: 'lax', path: '/', secure } as const;
  if (cookie === 'clear') response.clearCookie(SESSION_COOKIE, attributes);
  else response.cookie(SESSION_COOKIE, cookie.value, { ...attributes, maxAge: cookie.maxAgeSeconds * 1_000 });
}

/** A request of any operation. Its contract has checked it. */
interface CheckedRequest {
  path: unknown;
  query: unknown;
  body: unknown;
  principal: Principal | null;
  write: WriteOptions | null;
  requestId: string;
  network: string;
  origin: Origin;
  endTurn: () => void;
  cookieHash: Buffer | null;
}

/** What every success looks like once the table's types are left behind. */
interface Answer {
  status: number;
  body?: unknown;
  headers?: Record<string, string | undefined>;
  cookie?: SessionCookie;
}

/** A handler of any operation: here alone the types of one operation are taken for granted. */
type AnyHandler = (request: CheckedRequest) => Promise<Answer>;

/** A user agent may be of any length; so many bytes name it, and each entry of the audit log keeps them. */
const MAX_USER_AGENT_BYTES = 128;

function cutUserAgent(userAgent: string): string {
  const { read } = new TextEncoder().encodeInto(userAgent, new Uint8Array(MAX_USER_AGENT_BYTES));
  return userAgent.slice(0, read);
}

function originOf(request: ExpressRequest, principal: Principal | null): Origin {
  const { 'user-agent': userAgent } = request.headers;
  return {
    credentialId: principal && (principal.sessionId ?? principal.credentialId),
    address: addressOf(request),
    userAgent: userAgent === undefined ? null : cutUserAgent(userAgent),
  };
}

function runHandler(operation: Operation, handler: AnyHandler, secureCookie: boolean) {
  const sendText = createTextSender(operation.mediaType);
  return async (request: ExpressRequest, response: Response): Promise<void> => {
    assertStorableText(request.body);
    const { params, query, body } = request as Pick<ExpressRequest, 'params' | 'query'> & { body?: unknown };
    const principal = response.locals['principal'] as Principal | null;
    const origin = originOf(request, principal);
    const answer = await handler({
      path: params,
      query,
      body,
      principal,
      write: operation.isWrite ? readWrite(operation, request, origin) : null,
      requestId: request.id as string,
      network: networkOf(request),
      origin,
      endTurn: () => endTurn(response),
      cookieHash: hashCookie(request),
    });
    endTurn(response);
    for (const [name, value] of Object.entries(answer.headers ?? {})) {
      if (value !== undefined) response.setHeader(name, value);
    }
    if (answer.cookie !== undefined) setCookie(response, answer.cookie, secureCookie);
    response.status(answer.status);
    if (answer.body === undefined) response.end();
    else if (typeof answer.body === 'string') sendText(request, response, answer.body);
    else response.json(answer.body);
  };
}

/**
 * Mounts the handler table on the routes of the contract. The order of checks is the order of the steps: limit,
 * malformed or oversized body, credential, validation, handler.
 */
export function createRoutes(options: RouteOptions): { router: Router; validators: Validator[] } {
  const { contract, handlers, authenticate, publicUrl, limit, wrongAnswers } = options;
  const admit = createAdmission({ check: createAuthentication({ authenticate, publicUrl }), limit });
  const secureCookie = publicUrl.protocol === 'https:';
  const router = Router({ caseSensitive: true });
  const validators = contract.operations.map((operation) => {
    const validator = createValidator(operation, wrongAnswers);
    router[operation.method](
      operation.path,
      noteOperation(operation),
      operation.deprecation === null ? [] : announceDeprecation(operation.deprecation),
      admit(operation),
      checkEscapes,
      settleMediaType(operation),
      checkIntegers(operation),
      validator.validate,
      runHandler(operation, handlers[operation.id] as AnyHandler, secureCookie),
    );
    return validator;
  });
  return { router, validators };
}
