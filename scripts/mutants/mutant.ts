import { readFileSync } from 'node:fs';
import path from 'node:path';

/** One mistake that somebody could make in the code, and the test file that notices it. */
export interface Mutant {
  list: List;
  /** What is broken, in plain words. */
  name: string;
  /** From the root of the repository, as `suite` is. */
  file: string;
  suite: string;
  /** Text that stands exactly once in the file. */
  find: string;
  replace: string;
}

export const LISTS = ['promises', 'money', 'contracts', 'judge'] as const;
export type List = (typeof LISTS)[number];

/**
 * Reads a list: `@ FILE SUITE` above what is of both, then for each mutant `# NAME`, the lines that stand in the file after `- `, and
 * after `+ ` those that replace them, if any do.
 */
export function readMutants(
  list: List,
  text = readFileSync(path.join(import.meta.dirname, `${list}.txt`), 'utf8'),
) {
  const mutants: Mutant[] = [];
  let [file, suite] = ['', ''];
  for (const line of text.split('\n').filter(Boolean)) {
    const rest = line.slice(2);
    const mutant = mutants.at(-1);
    if (line.startsWith('@ ')) [file, suite] = rest.split(' ') as [string, string];
    else if (line.startsWith('# ')) mutants.push({ list, name: rest, file, suite, find: '', replace: '' });
    else if (mutant && line.startsWith('- ')) mutant.find += mutant.find === '' ? rest : `\n${rest}`;
    else if (mutant && line.startsWith('+ ')) mutant.replace += mutant.replace === '' ? rest : `\n${rest}`;
    else throw new Error(`${list}.txt has a line that says nothing: ${line}`);
  }
  return mutants;
}

/** @throws Error when the text to find does not stand exactly once in the source: the mutant is stale */
export function applyMutant({ name, file, find, replace }: Mutant, source: string): string {
  const places = source.split(find).length - 1;
  if (places !== 1) throw new Error(`${name}: its text stands ${places} times in ${file}`);
  // A function, since in a text `$&` and the like would mean something.
  return source.replace(find, () => replace);
}
