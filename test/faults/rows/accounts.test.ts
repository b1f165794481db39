import { testRows } from './rows.ts';

testRows('heavy calls', 'many accounts');
