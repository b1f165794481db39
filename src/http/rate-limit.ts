import type { RequestHandler, Response } from 'express';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import type { RateLimiterAbstract } from 'rate-limiter-flexible';
import { AppError } from '../errors.ts';
import { networkOf } from './client-address.ts';
import type { Principal } from './operation.ts';

/** Points a minute in this replica: each request counts some, by what it costs. */
interface RequestLimits {
  perAccount: number;
  /** For requests without a valid credential. */
  perAddress: number;
}

/** Counts points of a request and says on the response how many are left. @throws AppError RATE_LIMITED */
export type LimitRequests = (
  response: Response,
  principal: Principal | null,
  network: string,
  points: number,
) => Promise<void>;

const WINDOW_SECONDS = 60;

/** The error of a limit that is used up. */
export function tooManyRequests(message: string, msBeforeNext: number): AppError {
  const retryAfterSeconds = Math.max(1, Math.ceil(msBeforeNext / 1_000));
  return new AppError('RATE_LIMITED', `${message} Try again in ${retryAfterSeconds} seconds.`, {
    retryAfterSeconds,
  });
}

/** Counts one more for a key. @throws AppError RATE_LIMITED with this message when its limit is used up */
export async function consumePoint(
  limiter: RateLimiterAbstract,
  key: string,
  message: string,
): Promise<void> {
  try {
    await limiter.consume(key);
  } catch (refused) {
    if (!(refused instanceof RateLimiterRes)) throw refused;
    throw tooManyRequests(message, refused.msBeforeNext);
  }
}

/** Makes a limit on what each key asks for, of which answers tell how much is left. */
function createLimit(
  name: string,
  pointsPerMinute: number,
): (response: Response, key: string, points: number) => Promise<void> {
  const limiter = new RateLimiterMemory({ points: pointsPerMinute, duration: WINDOW_SECONDS });
  return async (response, key, points) => {
    const used = await limiter.consume(key, points).catch((refused: unknown) => {
      if (refused instanceof RateLimiterRes) return refused;
      throw refused;
    });
    // draft-ietf-httpapi-ratelimit-headers-08
    const seconds = Math.ceil(used.msBeforeNext / 1_000);
    response.setHeader('RateLimit-Policy', `"${name}";q=${limiter.points};w=${WINDOW_SECONDS}`);
    response.setHeader('RateLimit', `"${name}";r=${used.remainingPoints};t=${seconds}`);
    if (used.consumedPoints > limiter.points) throw tooManyRequests('Too many requests.', used.msBeforeNext);
  };
}

/**
 * Makes the limits on requests: of an account whatever credentials it makes, for it can make many. They are counted in
 * this process's memory: a shared count would cost each request a query.
 */
export function createRequestLimits({ perAccount, perAddress }: RequestLimits): LimitRequests {
  const ofAccount = createLimit('account', perAccount);
  const ofAddress = createLimit('address', perAddress);
  return (response, principal, network, points) =>
    principal ? ofAccount(response, principal.accountId, points) : ofAddress(response, network, points);
}

/**
 * Limits pages outside the contract by address. A page costs more than most requests, and whoever opens many must not
 * use up what others behind the same address have of the API.
 */
export function limitPages(perAddress: number): RequestHandler {
  const limit = createLimit('pages', perAddress);
  return async (request, response, next) => {
    await limit(response, networkOf(request), 1);
    next();
  };
}

/** Limits what is none of the operations. */
export function limitUnknown(limit: LimitRequests): RequestHandler {
  return async (request, response, next) => {
    await limit(response, null, networkOf(request), 1);
    next();
  };
}
