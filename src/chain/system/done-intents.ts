import type { Cursor, StateBlock } from '../../lib/block-id.ts';
import type { Hex } from '../../lib/hex.ts';
import type { OperatorEpoch, OperatorNumber } from '../../lib/operator-epoch.ts';
import { encodeIntentWord } from '../abi/operator.ts';
import { readForGood } from '../rpc/for-good.ts';
import type { Rpc } from '../rpc/rpc.ts';

/** Intents in one word of the Operator's bitmap. */
export const INTENTS_PER_WORD = 256n;

/** Which of these intents an Operator has done in an epoch, at a block. @throws what `Rpc.call` throws */
export async function readDoneIntents(
  rpc: Pick<Rpc, 'call'>,
  at: OperatorEpoch,
  numbers: readonly bigint[],
  block: StateBlock,
): Promise<Set<bigint>> {
  const indexes = new Set(numbers.map((number) => number / INTENTS_PER_WORD));
  const done = await readDoneWords(rpc, at, [...indexes], block);
  const all = new Set(done.flat());
  return new Set(numbers.filter((number) => all.has(number)));
}

/** Whether the bit of an intent is set on the canonical fork, for good. @throws RpcRefused */
export const isDone = (
  rpc: Pick<Rpc, 'call'>,
  cursor: Cursor,
  { number, ...at }: OperatorNumber,
): Promise<boolean> =>
  readForGood(cursor, async (blockHash) =>
    (await readDoneIntents(rpc, at, [number], { blockHash })).has(number),
  );

/**
 * The numbers of the done intents in these words of the bitmap, a list each, in their order. Calls of one turn share an
 * HTTP request.
 */
export function readDoneWords(
  rpc: Pick<Rpc, 'call'>,
  { operator, epoch }: OperatorEpoch,
  indexes: readonly bigint[],
  block: StateBlock,
): Promise<bigint[][]> {
  return Promise.all(
    indexes.map(async (index) => {
      const call = { to: operator, data: encodeIntentWord(epoch, index) };
      const bits = BigInt(await rpc.call<Hex>('eth_call', [call, block]));
      return numbersOf(bits).map((bit) => index * INTENTS_PER_WORD + bit);
    }),
  );
}

function numbersOf(bits: bigint): bigint[] {
  const set: bigint[] = [];
  for (let [rest, bit] = [bits, 0n]; rest > 0n; rest >>= 1n, bit += 1n) if (rest & 1n) set.push(bit);
  return set;
}
