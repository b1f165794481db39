import { hash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { AppError } from '../errors.ts';
import type { Operation, SecurityScheme } from './document.ts';
import type { Principal } from './operation.ts';

/** What the store knows of a valid credential. */
export type Credential = Principal;

/** Finds a credential by the SHA-256 of its secret; null when it is unknown, expired or revoked. */
export type Authenticate = (secretHash: Buffer) => Promise<Credential | null>;

export const SESSION_COOKIE = 'service_session';

const MAX_SECRET_LENGTH = 256;
const BEARER = /^Bearer +(\S+) *$/i;
const COOKIE = new RegExp(`(?:^|; *)${SESSION_COOKIE}=([^;]*)`);
const JSON_TYPE = /^application\/json *(;|$)/i;

interface Presented {
  secret: string;
  by: 'bearer' | 'cookie';
}

function sessionCookie({ headers }: IncomingMessage): string | undefined {
  return COOKIE.exec(headers.cookie ?? '')?.[1]?.trim() || undefined;
}

/**
 * Bearer beats cookie, even when the bearer turns out to be worthless; but where a cookie alone serves, it is passed
 * over beside one: cookie jars send theirs along with everything.
 */
function presentedBy(request: IncomingMessage, accepts: Operation['accepts']): Presented | null {
  const own = sessionCookie(request);
  if (own !== undefined && accepts.every((scheme) => scheme === 'session'))
    return { secret: own, by: 'cookie' };
  const bearer = BEARER.exec(request.headers.authorization ?? '')?.[1];
  if (bearer !== undefined) return { secret: bearer, by: 'bearer' };
  return own === undefined ? null : { secret: own, by: 'cookie' };
}

/** SHA-256 of the session cookie of a request; null without one. */
export function hashCookie(request: IncomingMessage): Buffer | null {
  const cookie = sessionCookie(request);
  return cookie === undefined ? null : hash('sha256', cookie, 'buffer');
}

function schemeOf({ kind, environment }: Credential): SecurityScheme {
  if (kind === 'session') return 'session';
  if (kind === 'access_token') return 'accessToken';
  return environment === 'live' ? 'liveKey' : 'sandboxKey';
}

function unauthorized(message: string) {
  return new AppError('UNAUTHORIZED', message);
}

function missingCredential(accepts: Operation['accepts']) {
  return unauthorized(
    accepts.includes('accessToken') || accepts.includes('liveKey')
      ? 'This needs a credential: send it in the Authorization header as a Bearer token.'
      : 'This needs a session: log in first.',
  );
}

/** The token API knows API keys, but does not let them do everything: that is 403. A kind it does not know is 401. */
function refuseKind(
  { accepts }: Operation,
  { kind, environment }: Credential,
  by: Presented['by'],
): AppError {
  if (
    (kind === 'api_key' || kind === 'sandbox_token') &&
    by === 'bearer' &&
    accepts.includes('accessToken')
  ) {
    return new AppError(
      'FORBIDDEN',
      environment === 'sandbox'
        ? 'A sandbox key works only with the collection API, under /v1.'
        : 'An API key may not do this. Sign in and use an access token.',
    );
  }
  return unauthorized('This kind of credential does not work here. Use one that the operation accepts.');
}

export function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

export function isJson({ headers }: IncomingMessage): boolean {
  return JSON_TYPE.test(headers['content-type'] ?? '');
}

/**
 * A page elsewhere must not write with a visitor's cookie. A browser says where a request comes from; a program that
 * says nothing has no visitor to deceive. The host of the request counts as own, since a service may have several
 * names.
 */
function assertSameOrigin(request: IncomingMessage, publicUrl: URL): void {
  const { origin, host, 'sec-fetch-site': site } = request.headers;
  const ownOrigins = [publicUrl.origin, `${publicUrl.protocol}//${host}`];
  const foreignOrigin = origin !== undefined && !ownOrigins.includes(origin);
  const foreignSite = site !== undefined && site !== 'same-origin' && site !== 'none';
  if (foreignOrigin || foreignSite) {
    throw new AppError('FORBIDDEN', 'A session cookie works only from pages of this service.');
  }
  if (hasBody(request) && !isJson(request)) {
    throw new AppError('FORBIDDEN', 'With a session cookie, send the body as application/json.');
  }
}

/**
 * Makes the check of who is asking. It resolves to null for a public operation, whatever is presented, and throws
 * `UNAUTHORIZED` or `FORBIDDEN`.
 */
export function createAuthentication({
  authenticate,
  publicUrl,
}: {
  authenticate: Authenticate;
  publicUrl: URL;
}) {
  return async (request: IncomingMessage, operation: Operation): Promise<Principal | null> => {
    const { accepts, method } = operation;
    if (accepts.length === 0) return null;
    const presented = presentedBy(request, accepts);
    if (presented === null) throw missingCredential(accepts);

    const { secret, by } = presented;
    const credential =
      secret.length > MAX_SECRET_LENGTH ? null : await authenticate(hash('sha256', secret, 'buffer'));
    if (credential === null) {
      throw unauthorized('This credential is unknown, expired or revoked. Sign in again.');
    }
    const isRightHeader = (credential.kind === 'session') === (by === 'cookie');
    if (!isRightHeader || !accepts.includes(schemeOf(credential)))
      throw refuseKind(operation, credential, by);
    if (by === 'cookie' && method !== 'get') assertSameOrigin(request, publicUrl);
    return credential;
  };
}
