import type { MutantList } from '../mutant.ts';
import { config } from './config.ts';
import { db } from './db.ts';
import { features } from './features.ts';
import { http } from './http.ts';
import { start } from './start.ts';

export const SRC_MUTANTS: MutantList = { http, config, db, start, features };
