import { decodeExecutedCalls } from '../../chain/abi/operator.ts';
import type { ExecutedCall } from '../../chain/abi/operator.ts';
import type { Block } from '../../chain/follower/follower.ts';
import type { Hex } from '../../lib/hex.ts';
import type { ForeignEffect } from '../store/unknown-effects.ts';

/** What the Operator said of one call, in a block. */
export interface Execution extends ExecutedCall {
  transactionHash: Hex;
}

/** The results of these Operators in these blocks, in their order. */
export function readExecutions(
  blocks: readonly Pick<Block, 'logs'>[],
  operators: readonly Hex[],
): Execution[] {
  return blocks.flatMap(({ logs }) =>
    logs.flatMap((log) =>
      decodeExecutedCalls(log, operators).map((call) => ({ ...call, transactionHash: log.transactionHash })),
    ),
  );
}

/** Of an intent that is sent: a thief of a signer may write anything below 2^64. */
const MAX_NUMBER = 2n ** 62n - 1n;

/** What transactions that are not known here did in these blocks. */
export function foreignEffectsIn(
  blocks: readonly Pick<Block, 'number' | 'foreign'>[],
  operators: readonly Hex[],
): ForeignEffect[] {
  return blocks.flatMap(({ number: blockNumber, foreign: logs = [] }) =>
    readExecutions([{ logs }], operators)
      .filter(({ result, number }) => result.ok && number <= MAX_NUMBER)
      .map((execution) => ({ ...execution, blockNumber })),
  );
}

/** The successes among them, as `confirmIntents` takes them. */
export function successesOf(
  executions: readonly Execution[],
): { operator: Hex; number: bigint; result: Hex; transactionHash: Hex }[] {
  return executions
    .filter(({ result }) => result.ok)
    .map(({ result, operator, number, transactionHash }) => ({
      ...{ operator, number, transactionHash },
      result: result.returnData,
    }));
}
