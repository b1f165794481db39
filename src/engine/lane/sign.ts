import { transactionType } from '../../chain/fees.ts';
import type { Fees } from '../../lib/fees.ts';
import type { Hex } from '../../lib/hex.ts';
import type { Attempt, Transaction } from '../store/transactions.ts';
import type { Lane } from './lane.ts';

/** Thrown when the key, or the service that keeps it, does not sign. */
export class SignerFailed extends Error {
  override readonly name = 'SignerFailed';
  constructor(cause: unknown) {
    super(`the signer does not sign: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  }
}

type Signing = Pick<Lane, 'signer' | 'key' | 'config'>;

/**
 * Signs a transaction, or another bid for one. A no-op is a transfer of nothing to the signer itself.
 * @throws SignerFailed
 */
export async function signAttempt(
  { signer, key, config }: Signing,
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
  try {
    const signed = await signer.sign({ type, chainId, nonce, ...call, gasLimit, ...fees });
    return { ...fees, ...signed };
  } catch (error) {
    throw new SignerFailed(error);
  }
}

/** Higher than any nonce that a chain takes (EIP-2681): what is signed with it can never be mined. */
const NO_NONCE = 2n ** 64n - 1n;

/** Whether the signer signs. */
export async function canSign(lane: Signing): Promise<boolean> {
  const nothing = {
    ...{ nonce: NO_NONCE, gasLimit: 21_000n, isNoop: true },
    ...{ operator: lane.key.signer, calldata: '0x' as Hex },
  };
  try {
    await signAttempt(lane, nothing, { maxFeePerGas: 0n, maxPriorityFeePerGas: 0n });
    return true;
  } catch {
    return false;
  }
}
