import { testRows } from './rows.ts';

testRows('stale fork, success', 'stale fork, failure', 'endpoints that disagree', 'reorgs beyond final');
