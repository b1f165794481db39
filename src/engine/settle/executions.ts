import { decodeExecutedCall } from '../../chain/abi/operator.ts';
import type { ExecutedCall } from '../../chain/abi/operator.ts';
import type { Block } from '../../chain/follower/follower.ts';
import type { Hex } from '../../lib/hex.ts';

/** What the Operator said of one call, in a block. */
export interface Execution extends ExecutedCall {
  transactionHash: Hex;
}

/** The Operator's results in these blocks, in their order. */
export function readExecutions(blocks: readonly Pick<Block, 'logs'>[], operator: Hex): Execution[] {
  return blocks.flatMap(({ logs }) =>
    logs.flatMap((log) => {
      const call = decodeExecutedCall(log, operator);
      return call ? [{ ...call, transactionHash: log.transactionHash }] : [];
    }),
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
