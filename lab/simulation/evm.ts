import {
  ContractDecoder,
  EdrContext,
  L1_CHAIN_TYPE,
  MineOrdering,
  OSAKA,
  l1GenesisState,
  l1HardforkFromString,
  l1ProviderFactory,
} from '@nomicfoundation/edr';
import type { Provider } from '@nomicfoundation/edr';
import { DETERMINISTIC_DEPLOYER } from '../../src/lib/deterministic-deployer.ts';
import type { Hex } from '../../src/lib/hex.ts';

/** What JSON-RPC answers when it refuses. */
export class RpcRefusal extends Error {
  readonly code: number;
  readonly data: unknown;

  constructor(code: number, message: string, data?: unknown) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

/** The machine of Hardhat's node in this process: it executes, and keeps the blocks of one fork. */
export interface Evm {
  /** @throws RpcRefusal */
  request<Result>(method: string, params?: readonly unknown[]): Promise<Result>;
}

export const BLOCK_GAS_LIMIT = 60_000_000n;
/** Methods after which others may have another answer. */
const CHANGE = /^(evm_|hardhat_|eth_sendRawTransaction$)/;
const COINBASE = '00'.repeat(19) + 'c0';
let context: Promise<EdrContext> | null = null;

async function openContext(): Promise<EdrContext> {
  const opened = new EdrContext();
  await opened.registerProviderFactory(L1_CHAIN_TYPE, l1ProviderFactory());
  return opened;
}

const bytesOf = (hex: string): Uint8Array => Uint8Array.from(Buffer.from(hex.replace(/^0x/, ''), 'hex'));

/** What a chain has from its first block on. */
export interface Genesis {
  /** Seconds since 1970. */
  seconds: number;
  /** Who has coins. */
  rich: readonly Hex[];
  coded?: readonly { address: Hex; code: Hex }[];
}

export async function openEvm(chainId: bigint, { seconds, rich, coded = [] }: Genesis): Promise<Evm> {
  const edr = await (context ??= openContext());
  const provider = await edr.createProvider(
    L1_CHAIN_TYPE,
    {
      allowBlocksWithSameTimestamp: true,
      allowUnlimitedContractSize: false,
      bailOnCallFailure: true,
      bailOnTransactionFailure: false,
      chainId,
      networkId: chainId,
      coinbase: bytesOf(COINBASE),
      defaultTransactionGasLimit: 16_777_216n,
      genesisState: [
        ...l1GenesisState(l1HardforkFromString(OSAKA)),
        ...rich.map((address) => ({ address: bytesOf(address), balance: 10n ** 24n })),
        ...[DETERMINISTIC_DEPLOYER, ...coded].map(({ address, code }) => ({
          address: bytesOf(address),
          code: bytesOf(code),
        })),
      ],
      hardfork: OSAKA,
      initialBaseFeePerGas: 10n ** 9n,
      minGasPrice: 0n,
      mining: { autoMine: false, blockGasLimit: BLOCK_GAS_LIMIT, memPool: { order: MineOrdering.Fifo } },
      network: { genesisBlockGasLimit: BLOCK_GAS_LIMIT, genesisBlockTime: BigInt(seconds) },
      observability: {},
      ownedAccounts: [],
      precompileOverrides: [],
    },
    { enable: false, decodeConsoleLogInputsCallback: () => [], printLineCallback: () => undefined },
    { subscriptionCallback: () => undefined },
    new ContractDecoder(),
  );
  /** Answers since the last change: endpoints are asked the same again and again. */
  const known = new Map<string, Promise<string>>();
  return {
    request: async <Result>(method: string, params: readonly unknown[] = []) => {
      const request = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
      const isChange = CHANGE.test(method);
      if (isChange) known.clear();
      const answer = known.get(request) ?? ask(provider, request);
      if (!isChange) known.set(request, answer);
      return resultOf<Result>(await answer);
    },
  };
}

async function ask(provider: Provider, request: string): Promise<string> {
  const data: unknown = (await provider.handleRequest(request)).data;
  return typeof data === 'string' ? data : JSON.stringify(data);
}

/** @throws RpcRefusal */
function resultOf<Result>(text: string): Result {
  const answer = JSON.parse(text) as {
    result?: Result;
    error?: { code: number; message: string; data?: unknown };
  };
  if (answer.error) throw new RpcRefusal(answer.error.code, answer.error.message, dataOf(answer.error.data));
  return answer.result as Result;
}

/** Hardhat's node shows the bytes of a revert as they are; the library wraps them. */
function dataOf(data: unknown): unknown {
  if (typeof data === 'object' && data !== null && 'data' in data) return data.data;
  return data;
}
