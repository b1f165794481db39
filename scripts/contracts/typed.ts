import type {
  Abi,
  AbiFunction,
  AbiParametersToPrimitiveTypes,
  AbiStateMutability,
  ExtractAbiFunction,
} from 'abitype';
import { BaseContract } from 'ethers';
import type { BaseContractMethod, ContractRunner, ContractTransactionResponse, InterfaceAbi } from 'ethers';
import {
  collectionFactoryAbi,
  managedErc20Abi,
  managedErc721Abi,
  operatorAbi,
  tokenDescriptorAbi,
  tokenFactoryAbi,
} from '../../generated/contracts.ts';
import type { System } from '../../src/chain/system/system-contracts.ts';

// What ethers takes and gives: every integer as a bigint, addresses and bytes as hex strings.
declare module 'abitype' {
  interface Register {
    intType: bigint;
    addressType: string;
    bytesType: { inputs: string; outputs: string };
  }
}

type View = 'view' | 'pure';

type Inputs<Function extends AbiFunction> = [...AbiParametersToPrimitiveTypes<Function['inputs'], 'inputs'>];

type Output<Function extends AbiFunction> =
  AbiParametersToPrimitiveTypes<Function['outputs'], 'outputs'> extends infer Values
    ? Values extends readonly [infer One]
      ? One
      : Values extends readonly []
        ? void
        : Values
    : never;

/** Each overload of a function is a method of its own, chosen by its arguments. */
type Methods<Functions extends AbiFunction> = {
  [Name in Functions['name']]: MethodOf<Extract<Functions, { name: Name }>>;
};
type MethodOf<Function extends AbiFunction> = (
  Function extends AbiFunction
    ? (
        method: BaseContractMethod<
          Inputs<Function>,
          Output<Function>,
          Function['stateMutability'] extends View ? Output<Function> : ContractTransactionResponse
        >,
      ) => void
    : never
) extends (method: infer Overloads) => void
  ? Overloads
  : never;

/** A contract of ethers that knows its functions, their arguments and their results. */
type TypedContract<ContractAbi extends Abi> = Omit<BaseContract, 'connect'> & {
  /** The same contract with another caller. */
  connect(runner: ContractRunner): TypedContract<ContractAbi>;
} & Methods<Extract<ExtractAbiFunction<ContractAbi, string, AbiStateMutability>, AbiFunction>>;

const attach = <const ContractAbi extends Abi>(
  address: string,
  abi: ContractAbi,
  runner: ContractRunner,
): TypedContract<ContractAbi> =>
  BaseContract.from<TypedContract<ContractAbi>>(
    address,
    abi as InterfaceAbi,
    runner,
  ) as TypedContract<ContractAbi>;

/**
 * The contracts of a system, typed by their ABIs. @param runner who calls: a signer, or a provider, which only reads
 */
export const openContracts = (
  system: Pick<System, 'operator' | 'tokenFactory' | 'collectionFactory' | 'descriptor'>,
  runner: ContractRunner,
) => ({
  operator: attach(system.operator, operatorAbi, runner),
  tokenFactory: attach(system.tokenFactory, tokenFactoryAbi, runner),
  collectionFactory: attach(system.collectionFactory, collectionFactoryAbi, runner),
  descriptor: attach(system.descriptor, tokenDescriptorAbi, runner),
  /** A token of either kind by its address. */
  erc20: (address: string) => attach(address, managedErc20Abi, runner),
  erc721: (address: string) => attach(address, managedErc721Abi, runner),
});
