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

/**
 * Makes the reader of an option that takes some of these names, divided by commas.
 * @throws InvalidArgumentError, which the command shows as a sentence
 */
export const someOf =
  (kind: string, names: readonly string[]) =>
  (text: string): string[] => {
    const wanted = text.split(',').map((name) => name.trim());
    const unknown = wanted.filter((name) => !names.includes(name));
    if (unknown.length > 0)
      throw new InvalidArgumentError(
        `There is no ${kind} "${unknown.join(', ')}"; there are ${names.join(', ')}.`,
      );
    return wanted;
  };
