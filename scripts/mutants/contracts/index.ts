import type { MutantList } from '../mutant.ts';
import { operatorAccess } from './operator-access.ts';
import { allowList, callBatch, mintList } from './operator-libraries.ts';
import { operator } from './operator.ts';

export const CONTRACT_MUTANTS: MutantList = {
  operator: [...operator, ...operatorAccess],
  'libraries/CallBatch': callBatch,
  'libraries/MintList': mintList,
  'libraries/AllowList': allowList,
};
