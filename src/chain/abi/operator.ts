import { Interface, toBeHex, zeroPadValue } from 'ethers';
import {
  collectionFactoryAbi,
  managedErc20Abi,
  managedErc721Abi,
  operatorAbi,
  tokenFactoryAbi,
} from '../../../generated/contracts.ts';
import type { Hex } from '../../lib/hex.ts';
import type { ErrorCode } from '../../errors.ts';
import type { CallResult } from './execution.ts';
import type { CloneArguments } from '../system/system-contracts.ts';
import type { View } from '../rpc/block-cache.ts';

const operator = new Interface(operatorAbi);
const tokenFactory = new Interface(tokenFactoryAbi);
const collectionFactory = new Interface(collectionFactoryAbi);
const erc20 = new Interface(managedErc20Abi);
const erc721 = new Interface(managedErc721Abi);

/** A log of a receipt, as far as it is read here. */
export interface Log {
  address: Hex;
  topics: Hex[];
  data: Hex;
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

/** The call that an `Operator.execute` made for this intent; null when the calldata is no such thing, or has none. */
export function findExecutedCall(calldata: Hex, intent: bigint): { target: Hex; data: Hex } | null {
  try {
    const [calls] = operator.decodeFunctionData('execute', calldata) as unknown as [
      { target: string; intent: bigint; data: Hex }[],
    ];
    const call = calls.find((candidate) => candidate.intent === intent);
    return call ? { target: call.target.toLowerCase() as Hex, data: call.data } : null;
  } catch {
    return null;
  }
}

const selectorOf = (name: string): string => operator.getError(name)!.selector;
const ALREADY_DONE = selectorOf('IntentAlreadyDone');
const INSUFFICIENT_GAS = selectorOf('InsufficientGas');

/**
 * The Operator refused the call of this intent since it had its effect before. A call that was made uses gas: bytes that
 * only look like the refusal are what some receiver answered.
 */
export const isAlreadyDone = ({ gasUsed, returnData }: CallResult, intent: bigint): boolean =>
  gasUsed === 0n && returnData === `${ALREADY_DONE}${toBeHex(intent, 32).slice(2)}`;

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

/**
 * Puts revert data into the words of the API. Without its factory a deployment is not possible, which has its own code.
 * The reason is anybody's text: PostgreSQL takes no NUL, and no reader wants the other control characters.
 */
export function describeRevert(
  returnData: string,
  factories: readonly Hex[],
): { code: ErrorCode; message: string } {
  const { code, message } = explainRevert(returnData, factories);
  return { code, message: message.replace(/\p{Cc}/gu, '\ufffd') };
}

function explainRevert(returnData: string, factories: readonly Hex[]): { code: ErrorCode; message: string } {
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

const ERC20_MINT = erc20.getFunction('mint')!.selector;
const ERC721_MINT = erc721.getFunction('mint')!.selector;
/** A value as one word of the ABI, without 0x. Mints are the hot path: they are not worth a general coder's time. */
const word = (hexDigits: string): string => hexDigits.padStart(64, '0');

/** Calldata of an ERC-20 mint; `amount` in the smallest unit. */
export const encodeErc20Mint = (to: Hex, amount: bigint): Hex =>
  `${ERC20_MINT}${word(to.slice(2))}${word(amount.toString(16))}` as Hex;

/** Calldata of an ERC-721 mint of the next id. */
export const encodeErc721Mint = (to: Hex): Hex => `${ERC721_MINT}${word(to.slice(2))}` as Hex;

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

/** The view that answers all that a read of a token shows. */
export const TOKEN_STATE: View<TokenState> = {
  data: erc20.encodeFunctionData('tokenState') as Hex,
  decode: (answer) => {
    const [state] = erc20.decodeFunctionResult('tokenState', answer) as unknown as [TokenState];
    const { owner, operator: tokenOperator, paused, transferLocked, permissioned, supply } = state;
    return { owner, operator: tokenOperator, paused, transferLocked, permissioned, supply };
  },
};
