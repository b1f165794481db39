import type { Hex } from '../../src/lib/hex.ts';

export const OPERATOR: Hex = `0x${'0b'.repeat(20)}`;
export const EMPTY_BLOOM: Hex = `0x${'00'.repeat(256)}`;
const FULL_BLOOM: Hex = `0x${'ff'.repeat(256)}`;

interface Fork {
  name: string;
  /** First block that is not of the fork before. */
  from: number;
}

/** Hash of a block: its number, and the last fork that it is on. */
export function hashOf(number: number, forks: readonly Fork[]): Hex {
  const fork = forks.filter(({ from }) => number >= from).at(-1)?.name ?? 'a';
  return `0x${number.toString(16).padStart(32, '0')}${Buffer.from(fork).toString('hex').padStart(32, '0')}`;
}

/** A node that shows a chain of blocks, on forks of it as the test says; each block may have logs of the Operator. */
export function createNode({ logsBloom = FULL_BLOOM }: { logsBloom?: Hex } = {}) {
  const node = {
    height: 10,
    /** Seconds since 1970, by block. */
    timestampOf: (_number: number): number => 0,
    forks: [] as Fork[],
    calls: [] as string[],
    /** What the node answers instead, by method. */
    instead: {} as Partial<Record<string, (params: readonly unknown[]) => unknown>>,
    /** Comes before each answer. */
    before: async (): Promise<void> => undefined,
    rpc: {
      call: async <T>(method: string, params: readonly unknown[]): Promise<T> => {
        node.calls.push(method);
        await node.before();
        return (node.instead[method] ?? answer[method]!)(params) as T;
      },
      callEach: async <T>(method: string, params: readonly unknown[]): Promise<T[]> => [
        await node.rpc.call<T>(method, params),
      ],
      choose: async <T>(
        method: string,
        params: readonly unknown[],
        _above: bigint,
        fits: (answer: T) => boolean,
      ): Promise<boolean> => fits(await node.rpc.call<T>(method, params)),
      leave: (): void => undefined,
    },
  };
  const header = (number: number) =>
    number > node.height || number < 0
      ? null
      : {
          number: `0x${number.toString(16)}`,
          hash: hashOf(number, node.forks),
          parentHash: hashOf(number - 1, node.forks),
          timestamp: `0x${node.timestampOf(number).toString(16)}`,
          logsBloom,
        };
  const numberOf = (hash: Hex): number => Number(BigInt(hash.slice(0, 34)));
  const answer: Record<string, (params: readonly unknown[]) => unknown> = {
    eth_getBlockByNumber: ([block]) => header(block === 'latest' ? node.height : Number(block)),
    eth_getBlockByHash: ([hash]) => {
      const found = header(numberOf(hash as Hex));
      return found?.hash === hash ? found : null;
    },
    eth_getLogs: ([filter]) => {
      const { blockHash } = filter as { blockHash: Hex };
      return [
        { blockHash, transactionHash: blockHash, logIndex: '0x0', address: OPERATOR, topics: [], data: '0x' },
      ];
    },
  };
  return node;
}
