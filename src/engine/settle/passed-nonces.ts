import { decodeExecuted } from '../../chain/abi/operator.ts';
import { isAlreadyDone } from '../../chain/abi/reverts.ts';
import { isCanonical } from '../../chain/follower/follower.ts';
import type { CanonicalBlocks } from '../../chain/follower/canonical-blocks.ts';
import { mayBeKnownElsewhere } from '../../chain/rpc/classify.ts';
import { RpcRefused } from '../../chain/rpc/rpc.ts';
import type { Rpc } from '../../chain/rpc/rpc.ts';
import { countUsedByAll } from '../../chain/rpc/used-nonces.ts';
import { askRefusal } from '../../chain/system/ask-refusal.ts';
import { readDoneIntents } from '../../chain/system/done-intents.ts';
import type { Tx } from '../../db/client.ts';
import type { BlockId } from '../../lib/block-id.ts';
import type { Hex } from '../../lib/hex.ts';
import { operatorsOf } from '../../lib/operators.ts';
import { moveCursor } from '../store/reader.ts';
import {
  findUndecidedMembers,
  findOpenBelow,
  finishPassed,
  notePassed,
  openAgainForeign,
} from '../store/mined.ts';
import type { UncountedLane, PassedTransaction } from '../store/mined.ts';
import { notifyChain } from '../store/notices.ts';
import type { UnknownEffect } from '../store/unknown-effects.ts';
import { ReaderLost, noteRaises, settleExecutions, lossOf } from './apply-step.ts';
import type { SettleParts } from './apply-step.ts';
import { readExecutions, readShownReceipts } from '../verdict/receipts.ts';
import type { Receipt } from '../verdict/receipts.ts';
import { withLookups, withQuarantine } from '../verdict/verdict.ts';
import type { Lookups, WriteInParts } from '../verdict/verdict.ts';

/** Where the nonce of a transaction was used. */
interface Use {
  transaction: PassedTransaction;
  block: BlockId;
  receipt: Receipt | null;
  /** The Operator executed nothing of it. */
  refused: boolean;
}

/** Since when each transaction without a receipt is known to be passed, in milliseconds of `performance.now`. */
export type PassedSince = Map<bigint, number>;

/**
 * Looks singly at transactions whose nonces the chain has used, by its count at the canonical head, though no event was
 * found: they were reverted as a whole, are no-ops, or another program used the nonce. The last is believed without a
 * receipt, so until that block is final, for `stuckMs` at least, and once more then, counts and receipts are asked for
 * again: one that the chain waits for all the same is open again. Returns whether anything changed.
 * @param since one that is known to be passed gets so long to show a receipt: nodes index those later than blocks
 * @throws ReaderLost
 */
export async function settlePassedNonces(
  parts: SettleParts,
  canonical: CanonicalBlocks,
  lanes: readonly UncountedLane[],
  since: PassedSince,
): Promise<boolean> {
  const counted = await countOpenLanes(parts.rpc, canonical.head, lanes);
  const passed = await findPassed(parts, counted);
  // Their counts were wrong when that was noted.
  const mistaken = counted.filter(({ lastForeign, count }) => lastForeign !== null && lastForeign >= count);
  const open = new Set(passed.map(({ id }) => id));
  for (const id of since.keys()) if (!open.has(id)) since.delete(id);
  const uses = await Promise.all(passed.map((transaction) => findUse(parts, canonical, transaction, since)));
  const found = uses.filter((use) => use !== null);
  if (found.length === 0 && mistaken.length === 0) return false;
  const { final, head } = canonical;
  const write = (lookups: Lookups) =>
    withQuarantine(parts, async (tx, writeInParts) => {
      const move = { from: head, to: { final, head }, lookedAt: null, leaseMs: parts.config.timings.leaseMs };
      if (!(await moveCursor(tx, parts.key, move))) throw new ReaderLost();
      for (const { signer, count } of mistaken) await openAgainForeign(tx, signer, count);
      const lostEffects: UnknownEffect[] = [];
      for (const use of found)
        lostEffects.push(
          ...(await settleUse(tx, { ...parts, ...lookups }, { canonical, writeInParts }, use)),
        );
      await notifyChain(tx);
      return lostEffects;
    });
  const receipts = found.flatMap(({ receipt }) => receipt ?? []);
  const lostEffects = await withLookups({ ...parts, receipts }, async () => ({ final, head }), write);
  if (lostEffects.length > 0) throw lossOf(parts, lostEffects);
  for (const { block, receipt, transaction } of found) {
    if (receipt) canonical.addLogs(block.hash, receipt.logs);
    else if (!transaction.foreignIn) parts.config.observe.foreign();
  }
  for (const { signer, count } of mistaken)
    parts.log.warn(
      { signer, nonce: String(count) },
      'the chain waits for a nonce that it seemed to have used',
    );
  return true;
}

/**
 * A lane, and the nonce that the chain takes next from its signer at the canonical head: as all endpoints say it where
 * one is taken for used by another program.
 */
interface CountedLane extends UncountedLane {
  count: bigint;
}

function countOpenLanes(
  rpc: SettleParts['rpc'],
  head: BlockId,
  lanes: readonly UncountedLane[],
): Promise<CountedLane[]> {
  const block = { blockHash: head.hash };
  return Promise.all(
    lanes.map(async (lane) => ({
      ...lane,
      count:
        lane.lastForeign === null
          ? BigInt(await rpc.call<Hex>('eth_getTransactionCount', [lane.signer, block]))
          : await countUsedByAll(rpc, lane.signer, head.hash),
    })),
  );
}

async function findPassed({ db }: SettleParts, lanes: readonly CountedLane[]): Promise<PassedTransaction[]> {
  const passed = await Promise.all(
    lanes
      .filter(({ count, firstNonce }) => count > firstNonce)
      .map(({ signer, count }) => findOpenBelow(db, signer, count)),
  );
  return passed.flat();
}

/** Null while nobody can tell. */
async function findUse(
  parts: SettleParts,
  canonical: CanonicalBlocks,
  transaction: PassedTransaction,
  since: PassedSince,
): Promise<Use | null> {
  const { rpc, config, log } = parts;
  const { receipts, isRefused } = await readShownReceipts(rpc, transaction.hashes);
  if (receipts.length > 0) return findMined(parts, canonical, transaction, receipts);
  const knownAt = since.get(transaction.id) ?? performance.now();
  since.set(transaction.id, knownAt);
  const isOverdue = performance.now() - knownAt >= config.profile.stuckMs;
  // An endpoint may refuse for good. What was done all the same has its bit set, and is not done again.
  if (isRefused && !isOverdue) return null;
  const { foreignIn } = transaction;
  if (foreignIn) {
    // Where the head is final, one wrong count would be so at once.
    const isOver = isOverdue && foreignIn.number <= canonical.final.number;
    return isOver ? { transaction, block: foreignIn, receipt: null, refused: false } : null;
  }
  if (performance.now() - knownAt < config.timings.receiptLookMs) return null;
  const { signer, nonce } = transaction;
  if ((await countUsedByAll(rpc, signer, canonical.head.hash)) <= nonce) return null;
  log.error(
    { nonce: String(nonce) },
    isRefused
      ? 'the chain used a nonce, and endpoints refuse to say for which transaction'
      : 'the chain used a nonce for no transaction that is known',
  );
  return { transaction, block: canonical.head, receipt: null, refused: false };
}

/** The attempt that was mined on the canonical fork; null when these receipts are of other forks. */
async function findMined(
  parts: SettleParts,
  canonical: CanonicalBlocks,
  transaction: PassedTransaction,
  receipts: readonly Receipt[],
): Promise<Use | null> {
  const use = async (receipt: Receipt): Promise<Use> => {
    const refused = await wasRefused(parts, transaction, receipt);
    return { transaction, block: receipt.block, receipt, refused };
  };
  const known = receipts.find(({ block }) => canonical.placeOf(block.hash) !== undefined);
  if (known) return use(known);
  for (const receipt of receipts) {
    // An old block, or one of a fork that is not canonical.
    if (receipt.block.number > canonical.final.number) continue;
    if (!(await isBelow(parts.rpc, canonical.final, receipt.block))) continue;
    if (await agreesWithBits(parts, canonical.head, transaction, receipt)) return use(receipt);
  }
  return null;
}

/**
 * Whether a block is in the chain below a canonical one. Calls of one turn are one batch, which one backend answers:
 * one that has stayed on another fork shows another block in the place of the canonical one.
 */
async function isBelow(rpc: Pick<Rpc, 'call'>, final: BlockId, block: BlockId): Promise<boolean> {
  const [isAnchorThere, isThere] = await Promise.all([
    isCanonical({ rpc }, final),
    isCanonical({ rpc }, block),
  ]);
  return isAnchorThere && isThere;
}

/**
 * Whether all that a receipt says can be so on the canonical fork, by the bits at a canonical block. What it says of
 * one call is no better than the rest of it: a call without a result would wait in a final transaction for ever.
 */
async function agreesWithBits(
  { db, rpc }: SettleParts,
  at: BlockId,
  transaction: PassedTransaction,
  { logs }: Receipt,
): Promise<boolean> {
  const results = decodeExecuted(logs, transaction);
  if (results.size === 0) return true;
  const done = await readDoneIntents(rpc, transaction, [...results.keys()], { blockHash: at.hash });
  const members = await findUndecidedMembers(db, [transaction.id]);
  const waiting = new Set(members.map(({ number }) => number));
  return [...results].every(([number, result]) => {
    if (result.ok || isAlreadyDone(result, transaction.epoch, number)) return done.has(number);
    // A call that failed here may have been done in another transaction, which it waits for then.
    return !done.has(number) || !waiting.has(number);
  });
}

/**
 * Whether a transaction was reverted as a whole because the Operator executed nothing of it (stopped, another epoch, no
 * role) in its block: then none of its calls is to blame, and none either when nobody can tell any more.
 */
async function wasRefused(
  { rpc }: Pick<SettleParts, 'rpc'>,
  { signer, ...of }: PassedTransaction,
  { status, block }: Receipt,
): Promise<boolean> {
  if (BigInt(status) !== 0n) return false;
  try {
    return (await askRefusal(rpc, signer, of, { blockHash: block.hash })) !== null;
  } catch (error) {
    if (error instanceof RpcRefused) return mayBeKnownElsewhere(error.kind);
    throw error;
  }
}

async function settleUse(
  tx: Tx,
  parts: SettleParts & Lookups,
  { canonical, writeInParts }: { canonical: CanonicalBlocks; writeInParts: WriteInParts },
  { transaction, block, receipt, refused }: Use,
): Promise<UnknownEffect[]> {
  const hash = receipt?.transactionHash ?? null;
  const noted = await notePassed(tx, { id: transaction.id, hash, block, wasRefused: refused });
  const operators = operatorsOf(parts.config);
  const executions = readExecutions([{ logs: receipt?.logs ?? [] }], operators);
  const isCertain = receipt !== null || transaction.foreignIn !== null;
  const isFinal = isCertain && block.number <= canonical.final.number;
  const raised = isFinal && receipt ? [{ ...receipt.block, logs: receipt.logs }] : [];
  const lostEffects = await noteRaises(tx, raised, canonical.above(0), operators);
  // What did nothing for its calls gives them back at once. Should a reorg let its bytes do them after all, the
  // Operator refuses them in their next transaction, which has a later nonce of the same signer.
  const givesBack = executions.length === 0 ? noted.filter(({ isBlameless }) => isBlameless) : [];
  await settleExecutions(tx, parts, writeInParts, {
    finished: isFinal ? await finishPassed(tx, transaction.id) : givesBack,
    executions: isFinal ? executions : [],
    early: isFinal ? [] : executions,
  });
  return lostEffects;
}
