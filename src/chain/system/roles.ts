import { ZeroHash, id } from 'ethers';
import type { StateBlock } from '../../lib/block-id.ts';
import type { Hex } from '../../lib/hex.ts';
import { ERC20, OPERATOR } from '../abi/interfaces.ts';
import { RpcRefused } from '../rpc/rpc.ts';
import type { Rpc } from '../rpc/rpc.ts';

/** Hashes of the roles' names, as the Operator has them. */
const EXECUTOR_ROLE = id('EXECUTOR_ROLE');
const GUARDIAN_ROLE = id('GUARDIAN_ROLE');
/** OpenZeppelin's DEFAULT_ADMIN_ROLE. */
const ADMIN_ROLE = ZeroHash;
const DEFAULT_ADMIN = OPERATOR.encodeFunctionData('defaultAdmin') as Hex;

/** Whether an address may call `Operator.execute`, at the newest block or at another one. */
export function isExecutor(
  rpc: Pick<Rpc, 'call'>,
  operator: Hex,
  address: Hex,
  block: StateBlock = 'latest',
): Promise<boolean> {
  return hasRole(rpc, operator, EXECUTOR_ROLE, address, block);
}

/** The same for several Operators: whether what the address signs may have an effect. */
export async function isExecutorOfAny(
  rpc: Pick<Rpc, 'call'>,
  operators: readonly Hex[],
  address: Hex,
  block?: StateBlock,
): Promise<boolean> {
  const have = operators.map((operator) => isExecutor(rpc, operator, address, block));
  return (await Promise.all(have)).includes(true);
}

/** Whether an address may change roles and call `Operator.adminExecute`. */
export function isAdmin(rpc: Rpc, operator: Hex, address: Hex): Promise<boolean> {
  return hasRole(rpc, operator, ADMIN_ROLE, address);
}

/** Whether an address is a guardian, who may stop and start execution, and take back what is not in force yet. */
export function isGuardian(rpc: Rpc, operator: Hex, address: Hex): Promise<boolean> {
  return hasRole(rpc, operator, GUARDIAN_ROLE, address);
}

/** Whether an address may stop and start execution: a guardian, or the admin. */
export async function mayStop(rpc: Rpc, operator: Hex, address: Hex): Promise<boolean> {
  const roles = [isGuardian(rpc, operator, address), isAdmin(rpc, operator, address)];
  return (await Promise.all(roles)).includes(true);
}

async function hasRole(
  rpc: Pick<Rpc, 'call'>,
  operator: Hex,
  role: string,
  address: Hex,
  block: StateBlock = 'latest',
): Promise<boolean> {
  const data = OPERATOR.encodeFunctionData('hasRole', [role, address]);
  const answer = await rpc.call<Hex>('eth_call', [{ to: operator, data }, block]);
  // An Operator that was never deployed gives nobody a role.
  return answer !== '0x' && BigInt(answer) === 1n;
}

/** Calldata that stops the Operator's execution, to be sent by a guardian or the admin. */
export const STOP_EXECUTION = OPERATOR.encodeFunctionData('stopExecution') as Hex;
/** Calldata that starts it again, likewise. */
export const START_EXECUTION = OPERATOR.encodeFunctionData('startExecution') as Hex;

// Calldata for the Operator, to be sent by its admin.

/** A call that an Operator makes for its admin. */
export interface AdminCall {
  target: Hex;
  data: Hex;
}

/** The call that makes an address an executor, which may raise the epoch too. */
export const grantOf = (operator: Hex, address: Hex): AdminCall => ({
  target: operator,
  data: OPERATOR.encodeFunctionData('grantRole', [EXECUTOR_ROLE, address]) as Hex,
});

/** The call that takes these roles from an address. It needs no delay. */
export const revocationOf = (operator: Hex, address: Hex): AdminCall => ({
  target: operator,
  data: OPERATOR.encodeFunctionData('revokeRole', [EXECUTOR_ROLE, address]) as Hex,
});

/** The call that offers a token, which the Operator owns, to a new owner. */
export const ownershipOfferOf = (token: Hex, owner: Hex): AdminCall => ({
  target: token,
  data: ERC20.encodeFunctionData('transferOwnership', [owner]) as Hex,
});

/** Returns calldata of the Operator, for its admin: it makes the call, when that is due. */
export const encodeAdminExecute = ({ target, data }: AdminCall): Hex =>
  OPERATOR.encodeFunctionData('adminExecute', [target, data]) as Hex;

/** Returns calldata of the Operator, for its admin: it announces the call, which is due after the delay. */
export const encodeSchedule = ({ target, data }: AdminCall): Hex =>
  OPERATOR.encodeFunctionData('schedule', [target, data]) as Hex;

/** What the admin has to do next for a call: make it, announce it, or wait until it is due. */
type NextStep = 'execute' | 'schedule' | Date;

/** Asks the Operator itself which it is. @throws RpcRefused for what the call itself reverts with */
export async function nextStepOf(rpc: Pick<Rpc, 'call'>, operator: Hex, call: AdminCall): Promise<NextStep> {
  const admin = await rpc.call<Hex>('eth_call', [{ to: operator, data: DEFAULT_ADMIN }, 'latest']);
  const from = `0x${admin.slice(-40)}`;
  try {
    await rpc.call('eth_call', [{ from, to: operator, data: encodeAdminExecute(call) }, 'latest']);
    return 'execute';
  } catch (error) {
    const revert = error instanceof RpcRefused && error.data ? OPERATOR.parseError(error.data) : null;
    if (revert?.name === 'NotScheduled') return 'schedule';
    if (revert?.name === 'NotDue') return new Date(Number(revert.args['due']) * 1_000);
    throw error;
  }
}
