import type { CallResult } from '../../chain/abi/execution.ts';
import { decodeExecuted } from '../../chain/abi/operator.ts';
import type { Block } from '../../chain/follower/follower.ts';
import type { Hex } from '../../lib/hex.ts';

/** What the Operator said of one call, in a block. */
export interface Execution {
  number: bigint;
  transactionHash: Hex;
  result: CallResult;
}

/** The Operator's results in these blocks, in their order. */
export function readExecutions(blocks: readonly Pick<Block, 'logs'>[], operator: Hex): Execution[] {
  return blocks.flatMap(({ logs }) =>
    logs.flatMap((log) =>
      [...decodeExecuted([log], operator)].map(([number, result]) => ({
        number,
        result,
        transactionHash: log.transactionHash,
      })),
    ),
  );
}

/** The successes among them, as `confirmIntents` takes them. */
export function successesOf(
  executions: readonly Execution[],
): { number: bigint; result: Hex; transactionHash: Hex }[] {
  return executions
    .filter(({ result }) => result.ok)
    .map(({ number, result, transactionHash }) => ({ number, transactionHash, result: result.returnData }));
}
