import { AppError } from '../errors.ts';

function storable(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0');
}

function refuse(place: string) {
  return new AppError(
    'VALIDATION_ERROR',
    `${place} must be text: no NUL character and no half of a surrogate pair.`,
  );
}

/**
 * JSON can spell text that neither UTF-8 nor PostgreSQL can hold: it is refused before any handler sees it, in values
 * and in keys. The contract was checked before, and no body of it is nested without end.
 */
export function assertStorableText(value: unknown, place = 'body'): void {
  if (typeof value === 'string') {
    if (!storable(value)) throw refuse(place);
    return;
  }
  if (typeof value !== 'object' || value === null) return;
  for (const [key, item] of Object.entries(value)) {
    if (!storable(key)) throw refuse(`Every key of ${place}`);
    assertStorableText(item, place === 'body' ? key : `${place}.${key}`);
  }
}
