import { testRows } from './rows.ts';

testRows('silent database', 'lossy failover');
