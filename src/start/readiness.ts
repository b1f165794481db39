import type { Rpc } from '../chain/rpc/rpc.ts';
import { inTime } from '../lib/in-time.ts';
import { explainPause, SUSPECT } from '../engine/index.ts';
import type { Engine } from '../engine/index.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { Database } from './database.ts';

/** Returns what keeps the service from its work, in sentences that may be shown to anybody. */
type Readiness = () => Promise<readonly string[]>;

/** Whoever asks more often gets the answer that is there: the question costs a query and a call to the chain. */
const FRESH_MS = 1_000;
const PROBE_TIMEOUT_MS = 2_000;
/** Far longer than a look takes, a change of the reader and its slowest endpoint included. */
const MAX_UNREAD_MS = 30_000;

const DEEP_REORG = {
  waiting:
    'The chain lacks blocks that were final; no verdict is given until it is certain which of them are gone.',
  'needs-person':
    'All endpoints of RPC_URL lack blocks that were final, more than this service undoes by itself; no verdict is given until ' +
    'one shows them again, or the operator, where the chain has really lost them, runs "npm run admin -- recover --accept-reorg".',
} as const;

const CLOSED = {
  suspect: `${SUSPECT} No writes are accepted until the engine has seen that nothing is missing, which takes one new block.`,
  'epoch-pending':
    'A new epoch is about to begin, in which nothing has an effect that the database may lack; no writes are accepted until its raise is ' +
    'final, ten minutes after the last one at the earliest.',
} as const;

/** Resolves to null when `work` fails or takes longer than anybody who asks would wait. */
function probe<Result>(work: Promise<Result>): Promise<Result | null> {
  return inTime(work, PROBE_TIMEOUT_MS, () => new Error('no answer in time')).catch(() => null);
}

/** For which a lane with work may stand still. */
const MAX_STALL_MS = 120_000;

/** Makes what `GET /ready` asks. */
export function createReadiness({
  rpc,
  engine,
  database,
  log,
  maxStallMs = MAX_STALL_MS,
}: {
  rpc: Pick<Rpc, 'call' | 'otherChain'>;
  engine: Pick<Engine, 'backlog'>;
  database: Pick<Database, 'check' | 'refusal' | 'failedWrite'>;
  log: Pick<Logger, 'error'>;
  maxStallMs?: number | undefined;
}): Readiness {
  /** What was logged last: a service with nothing to do logs nothing else of the chain. */
  let logged: string | null = null;
  const look = async (): Promise<readonly string[]> => {
    const [backlog, answered] = await Promise.all([
      probe(engine.backlog()),
      probe(rpc.call('eth_chainId', [])),
      probe(database.check()),
    ]);
    const reasons: string[] = [];
    const refusal = database.refusal();
    if (refusal !== null) reasons.push(refusal);
    else if (backlog === null) reasons.push('The database does not answer.');
    const failedWrite = database.failedWrite();
    if (failedWrite !== null) reasons.push(failedWrite);
    const otherChain = rpc.otherChain();
    if (otherChain !== null && otherChain !== logged) log.error(otherChain);
    logged = otherChain;
    if (otherChain !== null) reasons.push(`${otherChain}.`);
    else if (answered === null) reasons.push('The chain does not answer.');
    if (backlog && !backlog.funded) reasons.push('No signer can pay for gas.');
    if (backlog && backlog.closed !== 'no') reasons.push(CLOSED[backlog.closed]);
    if (backlog?.nothingNew) {
      // All lanes wait for the same reason when an Operator is stopped.
      const pauses = backlog.paused.map(explainPause);
      reasons.push(...new Set(pauses.map(({ cause, action }) => `${cause} ${action}`)));
    }
    if (backlog && backlog.deepReorg !== 'none' && otherChain === null)
      reasons.push(DEEP_REORG[backlog.deepReorg]);
    if (backlog && backlog.deepReorg === 'none' && backlog.unreadMs > MAX_UNREAD_MS) {
      reasons.push(
        `Nobody has read the chain for ${Math.round(backlog.unreadMs / 1_000)} seconds, though writes wait for it.`,
      );
    }
    if (backlog && backlog.stalledMs > maxStallMs) {
      const head =
        backlog.headAgeMs > MAX_UNREAD_MS
          ? `No endpoint of RPC_URL has shown a new block for ${Math.round(backlog.headAgeMs / 1_000)} seconds. `
          : '';
      reasons.push(
        `${head}Nothing was sent, mined or settled for ${Math.round(backlog.stalledMs / 1_000)} seconds, though writes wait for it.`,
      );
    }
    return reasons;
  };

  let last: { at: number; answer: Promise<readonly string[]> } | null = null;
  return () => {
    if (!last || performance.now() - last.at > FRESH_MS) last = { at: performance.now(), answer: look() };
    return last.answer;
  };
}
