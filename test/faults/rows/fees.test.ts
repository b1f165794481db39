import { testRows } from './rows.ts';

testRows('gasless chain', 'base fee x 100', 'halted chain', 'small blocks');
