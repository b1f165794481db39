import { InvalidArgumentError } from 'commander';

/** Reads an option's whole number. @throws InvalidArgumentError, which the command shows as a sentence */
export function wholeNumber(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text))
    throw new InvalidArgumentError('Say a whole number from 1 to 999,999,999.');
  return Number(text);
}

/** Reads an option's number above 0. @throws InvalidArgumentError, which the command shows as a sentence */
export function positiveNumber(text: string): number {
  if (!/^\d{1,4}(\.\d{1,4})?$/.test(text) || Number(text) === 0)
    throw new InvalidArgumentError('Say a number above 0, such as 0.05.');
  return Number(text);
}
