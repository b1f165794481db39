import type { Attempt, Fees, Transaction } from '../store/transactions.ts';
import type { Lane } from './lane.ts';

/** Signs a transaction, or another bid for one. */
export async function signAttempt(
  { signer, config }: Lane,
  { nonce, gasLimit, operator, calldata }: Pick<Transaction, 'nonce' | 'gasLimit' | 'operator' | 'calldata'>,
  fees: Fees,
): Promise<Attempt> {
  const { chainId } = config;
  const signed = await signer.sign({ chainId, nonce, to: operator, data: calldata, gasLimit, ...fees });
  return { ...fees, ...signed };
}
