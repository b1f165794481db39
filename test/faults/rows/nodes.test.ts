import { testRows } from './rows.ts';

testRows('batch limits', 'sequencer without a pool', 'indexing node');
