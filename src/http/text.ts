import { AppError } from '../errors.ts';

const storable = (text: string): boolean => text.isWellFormed() && !text.includes('\0');

const refuse = (place: string) =>
  new AppError(
    'VALIDATION_ERROR',
    `${place} must be text: no NUL character and no half of a surrogate pair.`,
  );

/** No body of the contract has half of it, and the walk must end before the stack does. */
const MOST_LEVELS = 16;

/**
 * JSON can spell text that neither UTF-8 nor PostgreSQL can hold, and lists in lists without end. Both are refused
 * before any handler sees them, text in values and in keys.
 */
export const assertStorableText = (value: unknown, place = 'body', level = 0): void => {
  if (typeof value === 'string') {
    if (!storable(value)) throw refuse(place);
    return;
  }
  if (typeof value !== 'object' || value === null) return;
  if (level >= MOST_LEVELS) {
    throw new AppError('VALIDATION_ERROR', `The body is nested deeper than ${MOST_LEVELS} levels.`);
  }
  for (const [key, item] of Object.entries(value)) {
    if (!storable(key)) throw refuse(`Every key of ${place}`);
    assertStorableText(item, place === 'body' ? key : `${place}.${key}`, level + 1);
  }
};
