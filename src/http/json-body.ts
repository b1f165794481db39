import { AppError } from '../errors.ts';
import { isExact } from '../lib/json-number.ts';

/** No body of the contract is nested deeper than 5 levels. */
const MAX_DEPTH = 16;
/** Keys, items, objects and lists together. A batch of 100 items with all their attributes has 2,000. */
const MAX_MEMBERS = 4_000;

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

/** A body that was parsed. */
export interface JsonBody {
  value: object;
  /** Key of a number that cannot be kept as it was sent; null when there is none. */
  inexact: string | null;
}

function refusal(message: string): AppError {
  return new AppError('VALIDATION_ERROR', message);
}

/** Refuses what would cost much to parse. Whether it is JSON is not asked here. @throws AppError VALIDATION_ERROR */
function checkShape(bytes: Uint8Array): void {
  let depth = 0;
  let members = 0;
  let isInText = false;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (isInText) {
      if (byte === BACKSLASH) at += 1;
      else if (byte === QUOTE) isInText = false;
    } else if (byte === QUOTE) isInText = true;
    else if (byte === COMMA) members += 1;
    else if (byte === CLOSE_OBJECT || byte === CLOSE_LIST) depth -= 1;
    else if (byte === OPEN_OBJECT || byte === OPEN_LIST) {
      depth += 1;
      members += 1;
      if (depth > MAX_DEPTH) throw refusal(`The body is nested too deeply: at most ${MAX_DEPTH} levels.`);
    }
  }
  if (members > MAX_MEMBERS) throw refusal(`The body has too many keys and items: at most ${MAX_MEMBERS}.`);
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

function decode(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch (cause) {
    throw new AppError('VALIDATION_ERROR', 'The body must be JSON in UTF-8.', { cause });
  }
}

/** Parses a body: an object or a list; an empty one is an empty object. @throws AppError VALIDATION_ERROR */
export function parseJson(bytes: Uint8Array): JsonBody {
  checkShape(bytes);
  const text = decode(bytes);
  let inexact: string | null = null;
  const note = (key: string, value: unknown, context?: { source?: string }): unknown => {
    if (typeof value === 'number' && !isExact(context?.source ?? '', value)) inexact ??= key;
    return value;
  };
  try {
    const value: unknown = text === '' ? {} : JSON.parse(text, note);
    if (typeof value === 'object' && value !== null) return { value, inexact };
  } catch (cause) {
    throw new AppError('VALIDATION_ERROR', 'The body is not valid JSON.', { cause });
  }
  throw refusal('The body is not valid JSON.');
}
