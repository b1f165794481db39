import { randomUUID } from 'node:crypto';
import type { ServerCheck } from '../../db/connection.ts';
import { ServerRefused } from '../../db/server-health.ts';
import type { Hex } from '../../lib/hex.ts';
import type { Logger } from '../../telemetry/logger.ts';
import type { CommitObserver } from '../config.ts';
import type { Intent, VerdictChange } from '../intent.ts';
import { noteCommitsLost, readNewestCommits } from '../store/newest-commits.ts';
import type { NewestCommits, FinalCursor, FoundCommits } from '../store/newest-commits.ts';
import { acceptServer } from '../store/epochs.ts';

/**
 * The newest of what this process knows to be committed. A failover to a copy that was behind loses commits, and looks
 * like a short outage otherwise: what was answered would be answered differently, and numbers would be used again.
 */
export interface KnownCommits extends CommitObserver {
  /** Names this process, also where it has a lane. */
  holder: string;
  /** This intent is committed. One of the sandbox says nothing: it may be deleted. */
  noteIntent(intent: Pick<Intent, 'number' | 'id' | 'environment'>): void;
  /** These verdicts are committed. One of the sandbox says nothing. */
  noteVerdicts(verdicts: readonly CommittedVerdict[]): void;
  /**
   * Compares what was seen with what the database has, and takes over what is newer. What is missing is written down
   * there, for the processes that have not seen it. @throws ServerRefused
   */
  look: ServerCheck;
  /**
   * Likewise, since the chain knows nothing that the database lacks: from here on each look goes on with another
   * server.
   */
  goOn: ServerCheck;
  /** For new connections: as `look`, and nothing at all before the first look, which a migration has to precede. */
  check: ServerCheck;
}

interface CommittedVerdict extends Pick<VerdictChange, 'outcome'> {
  intent: Pick<Intent, 'number' | 'environment'>;
}

/** What a process knows. */
interface RememberedCommits extends NewestCommits {
  /** How often a person had accepted a loss at the last look; null before the first. */
  losses: number | null;
  /**
   * The intent that failed or was cancelled last, as far as this process did it: someone was told that it has no
   * effect. A copy that lacks this verdict lacks all that came after it, and one that has it those before it.
   */
  lastWithoutEffect: bigint | null;
}

type Mutable = Omit<RememberedCommits, 'leastNonces'> & { leastNonces: Map<Hex, bigint> };

/**
 * The process that has the lane of the sender looks at another server within this time, in milliseconds, unless it has
 * ended.
 */
const UNHEARD_MS = 10_000;

/** @param log gets a line for each server that is accepted */
export function createKnownCommits(log?: Pick<Logger, 'warn'>): KnownCommits {
  let known: Mutable | null = null;
  let mayAccept = false;
  /** Since when the server is another one, by `performance.now()`; null while it is not. */
  let otherSince: number | null = null;
  const holder = randomUUID();
  const ensureKnown = (): Mutable =>
    (known ??= {
      losses: null,
      intent: null,
      leastNonces: new Map(),
      cursor: { term: 0n, final: -1n },
      lastWithoutEffect: null,
    });

  const noteIntent: KnownCommits['noteIntent'] = ({ number, id, environment }) => {
    const newest = ensureKnown();
    if (environment === 'sandbox') return;
    if (!newest.intent || number > newest.intent.number) newest.intent = { number, id };
  };
  const noteVerdicts: KnownCommits['noteVerdicts'] = (verdicts) => {
    const newest = ensureKnown();
    for (const { intent, outcome } of verdicts) {
      if (intent.environment === 'sandbox') continue;
      if (outcome === 'failed' || outcome === 'cancelled') newest.lastWithoutEffect = intent.number;
      else if (newest.lastWithoutEffect === intent.number) newest.lastWithoutEffect = null;
    }
  };
  const noteNextNonce: KnownCommits['noteNextNonce'] = (signer, nonce) => {
    const { leastNonces } = ensureKnown();
    if (nonce > (leastNonces.get(signer) ?? 0n)) leastNonces.set(signer, nonce);
  };
  const noteCursor: KnownCommits['noteCursor'] = (cursor) => {
    const newest = ensureKnown();
    if (isBefore(newest.cursor, cursor)) newest.cursor = cursor;
  };
  const takeOver = (found: NewestCommits): void => {
    if (found.intent) noteIntent({ ...found.intent, environment: 'live' });
    for (const [signer, nonce] of found.leastNonces) noteNextNonce(signer, nonce);
    noteCursor(found.cursor);
  };
  const look: ServerCheck = async (ask) => {
    // As it was before the question: what is committed meanwhile is not in the answer.
    const newest = ensureKnown();
    const before: RememberedCommits = { ...newest, leastNonces: new Map(newest.leastNonces) };
    const asked = { number: before.intent?.number ?? 0n, other: before.lastWithoutEffect ?? 0n };
    const found = await readNewestCommits(ask, asked);
    if (found.areLost) throw lostCommits();
    if (before.losses !== null && found.losses > before.losses) {
      // A person has accepted that what was lost is lost.
      known = {
        ...found.newest,
        leastNonces: new Map(found.newest.leastNonces),
        ...{ losses: found.losses, lastWithoutEffect: null },
      };
    } else if (isBehind(before, found)) {
      await noteCommitsLost(ask, found.losses);
      throw lostCommits();
    } else {
      takeOver(found.newest);
      newest.losses = found.losses;
      // The chain did it after all, and may take that back again.
      if (newest.lastWithoutEffect === before.lastWithoutEffect && !hasNoEffect(found))
        newest.lastWithoutEffect = null;
    }
    otherSince = found.isOtherServer ? (otherSince ?? performance.now()) : null;
    if (otherSince === null || !mayAccept) return;
    const isUnheard = performance.now() - otherSince > UNHEARD_MS;
    const change = await acceptServer(ask, { holder, isUnheard });
    if (change)
      log?.warn(change, 'the database is on another server than it was, and the service goes on with it');
  };
  return {
    holder,
    noteIntent,
    noteVerdicts,
    noteNextNonce,
    noteCursor,
    look,
    goOn: (ask) => {
      mayAccept = true;
      return look(ask);
    },
    check: async (ask) => void (known && (await look(ask))),
  };
}

/**
 * What was archived, or deleted since it sent nothing, is not lost: that is committed with a number as high, and after
 * everything up to that.
 *
 * By the intent itself, and not by how far the numbers are: a promoted copy continues them up to 32 later, and another
 * replica may have been served by it already.
 */
function isBehind(expected: RememberedCommits, found: FoundCommits): boolean {
  const { newest, idOfNumber, archivedUpTo, losses } = found;
  const isArchived = (number: bigint): boolean => number <= archivedUpTo;
  if (expected.intent && expected.intent.id !== idOfNumber)
    if (idOfNumber !== null || !isArchived(expected.intent.number)) return true;
  if (expected.lastWithoutEffect !== null && isOpen(found))
    if (found.statusOfOther !== null || !isArchived(expected.lastWithoutEffect)) return true;
  if (isBefore(newest.cursor, expected.cursor) || losses < (expected.losses ?? 0)) return true;
  return [...expected.leastNonces].some(([signer, nonce]) => (newest.leastNonces.get(signer) ?? 0n) < nonce);
}

/** A deep reorg, or bytes that were lost, may confirm what had another verdict. */
function isOpen({ statusOfOther }: FoundCommits): boolean {
  return statusOfOther === null || statusOfOther === 'queued' || statusOfOther === 'submitted';
}

function hasNoEffect({ statusOfOther }: FoundCommits): boolean {
  return statusOfOther === 'failed' || statusOfOther === 'cancelled';
}

function isBefore(one: FinalCursor, other: FinalCursor): boolean {
  return one.term < other.term || (one.term === other.term && one.final < other.final);
}

function lostCommits(): ServerRefused {
  return new ServerRefused(
    'The database lacks what this service has committed, as a copy that was behind does, or another one, or a thief of a signer, ' +
      'goes on with its contracts. Nothing is accepted until the right one is back, or until "npm run admin -- recover ' +
      '--accept-loss" goes on without what is lost; take the role of a thief away before.',
  );
}
