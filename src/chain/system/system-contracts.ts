import { AbiCoder, concat, getCreate2Address, keccak256, toBeHex, toUtf8Bytes, zeroPadValue } from 'ethers';
import {
  collectionFactoryBytecode,
  managedErc20Bytecode,
  managedErc721Bytecode,
  operatorBytecode,
  tokenDescriptorBytecode,
  tokenFactoryBytecode,
} from '../../../generated/contracts.ts';
import type { Hex } from '../../lib/hex.ts';

/** The canonical deterministic deployer: on most public chains, and put on the embedded one. */
export const DETERMINISTIC_DEPLOYER: Hex = '0x4e59b44847b379578588920ca78fbf26c0b4956c';
const SALT = `0x${'0'.repeat(64)}`;

/** One contract of the system: where it is, and the calldata that makes the deterministic deployer put it there. */
export interface SystemContract {
  name: string;
  address: Hex;
  deployment: Hex;
  constructorArguments: readonly string[];
}

/** Addresses of the system, lower case. They follow from bytecode and admin alone. */
export interface System {
  operator: Hex;
  tokenFactory: Hex;
  collectionFactory: Hex;
  managedErc20: Hex;
  managedErc721: Hex;
  descriptor: Hex;
  /** All of them, in an order in which each may be deployed. */
  contracts: SystemContract[];
}

/** Works out the system that belongs to an admin; no call to the chain. */
export function describeSystem(admin: string): System {
  const operator = place('Operator', operatorBytecode, ['address'], [admin]);
  const descriptor = place('TokenDescriptor', tokenDescriptorBytecode, [], []);
  const managedErc20 = place('ManagedERC20', managedErc20Bytecode, [], []);
  const managedErc721 = place('ManagedERC721', managedErc721Bytecode, [], []);
  const three = ['address', 'address', 'address'];
  const factoryOf = (name: string, bytecode: string, implementation: SystemContract): SystemContract =>
    place(name, bytecode, three, [implementation.address, descriptor.address, operator.address]);
  const tokenFactory = factoryOf('TokenFactory', tokenFactoryBytecode, managedErc20);
  const collectionFactory = factoryOf('CollectionFactory', collectionFactoryBytecode, managedErc721);
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
  const initcode = concat([bytecode, AbiCoder.defaultAbiCoder().encode(types, values)]);
  return {
    name,
    address: getCreate2Address(DETERMINISTIC_DEPLOYER, SALT, keccak256(initcode)).toLowerCase() as Hex,
    deployment: concat([SALT, initcode]) as Hex,
    constructorArguments: values,
  };
}

/** What a clone is made of; the factory writes it behind the proxy's code (ERC-1167 with immutable arguments). */
export interface CloneArguments {
  owner: string;
  permissioned: boolean;
  /** 0 for ERC-721. */
  decimals: number;
  name: string;
  symbol: string;
  /** Empty for ERC-20. */
  baseUri: string;
}

/** The address of the clone that a factory makes when the Operator calls it with this salt and these arguments. */
export function predictClone(
  system: System,
  kind: 'ERC20' | 'ERC721',
  salt: string,
  args: CloneArguments,
): Hex {
  const [factory, implementation] =
    kind === 'ERC20'
      ? [system.tokenFactory, system.managedErc20]
      : [system.collectionFactory, system.managedErc721];
  const name = toUtf8Bytes(args.name);
  const symbol = toUtf8Bytes(args.symbol);
  const immutable = concat([
    args.owner,
    system.operator,
    system.descriptor,
    new Uint8Array([args.permissioned ? 1 : 0, args.decimals, name.length, symbol.length]),
    name,
    symbol,
    toUtf8Bytes(args.baseUri),
  ]);
  const length = (immutable.length - 2) / 2 + 0x2d;
  const initcode = concat([
    '0x61',
    zeroPadValue(toBeHex(length), 2),
    '0x3d81600a3d39f3363d3d373d3d3d363d73',
    implementation,
    '0x5af43d82803e903d91602b57fd5bf3',
    immutable,
  ]);
  const mixedSalt = keccak256(
    AbiCoder.defaultAbiCoder().encode(['address', 'bytes32'], [system.operator, salt]),
  );
  return getCreate2Address(factory, mixedSalt, keccak256(initcode)).toLowerCase() as Hex;
}

/**
 * A salt that belongs to one deployment of one account for ever; both are UUIDs, 16 bytes each. Hashed, since it is
 * public: nobody shall read from the chain which tokens belong to one account.
 */
export const deploymentSalt = (accountId: string, intentId: string): Hex =>
  keccak256(`0x${accountId.replaceAll('-', '')}${intentId.replaceAll('-', '')}`) as Hex;
