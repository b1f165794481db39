import { readFileSync } from 'node:fs';
import path from 'node:path';

/** One mistake that somebody could make in the code, and what notices it. */
export interface Mutant {
  list: List;
  /** What is broken, in plain words. */
  name: string;
  /**
   * What it is run against, from the root of the repository: a file of tests, or `SIMULATION`, with a seed that is
   * known to break.
   */
  suite: string;
  /** Of the simulation: the seed that breaks, and the rule, as `seed 7: once`; null where none is known. */
  found: string | null;
  /** One at least, in any files. */
  places: Place[];
}

/** Where the code is changed, and how. */
export interface Place {
  /** From the root of the repository. */
  file: string;
  /** Text that stands exactly once in the file. */
  find: string;
  replace: string;
}

/** A mutant of it is noticed when a simulated world breaks a promise: that of its seed, or one of 300. */
export const SIMULATION = 'lab/simulation/main.ts';

/** After the name: what finds it. */
const FOUND = / \((seed (\d+): .+)\)$/;

export const LISTS = ['promises', 'money', 'contracts', 'judge', 'simulation'] as const;
export type List = (typeof LISTS)[number];

/**
 * Reads a list: `@ FILE SUITE` above what is of both, then for each mutant `# NAME`, the lines that stand in the file
 * after `- `, and after `+ ` those that replace them, if any do. `@ FILE` alone leads to another place of the same
 * mutant. Behind a name, `(seed 7: RULE)` tells which world of the simulation finds it, and by what.
 */
export function readMutants(
  list: List,
  text = readFileSync(path.join(import.meta.dirname, `${list}.txt`), 'utf8'),
) {
  const mutants: Mutant[] = [];
  let [file, suite] = ['', ''];
  const placeIn = (one: string): Place => ({ file: one, find: '', replace: '' });
  for (const line of text.split('\n').filter(Boolean)) {
    const rest = line.slice(2);
    const places = mutants.at(-1)?.places;
    const last = places?.at(-1);
    if (line.startsWith('@ ')) {
      const [named, by] = rest.split(' ') as [string, string?];
      if (by === undefined) places?.push(placeIn(named));
      else [file, suite] = [named, by];
    } else if (line.startsWith('# ')) {
      const [shown = '', found = null, seed] = FOUND.exec(rest) ?? [];
      const own = { name: rest.slice(0, rest.length - shown.length), found, places: [placeIn(file)] };
      mutants.push({ list, suite: seed === undefined ? suite : `${suite} ${seed}`, ...own });
    } else if (last && line.startsWith('- ')) last.find += last.find === '' ? rest : `\n${rest}`;
    else if (last && line.startsWith('+ ')) last.replace += last.replace === '' ? rest : `\n${rest}`;
    else throw new Error(`${list}.txt has a line that says nothing: ${line}`);
  }
  return mutants;
}

/**
 * Returns the files that a mutant changes, with what stands in them then.
 * @param read a file of the repository
 * @throws Error when a text to find does not stand exactly once in its file: the mutant is stale
 */
export function applyMutant({ name, places }: Mutant, read: (file: string) => string): Map<string, string> {
  const changed = new Map<string, string>();
  for (const { file, find, replace } of places) {
    const source = changed.get(file) ?? read(file);
    const count = source.split(find).length - 1;
    if (count !== 1) throw new Error(`${name}: its text stands ${count} times in ${file}`);
    // A function, since in a text `$&` and the like would mean something.
    changed.set(
      file,
      source.replace(find, () => replace),
    );
  }
  return changed;
}
