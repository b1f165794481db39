import type { Block, Step } from '../../chain/follower/follower.ts';
import { askOf } from '../../db/client.ts';
import type { Db, Tx } from '../../db/client.ts';
import type { BlockId } from '../../lib/block-id.ts';
import type { Hex } from '../../lib/hex.ts';
import { chunksOf } from '../../lib/chunks.ts';
import type { Rpc } from '../../chain/rpc/rpc.ts';
import { groupByEpoch } from '../../lib/operator-epoch.ts';
import { operatorsOf } from '../../lib/operators.ts';
import type { Logger } from '../../telemetry/logger.ts';
import type { EngineConfig } from '../config.ts';
import type { FollowUps } from '../ports.ts';
import { ROWS_AT_ONCE } from '../store/deep-reorgs.ts';
import type { ReaderKey } from '../store/reader.ts';
import { moveCursor } from '../store/reader.ts';
import {
  findMinedBlocks,
  findUndecidedMembers,
  finishMined,
  noteIncluded,
  openAgainIn,
  openAgainWithoutEvent,
} from '../store/mined.ts';
import type { FinishedTransaction, Inclusion } from '../store/mined.ts';
import { notifyChain, notifyQueued } from '../store/notices.ts';
import {
  confirmIntents,
  findNotFinal,
  findSuccessesIn,
  findSuccessesOf,
  retractIntents,
} from '../store/verdicts.ts';
import type { ConfirmedIntent, Success } from '../store/verdicts.ts';
import { findEffectsFrom, noteInDoubt, noteLossBy, noteUnknownEffects } from '../store/unknown-effects.ts';
import type { UnknownEffect } from '../store/unknown-effects.ts';
import { unknownEffectsIn, readExecutions, successesOf, withGas } from '../verdict/receipts.ts';
import type { Execution } from '../verdict/receipts.ts';
import { settleFinished } from '../verdict/finished.ts';
import {
  withLookups,
  withQuarantine,
  applyVerdicts,
  toSuccessVerdicts,
  toVerdicts,
} from '../verdict/verdict.ts';
import type { Lookups, WriteInParts } from '../verdict/verdict.ts';
import { decodeRaise } from '../../chain/abi/operator.ts';
import { acceptServer, noteRaised } from '../store/epochs.ts';
import { requeueVoid } from '../store/requeue.ts';

/** Thrown when another process reads the chain now, or nobody may: what this one holds of it may be stale. */
export class ReaderLost extends Error {
  override readonly name = 'ReaderLost';
  constructor() {
    super('another process reads the chain, or nobody may');
  }
}

/** What verdicts are written with. */
export interface SettleParts {
  db: Db;
  rpc: Pick<Rpc, 'call' | 'callEach'>;
  log: Logger;
  config: EngineConfig;
  followUps: Pick<FollowUps, 'settled'>;
  key: ReaderKey;
}

/** The blocks of a step, by what is to be settled of them. */
interface SortedBlocks {
  /** Blocks that are canonical no longer. */
  removed: readonly Block[];
  /** Blocks that became canonical, and are not final yet. */
  fresh: readonly Block[];
  /** Blocks that became canonical and final at once. */
  finalAtOnce: readonly Block[];
  /** Blocks that were canonical before, and are final now. */
  nowFinal: readonly Block[];
  /** Blocks that are new and whose logs are gone: what was stored of them stands. */
  pruned: readonly Hex[];
}

/**
 * Stores a step of the follower, and every verdict that follows from it, in one database transaction: successes at
 * once, failures and the end of every hold when their block is final. Intents whose verdicts the database refuses are
 * quarantined, and the rest goes on.
 * @param from the stored head; the first step of a reader covers everything since the final block
 * @param isWaitedFor lanes count the blocks without their transactions
 * @param lookedAt as `moveCursor` says
 * @throws ReaderLost also when unknown transactions did what only a newer database can have asked for, or a thief of a
 * signer: then nothing goes on until a person says so. A start looks for that too, and an endpoint may have hidden it
 * then
 */
export async function applyStep(
  parts: SettleParts,
  step: Step,
  {
    from,
    canonical,
    isWaitedFor,
    lookedAt,
  }: {
    from: { head: BlockId | null; isFirst: boolean };
    canonical: readonly Block[];
    isWaitedFor: boolean;
    lookedAt: string | null;
  },
): Promise<void> {
  const { config } = parts;
  const isFinal = ({ number }: Block): boolean => number <= step.final.number;
  const sorted = {
    removed: step.removed,
    fresh: step.added.filter((block) => !isFinal(block)),
    finalAtOnce: step.added.filter(isFinal),
    nowFinal: canonical.filter((block) => isFinal(block) && !step.removed.includes(block)),
    pruned: step.added.filter(({ isPruned }) => isPruned).map(hashOf),
  };
  const inclusions = [
    ...sorted.fresh.flatMap((block) => inclusionsOf(block, false)),
    ...sorted.finalAtOnce.flatMap((block) => inclusionsOf(block, true)),
  ];
  if (sorted.pruned.length > 0)
    parts.log.warn({ blocks: sorted.pruned.length }, 'no endpoint has the events of old blocks any more');
  const isOurs = inclusions.length > 0;
  if (isOurs) config.reach('event-found');
  const details = { hash: inclusions[0]?.hash ?? '', block: Number(step.head.number) };
  const trace = { name: 'settle', ...(isOurs && { transaction: inclusions[0]!.hash }), details };
  const operators = operatorsOf(config);
  const unknown = unknownEffectsIn(step.added, operators);
  // At once, whatever becomes of the step.
  if (await noteLossBy(parts.db, unknown)) throw lossOf(parts, unknown);
  // Nobody can vouch for another server any more that lacks what was done.
  if (unknown.length > 0) await acceptServer(askOf(parts.db), { holder: null, isUnheard: true });
  // What waits here, and is done, is found so by the lane; nobody cancels it before.
  for (const done of groupByEpoch(unknown)) {
    const numbers = done.map(({ number }) => number);
    await noteInDoubt(parts.db, done[0]!, numbers);
  }
  const shown = [...canonical.filter((block) => !step.removed.includes(block)), ...step.added];
  const write = (lookups: Lookups) =>
    withQuarantine(parts, async (tx, writeInParts) => {
      const { timings } = config;
      const move = { from: from.head, to: step, lookedAt, leaseMs: timings.leaseMs };
      if (!(await moveCursor(tx, parts.key, move))) throw new ReaderLost();
      await takeBack(tx, parts, sorted, { isFirst: from.isFirst, writeInParts });
      await settleBlocks(tx, { ...parts, ...lookups }, sorted, { inclusions, writeInParts });
      const final = [...sorted.nowFinal, ...sorted.finalAtOnce];
      await noteUnknownEffects(tx, unknownEffectsIn(final, operators));
      const unknownSince = await noteRaises(tx, final, shown, operators);
      if (isOurs || isWaitedFor || sorted.removed.length > 0) await notifyChain(tx);
      if (isOurs) config.reach('settle-before-commit');
      return unknownSince;
    });
  const writeAll = () => withLookups(parts, async () => step, write, { isOld: !step.isLatest });
  const unknownSince = await (isOurs ? config.observe.step(trace, writeAll) : writeAll());
  if (isOurs) config.reach('settled');
  if (unknownSince.length > 0) throw lossOf(parts, unknownSince);
}

/** Logs that nothing goes on since unknown transactions had these effects. Returns what is thrown then. */
export function lossOf({ log }: Pick<SettleParts, 'log'>, effects: readonly UnknownEffect[]): ReaderLost {
  log.error(
    { transaction: effects.at(-1)!.transactionHash },
    'a transaction did what this database has not asked for: nothing goes on until "npm run admin -- recover --accept-loss"',
  );
  return new ReaderLost();
}

function inclusionsOf({ logs, number, hash }: Block, isFinal: boolean): Inclusion[] {
  const hashes = new Set(logs.map(({ transactionHash }) => transactionHash));
  return [...hashes].map((transaction) => ({ hash: transaction, block: { number, hash }, isFinal }));
}

/**
 * Takes back the successes of blocks that are canonical no longer, but those that the step finds again with the same
 * result in the same transaction. The first step looks at everything that is not final: a reorg may have removed blocks
 * before this process began to read. What was read of a block stands as long as the block does, though an endpoint does
 * not show it again. Transactions of which nothing was read are looked at singly again: an endpoint may not have shown
 * what it has.
 */
async function takeBack(
  tx: Tx,
  { config, followUps, log }: SettleParts,
  { removed, fresh, finalAtOnce, pruned }: SortedBlocks,
  { isFirst, writeInParts }: { isFirst: boolean; writeInParts: WriteInParts },
): Promise<void> {
  const found = new Set([...fresh, ...finalAtOnce].map(({ hash }) => hash));
  const blocks = isFirst
    ? (await findMinedBlocks(tx)).filter((hash) => !found.has(hash))
    : removed.map(({ hash }) => hash);
  // An endpoint may not show the events by which they were stored. Before their transactions are open again.
  const stored = await findSuccessesIn(tx, isFirst ? [...found] : blocks);
  const openAgain = await openAgainIn(tx, blocks);
  const logs = [...fresh, ...finalAtOnce].flatMap((block) => block.logs);
  const shown = [...logs, ...stored].map(({ transactionHash }) => transactionHash);
  if (isFirst) await openAgainWithoutEvent(tx, { shown, pruned });
  const successesIn = (blocks: readonly Block[]): Success[] =>
    successesOf(readExecutions(blocks, operatorsOf(config)));
  const before = isFirst ? await findNotFinal(tx) : [...successesIn(removed), ...stored];
  const shownAgain = successesIn([...fresh, ...finalAtOnce]);
  const again = new Set((isFirst ? [...shownAgain, ...stored] : shownAgain).map(successKey));
  const gone = before.filter((success) => !again.has(successKey(success)));
  const numbers = [...new Set(gone.map(({ number }) => number))];
  let count = 0;
  await writeInParts(
    tx,
    async () => numbers,
    async (part, isInPart) => {
      for (const some of chunksOf(numbers.filter(isInPart), ROWS_AT_ONCE)) {
        const retracted = await retractIntents(part, some);
        count += retracted.length;
        if (retracted.length > 0) await followUps.settled(part, toVerdicts(retracted, 'retracted'));
      }
    },
  );
  if (openAgain + count > 0) {
    log.warn({ transactions: openAgain, intents: count }, 'a reorg took back transactions');
  }
}

/** The same for the same result of an intent in the same transaction. */
function successKey({ number, result, transactionHash }: Success): string {
  return `${number} ${result} ${transactionHash}`;
}

async function settleBlocks(
  tx: Tx,
  parts: SettleParts & Lookups,
  { fresh, finalAtOnce, nowFinal }: SortedBlocks,
  { inclusions, writeInParts }: { inclusions: readonly Inclusion[]; writeInParts: WriteInParts },
): Promise<void> {
  const operators = operatorsOf(parts.config);
  const included = await noteIncluded(tx, inclusions);
  const finished = [...included, ...(await finishMined(tx, [...nowFinal, ...finalAtOnce].map(hashOf)))];
  const executions = readExecutions([...nowFinal, ...finalAtOnce], operators);
  const seen = Map.groupBy(executions, ({ transactionHash }): Hex | null => transactionHash);
  const unseen = finished.filter(
    ({ minedHash, callCount }) => (seen.get(minedHash)?.length ?? 0) < callCount,
  );
  const stored = await findSuccessesOf(
    tx,
    unseen.map(({ id }) => id),
  );
  await settleExecutions(tx, parts, writeInParts, {
    ...{ finished, executions, stored },
    early: readExecutions(fresh, operators),
  });
}

/** What blocks say of intents. */
interface Findings {
  /** Transactions whose nonces are used for good, and those that did nothing for their calls. */
  finished: readonly FinishedTransaction[];
  /** In final blocks. */
  executions: readonly Execution[];
  /** Successes in final blocks that are not shown again, as they were stored before. */
  stored?: readonly Success[];
  /** In blocks that a reorg may yet take back. */
  early: readonly Execution[];
}

/** Writes the verdicts that follow from what blocks say. */
export function settleExecutions(
  tx: Tx,
  parts: Pick<SettleParts, 'followUps' | 'log'> & Lookups,
  writeInParts: WriteInParts,
  { finished, executions, stored = [], early }: Findings,
): Promise<void> {
  const find = async (): Promise<bigint[]> => {
    const members = await findUndecidedMembers(
      tx,
      finished.map(({ id }) => id),
    );
    return [...successesOf([...executions, ...early]), ...stored, ...members].map(({ number }) => number);
  };
  return writeInParts(tx, find, async (part, isInPart) => {
    const meant = (all: readonly Success[]) => all.filter(({ number }) => isInPart(number));
    const final = await confirmIntents(part, meant([...successesOf(executions), ...stored]), true);
    const confirmed = await confirmIntents(part, meant(successesOf(early)), false);
    warnOfReopened(parts, [...final, ...confirmed]);
    const failed = await settleFinished(part, parts, finished, executions, isInPart);
    const verdicts = [
      ...toSuccessVerdicts(final, 'final'),
      ...toSuccessVerdicts(confirmed, 'confirmed'),
      ...toVerdicts(failed, 'failed'),
    ];
    await applyVerdicts(part, parts.followUps, withGas(verdicts, executions, parts.shares));
    parts.shares.check();
  });
}

/** Intents that had failed, or were cancelled, are confirmed: only a reorg that is deeper than final does that. */
function warnOfReopened({ log }: Pick<SettleParts, 'log'>, confirmed: readonly ConfirmedIntent[]): void {
  const ids = confirmed.filter(({ hadNoEffect }) => hadNoEffect).map(({ intent }) => intent.id);
  if (ids.length > 0)
    log.error({ intents: ids }, 'what had failed, or was cancelled, has an effect after all');
}

function hashOf({ hash }: Block): Hex {
  return hash;
}

/**
 * Lets epochs begin that final blocks show as raised by this database: what is open of earlier ones is void, and its
 * calls go again. Returns what unknown transactions have done in such an epoch already, or in a later one: it is noted
 * then that commits are lost.
 * @param shown blocks above those that were final before, with what is in them of others
 */
export async function noteRaises(
  tx: Tx,
  final: readonly Pick<Block, 'number' | 'logs'>[],
  shown: readonly Block[],
  operators: readonly Hex[],
): Promise<UnknownEffect[]> {
  const raises = final.flatMap(({ number: blockNumber, logs }) =>
    logs.flatMap((log) => {
      const raise = decodeRaise(log, operators);
      return raise ? [{ ...raise, blockNumber }] : [];
    }),
  );
  const begun = await noteRaised(tx, raises);
  if (begun.length === 0) return [];
  const unknown = unknownEffectsIn(shown, operators);
  for (const epoch of begun) {
    await requeueVoid(tx, epoch);
    await notifyQueued(tx);
    unknown.push(...(await findEffectsFrom(tx, epoch)));
  }
  return (await noteLossBy(tx, unknown)) ? unknown : [];
}
