import { testRows } from './rows.ts';

testRows('poison verdict', 'stopped Operator', 'revoked role');
