import { AppError } from '../errors.ts';
import { isExact } from '../lib/json-number.ts';

/** No body of the contract is nested deeper than 5 levels. */
const MAX_DEPTH = 16;
/** No key that an operation takes is longer, however it is escaped. */
const MAX_KEY_BYTES = 1_024;
const MAX_SHOWN_KEY = 64;
/** Keys, items, objects and lists together. A batch of 100 items with all their attributes has 2,000. */
const MAX_MEMBERS = 4_000;

const [QUOTE, BACKSLASH, COMMA, COLON] = [0x22, 0x5c, 0x2c, 0x3a];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

/** A body that was parsed. */
export interface JsonBody {
  /** An object, a list or null. */
  value: object | null;
  /** Key of a number that cannot be kept as it was sent; null when there is none. */
  inexact: string | null;
}

function refusal(message: string): AppError {
  return new AppError('VALIDATION_ERROR', message);
}

/** Where a text ends that begins at a quote: behind its closing quote, or at the end of the bytes. */
function endOfText(bytes: Uint8Array, start: number): number {
  for (let at = start + 1; at < bytes.length; at += 1) {
    if (bytes[at] === BACKSLASH) at += 1;
    else if (bytes[at] === QUOTE) return at + 1;
  }
  return bytes.length;
}

const HAS_ESCAPE = /\\/;

/** A key as it is meant: `"\u0061"` is `"a"`. What is no JSON stays as it is, and is refused later. */
function readKey(quoted: string): string {
  if (!HAS_ESCAPE.test(quoted)) return quoted.slice(1, -1);
  try {
    return JSON.parse(quoted) as string;
  } catch {
    return quoted;
  }
}

/** Of two values under one key the parser would keep the last one, and another program the first. */
function noteKey(keys: Set<string>, key: string): void {
  if (keys.has(key))
    throw refusal(`The body has the key ${key.slice(0, MAX_SHOWN_KEY)} twice in one object.`);
  keys.add(key);
}

/**
 * Refuses what would cost much to parse, and a key that comes twice. Whether it is JSON is not asked here.
 * @throws AppError VALIDATION_ERROR
 */
function checkShape(bytes: Buffer): void {
  // The keys of each object around the current place; a list has none.
  const around: Set<string>[] = [];
  let members = 0;
  let text = '';
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (byte === QUOTE) {
      const end = endOfText(bytes, at);
      text = end - at > MAX_KEY_BYTES ? '' : bytes.toString('utf8', at, end);
      at = end - 1;
    } else if (byte === COLON && text !== '') noteKey(around.at(-1) ?? new Set(), readKey(text));
    else if (byte === COMMA) members += 1;
    else if (byte === CLOSE_OBJECT || byte === CLOSE_LIST) around.pop();
    else if (byte === OPEN_OBJECT || byte === OPEN_LIST) {
      around.push(new Set());
      members += 1;
      if (around.length > MAX_DEPTH)
        throw refusal(`The body is nested too deeply: at most ${MAX_DEPTH} levels.`);
    }
    if (members > MAX_MEMBERS) throw refusal(`The body has too many keys and items: at most ${MAX_MEMBERS}.`);
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

function decode(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch (cause) {
    throw new AppError('VALIDATION_ERROR', 'The body must be JSON in UTF-8.', { cause });
  }
}

/** Parses a body: an object, a list or null; an empty one is an empty object. @throws AppError VALIDATION_ERROR */
export function parseJson(bytes: Buffer): JsonBody {
  checkShape(bytes);
  const text = decode(bytes);
  let inexact: string | null = null;
  const note = (key: string, value: unknown, context?: { source?: string }): unknown => {
    if (typeof value === 'number' && !isExact(context?.source ?? '', value)) inexact ??= key;
    return value;
  };
  try {
    const value: unknown = text === '' ? {} : JSON.parse(text, note);
    if (typeof value === 'object') return { value, inexact };
  } catch (cause) {
    throw new AppError('VALIDATION_ERROR', 'The body is not valid JSON.', { cause });
  }
  throw refusal('The body is not valid JSON.');
}
