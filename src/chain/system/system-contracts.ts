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
import { VERBS } from '../abi/verbs.ts';
import { toBytes } from '../../lib/hex.ts';
import type { Hex } from '../../lib/hex.ts';
import { LOCAL_CHAINS } from '../profile.ts';

/** Of all contracts but the Operator, whose addresses follow from it. */
const SALT: Hex = `0x${'0'.repeat(64)}`;
/** In which what is given up for ever can be taken back on a public chain, when the operator asked. */
const REVOCABLE_SECONDS = 86_400;

/** Where public accounts sign: on an embedded chain, and a local node. */
export const NO_DEPLOYMENT: Hex = SALT;

/** Whether an address is one of the contracts of a system. */
export const isPartOf = ({ contracts }: System, address: Hex): boolean =>
  contracts.some((contract) => contract.address === address);

/** Seconds that what the admin does waits, where OPERATOR_ADMIN_DELAY says nothing. */
export const usualAdminDelay = (chainId: bigint): number => (LOCAL_CHAINS.includes(chainId) ? 0 : 172_800);

/** One contract of the system: its address, and the calldata with which the deterministic deployer creates it there. */
export interface SystemContract {
  name: string;
  address: Hex;
  deployment: Hex;
  /** ABI-encoded. */
  constructorArguments: Hex;
}

/** What the addresses of a system follow from, besides the bytecode. */
export interface SystemArguments {
  admin: string;
  /** Seconds that what the admin does waits, and between the two steps by which another admin takes over. */
  adminDelay: number;
  chainId: bigint;
  /** 32 bytes of the database, so that no two installations share an Operator; none where public accounts sign. */
  deploymentId?: Hex;
}

/** The contracts of a service. Their addresses, lower case, depend only on the bytecode and {@link SystemArguments}. */
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

/** Computes a system, without a call to the chain. */
export function describeSystem({
  admin,
  adminDelay,
  chainId,
  deploymentId = NO_DEPLOYMENT,
}: SystemArguments): System {
  const operator = place(
    { name: 'Operator', bytecode: operatorBytecode, salt: deploymentId },
    ['address', 'uint48', 'uint256[4]'],
    [admin, adminDelay, VERBS],
  );
  const descriptor = place({ name: 'TokenDescriptor', bytecode: tokenDescriptorBytecode }, [], []);
  const revocableSeconds = LOCAL_CHAINS.includes(chainId) ? 0 : REVOCABLE_SECONDS;
  const placeToken = (name: string, bytecode: string): SystemContract =>
    place(
      { name, bytecode },
      ['address', 'address', 'uint256'],
      [operator.address, descriptor.address, revocableSeconds],
    );
  const placeFactory = (name: string, bytecode: string, implementation: SystemContract): SystemContract =>
    place({ name, bytecode }, ['address'], [implementation.address]);
  const managedErc20 = placeToken('ManagedERC20', managedErc20Bytecode);
  const managedErc721 = placeToken('ManagedERC721', managedErc721Bytecode);
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

function place(
  { name, bytecode, salt = SALT }: { name: string; bytecode: string; salt?: Hex },
  types: string[],
  values: unknown[],
): SystemContract {
  const constructorArguments = AbiCoder.defaultAbiCoder().encode(types, values) as Hex;
  const initcode: Hex = `0x${bytecode.slice(2)}${constructorArguments.slice(2)}`;
  return {
    name,
    address: getCreate2Address(
      DETERMINISTIC_DEPLOYER.address,
      salt,
      keccak256(toBytes(initcode)),
    ).toLowerCase() as Hex,
    deployment: `${salt}${initcode.slice(2)}`,
    constructorArguments,
  };
}
