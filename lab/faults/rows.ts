import type { Allowance } from '../judge/history.ts';
import { backup } from './backup.ts';
import { burntDatabase } from './burnt-database.ts';
import { clocks } from './clocks.ts';
import { database } from './database.ts';
import { lossyFailover, silentDatabase } from './databases.ts';
import { deploys } from './deploys.ts';
import { faultyRpc } from './faulty-rpc.ts';
import { deepReorgs, disagreement, staleFailure, staleFork } from './forks.ts';
import { heavyCalls, manyAccounts } from './fairness.ts';
import { idempotency } from './idempotency.ts';
import { invites } from './invites.ts';
import { kills } from './kills.ts';
import { lostKey, unfundedLane } from './lanes.ts';
import { leaderKills } from './leader-kills.ts';
import { login } from './login.ts';
import type { PlannedFault } from './network.ts';
import { baseFees, batchLimits, gasless, halts, indexing, sequencer, smallBlocks } from './nodes.ts';
import type { Fault } from './outcome.ts';
import { pauses } from './pauses.ts';
import { poisonVerdict, revokedRole, stoppedOperator } from './refusals.ts';
import { quota } from './quota.ts';
import { reorgs } from './reorgs.ts';
import { rollingRestart } from './rolling.ts';
import { rotation } from './rotation.ts';
import { slowClients } from './slow-clients.ts';
import { stops } from './stops.ts';
import { stuck } from './stuck.ts';
import { laggingReads, preconfirmations, prunedStates, wrongNonces } from './views.ts';

/** Rows whose faults are plans drawn from the seed. */
export const PLANNED: Record<string, PlannedFault> = {
  'stale fork (success)': staleFork,
  'stale fork (failure)': staleFailure,
  'lagging reads': laggingReads,
  'reorgs beyond final': deepReorgs,
  'wrong nonce counts': wrongNonces,
  'endpoints that disagree': disagreement,
  'batch limits': batchLimits,
  'sequencer without a pool': sequencer,
  'indexing node': indexing,
  'pruned node': prunedStates,
  'gasless chain': gasless,
  'base fee x 100': baseFees,
  'halted chain': halts,
  preconfirmations,
  'small blocks': smallBlocks,
  'lane without funds': unfundedLane,
};

/** Every row of the table, in its order. */
export const FAULTS: Record<string, Fault> = {
  'kill -9': kills,
  'faulty RPC': faultyRpc,
  'stuck transactions': stuck,
  reorgs,
  'restored backup': backup,
  'burnt database': burntDatabase,
  'database crashes': database,
  'paused lane holders': pauses,
  'exact quota and credits': quota,
  idempotency,
  'deploy once': deploys,
  'login oracle': login,
  'invite once': invites,
  'slow clients': slowClients,
  'graceful stop': stops,
  'rolling restart': rollingRestart,
  'key rotation': rotation,
  ...Object.fromEntries(Object.entries(PLANNED).map(([name, { fault }]) => [name, fault])),
  'heavy calls': heavyCalls,
  'many accounts': manyAccounts,
  'wall clock': clocks,
  'lost key': lostKey,
  'poison verdict': poisonVerdict,
  'stopped Operator': stoppedOperator,
  'revoked role': revokedRole,
  'silent database': silentDatabase,
  'lossy failover': lossyFailover,
  'Patroni failover': leaderKills,
};

/** What a service without its database answers: a write is refused before anything is accepted. */
const WITHOUT_DATABASE: readonly Allowance[] = [{ code: 'INTERNAL_ERROR' }, { code: 'NOT_READY' }];

/** What may fail in a row. In one that is not named here nothing may: whatever fails is a violation. */
export const MAY_FAIL: Readonly<Record<string, readonly Allowance[]>> = {
  // Its owner pauses the token before the mint, in the chain that a reorg leaves: the row counts how often.
  reorgs: [{ code: 'CHAIN_ERROR', says: 'TokenPaused' }],
  'database crashes': WITHOUT_DATABASE,
  'exact quota and credits': [{ code: 'QUOTA_EXCEEDED' }],
  // Another request under a key that was used.
  idempotency: [{ code: 'VALIDATION_ERROR' }],
  // Beyond the mints of a month.
  'heavy calls': [{ code: 'QUOTA_EXCEEDED' }],
  'silent database': WITHOUT_DATABASE,
  'lossy failover': WITHOUT_DATABASE,
  'Patroni failover': WITHOUT_DATABASE,
};
