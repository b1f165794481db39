import type { TransactionDraft } from '../../src/engine/store/insert-transaction.ts';
import type { Attempt } from '../../src/engine/store/transactions.ts';
import type { Hex } from '../../src/lib/hex.ts';

/** Signed bytes whose fees are both `wei`. */
export const createAttempt = (hash: Hex, wei = 1n): Attempt => ({
  hash,
  raw: '0x02',
  maxFeePerGas: wei,
  maxPriorityFeePerGas: wei,
});

/** A transaction that fits what `queueIntent` queues on a contract; `more` says in what it differs. */
export const createDraft = (
  contract: Hex,
  numbers: readonly bigint[],
  more: Pick<TransactionDraft, 'attempt'> & Partial<TransactionDraft>,
): TransactionDraft => ({
  nonce: 0n,
  gasLimit: 100_000n,
  expectedGas: 60_000,
  expectedFee: 0n,
  operator: contract,
  epoch: 1n,
  calldata: '0x00',
  members: numbers.map((number) => ({ number, contract, gasCap: 50_000 })),
  mayBeOvertaken: false,
  ...more,
});
