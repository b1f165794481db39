import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { Operation } from './document.ts';
import type { Origin, WriteOptions } from '../lib/write-options.ts';

const RESPOND_ASYNC = /(?:^|,)\s*respond-async\s*(?:;|,|$)/i;

/** JSON with the keys of every object in order, so that two spellings of a request are one. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? '';
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([key, item]) => `${JSON.stringify(key)}:${canonical(item)}`).join()}}`;
}

/**
 * Reads how a write is to be carried out. The hash covers what is asked, and of whom: addresses in the path count in any
 * case, as they do for the record that they name.
 */
export function readWrite(
  { id }: Operation,
  request: { headers: IncomingHttpHeaders; params: Record<string, unknown>; body?: unknown },
  origin: Origin,
): WriteOptions {
  const { 'idempotency-key': key, prefer } = request.headers;
  const hash = (): Buffer =>
    createHash('sha256')
      .update(`${id}\n${canonical(request.params).toLowerCase()}\n${canonical(request.body)}`)
      .digest();
  return {
    idempotency: typeof key === 'string' ? { key, requestHash: hash() } : null,
    origin,
    respondAsync: typeof prefer === 'string' && RESPOND_ASYNC.test(prefer),
  };
}
