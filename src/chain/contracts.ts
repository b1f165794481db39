import { Interface, toBeHex, zeroPadValue } from 'ethers';
import {
  collectionFactoryAbi,
  managedErc20Abi,
  managedErc721Abi,
  operatorAbi,
  tokenFactoryAbi,
} from '../../generated/contracts.ts';
import type { Hex } from '../db/bytes.ts';
import type { ErrorCode } from '../errors.ts';
import type { CloneArguments } from './system-contracts.ts';

const operator = new Interface(operatorAbi);
const tokenFactory = new Interface(tokenFactoryAbi);
const collectionFactory = new Interface(collectionFactoryAbi);
const erc20 = new Interface(managedErc20Abi);
const erc721 = new Interface(managedErc721Abi);

/** One call of `Operator.execute`. Gas in gas. */
export interface OperatorCall {
  target: Hex;
  gasCap: number;
  intent: bigint;
  data: Hex;
}

/** What became of one call. After a success in an event, `returnData` is its first word and `gasUsed` is 0. */
export interface CallResult {
  ok: boolean;
  gasUsed: bigint;
  returnData: Hex;
}

/** A log of a receipt, as far as it is read here. */
export interface Log {
  address: Hex;
  topics: Hex[];
  data: Hex;
}

/** Calldata of `Operator.execute`. */
export const encodeExecution = (calls: readonly OperatorCall[]): Hex =>
  operator.encodeFunctionData('execute', [
    calls.map(({ target, gasCap, intent, data }) => [target, gasCap, intent, data]),
  ]) as Hex;

/** What a simulated `Operator.execute` answered, one result a call. */
export function decodeExecution(answer: Hex): CallResult[] {
  const [results] = operator.decodeFunctionResult('execute', answer) as unknown as [[boolean, bigint, Hex][]];
  return results.map(([ok, gasUsed, returnData]) => ({ ok, gasUsed, returnData }));
}

const EXECUTED = operator.getEvent('CallExecuted')!.topicHash as Hex;
const FAILED = operator.getEvent('CallFailed')!.topicHash as Hex;

/** What the Operator's events in a receipt tell, by intent number. Logs of other contracts are passed over. */
export function decodeExecuted(logs: readonly Log[], operatorAddress: Hex): Map<bigint, CallResult> {
  const results = new Map<bigint, CallResult>();
  for (const { address, topics, data } of logs) {
    if (address.toLowerCase() !== operatorAddress) continue;
    const intent = BigInt(topics[1] ?? 0);
    if (topics[0] === EXECUTED) {
      results.set(intent, { ok: true, gasUsed: 0n, returnData: data });
    } else if (topics[0] === FAILED) {
      const [, gasUsed, reason] = operator.decodeEventLog('CallFailed', data, topics) as unknown as [
        bigint,
        bigint,
        Hex,
      ];
      results.set(intent, { ok: false, gasUsed, returnData: reason });
    }
  }
  return results;
}

/** Calldata that reads one word of the bitmap: bit i of word w belongs to intent 256w + i. */
export const encodeIntentWord = (index: bigint): Hex =>
  operator.encodeFunctionData('intentWord', [index]) as Hex;

/** Topics of the event that tells where an intent had its effect. */
export const executedTopics = (intent: bigint): Hex[] => [EXECUTED, zeroPadValue(toBeHex(intent), 32) as Hex];

const selectorOf = (name: string): string => operator.getError(name)!.selector;
const ALREADY_DONE = selectorOf('IntentAlreadyDone');
const INSUFFICIENT_GAS = selectorOf('InsufficientGas');

/** The Operator refused the call since its intent had its effect before. */
export const isAlreadyDone = (returnData: string): boolean => returnData.startsWith(ALREADY_DONE);

/** The Operator as a whole could not give a call its gas cap. */
export const isInsufficientGas = (data: string | undefined): boolean =>
  data?.startsWith(INSUFFICIENT_GAS) ?? false;

/** Reverts that are the caller's mistake, or that say that no deployment is possible; every other one is CHAIN_ERROR. */
const REVERT_CODES: Partial<Record<string, ErrorCode>> = {
  AccountNotApproved: 'VALIDATION_ERROR',
  ERC721NonexistentToken: 'VALIDATION_ERROR',
  CreationPaused: 'DEPLOY_UNAVAILABLE',
};
const INTERFACES = [erc721, erc20, operator, tokenFactory, collectionFactory];

/** Puts revert data into the words of the API. Without its factory a deployment is not possible, which has its own code. */
export function describeRevert(
  returnData: string,
  factories: readonly Hex[],
): { code: ErrorCode; message: string } {
  if (returnData === '0x') {
    return { code: 'CHAIN_ERROR', message: 'The call reverted without a reason' };
  }
  for (const abi of INTERFACES) {
    const error = parseError(abi, returnData);
    if (!error) continue;
    const code = REVERT_CODES[error.name] ?? 'CHAIN_ERROR';
    if (
      error.name === 'TargetWithoutCode' &&
      factories.includes(String(error.args[0]).toLowerCase() as Hex)
    ) {
      return { code: 'DEPLOY_UNAVAILABLE', message: 'The factory is missing at its address' };
    }
    return { code, message: `The call reverted: ${error.name}(${error.args.map(String).join(', ')})` };
  }
  return { code: 'CHAIN_ERROR', message: `The call reverted with ${returnData.slice(0, 138)}` };
}

function parseError(abi: Interface, data: string): { name: string; args: readonly unknown[] } | null {
  try {
    const error = abi.parseError(data);
    return error && { name: error.name, args: error.args.toArray() as unknown[] };
  } catch {
    // Cut off at the 1,024 bytes that the Operator copies, or made up by a hostile receiver.
    return null;
  }
}

/** Calldata that makes a factory create the clone. */
export function encodeCreation(type: 'ERC20' | 'ERC721', salt: Hex, args: CloneArguments): Hex {
  const { owner, name, symbol, decimals, baseUri, permissioned } = args;
  return (
    type === 'ERC20'
      ? tokenFactory.encodeFunctionData('createToken', [salt, [owner, name, symbol, decimals, permissioned]])
      : collectionFactory.encodeFunctionData('createCollection', [
          salt,
          [owner, name, symbol, baseUri, permissioned],
        ])
  ) as Hex;
}

/** Calldata of an ERC-20 mint; `amount` in the smallest unit. */
export const encodeErc20Mint = (to: string, amount: bigint): Hex =>
  erc20.encodeFunctionData('mint', [to, amount]) as Hex;

/** Calldata of an ERC-721 mint of the next id. */
export const encodeErc721Mint = (to: string): Hex => erc721.encodeFunctionData('mint', [to]) as Hex;

/** Calldata of the view that answers all that a read of a token shows. */
export const TOKEN_STATE_CALL = erc20.encodeFunctionData('tokenState') as Hex;

/** The state of a token on the chain. */
export interface TokenState {
  owner: string;
  operator: string;
  paused: boolean;
  transferLocked: boolean;
  permissioned: boolean;
  /** ERC-20: total supply in the smallest unit; ERC-721: minted ids. */
  supply: bigint;
}

export function decodeTokenState(answer: Hex): TokenState {
  const [state] = erc20.decodeFunctionResult('tokenState', answer) as unknown as [TokenState];
  const { owner, operator: tokenOperator, paused, transferLocked, permissioned, supply } = state;
  return { owner, operator: tokenOperator, paused, transferLocked, permissioned, supply };
}
