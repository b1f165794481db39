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
import { FIRST_OPERATOR, SECOND_OPERATOR } from '../abi/operator-abi.ts';
import type { OperatorAbi, OperatorAbis } from '../abi/operator-abi.ts';
import { toBytes } from '../../lib/hex.ts';
import type { Hex } from '../../lib/hex.ts';
import { LOCAL_CHAINS } from '../profile.ts';
import { FIRST_EDITION } from './editions.ts';

const SALT: Hex = `0x${'0'.repeat(64)}`;

/** The Operators of all editions of a system, the one of new contracts first. */
export const operatorsOf = ({ operator, former }: System): Hex[] => [
  operator,
  ...former.map((edition) => edition.operator),
];

/** How each of them is called. */
export const abisOf = (system: System): OperatorAbis =>
  new Map([system, ...system.former].map(({ operator, abi }) => [operator, abi]));

/** Whether an address is one of the contracts of a system, of whatever edition. */
export const isPartOf = ({ contracts, former }: System, address: Hex): boolean =>
  contracts.some((contract) => contract.address === address) ||
  former.some(({ abi: _, ...addresses }) => Object.values<Hex>(addresses).includes(address));

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

/**
 * One edition of the system: its addresses, lower case, which depend only on the bytecode and the Operator's arguments,
 * and how its Operator is called.
 */
export interface Edition {
  abi: OperatorAbi;
  operator: Hex;
  tokenFactory: Hex;
  collectionFactory: Hex;
  managedErc20: Hex;
  managedErc721: Hex;
  descriptor: Hex;
}

/** The edition whose contracts are deployed, and in which new tokens are made. */
export interface System extends Edition {
  /** All of them, in the order of their deployment. */
  contracts: SystemContract[];
  /** Earlier editions of the same admin, whether or not they are on the chain: their tokens are called through them. */
  former: readonly Edition[];
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
  const placeOne = (name: string, bytecode: string, implementation: SystemContract): SystemContract =>
    placeFactory(name, bytecode, [implementation.address, descriptor.address, operator.address]);
  const tokenFactory = placeOne('TokenFactory', tokenFactoryBytecode, managedErc20);
  const collectionFactory = placeOne('CollectionFactory', collectionFactoryBytecode, managedErc721);
  return {
    abi: SECOND_OPERATOR,
    operator: operator.address,
    tokenFactory: tokenFactory.address,
    collectionFactory: collectionFactory.address,
    managedErc20: managedErc20.address,
    managedErc721: managedErc721.address,
    descriptor: descriptor.address,
    contracts: [operator, descriptor, managedErc20, managedErc721, tokenFactory, collectionFactory],
    former: [describeFirstEdition(admin)],
  };
}

function describeFirstEdition(admin: string): Edition {
  const { descriptor, managedErc20, managedErc721, ...bytecode } = FIRST_EDITION;
  const { address: operator } = place('Operator', bytecode.operatorBytecode, ['address'], [admin]);
  const addressOf = (code: string, implementation: Hex): Hex =>
    placeFactory('factory', code, [implementation, descriptor, operator]).address;
  return {
    ...{ abi: FIRST_OPERATOR, operator, descriptor, managedErc20, managedErc721 },
    tokenFactory: addressOf(bytecode.tokenFactoryBytecode, managedErc20),
    collectionFactory: addressOf(bytecode.collectionFactoryBytecode, managedErc721),
  };
}

/** @param addresses of the implementation, the descriptor and the Operator */
const placeFactory = (name: string, bytecode: string, addresses: string[]): SystemContract =>
  place(name, bytecode, ['address', 'address', 'address'], addresses);

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
