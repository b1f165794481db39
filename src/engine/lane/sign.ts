import { transactionType } from '../../chain/fees.ts';
import type { Fees } from '../../lib/fees.ts';
import type { Attempt, Transaction } from '../store/transactions.ts';
import type { Lane } from './lane.ts';

/** Signs a transaction, or another bid for one. */
export async function signAttempt(
  { signer, config }: Lane,
  { nonce, gasLimit, calldata }: Pick<Transaction, 'nonce' | 'gasLimit' | 'calldata'>,
  fees: Fees,
): Promise<Attempt> {
  const { chainId, operator, profile } = config;
  const type = transactionType(profile.feeModel);
  const signed = await signer.sign({ type, chainId, nonce, to: operator, data: calldata, gasLimit, ...fees });
  return { ...fees, ...signed };
}
