import { ZeroHash, id } from 'ethers';
import type { Hex } from '../../lib/hex.ts';
import { ERC20, OPERATOR } from '../abi/interfaces.ts';
import type { Rpc } from '../rpc/rpc.ts';

/** Hash of the role's name, as the Operator has it. */
const EXECUTOR_ROLE = id('EXECUTOR_ROLE');
/** OpenZeppelin's DEFAULT_ADMIN_ROLE. */
const ADMIN_ROLE = ZeroHash;

/** Whether an address may call `Operator.execute`. */
export function isExecutor(rpc: Rpc, operator: Hex, address: Hex): Promise<boolean> {
  return hasRole(rpc, operator, EXECUTOR_ROLE, address);
}

/** Whether an address may change roles and call `Operator.adminExecute`. */
export function isAdmin(rpc: Rpc, operator: Hex, address: Hex): Promise<boolean> {
  return hasRole(rpc, operator, ADMIN_ROLE, address);
}

async function hasRole(rpc: Rpc, operator: Hex, role: string, address: Hex): Promise<boolean> {
  const data = OPERATOR.encodeFunctionData('hasRole', [role, address]);
  return BigInt(await rpc.call<Hex>('eth_call', [{ to: operator, data }, 'latest'])) === 1n;
}

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
