import { ZeroHash, id } from 'ethers';
import type { StateBlock } from '../../lib/block-id.ts';
import type { Hex } from '../../lib/hex.ts';
import { ERC20, OPERATOR } from '../abi/interfaces.ts';
import type { Rpc } from '../rpc/rpc.ts';

/** Hashes of the roles' names, as the Operator has them. */
const EXECUTOR_ROLE = id('EXECUTOR_ROLE');
const GUARDIAN_ROLE = id('GUARDIAN_ROLE');
/** OpenZeppelin's DEFAULT_ADMIN_ROLE. */
const ADMIN_ROLE = ZeroHash;

/** Whether an address may call `Operator.execute`, at the newest block or at another one. */
export function isExecutor(
  rpc: Pick<Rpc, 'call'>,
  operator: Hex,
  address: Hex,
  block: StateBlock = 'latest',
): Promise<boolean> {
  return hasRole(rpc, operator, EXECUTOR_ROLE, address, block);
}

/** Everybody who was ever made an executor, each once. @throws RpcRefused when no endpoint searches all blocks for that */
export async function findExecutors(rpc: Pick<Rpc, 'call'>, operator: Hex): Promise<Hex[]> {
  const topics = [OPERATOR.getEvent('RoleGranted')!.topicHash, EXECUTOR_ROLE];
  const filter = { address: operator, topics, fromBlock: 'earliest', toBlock: 'latest' };
  const logs = await rpc.call<{ topics: Hex[] }[]>('eth_getLogs', [filter]);
  return [...new Set(logs.map(({ topics: [, , account] }): Hex => `0x${account!.slice(-40).toLowerCase()}`))];
}

/** Whether an address may change roles and call `Operator.adminExecute`. */
export function isAdmin(rpc: Rpc, operator: Hex, address: Hex): Promise<boolean> {
  return hasRole(rpc, operator, ADMIN_ROLE, address);
}

/** Whether an address may stop and start execution: a guardian, or the admin. */
export async function mayStop(rpc: Rpc, operator: Hex, address: Hex): Promise<boolean> {
  const roles = [GUARDIAN_ROLE, ADMIN_ROLE].map((role) => hasRole(rpc, operator, role, address));
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

/** Returns calldata that makes an address an executor. */
export function encodeGrant(address: Hex): Hex {
  return OPERATOR.encodeFunctionData('grantRole', [EXECUTOR_ROLE, address]) as Hex;
}

/** Returns calldata that takes the executor's role from an address. */
export function encodeRevocation(address: Hex): Hex {
  return OPERATOR.encodeFunctionData('revokeRole', [EXECUTOR_ROLE, address]) as Hex;
}

/** Returns calldata that gives a token, which the Operator owns, to a new owner. */
export function encodeOwnershipTransfer(token: Hex, owner: Hex): Hex {
  const transfer = ERC20.encodeFunctionData('transferOwnership', [owner]);
  return OPERATOR.encodeFunctionData('adminExecute', [token, transfer]) as Hex;
}
