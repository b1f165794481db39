import type { BlockLog, Follower } from '../../chain/follower/follower.ts';
import { toQuantity } from '../../chain/follower/block.ts';
import { RpcRefused } from '../../chain/rpc/rpc.ts';
import type { Rpc } from '../../chain/rpc/rpc.ts';
import { readDoneIntents } from '../../chain/system/done-intents.ts';
import { askOperator } from '../lane/rest.ts';
import type { Tx } from '../../db/client.ts';
import type { BlockId } from '../../lib/block-id.ts';
import type { Hex } from '../../lib/hex.ts';
import { moveCursor } from '../store/follower.ts';
import { findOpenBelow, finishMined, markPassed } from '../store/mined.ts';
import type { OpenLane, PassedTransaction } from '../store/mined.ts';
import { notifyChain } from '../store/notices.ts';
import { FollowerLost, judgeExecutions } from './apply-step.ts';
import type { SettleParts } from './apply-step.ts';
import { readExecutions } from './executions.ts';
import { withQuarantine } from './quarantine.ts';
import type { Judge } from './quarantine.ts';

/** A receipt, as far as it is read. */
interface Receipt {
  transactionHash: Hex;
  /** 0 when it was reverted as a whole. */
  status: Hex;
  blockNumber: Hex;
  blockHash: Hex;
  logs: BlockLog[];
}

/** Where an open transaction's nonce was used. */
interface Use {
  transaction: PassedTransaction;
  block: BlockId;
  receipt: Receipt | null;
  /** The Operator executed nothing of it. */
  refused: boolean;
}

/** Since when each open transaction is known to be passed, in milliseconds of `performance.now`. */
export type PassedSince = Map<bigint, number>;

/**
 * Looks singly at open transactions whose nonces the chain has used, by its count at the held head, though no event told
 * so: they were reverted as a whole, are no-ops, or another program used the nonce. Returns whether any was marked.
 * @param since one that is known to be passed gets so long to show a receipt: nodes index those later than blocks
 * @throws FollowerLost
 */
export async function settlePassed(
  parts: SettleParts & { rpc: Pick<Rpc, 'call'> },
  follower: Follower,
  lanes: readonly OpenLane[],
  since: PassedSince,
): Promise<boolean> {
  const passed = await findPassed(parts, follower.held.head, lanes);
  const open = new Set(passed.map(({ id }) => id));
  for (const id of since.keys()) if (!open.has(id)) since.delete(id);
  const uses = await Promise.all(passed.map((transaction) => findUse(parts, follower, transaction, since)));
  const found = uses.filter((use) => use !== null);
  if (found.length === 0) return false;
  const { anchor: final, head } = follower.held;
  await withQuarantine(parts, async (tx, judge) => {
    const move = { from: head, to: { final, head }, lookedAt: null, leaseMs: parts.config.timings.leaseMs };
    if (!(await moveCursor(tx, parts.key, move))) throw new FollowerLost();
    for (const use of found) await settleUse(tx, parts, { follower, judge }, use);
    await notifyChain(tx);
  });
  for (const { block, receipt } of found) {
    if (receipt) follower.held.addLogs(block.hash, receipt.logs);
    else parts.config.observe.foreign();
  }
  return true;
}

async function findPassed(
  { db, rpc }: SettleParts & { rpc: Pick<Rpc, 'call'> },
  head: BlockId,
  lanes: readonly OpenLane[],
): Promise<PassedTransaction[]> {
  const passed = await Promise.all(
    lanes.map(async ({ signer, firstNonce }) => {
      const answer = await rpc.call<Hex>('eth_getTransactionCount', [signer, { blockHash: head.hash }]);
      const count = BigInt(answer);
      return count > firstNonce ? findOpenBelow(db, signer, count) : [];
    }),
  );
  return passed.flat();
}

/** Null while nobody can tell. */
async function findUse(
  { rpc, config, log }: SettleParts & { rpc: Pick<Rpc, 'call'> },
  { held }: Follower,
  transaction: PassedTransaction,
  since: PassedSince,
): Promise<Use | null> {
  const receipts = await Promise.all(
    transaction.hashes.map((hash) => rpc.call<Receipt | null>('eth_getTransactionReceipt', [hash])),
  );
  const receipt = receipts.find((candidate) => candidate?.blockHash) ?? null;
  if (receipt) {
    const block = { number: BigInt(receipt.blockNumber), hash: receipt.blockHash };
    const refused = await wasRefused(rpc, transaction, receipt);
    if (held.placeOf(block.hash) !== undefined) return { transaction, block, receipt, refused };
    // An old block, or one of a fork that is not held.
    if (block.number > held.anchor.number) return null;
    const header = await rpc.call<{ hash: Hex } | null>('eth_getBlockByNumber', [
      toQuantity(block.number),
      false,
    ]);
    if (header?.hash !== block.hash) return null;
    // By number, so maybe from a fork that is not held: what it says counts only as far as the bits at the head agree.
    const logs = await agreeingLogs({ rpc, operator: config.operator }, held.head, receipt.logs);
    return { transaction, block, receipt: { ...receipt, logs }, refused };
  }
  const knownAt = since.get(transaction.id) ?? performance.now();
  since.set(transaction.id, knownAt);
  if (performance.now() - knownAt < config.timings.receiptLookMs) return null;
  log.error({ nonce: String(transaction.nonce) }, 'the chain used a nonce for no transaction that is known');
  return { transaction, block: held.head, receipt: null, refused: false };
}

/** The logs whose success or failure agrees with the bit of their intent at a held block. */
async function agreeingLogs(
  { rpc, operator }: { rpc: Pick<Rpc, 'call'>; operator: Hex },
  at: BlockId,
  logs: readonly BlockLog[],
): Promise<BlockLog[]> {
  const agrees = await Promise.all(
    logs.map(async (log) => {
      const [execution] = readExecutions([{ logs: [log] }], operator);
      if (!execution) return false;
      const { epoch, number, result } = execution;
      const done = await readDoneIntents(rpc, { operator, epoch }, [number], { blockHash: at.hash });
      return result.ok === done.has(number);
    }),
  );
  return logs.filter((_log, index) => agrees[index]);
}

/**
 * Whether a transaction was reverted as a whole because the Operator executed nothing of it (stopped, another epoch, no
 * role) in its block: then none of its calls is to blame. False when nobody can tell.
 */
async function wasRefused(
  rpc: Pick<Rpc, 'call'>,
  { signer, ...of }: PassedTransaction,
  { status, blockHash }: Receipt,
): Promise<boolean> {
  if (BigInt(status) !== 0n) return false;
  try {
    return (await askOperator({ rpc, key: { signer } }, of, { blockHash })) !== null;
  } catch (error) {
    if (error instanceof RpcRefused) return false;
    throw error;
  }
}

async function settleUse(
  tx: Tx,
  parts: SettleParts,
  { follower: { held }, judge }: { follower: Follower; judge: Judge },
  { transaction, block, receipt, refused }: Use,
): Promise<void> {
  const hash = receipt?.transactionHash ?? null;
  await markPassed(tx, { id: transaction.id, hash, block, wasRefused: refused });
  const told = readExecutions([{ logs: receipt?.logs ?? [] }], parts.config.operator);
  const isFinal = block.number <= held.anchor.number;
  await judgeExecutions(tx, parts, judge, {
    finished: isFinal ? await finishMined(tx, [block.hash]) : [],
    executions: isFinal ? told : [],
    early: isFinal ? [] : told,
  });
}
