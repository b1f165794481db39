import type { MutantList } from '../mutant.ts';
import { config } from './config.ts';
import { db } from './db.ts';
import { http } from './http.ts';

export const SRC_MUTANTS: MutantList = { http, config, db };
