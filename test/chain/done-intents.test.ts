import { expect, test } from '@jest/globals';
import { encodeIntentWord } from '../../src/chain/abi/operator.ts';
import { readDoneIntents, readDoneWords } from '../../src/chain/system/done-intents.ts';

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
