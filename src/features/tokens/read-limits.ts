import { TOKEN_LIMITS, approvedView, balanceView, frozenView } from '../../chain/abi/bounds.ts';
import type { TokenLimits } from '../../chain/abi/bounds.ts';
import { TOTAL_SUPPLY } from '../../chain/abi/token.ts';
import type { View } from '../../chain/abi/view.ts';
import type { Hex } from '../../lib/hex.ts';
import type { TokenRecord } from './store.ts';

/** What a token of the first edition has of the bounds. */
const FIRST_EDITION = {
  maxSupply: null,
  mintLimit: null,
  mintedToday: 0n,
  mintClosed: false,
  recoverable: false,
  metadataFrozen: false,
  royalty: null,
} as const;

/** Marks of one account at a token. */
export interface AccountMarks {
  account: Hex;
  frozen: boolean;
  /** Whether it may receive mints of a permissioned token. */
  approved: boolean;
  /** In the smallest unit, or the number of NFTs. */
  balance: bigint;
}

/** Asks a view of a contract at the newest block. */
type Ask = <Answer>(contract: Hex, view: View<Answer>) => Promise<Readonly<Answer>>;

/** Supply and bounds; a token of the first edition has no bounds. @throws what `ask` throws */
export async function readLimits(
  ask: Ask,
  { address, recoverable }: Pick<TokenRecord, 'address' | 'recoverable'>,
): Promise<TokenLimits> {
  return recoverable === null
    ? { ...FIRST_EDITION, totalSupply: await ask(address, TOTAL_SUPPLY) }
    : ask(address, TOKEN_LIMITS);
}

/** @throws what `ask` throws */
export async function readMarks(ask: Ask, contract: Hex, account: Hex): Promise<AccountMarks> {
  const [frozen, approved, balance] = await Promise.all([
    ask(contract, frozenView(account)),
    ask(contract, approvedView(account)),
    ask(contract, balanceView(account)),
  ]);
  return { account, frozen, approved, balance };
}
