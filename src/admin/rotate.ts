import { presentAddress } from '../chain/address.ts';
import { grantOf, isExecutor, revocationOf } from '../chain/system/roles.ts';
import { findLanes, resumeLane, retireLane } from '../engine/index.ts';
import type { LaneState } from '../engine/index.ts';
import type { Hex } from '../lib/hex.ts';
import { becomesTrue } from './becomes-true.ts';
import { isLaneInUse } from './lane-in-use.ts';
import type { AdminContext, AdministeredChain } from './open.ts';
import { administerAll, administerCall, describe, isMade } from './operator.ts';
import type { Administered } from './operator.ts';
import type { Report } from './report.ts';
import { configuredSigners, refuseBuried } from './signers.ts';

interface Pair {
  from: Hex;
  to: Hex;
}

/** What was done so far. */
interface Progress {
  /** EIP-55 addresses. */
  old: string;
  next: string;
  done: string[];
  transactions: Administered[];
}

/** Returns what remains to be done; null when the rotation may go on. */
type Step = (
  context: AdminContext,
  chain: AdministeredChain,
  pair: Pair,
  progress: Progress,
) => Promise<string | null>;

/**
 * Replaces one signer by another, as far as possible now; to be run again until nothing remains. The old signer sends
 * nothing more from here on, and loses its role when all of its transactions are final.
 * @param waitSeconds how long to wait for open transactions of the old signer
 */
export async function rotateSigners(
  context: AdminContext,
  { from, to, waitSeconds }: { from?: Hex | undefined; to?: Hex | undefined; waitSeconds: number },
): Promise<Report> {
  const chain = await context.chain();
  const pair = await choosePair(context, from, to);
  await refuseBuried(context, pair.to);
  const progress: Progress = {
    old: presentAddress(pair.from),
    next: presentAddress(pair.to),
    done: [],
    transactions: [],
  };
  for (const step of [grantNew, startNew, drainOld(waitSeconds * 1_000), revokeOld]) {
    const remaining = await step(context, chain, pair, progress);
    if (remaining !== null) return reportOn(progress, remaining);
  }
  return reportOn(progress, null);
}

const grantNew: Step = async (context, chain, pair, progress) => {
  const lacksRole = async (operator: Hex): Promise<boolean> =>
    !(await isExecutor(chain.rpc, operator, pair.to));
  const outcome = await administerAll(chain, lacksRole, (operator) =>
    administerCall(context, chain, operator, grantOf(operator, pair.to)),
  );
  return noteOutcome(progress, outcome, `${progress.next} is an executor`);
};

const startNew: Step = async ({ db }, _chain, pair, { old, next }) => {
  await resumeLane(db, pair.to);
  if (await isLaneInUse(db, pair.to)) return null;
  return `Start an engine with the key of ${next}, beside that of ${old} or in its place, and run this command again.`;
};

function drainOld(timeoutMs: number): Step {
  return async ({ db }, _chain, pair, progress) => {
    const { old, done } = progress;
    let lane: LaneState | undefined;
    const isDrained = await becomesTrue(async () => {
      lane = await retireLane(db, pair.from);
      return !lane || lane.open + lane.mined === 0;
    }, timeoutMs);
    if (!lane) return null;
    if (isDrained) {
      done.push(`${old} sends nothing more, and all of its transactions are final`);
      return null;
    }
    const open = `${lane.open + lane.mined} transactions of ${old} have no final verdict yet`;
    return lane.isHeld
      ? `${open}: run this command again in a moment.`
      : `${open}, and nobody holds its lane: start an engine with its key, and run this command again.`;
  };
}

const revokeOld: Step = async (context, chain, pair, progress) => {
  const hasRole = (operator: Hex): Promise<boolean> => isExecutor(chain.rpc, operator, pair.from);
  const outcome = await administerAll(chain, hasRole, (operator) =>
    administerCall(context, chain, operator, revocationOf(operator, pair.from)),
  );
  return noteOutcome(progress, outcome, `${progress.old} is not an executor any more`);
};

/** Returns what the admin has to send when the key is elsewhere; null when the step is done. */
function noteOutcome(
  { transactions, done }: Progress,
  outcome: Administered | null,
  result: string,
): string | null {
  if (!outcome) return null;
  transactions.push(outcome);
  if (!isMade(outcome)) return `${describe(outcome, '')}\n\nand then run this command again.`;
  done.push(result);
  return null;
}

function reportOn({ old, next, done, transactions }: Progress, remaining: string | null): Report {
  return {
    json: {
      from: old,
      to: next,
      done,
      remaining: remaining === null ? [] : [remaining],
      isComplete: remaining === null,
      transactions,
    },
    text: [
      `From ${old} to ${next}.`,
      ...done.map((step) => `done     ${step}`),
      remaining === null
        ? `Nothing remains here. Remove the key of ${old} from the configuration before the next start.`
        : `remains  ${remaining}`,
    ].join('\n'),
  };
}

/**
 * Returns the signers that were named. Those not named are found when only two signers have a lane or a key here: the
 * old one is the one without a key, or else the one that is configured first.
 * @throws Error with one sentence when that is ambiguous
 */
async function choosePair(context: AdminContext, from: Hex | undefined, to: Hex | undefined): Promise<Pair> {
  const configured = await configuredSigners(context);
  const lanes = (await findLanes(context.db)).filter(({ retiring }) => !retiring);
  const elsewhere = lanes.map(({ signer }) => signer).filter((signer) => !configured.includes(signer));
  const others = [...elsewhere, ...configured].filter((signer) => signer !== from && signer !== to);
  const missing = Number(!from) + Number(!to);
  if (missing > 0 && others.length !== missing) {
    throw new Error('Name the old and the new signer: signers rotate --from ADDRESS --to ADDRESS');
  }
  const pair = { from: from ?? others[0]!, to: to ?? others.at(-1)! };
  if (pair.from === pair.to) throw new Error('The old and the new signer are the same');
  return pair;
}
