import { readFileSync } from 'node:fs';
import { AppError } from '../../errors.ts';

let common: ReadonlySet<string> | undefined;

/** The 3,000 commonest passwords of 8 characters or more, in lower case. */
function commonPasswords(): ReadonlySet<string> {
  const text = readFileSync(new URL('./common-passwords.txt', import.meta.url), 'utf8');
  return new Set(text.split('\n').filter((line) => line !== '' && !line.startsWith('#')));
}

/**
 * One spelling of a password: keyboards and systems send the same letter as one code point or as several, and NIST SP
 * 800-63B (3.1.1.2) asks for NFKC or NFKD before hashing.
 */
export const normalizePassword = (password: string): string => password.normalize('NFKC');

const [MIN_LENGTH, MAX_LENGTH] = [8, 128];

/**
 * Refuses a new password that is guessed first. The contract checks the length as it was sent; that of the form which
 * is hashed may be another one: four letters with their accents apart are eight code points.
 * @param field what the request calls it
 * @throws AppError VALIDATION_ERROR
 */
export function assertGoodPassword(password: string, email: string, field: string): void {
  common ??= commonPasswords();
  const normal = normalizePassword(password);
  const lower = normal.toLowerCase();
  const refuse = (reason: string): never => {
    throw new AppError('VALIDATION_ERROR', `${field} ${reason}`);
  };
  const { length } = [...normal];
  if (length < MIN_LENGTH || length > MAX_LENGTH)
    refuse(`needs ${MIN_LENGTH} to ${MAX_LENGTH} characters in its NFKC form`);
  if (new Set(lower).size === 1) refuse('repeats one character; choose another one');
  if (lower.trim() === '') refuse('consists of blanks; choose another one');
  if (common.has(lower)) refuse('is one of the commonest passwords; choose another one');
  if (lower === normalizePassword(email).toLowerCase()) refuse('must not be the e-mail of the account');
}
