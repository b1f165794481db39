import type { MutantList } from './mutant.ts';
import { CONTRACT_MUTANTS } from './contracts/index.ts';
import { SRC_MUTANTS } from './src/index.ts';

/** Every list, by the folder that its mutants are in. */
export const MUTANTS: Readonly<Record<string, MutantList>> = {
  src: SRC_MUTANTS,
  contracts: CONTRACT_MUTANTS,
};

/** The score that a whole list has to reach where none is asked for, in percent. */
export const MIN_SCORES: Readonly<Record<string, number>> = { contracts: 95 };
