import { testRows } from './rows.ts';

testRows('lagging reads', 'wrong nonce counts', 'pruned node', 'preconfirmations');
