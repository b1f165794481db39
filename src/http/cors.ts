import cors from 'cors';
import type { RequestHandler } from 'express';

/** What a page may read besides the body. */
const READABLE = [
  'Intent-Id',
  'Transaction-Hash',
  'Link',
  'Preference-Applied',
  'RateLimit',
  'RateLimit-Policy',
  'Retry-After',
  'Deprecation',
  'X-Request-Id',
];

/** What a page may send; the last two are those of W3C's Trace Context, which tracers add to every request. */
const ALLOWED = [
  ...['Authorization', 'Content-Type', 'Idempotency-Key', 'Prefer', 'X-Request-Id'],
  ...['traceparent', 'tracestate'],
];

/**
 * Lets pages of these origins call the API with a Bearer credential. Cookies stay where they are: credentials are not
 * allowed, so a browser sends none.
 */
export function createCors(origins: readonly string[]): RequestHandler {
  return cors({
    origin: origins.includes('*') ? '*' : [...origins],
    methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
    allowedHeaders: ALLOWED,
    exposedHeaders: READABLE,
    credentials: false,
    maxAge: 600,
  });
}
