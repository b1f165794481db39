import { setTimeout as sleep } from 'node:timers/promises';
import type { Chain } from '../chain/chain.ts';
import type { Signer } from '../chain/signing/signer.ts';
import { afterCommit } from '../db/after-commit.ts';
import type { Db } from '../db/client.ts';
import type { Notifications } from '../db/notifications.ts';
import type { BlockId } from '../lib/block-id.ts';
import type { Hex } from '../lib/hex.ts';
import type { NamedId } from '../lib/named-id.ts';
import type { Owner } from '../lib/owner.ts';
import type { Logger } from '../telemetry/logger.ts';
import { createAccept } from './accept/accept.ts';
import { cancelIntent } from './accept/cancel.ts';
import type { CancelOptions } from './accept/cancel.ts';
import { explainIntent } from './explain/explain.ts';
import type { Explanation } from './explain/explain.ts';
import { createWaiters } from './accept/waiters.ts';
import { hasVerdict } from './intent.ts';
import type { AskedIntent, Intent, VerdictChange } from './intent.ts';
import { createFindId } from './accept/intent-id.ts';
import type { FindId } from './accept/intent-id.ts';
import type { EngineConfig } from './config.ts';
import { combineFollowUps } from './ports.ts';
import type { FollowUps, FindGone, HoldAll } from './ports.ts';
import { createCanonicalChain } from './run/fresh-head.ts';
import { readChain } from './run/read-chain.ts';
import { runLane } from './run/lane-loop.ts';
import { watchSilence } from './run/watch-silence.ts';
import { createWakeup } from '../lib/wakeups.ts';
import { estimateGas } from './send/simulate.ts';
import type { KnownCommits } from './recover/known-commits.ts';
import { suspectDatabase } from './send/suspect.ts';
import { readArchivedUntil } from './store/archive.ts';
import { readBacklog } from './store/backlog.ts';
import type { Backlog } from './store/backlog.ts';
import { readFeesToday } from './store/fees.ts';
import { findIntent, hasOpenIntent, listIntents } from './store/intents.ts';
import type { IntentPage } from './store/intents.ts';
import { readHistory } from './store/inspect.ts';
import type { IntentHistory } from './store/inspect.ts';

export { explainIntent } from './explain/explain.ts';
export { explainPause, SUSPECT } from './explain/causes.ts';
export type { Explanation } from './explain/explain.ts';
export { hasVerdict } from './intent.ts';
export type {
  AskedIntent,
  Intent,
  IntentCall,
  IntentStatus,
  NewIntent,
  RequestId,
  VerdictChange,
} from './intent.ts';
export type { FindId } from './accept/intent-id.ts';
export { defaultTimings } from './config.ts';
export type { EngineTimings } from './config.ts';
export { combineFollowUps } from './ports.ts';
export type { Claiming, FollowUps, FindGone, HoldAll, Holds, NewlyAccepted } from './ports.ts';
export { acceptReorg } from './recover/deep-reorg.ts';
export {
  LANE_IS_HELD,
  borrowLane,
  buryLane,
  resolveIntent,
  resumeLane,
  retireLane,
  retryIntent,
} from './recover/commands.ts';
export type { CommandParts } from './recover/commands.ts';
export { noteChargedGas } from './store/intents.ts';
export { adoptOperator, findOperators, readDeploymentId, readIdSecret } from './store/operators.ts';
export { checkChainIdentity, checkFinalBlock } from './recover/chain-identity.ts';
export { doubtWhatIsDone, refuseUnknown } from './recover/unknown-numbers.ts';
export { createKnownCommits } from './recover/known-commits.ts';
export type { KnownCommits } from './recover/known-commits.ts';
export {
  ARCHIVE_PAGE,
  areVerdictsUnsure,
  deleteIntents,
  deleteTransactions,
  findArchivable,
  findArchivableTransactions,
  lockEmptyWrites,
  noteEmptied,
  readArchivedUntil,
  readIntentRows,
  readTransactionRows,
} from './store/archive.ts';
export { deleteOldEffects } from './store/unknown-effects.ts';
export type { ArchivedRow, ArchivedTransaction } from './store/archive.ts';
export type { Backlog } from './store/backlog.ts';
export { findStuck, inspectIntent, traceIntents } from './store/inspect.ts';
export type { InspectedIntent, IntentHistory, IntentTrace, SentAttempt } from './store/inspect.ts';
export type { TransactionStatus } from './states.ts';
export { isLeased } from './store/leases.ts';
export { acceptLoss } from './store/newest-commits.ts';
export { areCommitsLost, beginEpochs, findPendingEpochs } from './store/epochs.ts';
export { findLane, findLanes, releaseLane } from './store/lanes.ts';
export type { LaneState } from './store/lanes.ts';
export { findQuarantined } from './store/quarantine.ts';

/** What a running service uses of the engine. */
export interface Engine {
  /**
   * Accepts a request and waits for its verdict, at most `waitTimeoutMs`, and with `respondAsync` not at all. When it
   * returns, the request is durable; an intent without a verdict goes on.
   * @throws AppError as `createAccept` says.
   */
  submit(request: AskedIntent, respondAsync: boolean): Promise<Intent>;
  /** The id that the intent of a request gets; the same again for a repeated one. */
  findId: FindId;
  /** The intent of this id, if this account owns it in this environment. */
  find(owner: Owner, id: string): Promise<Intent | undefined>;
  /** Until when what was finished may be in an archive, and be found no more; null when nothing was archived. */
  archivedUntil(): Promise<Date | null>;
  /** Why this intent, of whatever account, has its status; without an RPC call. */
  explain(id: string): Promise<Explanation | undefined>;
  /** A page of own intents, newest first. */
  list(owner: Owner, page: IntentPage): Promise<Intent[]>;
  /** What happened to an intent so far, with its newest attempts, so many at the most. */
  history(number: bigint, maxAttempts: number): Promise<IntentHistory>;
  /** Whether what the newest block says of this contract may yet change: something of it is open, or not final. */
  hasOpen(contract: Hex): Promise<boolean>;
  /** Withdraws a queued intent. @throws AppError as `cancelIntent` says. */
  cancel(owner: Owner, id: string, options: CancelOptions): Promise<Intent>;
  /** State of the queue, over all replicas. */
  backlog(): Promise<Backlog>;
  /**
   * The newest canonical block, by a look at the chain that began after this call; null when nobody looked in time.
   * What decides something is asked at its hash.
   */
  canonicalHead(): Promise<BlockId | null>;
  /** Gas that a call would use now, as `estimateGas` says; null while nobody can tell. */
  measure(call: { target: Hex; data: Hex }): Promise<number | null>;
  /** Wei that the transactions which were signed today (UTC) cost, of all signers together. */
  feesToday(): Promise<bigint>;
  /** Runs the lanes of these signers until `stop`. */
  run(signers: readonly Signer[]): void;
  /** Returns every request that waits with its intent as it is; the service is about to end. */
  stopWaiting(): void;
  /** Stops the lanes after what they are doing; what is under way is taken up at the next start. */
  stop(): Promise<void>;
}

interface EngineParts {
  db: Db;
  notifications: Notifications;
  chain: Pick<Chain, 'chainId' | 'rpc' | 'profile' | 'system' | 'formerOperators'>;
  log: Logger;
  config: Omit<EngineConfig, 'chainId' | 'profile' | 'operator' | 'formerOperators' | 'commits'>;
  /** Milliseconds. */
  waitTimeoutMs: number;
  findGone: FindGone;
  hold: HoldAll;
  /** What the features write beside acceptances and verdicts, in this order. */
  followUps: readonly Partial<FollowUps>[];
  /** Called when something got its verdict on any replica, at the latest before a waiting request is answered. */
  onSettled(): void;
  commits: KnownCommits;
  namedId: NamedId;
}

export function createEngine({
  db,
  notifications,
  chain,
  log,
  config: ownConfig,
  waitTimeoutMs,
  findGone,
  hold,
  followUps: featureFollowUps,
  onSettled,
  commits,
  namedId,
}: EngineParts): Engine {
  const { rpc, chainId, profile, system, formerOperators } = chain;
  const onChain = { chainId, profile, operator: system.operator, formerOperators };
  const config: EngineConfig = { ...ownConfig, ...onChain, commits };
  const followUps = combineFollowUps([
    ...featureFollowUps,
    observeCommitted([config.observe.settled, commits.noteVerdicts]),
  ]);
  const findId = createFindId(db, namedId);
  const accept = createAccept(db, { findGone, hold, followUps }, config.reach);
  const waiters = createWaiters({ db, notifications, log }, config.timings.verdictLookMs);
  notifications.on('mintmark_settled', onSettled);
  const stopping = new AbortController();
  const { holder } = commits;
  const running: Promise<void>[] = [];
  const silence = new AsyncDisposableStack();
  const wakeup = createWakeup(stopping.signal);
  const { chain: canonical, ...reader } = createCanonicalChain({ db, notifications }, wakeup);

  return {
    findId,
    submit: async ({ requestId, ...asked }, respondAsync) => {
      const { observe } = config;
      const request = { ...asked, ...(requestId ?? (await findId(asked, asked.idempotency))) };
      const { intent } = await observe.step({ name: 'accept', intents: [request.id] }, async () => {
        const accepted = await accept(request);
        commits.noteIntent(accepted.intent);
        if (!accepted.replayed) observe.accepted(accepted.intent);
        return accepted;
      });
      const wait = () => waiters.wait(intent, respondAsync ? 0 : waitTimeoutMs);
      const answer = await observe.step({ name: 'wait', intents: [intent.id] }, wait);
      // Notices may be lost; whoever gets a verdict shall then read what came of it.
      if (hasVerdict(answer.status)) onSettled();
      return answer;
    },
    find: (owner, id) => findIntent(db, owner, id),
    archivedUntil: () => readArchivedUntil(db),
    list: (owner, page) => listIntents(db, owner, page),
    history: (number, maxAttempts) => readHistory(db, number, maxAttempts),
    hasOpen: (contract) => hasOpenIntent(db, contract),
    backlog: () => readBacklog(db),
    feesToday: () => readFeesToday(db),
    stopWaiting: waiters.stop,
    explain: (id) => explainIntent({ db, rpc, maxInFlight: config.maxInFlight, askChain: false }, id),
    cancel: (owner, id, options) => cancelIntent({ db, followUps }, owner, id, options),
    measure: (call) => estimateGas({ db, rpc, ...config }, call),
    canonicalHead: async () => (await canonical.fresh())?.head ?? null,
    run: (signers) => {
      if (signers.length === 0) return;
      const suspicion = suspectDatabase(db);
      const parts = { db, rpc, log, config, followUps, chain: canonical, suspicion, holder };
      log.info({ holder }, 'lanes are held under this id');
      running.push(readChain({ ...parts, ...reader, wakeup }, stopping.signal));
      silence.use(watchSilence(parts));
      for (const signer of signers)
        running.push(runLane({ ...parts, signer }, notifications, stopping.signal));
    },
    stop: async () => {
      stopping.abort();
      running.push(silence.disposeAsync());
      await Promise.race([Promise.all(running), sleep(config.timings.stopMs, undefined, { ref: false })]);
      waiters.stop();
    },
  };
}

/** Reports verdicts once they are committed. */
function observeCommitted(
  observers: readonly ((verdicts: readonly VerdictChange[]) => void)[],
): Pick<FollowUps, 'settled'> {
  return {
    settled: async (tx, verdicts) =>
      afterCommit(tx, () => {
        for (const observer of observers) observer(verdicts);
      }),
  };
}
