import { isIPv6 } from 'node:net';
import type { RequestHandler, Response } from 'express';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { AppError } from '../errors.ts';
import type { Principal } from './operation.ts';

/** Requests a minute in this replica. */
export interface RequestLimits {
  perCredential: number;
  /** For requests without a valid credential. */
  perAddress: number;
}

/** Counts a request and says on the response how many are left. @throws AppError RATE_LIMITED */
export type LimitRequests = (
  response: Response,
  principal: Principal | null,
  network: string,
) => Promise<void>;

const WINDOW_SECONDS = 60;

/** The address that a limit counts: an IPv6 network of 64 bits counts as one, since its owner has all addresses in it. */
export function networkOf(address: string): string {
  if (!isIPv6(address)) return address;
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped) return mapped;
  const [head = [], tail = []] = address
    .toLowerCase()
    .split('::')
    .map((part) => part.split(':').filter((group) => group !== ''));
  const zeros = Array.from({ length: Math.max(0, 8 - head.length - tail.length) }, () => '0');
  const network = [...head, ...zeros, ...tail].slice(0, 4);
  return `${network.map((group) => parseInt(group, 16).toString(16)).join(':')}::/64`;
}

/** The error of a limit that is used up. */
export function tooManyRequests(message: string, msBeforeNext: number): AppError {
  const retryAfterSeconds = Math.max(1, Math.ceil(msBeforeNext / 1_000));
  return new AppError('RATE_LIMITED', `${message} Try again in ${retryAfterSeconds} seconds.`, {
    retryAfterSeconds,
  });
}

/** Makes the limits on requests. They are counted in this process's memory: a shared count would cost each request a query. */
export function createRequestLimits({ perCredential, perAddress }: RequestLimits): LimitRequests {
  const credentials = new RateLimiterMemory({ points: perCredential, duration: WINDOW_SECONDS });
  const addresses = new RateLimiterMemory({ points: perAddress, duration: WINDOW_SECONDS });
  return async (response, principal, network) => {
    const [name, limiter, key] = principal
      ? (['credential', credentials, principal.credentialId] as const)
      : (['address', addresses, network] as const);
    const used = await limiter.consume(key).catch((refused: unknown) => {
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

/** Limits pages outside the contract, which need no credential and yet ask the chain. */
export function limitPages(limit: LimitRequests): RequestHandler {
  return async (request, response, next) => {
    await limit(response, null, networkOf(request.ip ?? ''));
    next();
  };
}
