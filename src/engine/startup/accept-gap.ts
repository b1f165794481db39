import { RpcRefused, RpcUnreachable } from '../../chain/rpc/rpc.ts';
import type { Rpc } from '../../chain/rpc/rpc.ts';
import { findExecutors, isExecutorOfAny } from '../../chain/system/roles.ts';
import { askOf } from '../../db/client.ts';
import type { Db } from '../../db/client.ts';
import type { Hex } from '../../lib/hex.ts';
import { operatorsOf } from '../../lib/operators.ts';
import { coverLost, isAbsurd } from '../settle/lost-bytes.ts';
import { findOperators } from '../store/chain-identity.ts';
import { markCommitsLost } from '../store/commit-marks.ts';
import { markAllFoundDone, raiseNewestNumber, readNewestNumber } from '../store/intent-numbers.ts';
import { markUncounted } from '../store/lane-commands.ts';
import { findUncounted } from '../store/least-nonces.ts';
import type { UncountedLane } from '../store/least-nonces.ts';
import { GENERATION_BITS, adoptServer, doubtUpTo } from '../store/server.ts';
import type { Adoption } from '../store/server.ts';
import { generationOf, largestDone } from './intent-numbers.ts';

/** Whom a gap is accepted of. */
interface GapParts {
  rpc: Pick<Rpc, 'call' | 'callEach'>;
  /** That of new contracts; those of older ones are known to the database. */
  operator: Hex;
  /** Transactions that a lane had in flight at the most. */
  maxInFlight: number;
  /** Signers of the configuration: the database may lack their lanes. */
  signers: readonly Hex[];
}

/** What an accepted gap goes on from. */
export interface AcceptedGap {
  /** The newest number that the database knows. */
  newest: bigint;
  /** The newest one that the chain knows beyond that. */
  done: bigint | null;
  /** The first one that will be handed out now. */
  next: bigint;
  /** Set when the database is on another server than it was, and nobody had taken note of that. */
  adoption: Adoption | null;
  /** Whether an endpoint has shown who was made an executor; else a signer without a lane, or a key here, is not waited for. */
  areExecutorsKnown: boolean;
}

/**
 * Continues after commits that a restored backup or a copy of the database lacks. Nonces that lost bytes may have are taken to
 * be used: whoever holds the lane next fills those that are not mined. What has no verdict by now can neither
 * be cancelled nor fail for an endpoint that is out of reach, for the chain may do it yet.
 */
export async function acceptGap(db: Db, parts: GapParts): Promise<AcceptedGap> {
  const { rpc, operator, maxInFlight, signers } = parts;
  const newest = await readNewestNumber(db);
  const done = await largestDone(db, rpc, newest);
  const formerOperators = (await findOperators(db)).flatMap((known) =>
    known.operator === operator ? [] : known.operator,
  );
  const config = { operator, formerOperators, maxInFlight };
  const generation = (generationOf(done ?? newest) + 1n) << GENERATION_BITS;
  // Until the new generation nobody sends, settles or cancels anything, also where no process has noticed the loss.
  await markCommitsLost(askOf(db), generationOf(newest));
  // What is done here covers the lanes for the server that the database is on.
  const adoption = (await adoptServer(askOf(db))) ?? null;
  const operators = operatorsOf(config);
  const granted = await askExecutors(rpc, operators);
  await markUncounted(db, await findThoseWithRole(rpc, operators, [...signers, ...(granted ?? [])]));
  const lost = { db, rpc, config };
  const counted: { lane: UncountedLane; counts: NonceCounts }[] = [];
  for (const lane of await findUncounted(db))
    counted.push({ lane, counts: await countNonces(parts, lane.signer) });
  // Once all are known to be possible: what is left alone is never taken back.
  for (const { lane, counts } of counted) await coverLost(lost, lane, { ...counts, at: 'latest' });
  // Bytes that this database lacks may be in a pool, and be mined when nobody looks for them any more.
  await doubtUpTo(askOf(db), generation);
  await markAllFoundDone(db);
  // This ends the loss. The first number is skipped: running processes see that it is used and so learn of the new
  // generation.
  await raiseNewestNumber(db, generation);
  return { newest, done, next: generation + 1n, adoption, areExecutorsKnown: granted !== null };
}

/** Who was ever made an executor; null when no endpoint searches for that, or none in time. */
async function askExecutors(rpc: Pick<Rpc, 'call'>, operators: readonly Hex[]): Promise<Hex[] | null> {
  try {
    return (await Promise.all(operators.map((operator) => findExecutors(rpc, operator)))).flat();
  } catch (error) {
    // A search of all blocks may take longer than a call has.
    if (error instanceof RpcRefused || error instanceof RpcUnreachable) return null;
    throw error;
  }
}

/** What the others signed has no effect. */
async function findThoseWithRole(
  rpc: Pick<Rpc, 'call'>,
  operators: readonly Hex[],
  signers: readonly Hex[],
): Promise<Hex[]> {
  const each = [...new Set(signers)];
  const have = await Promise.all(each.map((signer) => isExecutorOfAny(rpc, operators, signer)));
  return each.filter((_, index) => have[index]);
}

interface NonceCounts {
  used: bigint;
  pending: bigint;
}

/**
 * The highest counts of all endpoints: none of them is the one that lags.
 * @throws Error with one sentence when an endpoint says what cannot be
 */
async function countNonces({ rpc, maxInFlight }: GapParts, signer: Hex): Promise<NonceCounts> {
  const latest = await countEach(rpc, signer, 'latest');
  const [used, pending] = [highest(latest), highest([...latest, ...(await countPools(rpc, signer))])];
  const least = latest.reduce((one, other) => (one < other ? one : other));
  if (isAbsurd(pending, least, maxInFlight))
    throw new Error(
      `An endpoint of RPC_URL says that ${signer} has used ${pending} nonces, where the least count is ${least}: leave out the ` +
        'one that is wrong, and run the command again',
    );
  return { used, pending };
}

const highest = (counts: readonly bigint[]): bigint =>
  counts.reduce((one, other) => (one > other ? one : other));

/** None when no endpoint says what its pool has. */
async function countPools(rpc: Pick<Rpc, 'callEach'>, signer: Hex): Promise<bigint[]> {
  try {
    return await countEach(rpc, signer, 'pending');
  } catch (error) {
    if (error instanceof RpcRefused) return [];
    throw error;
  }
}

async function countEach(
  rpc: Pick<Rpc, 'callEach'>,
  signer: Hex,
  block: 'latest' | 'pending',
): Promise<bigint[]> {
  return (await rpc.callEach<Hex>('eth_getTransactionCount', [signer, block])).map(BigInt);
}
