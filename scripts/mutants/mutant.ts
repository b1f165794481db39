/** One mistake that somebody could make in the code, and the tests that should notice it. */
export interface Mutant {
  /** What is broken, in plain words. */
  name: string;
  /** From the root of the repository. */
  file: string;
  /** Text that stands exactly once in the file. */
  find: string;
  replace: string;
  /** Test files, from the root of the repository; the one that notices first comes first. */
  suites: readonly string[];
}

/** Mutants by area, such as `http` or `engine/store`. */
export type MutantList = Readonly<Record<string, readonly Mutant[]>>;

export interface NamedMutant extends Mutant {
  area: string;
}

export const flatten = (list: MutantList): NamedMutant[] =>
  Object.entries(list).flatMap(([area, mutants]) => mutants.map((mutant) => ({ area, ...mutant })));

/** @throws Error when the text to find does not stand exactly once in the source: the mutant is stale */
export function applyMutant({ find, replace }: Mutant, source: string): string {
  const places = source.split(find).length - 1;
  if (places !== 1) throw new Error(`its text stands ${places} times`);
  // A function, since in a text `$&` and the like would mean something.
  return source.replace(find, () => replace);
}
