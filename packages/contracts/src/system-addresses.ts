import { computeAddresses, computeDeployments } from './compute-addresses.ts';
import type { SystemAddresses, SystemArguments, SystemDeployments } from './compute-addresses.ts';
import {
  collectionFactoryBytecode,
  managedErc20Bytecode,
  managedErc721Bytecode,
  operatorBytecode,
  tokenDescriptorBytecode,
  tokenFactoryBytecode,
} from './contracts.ts';

const BYTECODES = {
  operator: operatorBytecode,
  tokenFactory: tokenFactoryBytecode,
  collectionFactory: collectionFactoryBytecode,
  managedErc20: managedErc20Bytecode,
  managedErc721: managedErc721Bytecode,
  descriptor: tokenDescriptorBytecode,
};

/**
 * The contracts of a service, on whatever chain it is: their addresses follow from their bytecode, the admin and the
 * delay alone. Other bytecode has other addresses: these are of the contracts that this version of the package has.
 * @throws TypeError for an admin that is no address
 */
export function systemAddresses(system: SystemArguments): SystemAddresses {
  return computeAddresses(BYTECODES, system);
}

/**
 * The calls that put them on a chain, to be sent in this order by anybody who pays for them.
 * @throws TypeError for an admin that is no address
 */
export function systemDeployments(system: SystemArguments): SystemDeployments {
  return computeDeployments(BYTECODES, system);
}
