import { AbiCoder, getCreate2Address, keccak256 } from 'ethers';
import {
  collectionFactoryBytecode,
  managedErc20Bytecode,
  managedErc721Bytecode,
  operatorBytecode,
  tokenDescriptorBytecode,
  tokenFactoryBytecode,
} from '../../../generated/contracts.ts';
import { DETERMINISTIC_DEPLOYER } from '../../lib/deterministic-deployer.ts';
import { toBytes } from '../../lib/hex.ts';
import type { Hex } from '../../lib/hex.ts';
import { LOCAL_CHAINS } from '../profile.ts';

const SALT: Hex = `0x${'0'.repeat(64)}`;

/** Whether an address is one of the contracts of a system. */
export const isPartOf = ({ contracts }: System, address: Hex): boolean =>
  contracts.some((contract) => contract.address === address);

/** Seconds between the two steps by which another admin takes over, where OPERATOR_ADMIN_DELAY says nothing. */
export const usualAdminDelay = (chainId: bigint): number => (LOCAL_CHAINS.includes(chainId) ? 0 : 172_800);

/** One contract of the system: its address, and the calldata with which the deterministic deployer creates it there. */
export interface SystemContract {
  name: string;
  address: Hex;
  deployment: Hex;
  /** ABI-encoded. */
  constructorArguments: Hex;
}

/** The contracts of a service. Their addresses, lower case, depend only on the bytecode and the Operator's arguments. */
export interface System {
  operator: Hex;
  tokenFactory: Hex;
  collectionFactory: Hex;
  managedErc20: Hex;
  managedErc721: Hex;
  descriptor: Hex;
  /** All of them, in the order of their deployment. */
  contracts: SystemContract[];
}

/**
 * Computes the system of an admin, without a call to the chain.
 * @param adminDelay seconds between the two steps by which another admin takes over
 */
export function describeSystem(admin: string, adminDelay: number): System {
  const operator = place('Operator', operatorBytecode, ['address', 'uint48'], [admin, adminDelay]);
  const descriptor = place('TokenDescriptor', tokenDescriptorBytecode, [], []);
  const managedErc20 = place('ManagedERC20', managedErc20Bytecode, [], []);
  const managedErc721 = place('ManagedERC721', managedErc721Bytecode, [], []);
  const placeFactory = (name: string, bytecode: string, implementation: SystemContract): SystemContract =>
    place(
      name,
      bytecode,
      ['address', 'address', 'address'],
      [implementation.address, descriptor.address, operator.address],
    );
  const tokenFactory = placeFactory('TokenFactory', tokenFactoryBytecode, managedErc20);
  const collectionFactory = placeFactory('CollectionFactory', collectionFactoryBytecode, managedErc721);
  return {
    operator: operator.address,
    tokenFactory: tokenFactory.address,
    collectionFactory: collectionFactory.address,
    managedErc20: managedErc20.address,
    managedErc721: managedErc721.address,
    descriptor: descriptor.address,
    contracts: [operator, descriptor, managedErc20, managedErc721, tokenFactory, collectionFactory],
  };
}

function place(name: string, bytecode: string, types: string[], values: (string | number)[]): SystemContract {
  const constructorArguments = AbiCoder.defaultAbiCoder().encode(types, values) as Hex;
  const initcode: Hex = `0x${bytecode.slice(2)}${constructorArguments.slice(2)}`;
  return {
    name,
    address: getCreate2Address(
      DETERMINISTIC_DEPLOYER.address,
      SALT,
      keccak256(toBytes(initcode)),
    ).toLowerCase() as Hex,
    deployment: `${SALT}${initcode.slice(2)}`,
    constructorArguments,
  };
}
