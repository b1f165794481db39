import type { Request, RequestHandler, Response } from 'express';
import { AppError } from '../errors.ts';
import { hasBody, isJson } from './auth.ts';
import type { Operation } from './document.ts';
import { parseJson } from './json-body.ts';
import type { JsonBody } from './json-body.ts';
import type { Principal } from './operation.ts';
import { networkOf } from './client-address.ts';
import { createDearTurns } from './dear-turns.ts';
import type { TakeTurn } from './dear-turns.ts';
import type { LimitRequests } from './rate-limit.ts';
import { MAX_BODY_BYTES, createBodyRooms, readBody } from './read-body.ts';
import type { BodyRoom } from './read-body.ts';

/** Who asks, as the headers say. */
interface Asked {
  /** Null for a public operation, and for a credential that was refused. */
  principal: Principal | null;
  /** What the credential was refused with. */
  refusal: Error | null;
}

/** Counts what a request costs in all, as far as that is known by now. @throws AppError RATE_LIMITED */
type Spend = (points: number) => Promise<void>;

/** What is done for a request before it is known to be good. */
interface Admission {
  asked: Asked;
  spend: Spend;
  roomOf: (accountId: string) => BodyRoom;
  takeTurn: () => Promise<void>;
}

const CHARSET = /;\s*charset\s*=\s*"?([^\s;"]*)/i;
/** Clients write both, though IANA registers the first alone. */
const UTF8_NAMES = ['utf-8', 'utf8'];
const KIBIBYTE = 1_024;
/** A body counts a point for each of so many bytes, should its operation count less. */
const BYTES_PER_POINT = MAX_BODY_BYTES;

/** What the first steps of every operation are made of. */
interface AdmissionParts {
  check: (request: Request, operation: Operation) => Promise<Principal | null>;
  limit: LimitRequests;
}

/**
 * Makes the first steps of an operation. Credential and limit are settled from the headers alone, so that whoever asks
 * too often has no body read; what its body adds to its cost is counted as soon as it is known. A malformed or
 * oversized body is told before a refused credential, as the order of errors wants it; but for a refused credential no
 * more than 16 KiB are read.
 */
export function createAdmission({ check, limit }: AdmissionParts): (operation: Operation) => RequestHandler {
  const roomOf = createBodyRooms();
  const turnOf = createDearTurns();
  return (operation) => async (request, response, next) => {
    const asked = await check(request, operation).then(
      (principal): Asked => ({ principal, refusal: null }),
      (refusal: Error): Asked => ({ principal: null, refusal }),
    );
    const spend = createSpend((points) => limit(response, asked.principal, networkOf(request), points));
    if (operation.isLimited) await spend(operation.points);
    const takeTurn = () => takeDearTurn(turnOf, operation, asked, response);
    const body = await takeBody(request, operation, { asked, spend, roomOf, takeTurn });
    if (asked.refusal) throw asked.refusal;
    if (body?.inexact != null) {
      throw new AppError(
        'VALIDATION_ERROR',
        `${body.inexact} is a number that cannot be kept with all its digits. Send fewer, or text where text is taken.`,
      );
    }
    request.body = body?.value;
    response.locals['principal'] = asked.principal;
    next();
  };
}

function createSpend(count: (points: number) => Promise<void>): Spend {
  let spent = 0;
  return async (points) => {
    if (points <= spent) return;
    const more = points - spent;
    spent = points;
    await count(more);
  };
}

async function takeDearTurn(
  turnOf: TakeTurn,
  { isDear }: Operation,
  { principal }: Asked,
  response: Response,
): Promise<void> {
  if (isDear && principal) await turnOf(principal.accountId, response);
}

/** Null where there is none that the operation could take. @throws AppError */
async function takeBody(
  request: Request,
  operation: Operation,
  { asked, spend, roomOf, takeTurn }: Admission,
): Promise<JsonBody | null> {
  if (operation.method === 'get' || !hasBody(request) || !isJson(request)) return null;
  checkEncoding(request);
  const { maxBodyBytes } = operation;
  const announced = Number(request.headers['content-length'] ?? 0);
  if (announced > maxBodyBytes) throw tooLarge(maxBodyBytes);
  const { principal, refusal } = asked;
  const maxBytes = principal ? maxBodyBytes : MAX_BODY_BYTES;
  if (announced > maxBytes) throw refusal ?? tooLarge(maxBytes);
  using room = principal ? roomOf(principal.accountId) : undefined;
  const bytes = await readBody(request, maxBytes, room);
  if (bytes === null) throw refusal ?? tooLarge(maxBytes);
  await spend(Math.ceil(bytes.length / BYTES_PER_POINT));
  await takeTurn();
  const body = parseJson(bytes);
  if (operation.perItem) await spend(operation.points * itemsOf(body.value));
  return body;
}

/** How many items the body of a batch has; none where it is not a batch after all. */
function itemsOf(body: unknown): number {
  const { items } = (body ?? {}) as { items?: unknown };
  return Array.isArray(items) ? items.length : 0;
}

function checkEncoding({ headers }: Request): void {
  const encoding = headers['content-encoding']?.toLowerCase() ?? 'identity';
  if (encoding !== 'identity')
    throw new AppError('VALIDATION_ERROR', 'The body must be sent without a content encoding.');
  const charset = CHARSET.exec(headers['content-type'] ?? '')?.[1]?.toLowerCase() ?? 'utf-8';
  if (!UTF8_NAMES.includes(charset))
    throw new AppError('VALIDATION_ERROR', 'The body must be JSON in UTF-8.');
}

function tooLarge(maxBytes: number): AppError {
  return new AppError('VALIDATION_ERROR', `The body is too large: at most ${maxBytes / KIBIBYTE} KiB.`);
}
