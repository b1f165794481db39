import type { Hex } from '../../lib/hex.ts';
import type { Lane } from '../lane/lane.ts';
import { LaneLost } from '../lane/lease.ts';
import { unchanged } from '../store/requeue.ts';
import type { Transaction } from '../store/transactions.ts';
import { moveTransaction, requeueMembers } from './move-transaction.ts';

/**
 * Puts the intents of the first open transactions back whose nonces another program used, at final depth.
 * @throws LaneLost when there were any: taking the lane again finds the next nonce that is free
 */
export async function requeueNoncesLost(lane: Lane): Promise<void> {
  let count = 0;
  for (const transaction of lane.inFlight.open()) {
    if (!(await isNonceTaken(lane, transaction))) break;
    lane.log.error(
      { nonce: String(transaction.nonce) },
      'another program sent a transaction with the key of this signer',
    );
    await requeueNonceLost(lane, transaction);
    lane.inFlight.remove(transaction);
    count += 1;
  }
  if (count > 0) throw new LaneLost('another program used nonces of this signer');
}

/** Nothing of this transaction can happen any more: its intents go again. */
async function requeueNonceLost(lane: Lane, transaction: Transaction): Promise<void> {
  await lane.db.transaction(async (tx) => {
    await moveTransaction(tx, lane, transaction, { status: 'displaced', mined: null });
    await requeueMembers(
      tx,
      transaction,
      transaction.members.map(({ number }) => unchanged(number)),
    );
  });
}

interface BlockWithTransactions {
  transactions: { hash: Hex; from: Hex; nonce: Hex }[];
}

/**
 * Whether a transaction that is not ours has this nonce, at final depth: it is looked up in its block, since a
 * transaction count alone may come from an endpoint that is ahead of, or behind, the one that gave no receipt.
 */
async function isNonceTaken(lane: Lane, { nonce, attempts }: Transaction): Promise<boolean> {
  const newestFinal = lane.head.newest.number - BigInt(lane.config.confirmations) + 1n;
  if (newestFinal < 0n || (await countNonces(lane, newestFinal)) <= nonce) return false;
  const number = await findBlockOfNonce(lane, nonce, newestFinal);
  const block = await lane.rpc.call<BlockWithTransactions | null>('eth_getBlockByNumber', [
    `0x${number.toString(16)}`,
    true,
  ]);
  const taken = block?.transactions.find(
    (transaction) =>
      transaction.from.toLowerCase() === lane.key.signer && BigInt(transaction.nonce) === nonce,
  );
  return taken !== undefined && !attempts.some(({ hash }) => hash === taken.hash);
}

/** The nonce that the signer's next transaction had after a block. */
const countNonces = async ({ rpc, key }: Lane, block: bigint): Promise<bigint> =>
  BigInt(await rpc.call<Hex>('eth_getTransactionCount', [key.signer, `0x${block.toString(16)}`]));

/** The block in which the signer used a nonce that it had used by `newest`. */
async function findBlockOfNonce(lane: Lane, nonce: bigint, newest: bigint): Promise<bigint> {
  let low = 0n;
  let high = newest;
  // Nodes forget old states: the search goes back from the newest block, in growing steps.
  for (let step = 1n; high > 0n && low === 0n; step *= 2n) {
    const block = high > step ? high - step : 0n;
    if ((await countNonces(lane, block)) > nonce) high = block;
    else low = block + 1n;
  }
  while (low < high) {
    const middle = (low + high) / 2n;
    if ((await countNonces(lane, middle)) > nonce) high = middle;
    else low = middle + 1n;
  }
  return low;
}
