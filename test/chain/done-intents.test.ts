import { describe, expect, test } from '@jest/globals';
import { encodeIntentWord } from '../../src/chain/abi/operator.ts';
import { RpcRefused } from '../../src/chain/rpc/rpc.ts';
import type { RefusalKind } from '../../src/chain/rpc/classify.ts';
import { isDone, readDoneIntents, readDoneWords } from '../../src/chain/system/done-intents.ts';

const OPERATOR = `0x${'0a'.repeat(20)}` as const;
const HASH = `0x${'0b'.repeat(32)}` as const;
const AT = { operator: OPERATOR, epoch: 3n };

/** A bitmap with these bits in these words; counts what is asked. */
function bitmap(words: Record<string, bigint>) {
  const byData = new Map(
    Object.entries(words).map(([index, bits]) => [encodeIntentWord(AT.epoch, BigInt(index)), bits]),
  );
  const asked: unknown[][] = [];
  const call = async <Result>(_method: string, params: readonly unknown[]): Promise<Result> => {
    asked.push([...params]);
    const { data } = params[0] as { data: `0x${string}` };
    return `0x${(byData.get(data) ?? 0n).toString(16)}` as Result;
  };
  return { rpc: { call }, asked };
}

test('tells which intents are done, with one call for each word, at the block that is named', async () => {
  const { rpc, asked } = bitmap({ 0: 0b1010n, 2: 1n << 255n });
  const done = await readDoneIntents(rpc, AT, [1n, 2n, 3n, 300n, 767n], { blockHash: HASH });
  expect([...done]).toEqual([1n, 3n, 767n]);
  expect(asked).toHaveLength(3);
  expect(asked.map(([, block]) => block)).toEqual([HASH, HASH, HASH].map((blockHash) => ({ blockHash })));
});

test('lists the intents of words in their order', async () => {
  const { rpc } = bitmap({ 1: 0b11n, 4: 1n });
  expect(await readDoneWords(rpc, AT, [1n, 2n, 4n], 'latest')).toEqual([[256n, 257n], [], [1_024n]]);
});

describe('whether an intent is done for good', () => {
  const cursor = {
    final: { number: 1n, hash: HASH },
    head: { number: 2n, hash: `0x${'0c'.repeat(32)}` },
  } as const;
  const look = (kind: RefusalKind): Promise<boolean> => {
    const { rpc } = bitmap({ 0: 0b10n });
    const call = async <Result>(method: string, params: readonly unknown[]): Promise<Result> => {
      const { blockHash } = params[1] as { blockHash: string };
      if (blockHash === HASH) throw new RpcRefused(kind, 'refused', undefined, undefined);
      return rpc.call<Result>(method, params);
    };
    return isDone({ call }, cursor, { ...AT, number: 1n });
  };

  test('is asked at the head where the state of the final block is forgotten', async () => {
    expect(await look('unavailable')).toBe(true);
  });

  test.each(['unknown-block', 'limited'] as const)(
    'is not decided by the head when the final block is %s',
    async (kind) => {
      await expect(look(kind)).rejects.toThrow(RpcRefused);
    },
  );
});
