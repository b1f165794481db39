import { buildModule } from '@nomicfoundation/hardhat-ignition/modules';
import type { Future } from '@nomicfoundation/ignition-core';
import { DETERMINISTIC_DEPLOYER } from './compute-addresses.ts';
import type { SystemAddresses, SystemArguments } from './compute-addresses.ts';
import {
  collectionFactoryAbi,
  managedErc20Abi,
  managedErc721Abi,
  operatorAbi,
  tokenDescriptorAbi,
  tokenFactoryAbi,
} from './contracts.ts';
import { systemDeployments } from './system-addresses.ts';

export interface SystemModuleArguments extends SystemArguments {
  /** What is on the chain already, such as the implementations of another admin's system: it is not deployed again. */
  present?: readonly (keyof SystemAddresses)[] | undefined;
}

type Abi = readonly unknown[];

/** As much of an artifact as Ignition reads of a contract that it does not create itself. */
const artifactOf = <const AbiT extends Abi>(contractName: string, abi: AbiT) => ({
  _format: 'hh3-artifact-1',
  contractName,
  sourceName: `contracts/${contractName}.sol`,
  abi,
  bytecode: '0x',
  deployedBytecode: '0x',
  linkReferences: {},
  deployedLinkReferences: {},
});

/**
 * A module for Hardhat Ignition that deploys the system as the service does, at the same addresses: through the
 * deterministic deployer, which must be on the chain. Its contracts are the results, for other modules to use.
 * @throws TypeError for an admin that is no address
 */
export function systemModule({ present = [], ...system }: SystemModuleArguments) {
  const deployments = systemDeployments(system);
  return buildModule('Mintmark', (m) => {
    const place = <const AbiT extends Abi>(
      contract: keyof SystemAddresses,
      name: string,
      abi: AbiT,
      ...after: Future[]
    ) => {
      const { address, data } = deployments[contract];
      const sent = present.includes(contract)
        ? after
        : [m.send(`deploy${name}`, DETERMINISTIC_DEPLOYER, 0n, data, { after })];
      return m.contractAt(name, artifactOf(name, abi), address, { after: sent });
    };
    const operator = place('operator', 'Operator', operatorAbi);
    // A call to where no contract is succeeds. So a chain that lacks the deployer shows here, before more is paid for.
    const exists = m.staticCall(operator, 'epoch', [], 0, { id: 'needsDeterministicDeployer' });
    const managedErc20 = place('managedErc20', 'ManagedERC20', managedErc20Abi, exists);
    const managedErc721 = place('managedErc721', 'ManagedERC721', managedErc721Abi, exists);
    return {
      operator,
      descriptor: place('descriptor', 'TokenDescriptor', tokenDescriptorAbi, exists),
      managedErc20,
      managedErc721,
      // Each asks its implementation for the operator.
      tokenFactory: place('tokenFactory', 'TokenFactory', tokenFactoryAbi, managedErc20),
      collectionFactory: place('collectionFactory', 'CollectionFactory', collectionFactoryAbi, managedErc721),
    };
  });
}
