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

const SALT: Hex = `0x${'0'.repeat(64)}`;

/** One contract of the system: its address, and the calldata with which the deterministic deployer creates it there. */
export interface SystemContract {
  name: string;
  address: Hex;
  deployment: Hex;
  /** ABI-encoded. */
  constructorArguments: Hex;
}

/** Addresses of the system, lower case. They depend only on the bytecode and the admin. */
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

/** Computes the system of an admin, without a call to the chain. */
export function describeSystem(admin: string): System {
  const operator = place('Operator', operatorBytecode, ['address'], [admin]);
  const descriptor = place('TokenDescriptor', tokenDescriptorBytecode, [], []);
  const managedErc20 = place('ManagedERC20', managedErc20Bytecode, [], []);
  const managedErc721 = place('ManagedERC721', managedErc721Bytecode, [], []);
  const types = ['address', 'address', 'address'];
  const placeFactory = (name: string, bytecode: string, implementation: SystemContract): SystemContract =>
    place(name, bytecode, types, [implementation.address, descriptor.address, operator.address]);
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

function place(name: string, bytecode: string, types: string[], values: string[]): SystemContract {
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
