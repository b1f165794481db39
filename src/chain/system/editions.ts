import { readFileSync } from 'node:fs';
import type { Hex } from '../../lib/hex.ts';

/** What is kept of an edition of the system contracts that is made no longer: enough to compute its addresses. */
export interface FormerEdition {
  descriptor: Hex;
  managedErc20: Hex;
  managedErc721: Hex;
  operatorBytecode: string;
  tokenFactoryBytecode: string;
  collectionFactoryBytecode: string;
}

/** The first edition, whose Operator takes only an admin and has no `executeMints`. */
export const FIRST_EDITION = JSON.parse(
  readFileSync(new URL('first-edition.json', import.meta.url), 'utf8'),
) as FormerEdition;
