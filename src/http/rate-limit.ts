import { isIP } from 'node:net';
import type { RequestHandler, Response } from 'express';
import ipaddr from 'ipaddr.js';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { AppError } from '../errors.ts';
import type { Principal } from './operation.ts';

/** Requests a minute in this replica. */
export interface RequestLimits {
  perAccount: number;
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

/** As much of a request as tells where it comes from. */
interface Client {
  /** Of the connection, or as a trusted proxy says. */
  ip?: string | undefined;
  socket: { remoteAddress?: string | undefined };
}

/** Some proxies add the port, and put an IPv6 address in brackets then. */
const WITH_PORT = /^(?:\[(?<v6>[^\]]*)\]|(?<v4>[\d.]+))(?::\d{1,5})?$/;

/**
 * The network that a limit counts a client as. A proxy may pass on whatever text its client has sent: what is not an
 * address would be a fresh count for each spelling, so the address of the connection counts then.
 */
export function networkOf({ ip = '', socket }: Client): string {
  return countedAs(ip) ?? countedAs(socket.remoteAddress ?? '') ?? 'unknown';
}

/** An IPv6 network of 64 bits counts as one, since its owner has all addresses in it. Null for what is no address. */
function countedAs(text: string): string | null {
  const { v6, v4 } = WITH_PORT.exec(text)?.groups ?? {};
  const [address] = (v6 ?? v4 ?? text).split('%', 1) as [string];
  // Stricter than the parser below, which takes 127.1 and 0x7f000001 as well.
  if (!isIP(address)) return null;
  const parsed = ipaddr.process(address);
  if (parsed instanceof ipaddr.IPv4) return parsed.toString();
  return `${parsed.parts
    .slice(0, 4)
    .map((part) => part.toString(16))
    .join(':')}::/64`;
}

/** The error of a limit that is used up. */
export function tooManyRequests(message: string, msBeforeNext: number): AppError {
  const retryAfterSeconds = Math.max(1, Math.ceil(msBeforeNext / 1_000));
  return new AppError('RATE_LIMITED', `${message} Try again in ${retryAfterSeconds} seconds.`, {
    retryAfterSeconds,
  });
}

/**
 * Makes the limits on requests: of an account whatever credentials it makes, for it can make many. They are counted in this process's memory: a shared count would cost each request a query.
 */
export function createRequestLimits({ perAccount, perAddress }: RequestLimits): LimitRequests {
  const accounts = new RateLimiterMemory({ points: perAccount, duration: WINDOW_SECONDS });
  const addresses = new RateLimiterMemory({ points: perAddress, duration: WINDOW_SECONDS });
  return async (response, principal, network) => {
    const [name, limiter, key] = principal
      ? (['account', accounts, principal.accountId] as const)
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
    await limit(response, null, networkOf(request));
    next();
  };
}
