import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { toHex } from '../lib/hex.ts';
import type { Hex } from '../lib/hex.ts';
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

/** A value with the texts at a place in lower case; `*` stands for each item of a list. */
function lowerAt(value: unknown, [key, ...rest]: readonly string[]): unknown {
  if (key === undefined) return typeof value === 'string' ? value.toLowerCase() : value;
  if (Array.isArray(value)) return key === '*' ? value.map((item) => lowerAt(item, rest)) : value;
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return value;
  return { ...value, [key]: lowerAt((value as Record<string, unknown>)[key], rest) };
}

/**
 * Reads how a write is to be carried out. The hash covers what is asked, and of whom, and not how it is spelled:
 * addresses in path and body count in any case, as they do for what they name.
 */
export function readWrite(
  { id, addressPlaces }: Operation,
  request: { headers: IncomingHttpHeaders; params: Record<string, unknown>; body?: unknown },
  origin: Origin,
): WriteOptions {
  const { 'idempotency-key': key, prefer } = request.headers;
  const hash = (): Hex =>
    toHex(
      createHash('sha256')
        .update(
          `${id}\n${canonical(request.params).toLowerCase()}\n${canonical(addressPlaces.reduce(lowerAt, request.body))}`,
        )
        .digest(),
    );
  return {
    idempotency: typeof key === 'string' ? { key, requestHash: hash() } : null,
    origin,
    respondAsync: typeof prefer === 'string' && RESPOND_ASYNC.test(prefer),
  };
}
