import type { IncomingMessage } from 'node:http';
import { AppError } from '../errors.ts';
import { tooManyRequests } from './rate-limit.ts';

/** Of a body, unless the contract says more of its operation. */
export const MAX_BODY_BYTES = 16_384;

/** Held for a body to begin with. */
const FIRST_BYTES = 1_024;
/** What an account may have in bodies on their way, beside the first 16 KiB of each. */
const MAX_HELD_BYTES = 8_388_608;
const RETRY_MS = 1_000;

/** Room for one large body. */
export interface BodyRoom extends Disposable {
  /** False when its account has used up its room. */
  take(bytes: number): boolean;
}

/** Makes the room of each account: bodies that are never finished take it from nobody else. */
export function createBodyRooms(): (accountId: string) => BodyRoom {
  const held = new Map<string, number>();
  return (accountId) => {
    let own = 0;
    const change = (bytes: number): boolean => {
      const sum = (held.get(accountId) ?? 0) + bytes;
      if (sum > MAX_HELD_BYTES) return false;
      own += bytes;
      if (sum === 0) held.delete(accountId);
      else held.set(accountId, sum);
      return true;
    };
    return { take: change, [Symbol.dispose]: () => void change(-own) };
  };
}

const noRoom = (): Error =>
  tooManyRequests('Too many large bodies of this account are on their way.', RETRY_MS);

/**
 * Reads a body. Returns null for one of more than `maxBytes`; the rest of it is left. Memory is held for what has come
 * and not for what was announced, and the bytes are copied: as single chunks they would cost hundreds of times as much.
 * @param room for what is beyond the usual size; without it `maxBytes` is that at most
 * @throws AppError VALIDATION_ERROR when the connection ends before the body, RATE_LIMITED
 */
export function readBody(
  request: IncomingMessage,
  maxBytes: number,
  room?: BodyRoom,
): Promise<Buffer | null> {
  return new Promise((resolve, reject) => {
    let bytes = Buffer.allocUnsafe(FIRST_BYTES);
    let length = 0;
    const grow = (needed: number): boolean => {
      const size = Math.min(maxBytes, Math.max(needed, bytes.length * 2));
      if (size > MAX_BODY_BYTES && room?.take(size - bytes.length) === false) return false;
      const larger = Buffer.allocUnsafe(size);
      bytes.copy(larger, 0, 0, length);
      bytes = larger;
      return true;
    };
    const take = (chunk: Buffer): void => {
      const needed = length + chunk.length;
      if (needed > maxBytes) return leave(() => resolve(null));
      if (needed > bytes.length && !grow(needed)) return leave(() => reject(noRoom()));
      chunk.copy(bytes, length);
      length = needed;
    };
    const finish = (): void => leave(() => resolve(bytes.subarray(0, length)));
    const fail = (): void =>
      leave(() => reject(new AppError('VALIDATION_ERROR', 'The connection ended before the body.')));
    const leave = (settle: () => void): void => {
      request.off('data', take).off('end', finish).off('close', fail);
      settle();
    };
    request.on('data', take).on('end', finish).on('close', fail);
  });
}
