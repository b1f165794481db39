import { FunctionFragment } from 'ethers';
import type { Hex } from '../../lib/hex.ts';
import { OPERATOR } from './interfaces.ts';

/**
 * The functions by which the Operator of an edition runs batches. The same calls have another selector in another edition,
 * since their arguments have other widths. All else that is read of an Operator, or sent to it, is the same in all.
 */
export interface OperatorAbi {
  execute: FunctionFragment;
  /** Null where there is none: what it does is done by `execute`. */
  executeMints: FunctionFragment | null;
}

export const FIRST_OPERATOR: OperatorAbi = {
  execute: FunctionFragment.from(
    'execute(uint64 ofEpoch, (address target, uint256 gasCap, uint64 number, bytes data)[] calls) returns ((bool ok, uint256 gasUsed, bytes returnData)[] results)',
  ),
  executeMints: null,
};

export const SECOND_OPERATOR = {
  execute: OPERATOR.getFunction('execute')!,
  executeMints: OPERATOR.getFunction('executeMints')!,
} satisfies OperatorAbi;

/** The Operators that are called, by address, lower case. */
export type OperatorAbis = ReadonlyMap<Hex, OperatorAbi>;

/** How an Operator is called. @throws Error for one that this version does not know, and can write no calldata for */
export function abiOf({ abis }: { abis: OperatorAbis }, operator: Hex): OperatorAbi {
  const abi = abis.get(operator);
  if (!abi) throw new Error(`This version does not know the Operator ${operator}: use one that does`);
  return abi;
}

/** Whether the Operator has `executeMints`. @throws Error as `abiOf` */
export const hasExecuteMints = (config: { abis: OperatorAbis }, operator: Hex): boolean =>
  abiOf(config, operator).executeMints !== null;
