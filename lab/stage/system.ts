import {
  Contract,
  ContractFactory,
  Interface,
  ZeroHash,
  concat,
  getCreate2Address,
  keccak256,
  toBeHex,
} from 'ethers';
import type { InterfaceAbi, JsonRpcSigner } from 'ethers';
import * as generated from '../../generated/contracts.ts';

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

async function deploy(
  signer: JsonRpcSigner,
  abi: InterfaceAbi,
  bytecode: string,
  args: unknown[],
): Promise<Contract> {
  const { data } = await new ContractFactory(abi, bytecode).getDeployTransaction(...args);
  const address = getCreate2Address(deployer, ZeroHash, keccak256(data));
  await (await signer.sendTransaction({ to: deployer, data: concat([ZeroHash, data]) })).wait();
  return new Contract(address, abi, signer);
}

/** The address of the Operator of an admin, who is replaced without a delay. */
export function operatorOf(admin: string): string {
  const { operatorAbi, operatorBytecode } = generated;
  const code = concat([operatorBytecode, new Interface(operatorAbi).encodeDeploy([admin, 0])]);
  return getCreate2Address(deployer, ZeroHash, keccak256(code));
}

/** Deploys all system contracts as the service does and makes `executor` an executor. `admin` signs everything. */
export async function deploySystem(admin: JsonRpcSigner, executor: string): Promise<System> {
  await admin.provider.send('hardhat_setCode', [deployer, deployerCode]);
  const g = generated;
  const operator = await deploy(admin, g.operatorAbi, g.operatorBytecode, [admin.address, 0]);
  const descriptor = await deploy(admin, g.tokenDescriptorAbi, g.tokenDescriptorBytecode, []);
  const erc20 = await deploy(admin, g.managedErc20Abi, g.managedErc20Bytecode, []);
  const erc721 = await deploy(admin, g.managedErc721Abi, g.managedErc721Bytecode, []);
  const rest = [descriptor.target, operator.target];
  const tokens = await deploy(admin, g.tokenFactoryAbi, g.tokenFactoryBytecode, [erc20.target, ...rest]);
  const collections = await deploy(admin, g.collectionFactoryAbi, g.collectionFactoryBytecode, [
    erc721.target,
    ...rest,
  ]);
  const role = (await operator.getFunction('EXECUTOR_ROLE')()) as string;
  const data = operator.interface.encodeFunctionData('grantRole', [role, executor]);
  await (await admin.sendTransaction({ to: operator, data })).wait();
  return { operator, tokenFactory: tokens, collectionFactory: collections, descriptor };
}

/** A 32-byte word with this number, such as a salt. */
export const word = (value: number): string => toBeHex(value, 32);
