import { setTimeout as sleep } from 'node:timers/promises';
import { Counter, Gauge } from 'prom-client';
import type { Registry } from 'prom-client';
import { formatEther } from 'ethers';
import type { Rpc } from '../../chain/rpc/rpc.ts';
import type { Db } from '../../db/client.ts';
import type { Engine } from '../../engine/index.ts';
import { release } from '../../db/release.ts';
import { readRevision } from '../../lib/revision.ts';
import type { Hex } from '../../lib/hex.ts';
import { auditGauges } from './audit-gauges.ts';
import { gasGauges } from './gas-gauges.ts';
import type { CreateGauge, GaugeGroup, Read } from './gauge-group.ts';
import { progressGauges } from './progress-gauges.ts';
import { countDeepReorgs, countHolds, countJobs, countLanes, countOpen, countWaiting } from './store.ts';

/** A gauge that is not read in this time is left out of the scrape. */
const SCRAPE_TIMEOUT_MS = 3_000;

/** What a scrape reads. Nothing of it is read between scrapes. */
export interface Sources {
  db: Db;
  rpc: Rpc;
  engine: Pick<Engine, 'backlog' | 'feesToday'>;
  /** Wei; null: without a limit. */
  maxFeesPerDay: bigint | null;
  /** What is out of order, in sentences. */
  readiness: () => Promise<readonly string[]>;
}

/** The pool of Knex, as far as it is read here. */
interface Connections {
  numUsed(): number;
  numFree(): number;
  numPendingAcquires(): number;
}

/** Makes the gauges. Returns what sets them, together, at each scrape. */
export function createGauges(registry: Registry, sources: Sources): Read {
  const { db, rpc, engine, readiness } = sources;
  const gauge: CreateGauge = (name, help, labelNames = []) =>
    new Gauge({ name, help, labelNames, registers: [registry] });
  const build = { version: release.version, revision: readRevision() ?? '' };
  gauge('mintmark_build_info', '1, with the release and the commit that this process runs', [
    'version',
    'revision',
  ]).set(build, 1);
  const groups = [
    readinessGauges(gauge, readiness),
    intentGauges(gauge, db),
    laneGauges(gauge, db, rpc),
    holdGauges(gauge, db),
    jobGauges(gauge, db),
    deliveryGauges(gauge, db),
    auditGauges(gauge, db),
    reorgGauges(registry, db),
    progressGauges(gauge, engine),
    feeGauges(gauge, sources),
    gasGauges(gauge, db),
  ];
  const readConnections = connectionGauges(gauge, db);
  const readRpc = rpcGauges(registry, gauge, rpc);
  return async () => {
    for (const { gauges } of groups) for (const each of gauges) each.reset();
    readConnections();
    await Promise.race([
      Promise.allSettled(groups.map(({ read }) => read())),
      sleep(SCRAPE_TIMEOUT_MS, undefined, { ref: false }),
    ]);
    readRpc();
  };
}

function readinessGauges(gauge: CreateGauge, readiness: Sources['readiness']): GaugeGroup {
  const ready = gauge('mintmark_ready', '1 while GET /ready would answer 200');
  return {
    gauges: [ready],
    read: async () => ready.set((await readiness()).length === 0 ? 1 : 0),
  };
}

function intentGauges(gauge: CreateGauge, db: Db): GaugeGroup {
  const open = gauge(
    'mintmark_intents_open',
    'Intents without a verdict, by status; quarantined: the database refuses it',
    ['status'],
  );
  const oldest = gauge(
    'mintmark_oldest_open_intent_seconds',
    'Age of the oldest intent of a status; 0: none',
    ['status'],
  );
  return {
    gauges: [open, oldest],
    read: async () => {
      const rows = await countOpen(db);
      for (const status of ['queued', 'submitted', 'quarantined'] as const) {
        const row = rows.find((candidate) => candidate.status === status);
        open.set({ status }, row?.count ?? 0);
        oldest.set({ status }, Math.max(0, row?.age ?? 0));
      }
    },
  };
}

function laneGauges(gauge: CreateGauge, db: Db, rpc: Rpc): GaugeGroup {
  const transactions = gauge(
    'mintmark_lane_transactions',
    'Transactions of a signer: open has no receipt, mined has one that is not deep enough yet',
    ['signer', 'state'],
  );
  const sender = gauge('mintmark_lane_sender', '1 for the signer that takes new calls', ['signer']);
  const held = gauge('mintmark_lane_held', '1 while an engine works for the signer', ['signer']);
  const funded = gauge('mintmark_lane_funded', '1 while the signer can pay for gas', ['signer']);
  const retiring = gauge('mintmark_lane_retiring', '1 while the signer sends nothing more', ['signer']);
  const nextNonce = gauge('mintmark_lane_next_nonce', 'Nonce that the service uses next', ['signer']);
  const signers = signerGauges(gauge, rpc);
  return {
    gauges: [transactions, sender, held, funded, retiring, nextNonce, ...signers.gauges],
    read: async () => {
      const lanes = await countLanes(db);
      for (const lane of lanes) {
        const { signer } = lane;
        transactions.set({ signer, state: 'open' }, lane.open);
        transactions.set({ signer, state: 'mined' }, lane.mined);
        sender.set({ signer }, Number(lane.isSender));
        held.set({ signer }, Number(lane.isHeld));
        funded.set({ signer }, Number(lane.funded));
        retiring.set({ signer }, Number(lane.retiring));
        nextNonce.set({ signer }, Number(lane.nextNonce));
      }
      await Promise.all(lanes.map(({ signer }) => signers.read(signer)));
    },
  };
}

/** What the chain says of a signer. */
function signerGauges(gauge: CreateGauge, rpc: Rpc) {
  const chainNonce = gauge('mintmark_chain_nonce', 'Nonce that the chain takes next', ['signer']);
  const balance = gauge('mintmark_signer_balance_ether', 'What the signer has to pay for gas', ['signer']);
  return {
    gauges: [chainNonce, balance],
    read: async (signer: Hex): Promise<void> => {
      const [count, wei] = await Promise.all([
        rpc.call<Hex>('eth_getTransactionCount', [signer, 'latest']),
        rpc.call<Hex>('eth_getBalance', [signer, 'latest']),
      ]);
      chainNonce.set({ signer }, Number(count));
      balance.set({ signer }, Number(formatEther(wei)));
    },
  };
}

function holdGauges(gauge: CreateGauge, db: Db): GaugeGroup {
  const holds = gauge('mintmark_ledger_holds', 'Holds without a verdict, by meter', ['meter']);
  const heldAmount = gauge('mintmark_ledger_held_amount', 'What these holds keep of the balances', ['meter']);
  return {
    gauges: [holds, heldAmount],
    read: async () => {
      const rows = await countHolds(db);
      for (const meter of ['mints', 'credits', 'gas']) {
        const row = rows.find((candidate) => candidate.meter === meter);
        holds.set({ meter }, row?.holds ?? 0);
        heldAmount.set({ meter }, row?.amount ?? 0);
      }
    },
  };
}

function jobGauges(gauge: CreateGauge, db: Db): GaugeGroup {
  const jobs = gauge(
    'mintmark_jobs',
    'Background jobs, deliveries of webhooks above all: due, or given_up after all attempts',
    ['task', 'state'],
  );
  const oldestJob = gauge(
    'mintmark_oldest_due_job_seconds',
    'How long the oldest due job has waited; 0: none',
    ['task'],
  );
  return {
    gauges: [jobs, oldestJob],
    read: async () => {
      for (const { task, due, age, dead } of await countJobs(db)) {
        jobs.set({ task, state: 'due' }, due);
        jobs.set({ task, state: 'given_up' }, dead);
        oldestJob.set({ task }, Math.max(0, age));
      }
    },
  };
}

function deliveryGauges(gauge: CreateGauge, db: Db): GaugeGroup {
  const waiting = gauge(
    'mintmark_webhook_waiting',
    'Messages to webhooks that are not delivered and not given up',
  );
  const oldestWaiting = gauge(
    'mintmark_webhook_oldest_waiting_seconds',
    'Age of the oldest of these; 0: none',
  );
  return {
    gauges: [waiting, oldestWaiting],
    read: async () => {
      const { count, age } = await countWaiting(db);
      waiting.set(count);
      oldestWaiting.set(Math.max(0, age));
    },
  };
}

function feeGauges(gauge: CreateGauge, { engine, maxFeesPerDay }: Sources): GaugeGroup {
  const today = gauge(
    'mintmark_fees_today_ether',
    'Cost of what all signers signed since midnight (UTC): by receipts once final if there is a limit, else as expected',
  );
  const most = gauge('mintmark_max_fees_per_day_ether', 'MAX_FEES_PER_DAY of this process; 0: no limit');
  return {
    gauges: [today, most],
    read: async () => {
      most.set(Number(formatEther(maxFeesPerDay ?? 0n)));
      today.set(Number(formatEther(await engine.feesToday())));
    },
  };
}

function reorgGauges(registry: Registry, db: Db): GaugeGroup {
  const reorgs = new Counter({
    name: 'mintmark_deep_reorgs_total',
    help: 'Reorgs that replaced final blocks, so that intents were settled again',
    registers: [registry],
  });
  return {
    gauges: [reorgs],
    read: async () => {
      const count = await countDeepReorgs(db);
      // Two scrapes at a time must not add up.
      reorgs.reset();
      reorgs.inc(count);
    },
  };
}

function connectionGauges(gauge: CreateGauge, db: Db): () => void {
  const pool = gauge('mintmark_database_connections', "Connections of this process's pool, by state", [
    'state',
  ]);
  return () => {
    const { pool: connections } = db.client as { pool: Connections };
    pool.set({ state: 'used' }, connections.numUsed());
    pool.set({ state: 'free' }, connections.numFree());
    pool.set({ state: 'waited_for' }, connections.numPendingAcquires());
  };
}

function rpcGauges(registry: Registry, gauge: CreateGauge, rpc: Rpc): () => void {
  const unreachable = gauge(
    'mintmark_rpc_unreachable_seconds',
    'Since when no RPC endpoint has answered this process; 0 while one does',
  );
  const inUse = gauge(
    'mintmark_rpc_endpoint_in_use',
    'Place in RPC_URL of the endpoint that takes the calls of this process; above 1: one before it is not fit',
  );
  new Counter({
    name: 'mintmark_rpc_calls_total',
    help: 'JSON-RPC calls, by method',
    labelNames: ['method'],
    registers: [registry],
    collect() {
      this.reset();
      for (const [method, count] of Object.entries(rpc.counts())) this.inc({ method }, count);
    },
  });
  return () => {
    unreachable.set(rpc.unreachableForMs() / 1_000);
    inUse.set(rpc.endpointInUse());
  };
}
