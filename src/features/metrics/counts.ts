import { Counter, Histogram } from 'prom-client';
import type { Registry } from 'prom-client';
import type { Db } from '../../db/client.ts';
import type { Counters, DeliveryEvent, VerdictEvent } from '../../telemetry/observe.ts';

const REQUEST_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];
const INTENT_SECONDS = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 900, 3_600];
const ATTEMPT_SECONDS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15];
const CALLS = [1, 2, 5, 10, 20, 50, 100, 200, 400];
const GAS = [
  30_000, 50_000, 60_000, 70_000, 80_000, 100_000, 125_000, 150_000, 200_000, 300_000, 500_000, 1_000_000,
];

const OUTCOMES: readonly VerdictEvent['outcome'][] = [
  'confirmed',
  'final',
  'failed',
  'cancelled',
  'retracted',
  'reopened',
];
const ATTEMPT_OUTCOMES: readonly DeliveryEvent['outcome'][] = ['delivered', 'to_retry', 'given_up'];

/** Counts what this process does, in memory. No label has more values than the contract, or JSON-RPC, has names. */
export function createCounts(registry: Registry): Counters {
  const registers = [registry];
  return {
    ...countRequests(registers),
    ...countIntents(registers),
    ...countTransactions(registers),
    ...countDeliveries(registers),
  };
}

function countRequests(registers: Registry[]): Pick<Counters, 'answered' | 'rpcFailed'> {
  const requests = new Histogram({
    name: 'mintmark_http_request_duration_seconds',
    help: 'Requests answered, by operation of openapi.yaml and status; reverted when the contract refused, whatever the status',
    labelNames: ['operation', 'status'],
    buckets: REQUEST_SECONDS,
    registers,
  });
  const rpcErrors = new Counter({
    name: 'mintmark_rpc_errors_total',
    help: 'JSON-RPC calls that an endpoint (its place in RPC_URL) refused, or did not answer',
    labelNames: ['method', 'reason', 'endpoint'],
    registers,
  });
  return {
    answered: ({ operation, status, isRevert, seconds }) =>
      // Which status of the contract it is answered with says nothing of the service.
      requests.observe({ operation, status: isRevert ? 'reverted' : String(status) }, seconds),
    rpcFailed: (method, reason, endpoint) => rpcErrors.inc({ method, reason, endpoint: String(endpoint) }),
  };
}

function countIntents(registers: Registry[]): Pick<Counters, 'accepted' | 'settled'> {
  const accepted = new Counter({
    name: 'mintmark_intents_accepted_total',
    help: 'Intents that became durable, by kind',
    labelNames: ['kind'],
    registers,
  });
  const verdicts = new Histogram({
    name: 'mintmark_intent_verdict_seconds',
    help: 'Time from acceptance to verdict: confirmed, final, failed, cancelled, or retracted or reopened by a reorg',
    labelNames: ['outcome'],
    buckets: INTENT_SECONDS,
    registers,
  });
  // A series that begins with its first event has not grown by it, and no alert would see that one.
  for (const outcome of OUTCOMES) verdicts.zero({ outcome });
  const reverted = new Counter({
    name: 'mintmark_reverted_calls_total',
    help: 'Calls that failed in a mined transaction, though their simulation had succeeded: gas for nothing',
    registers,
  });
  return {
    accepted: ({ kind }) => accepted.inc({ kind }),
    settled: (all) => {
      const now = Date.now();
      for (const { intent, outcome } of all) {
        verdicts.observe({ outcome }, Math.max(0, now - intent.createdAt.getTime()) / 1_000);
        if (outcome === 'failed' && intent.transactionHash !== null) reverted.inc();
      }
    },
  };
}

function countTransactions(
  registers: Registry[],
): Pick<Counters, 'sent' | 'replaced' | 'foreign' | 'gapFilled' | 'finished'> {
  const sent = new Histogram({
    name: 'mintmark_transaction_calls',
    help: 'Calls in a transaction of the Operator',
    buckets: CALLS,
    registers,
  });
  const replaced = new Counter({
    name: 'mintmark_transactions_replaced_total',
    help: 'Attempts that bid more for a transaction that was not mined',
    registers,
  });
  const foreign = new Counter({
    name: 'mintmark_foreign_transactions_total',
    help: 'Nonces of a signer that the chain used for transactions which are not of this service',
    registers,
  });
  const gaps = new Counter({
    name: 'mintmark_gaps_filled_total',
    help: 'Nonces that this service never used and that went to transfers of nothing, since the chain waited for them',
    registers,
  });
  const gas = new Histogram({
    name: 'mintmark_gas_per_call',
    help: 'Gas of a final transaction for each of its calls, as it was simulated',
    buckets: GAS,
    registers,
  });
  return {
    sent: (calls) => sent.observe(calls),
    replaced: () => replaced.inc(),
    foreign: () => foreign.inc(),
    gapFilled: (nonces) => gaps.inc(nonces),
    finished: (gasUsed, calls) => gas.observe(gasUsed / Math.max(1, calls)),
  };
}

function countDeliveries(registers: Registry[]): Pick<Counters, 'attempted'> {
  const deliveries = new Counter({
    name: 'mintmark_webhook_deliveries_total',
    help: 'Messages to webhooks, by what their attempts came to: delivered, to_retry or given_up',
    labelNames: ['outcome'],
    registers,
  });
  for (const outcome of ATTEMPT_OUTCOMES) deliveries.inc({ outcome }, 0);
  const attempts = new Histogram({
    name: 'mintmark_webhook_attempt_seconds',
    help: 'Time until a receiver had answered a message, or had not',
    buckets: ATTEMPT_SECONDS,
    registers,
  });
  return {
    attempted: ({ outcome, seconds }) => {
      deliveries.inc({ outcome });
      if (seconds !== null) attempts.observe(seconds);
    },
  };
}

/** Counts statements of this process, BEGIN and COMMIT included. */
export function countRoundTrips(registry: Registry, db: Db): void {
  const roundTrips = new Counter({
    name: 'mintmark_database_round_trips_total',
    help: 'Statements sent to PostgreSQL, BEGIN and COMMIT included',
    registers: [registry],
  });
  db.on('query', () => roundTrips.inc());
}
