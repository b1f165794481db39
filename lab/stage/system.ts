import { Contract, getAddress, toBeHex } from 'ethers';
import type { InterfaceAbi, JsonRpcSigner } from 'ethers';
import * as generated from '../../generated/contracts.ts';
import { encodeAdminExecute, grantOf } from '../../src/chain/system/roles.ts';
import { describeSystem } from '../../src/chain/system/system-contracts.ts';
import type { Hex } from '../../src/lib/hex.ts';

/** The canonical deterministic deployer: calldata is a salt and the init code for CREATE2. */
export const deployer = '0x4e59b44847b379578588920ca78fbf26c0b4956c';
const deployerCode =
  '0x7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe03601600081602082378035828234f58015156039578182fd5b8082525050506014600cf3';

export interface System {
  operator: Contract;
  tokenFactory: Contract;
  collectionFactory: Contract;
  descriptor: Contract;
}

/** The system of an admin without a delay, on a local chain. */
export const localSystem = (admin: string) => describeSystem({ admin, adminDelay: 0, chainId: 31_337n });

/** The address of the Operator of an admin without a delay. */
export const operatorOf = (admin: string): string => getAddress(localSystem(admin).operator);

/** Deploys all system contracts as the service does and makes `executor` an executor. `admin` signs everything. */
export async function deploySystem(admin: JsonRpcSigner, executor: string): Promise<System> {
  await admin.provider.send('hardhat_setCode', [deployer, deployerCode]);
  const system = localSystem(admin.address);
  const send = async (to: string, data: string) => (await admin.sendTransaction({ to, data })).wait();
  for (const { deployment } of system.contracts) await send(deployer, deployment);
  await send(system.operator, encodeAdminExecute(grantOf(system.operator, executor as Hex)));
  const at = (address: string, abi: InterfaceAbi) => new Contract(getAddress(address), abi, admin);
  return {
    operator: at(system.operator, generated.operatorAbi),
    tokenFactory: at(system.tokenFactory, generated.tokenFactoryAbi),
    collectionFactory: at(system.collectionFactory, generated.collectionFactoryAbi),
    descriptor: at(system.descriptor, generated.tokenDescriptorAbi),
  };
}

/** A 32-byte word with this number, such as a salt. */
export const word = (value: number): string => toBeHex(value, 32);
