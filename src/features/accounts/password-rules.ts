import { readFileSync } from 'node:fs';
import { AppError } from '../../errors.ts';

let common: ReadonlySet<string> | undefined;

/** The 3,000 commonest passwords of 8 characters or more, in lower case. */
function commonPasswords(): ReadonlySet<string> {
  const text = readFileSync(new URL('./common-passwords.txt', import.meta.url), 'utf8');
  return new Set(text.split('\n').filter((line) => line !== '' && !line.startsWith('#')));
}

/**
 * Refuses a new password that is guessed first. Its length is the contract's to check.
 * @param field what the request calls it
 * @throws AppError VALIDATION_ERROR
 */
export function assertGoodPassword(password: string, email: string, field: string): void {
  common ??= commonPasswords();
  const lower = password.toLowerCase();
  if (common.has(lower)) {
    throw new AppError('VALIDATION_ERROR', `${field} is one of the commonest passwords; choose another one`);
  }
  if (lower === email.toLowerCase()) {
    throw new AppError('VALIDATION_ERROR', `${field} must not be the e-mail of the account`);
  }
}
