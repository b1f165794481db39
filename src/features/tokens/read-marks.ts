import { approvedView, balanceView, frozenView } from '../../chain/abi/bounds.ts';
import type { View } from '../../chain/abi/view.ts';
import type { Hex } from '../../lib/hex.ts';

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

/** @throws what `ask` throws */
export async function readMarks(ask: Ask, contract: Hex, account: Hex): Promise<AccountMarks> {
  const [frozen, approved, balance] = await Promise.all([
    ask(contract, frozenView(account)),
    ask(contract, approvedView(account)),
    ask(contract, balanceView(account)),
  ]);
  return { account, frozen, approved, balance };
}
