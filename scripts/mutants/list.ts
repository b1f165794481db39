import type { MutantList } from './mutant.ts';
import { SRC_MUTANTS } from './src/index.ts';

/** Every list, by the folder that its mutants are in. */
export const MUTANTS: Readonly<Record<string, MutantList>> = { src: SRC_MUTANTS };
