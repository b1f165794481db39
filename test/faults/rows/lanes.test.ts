import { testRows } from './rows.ts';

testRows('lane without funds', 'lost key', 'wall clock');
