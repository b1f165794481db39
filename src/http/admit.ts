import type { Request, RequestHandler } from 'express';
import { AppError } from '../errors.ts';
import { hasBody, isJson } from './auth.ts';
import type { Operation } from './document.ts';
import { parseJson } from './json-body.ts';
import type { JsonBody } from './json-body.ts';
import type { Principal } from './operation.ts';
import { networkOf } from './client-address.ts';
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

const CHARSET = /;\s*charset\s*=\s*"?([^\s;"]*)/i;
const KIBIBYTE = 1_024;

/** What the first steps of every operation are made of. */
export interface AdmissionParts {
  check: (request: Request, operation: Operation) => Promise<Principal | null>;
  limit: LimitRequests;
}

/**
 * Makes the first steps of an operation. Credential and limit are settled from the headers alone, so that whoever asks too
 * often has no body read. A malformed or oversized body is told before a refused credential, as the order of errors
 * wants it; but for a refused credential no more than 16 KiB are read.
 */
export function createAdmission({ check, limit }: AdmissionParts): (operation: Operation) => RequestHandler {
  const roomOf = createBodyRooms();
  return (operation) => async (request, response, next) => {
    const asked = await check(request, operation).then(
      (principal): Asked => ({ principal, refusal: null }),
      (refusal: Error): Asked => ({ principal: null, refusal }),
    );
    if (operation.isLimited) await limit(response, asked.principal, networkOf(request));
    const body = await takeBody(request, operation, asked, roomOf);
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

/** Null where there is none that the operation could take. @throws AppError */
async function takeBody(
  request: Request,
  operation: Operation,
  asked: Asked,
  roomOf: (accountId: string) => BodyRoom,
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
  return parseJson(bytes);
}

function checkEncoding({ headers }: Request): void {
  const encoding = headers['content-encoding']?.toLowerCase() ?? 'identity';
  if (encoding !== 'identity')
    throw new AppError('VALIDATION_ERROR', 'The body must be sent without a content encoding.');
  const charset = CHARSET.exec(headers['content-type'] ?? '')?.[1]?.toLowerCase() ?? 'utf-8';
  if (charset !== 'utf-8') throw new AppError('VALIDATION_ERROR', 'The body must be JSON in UTF-8.');
}

function tooLarge(maxBytes: number): AppError {
  return new AppError('VALIDATION_ERROR', `The body is too large: at most ${maxBytes / KIBIBYTE} KiB.`);
}
