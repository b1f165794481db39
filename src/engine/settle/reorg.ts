import { RpcRefused, RpcUnreachable } from '../../chain/rpc/rpc.ts';
import type { Hex } from '../../lib/hex.ts';
import type { Head } from '../lane/head.ts';
import type { Lane } from '../lane/lane.ts';
import type { MinedIn, Transaction } from '../store/transactions.ts';
import { retractIntents } from '../store/verdicts.ts';
import { moveTransaction } from './move-transaction.ts';
import { toVerdicts } from './verdict.ts';

/** Whether what is in a block is final, counted from `head`. */
export const isFinal = ({ config }: Lane, { blockNumber }: { blockNumber: Hex }, head: Head): boolean =>
  head.number - BigInt(blockNumber) + 1n >= BigInt(config.confirmations);

/**
 * Whether the block of a receipt is still in the chain; null while nobody can tell. An endpoint that lags gives no
 * receipt either, and is no reorg.
 */
export async function isInChain(
  { rpc }: Lane,
  { blockNumber, blockHash }: Pick<MinedIn, 'blockNumber' | 'blockHash'>,
): Promise<boolean | null> {
  try {
    const number = `0x${blockNumber.toString(16)}`;
    const block = await rpc.call<{ hash: Hex } | null>('eth_getBlockByNumber', [number, false]);
    return block && block.hash === blockHash;
  } catch (error) {
    if (error instanceof RpcUnreachable || error instanceof RpcRefused) return null;
    throw error;
  }
}

/**
 * Whether depth may be counted from this block, read before what is counted: a chain that was cut back meanwhile would
 * make it look deeper than it is. With one confirmation nothing is counted.
 */
export const isHeadInChain = async (lane: Lane, { number, hash }: Head): Promise<boolean> =>
  lane.config.confirmations === 1 ||
  (await isInChain(lane, { blockNumber: number, blockHash: hash })) === true;

/** Opens a transaction again whose receipt a reorg took back, and with it what it had confirmed. */
export async function retract(lane: Lane, transaction: Transaction): Promise<void> {
  await lane.db.transaction(async (tx) => {
    await moveTransaction(tx, lane, transaction, { status: 'open', mined: null });
    const numbers = transaction.members.map(({ number }) => number);
    const retracted = await retractIntents(tx, numbers, transaction.attempts.at(-1)!.hash);
    await lane.effects.settled(tx, toVerdicts(retracted, 'retracted'));
  });
}
