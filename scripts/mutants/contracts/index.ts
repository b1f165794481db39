import type { MutantList } from '../mutant.ts';
import { collections } from './collections.ts';
import { descriptorText } from './descriptor-text.ts';
import { descriptor } from './descriptor.ts';
import { factories } from './factories.ts';
import { layouts } from './layouts.ts';
import { operatorAccess } from './operator-access.ts';
import { allowList, callBatch, mintList } from './operator-libraries.ts';
import { operator } from './operator.ts';
import { tokenBounds } from './token-bounds.ts';
import { tokens } from './tokens.ts';

export const CONTRACT_MUTANTS: MutantList = {
  operator: [...operator, ...operatorAccess],
  'libraries/CallBatch': callBatch,
  'libraries/MintList': mintList,
  'libraries/AllowList': allowList,
  bounds: tokenBounds,
  tokens,
  collections,
  factories,
  layouts,
  descriptor,
  'descriptor/text': descriptorText,
};
