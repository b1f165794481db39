import { toBeHex } from 'ethers';
import type { Interface } from 'ethers';
import type { ErrorCode } from '../../errors.ts';
import type { CallResult } from './execution.ts';
import { ERC721, INTERFACES, OPERATOR } from './interfaces.ts';
import { intentId } from './operator.ts';

const ALREADY_DONE = OPERATOR.getError('IntentAlreadyDone')!.selector;
const INSUFFICIENT_GAS = OPERATOR.getError('InsufficientGas')!.selector;
const EXECUTION_STOPPED = OPERATOR.getError('ExecutionStopped')!.selector;
const WRONG_EPOCH = OPERATOR.getError('WrongEpoch')!.selector;
const UNAUTHORIZED = OPERATOR.getError('AccessControlUnauthorizedAccount')!.selector;
const RECEIVER_GAS = ERC721.getError('InsufficientReceiverGas')!.selector;
const NONEXISTENT_TOKEN = ERC721.getError('ERC721NonexistentToken')!.selector;

/**
 * Whether the Operator refused the call of this intent because it was executed before. The Operator makes no call then,
 * so that no gas is used; a receiver that reverts with the same bytes uses some.
 */
export function isAlreadyDone({ gasUsed, returnData }: CallResult, epoch: bigint, number: bigint): boolean {
  return gasUsed === 0n && returnData === `${ALREADY_DONE}${toBeHex(intentId(epoch, number), 32).slice(2)}`;
}

/** Why the Operator executes nothing of this signer; none of its calls is to blame. */
export type Refusal =
  /** A guardian or the admin stopped execution. */
  | { reason: 'stopped' }
  /** The batch is of another epoch than the current one. */
  | { reason: 'wrong-epoch'; current: bigint }
  /** The signer is not an executor. */
  | { reason: 'no-role' };

/** Reads revert data of the whole `Operator.execute`; null when it says something else. */
export function readRefusal(data: string | undefined): Refusal | null {
  switch (data?.slice(0, 10)) {
    case EXECUTION_STOPPED:
      return { reason: 'stopped' };
    case WRONG_EPOCH:
      return { reason: 'wrong-epoch', current: BigInt(`0x${data.slice(10)}`) };
    case UNAUTHORIZED:
      return { reason: 'no-role' };
    default:
      return null;
  }
}

/** Whether the whole `Operator.execute` reverted because it could not give a call its gas cap. */
export function isInsufficientGas(data: string | undefined): boolean {
  return data?.startsWith(INSUFFICIENT_GAS) ?? false;
}

/** Whether a token reverted because it could not give the hook of a receiver the gas that each hook has. */
export function isInsufficientReceiverGas(data: string): boolean {
  return data.startsWith(RECEIVER_GAS);
}

/** Whether a view reverted because there is no NFT with this id. */
export function isNonexistentToken(data: string | undefined): boolean {
  return data?.startsWith(NONEXISTENT_TOKEN) ?? false;
}

/** Reverts that are the caller's mistake, or say that no deployment is possible. Every other one is CHAIN_ERROR. */
const REVERT_CODES: Partial<Record<string, ErrorCode>> = {
  AccountNotApproved: 'VALIDATION_ERROR',
  ERC721NonexistentToken: 'VALIDATION_ERROR',
  CreationPaused: 'DEPLOY_UNAVAILABLE',
  // Of a token that is asked to lower its limit, and would raise it.
  InvalidMintLimit: 'FORBIDDEN',
};

/** How each message begins that tells of a revert. */
const REVERTED = 'The call reverted';

/**
 * Whether the message of an intent's error tells that its call reverted: no fault of this service, nor of the chain.
 */
export const tellsOfRevert = (message: string): boolean => message.startsWith(REVERTED);

/** An error of the API. */
interface Description {
  code: ErrorCode;
  message: string;
}

/**
 * Translates revert data to an error of the API. Control characters are replaced: the reason may be anybody's text, and
 * PostgreSQL refuses NUL. What the receiver of an NFT said is CHAIN_ERROR, whatever it said: the token wraps it.
 * @param isDeployment then a target that is missing is DEPLOY_UNAVAILABLE
 */
export function describeRevert(returnData: string, isDeployment = false): Description {
  const { code, reason } = explainRevert(returnData, isDeployment);
  return { code, message: `${REVERTED}${reason}`.replace(/\p{Cc}/gu, '\ufffd') };
}

/** @returns the code, and what follows in the message: `: Name(arguments)`, or that there is no reason */
function explainRevert(returnData: string, isDeployment: boolean): { code: ErrorCode; reason: string } {
  if (returnData === '0x') return { code: 'CHAIN_ERROR', reason: ' without a reason' };
  for (const abi of INTERFACES) {
    const error = parseError(abi, returnData);
    if (!error) continue;
    const [first, second] = error.args.map(String);
    if (error.name === 'TargetWithoutCode' && isDeployment)
      return { code: 'DEPLOY_UNAVAILABLE', reason: ': the factory is missing at its address' };
    if (error.name === 'ReceiverRefused') {
      const { reason } = explainRevert(second!, false);
      return { code: 'CHAIN_ERROR', reason: `: ReceiverRefused(${first})${reason}` };
    }
    const code = REVERT_CODES[error.name] ?? 'CHAIN_ERROR';
    return { code, reason: `: ${error.name}(${error.args.map(String).join(', ')})` };
  }
  return { code: 'CHAIN_ERROR', reason: ` with ${returnData.slice(0, 138)}` };
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
