import { Interface, ZeroHash, id } from 'ethers';
import { managedErc20Abi, operatorAbi } from '../../../generated/contracts.ts';
import type { Hex } from '../../lib/hex.ts';
import type { Rpc } from '../rpc/rpc.ts';

const operator = new Interface(operatorAbi);
const token = new Interface(managedErc20Abi);
/** Hash of the role's name, as the Operator has it. */
const EXECUTOR_ROLE = id('EXECUTOR_ROLE');
/** OpenZeppelin's DEFAULT_ADMIN_ROLE. */
const ADMIN_ROLE = ZeroHash;

const hasRole = async (rpc: Rpc, operatorAddress: Hex, role: string, address: Hex): Promise<boolean> => {
  const data = operator.encodeFunctionData('hasRole', [role, address]);
  return BigInt(await rpc.call<Hex>('eth_call', [{ to: operatorAddress, data }, 'latest'])) === 1n;
};

/** Whether an address may call `Operator.execute`. */
export const isExecutor = (rpc: Rpc, operatorAddress: Hex, address: Hex): Promise<boolean> =>
  hasRole(rpc, operatorAddress, EXECUTOR_ROLE, address);

/** Whether an address may change roles and call `Operator.adminExecute`. */
export const isAdmin = (rpc: Rpc, operatorAddress: Hex, address: Hex): Promise<boolean> =>
  hasRole(rpc, operatorAddress, ADMIN_ROLE, address);

/** Calldata for the Operator, to be sent by its admin: makes an address an executor. */
export const encodeGrant = (address: Hex): Hex =>
  operator.encodeFunctionData('grantRole', [EXECUTOR_ROLE, address]) as Hex;

/** Likewise: an executor is none any more. */
export const encodeRevocation = (address: Hex): Hex =>
  operator.encodeFunctionData('revokeRole', [EXECUTOR_ROLE, address]) as Hex;

/** Likewise: the Operator, which owns the token, makes somebody else its owner. */
export const encodeOwnershipTransfer = (tokenAddress: Hex, owner: Hex): Hex =>
  operator.encodeFunctionData('adminExecute', [
    tokenAddress,
    token.encodeFunctionData('transferOwnership', [owner]),
  ]) as Hex;
