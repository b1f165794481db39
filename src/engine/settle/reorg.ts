import { RpcRefused, RpcUnreachable } from '../../chain/rpc/rpc.ts';
import type { Hex } from '../../lib/hex.ts';
import type { Head, Lane } from '../lane/lane.ts';
import { findUnfinished } from '../store/transactions.ts';
import type { Transaction } from '../store/transactions.ts';

/**
 * What a new holder of a lane does first: load every signed attempt without a final verdict, and send it again.
 * The bytes are those that were stored, so whatever the last holder had sent of them, the slot stays one transaction.
 */
export async function recover(lane: Lane): Promise<void> {
  await lane.refreshHead();
  for (const transaction of await findUnfinished(lane.db, lane.key.signer)) lane.add(transaction);
  const open = lane.open();
  if (open.length > 0) lane.log.info({ transactions: open.length }, 'sending what has no verdict again');
  await Promise.all(open.map(lane.resend));
}

/**
 * Whether the block of a receipt is still in the chain; null while nobody can tell. An endpoint that lags gives no
 * receipt either, and is no reorg.
 */
export async function standsInChain(
  lane: Lane,
  { blockNumber, blockHash }: Pick<NonNullable<Transaction['mined']>, 'blockNumber' | 'blockHash'>,
): Promise<boolean | null> {
  try {
    const number = `0x${blockNumber.toString(16)}`;
    const block = await lane.rpc.call<{ hash: Hex } | null>('eth_getBlockByNumber', [number, false]);
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
export const headStands = async (lane: Lane, { number, hash }: Head): Promise<boolean> =>
  lane.config.confirmations === 1 ||
  (await standsInChain(lane, { blockNumber: number, blockHash: hash })) === true;

interface BlockWithTransactions {
  transactions: { hash: Hex; from: Hex; nonce: Hex }[];
}

/**
 * Whether a transaction that is not ours holds this nonce, `confirmations` deep: it is looked up in its block, since a
 * transaction count alone may come from an endpoint that is ahead of, or behind, the one that gave no receipt.
 */
export async function findForeign(lane: Lane, { nonce, attempts }: Transaction): Promise<boolean> {
  const { signer } = lane.key;
  const countAt = async (block: bigint): Promise<bigint> =>
    BigInt(await lane.rpc.call<Hex>('eth_getTransactionCount', [signer, `0x${block.toString(16)}`]));
  const deepest = lane.head.number - BigInt(lane.config.confirmations) + 1n;
  if (deepest < 0n || (await countAt(deepest)) <= nonce) return false;

  // Nodes forget old states: the search goes back from the newest block, in growing steps.
  let low = 0n;
  let high = deepest;
  for (let step = 1n; high > 0n && low === 0n; step *= 2n) {
    const block = high > step ? high - step : 0n;
    if ((await countAt(block)) > nonce) high = block;
    else low = block + 1n;
  }
  while (low < high) {
    const middle = (low + high) / 2n;
    if ((await countAt(middle)) > nonce) high = middle;
    else low = middle + 1n;
  }
  const block = await lane.rpc.call<BlockWithTransactions | null>('eth_getBlockByNumber', [
    `0x${low.toString(16)}`,
    true,
  ]);
  const holder = block?.transactions.find(
    (transaction) => transaction.from.toLowerCase() === signer && BigInt(transaction.nonce) === nonce,
  );
  return holder !== undefined && !attempts.some(({ hash }) => hash === holder.hash);
}
