import { transactionType } from '../../chain/fees.ts';
import type { Fees } from '../../lib/fees.ts';
import type { Hex } from '../../lib/hex.ts';
import type { Attempt, Transaction } from '../store/transactions.ts';
import type { Lane } from './lane.ts';

/** Signs a transaction, or another bid for one. A no-op is a transfer of nothing to the signer itself. */
export async function signAttempt(
  { signer, key, config }: Lane,
  {
    nonce,
    gasLimit,
    operator,
    calldata,
    isNoop,
  }: Pick<Transaction, 'nonce' | 'gasLimit' | 'operator' | 'calldata' | 'isNoop'>,
  fees: Fees,
): Promise<Attempt> {
  const { chainId, profile } = config;
  const type = transactionType(profile.feeModel);
  const call = isNoop ? { to: key.signer, data: '0x' as Hex } : { to: operator, data: calldata };
  const signed = await signer.sign({ type, chainId, nonce, ...call, gasLimit, ...fees });
  return { ...fees, ...signed };
}
