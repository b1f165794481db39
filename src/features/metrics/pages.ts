import { Router } from 'express';
import { Counter, Gauge, Registry, collectDefaultMetrics } from 'prom-client';
import type { Rpc } from '../../chain/rpc.ts';
import { query } from '../../db/client.ts';
import type { Db } from '../../db/client.ts';

/** `GET /metrics` in the text format of Prometheus. It names no account and no secret. */
export function createMetrics({ db, rpc }: { db: Db; rpc: Rpc }): Router {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const roundTrips = new Counter({
    name: 'mintmark_database_round_trips_total',
    help: 'Statements sent to PostgreSQL, BEGIN and COMMIT included',
    registers: [registry],
  });
  db.on('query', () => roundTrips.inc());
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
  new Gauge({
    name: 'mintmark_intents_open',
    help: 'Intents without a final verdict, by status',
    labelNames: ['status'],
    registers: [registry],
    async collect() {
      this.reset();
      for (const { status, count } of await countOpen(db)) this.set({ status }, count);
    },
  });
  new Gauge({
    name: 'mintmark_oldest_open_intent_seconds',
    help: 'Age of the oldest intent that is queued or submitted; 0 when there is none',
    registers: [registry],
    async collect() {
      const ages = (await countOpen(db)).map(({ age }) => age);
      this.set(Math.max(0, ...ages));
    },
  });

  const router = Router();
  router.get('/metrics', async (_request, response) => {
    response.type(registry.contentType).send(await registry.metrics());
  });
  return router;
}

const countOpen = (db: Db) =>
  query<{ status: string; count: number; age: number }>(
    db,
    `select status, count(*)::int as count, extract(epoch from now() - min(created_at))::float8 as age
       from intents where status in ('queued', 'submitted') group by status`,
  );
