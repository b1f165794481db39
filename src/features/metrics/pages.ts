import { Router } from 'express';
import type { Request } from 'express';
import { Registry, collectDefaultMetrics } from 'prom-client';
import type { Counters } from '../../telemetry/observe.ts';
import { countRoundTrips, createCounts } from './counts.ts';
import { createGauges } from './gauges.ts';
import type { Sources } from './gauges.ts';

export interface Metrics {
  /** What the rest of the service reports to. */
  counts: Counters;
  /** Adds the gauges of these to each scrape from now on. */
  watch(sources: Sources): void;
  /** `GET /metrics` in the text format of Prometheus, for requests that may read it. */
  page(mayRead: (request: Request) => boolean): Router;
}

/** Figures for Prometheus. They name no account and no secret. */
export function createMetrics(): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  let look: () => Promise<void> = async () => undefined;
  let scrape: Promise<string> | null = null;
  /** Scrapes at the same time are one: each takes queries and calls to the chain. */
  const scrapeOnce = (): Promise<string> =>
    (scrape ??= look()
      .then(() => registry.metrics())
      .finally(() => {
        scrape = null;
      }));
  return {
    counts: createCounts(registry),
    watch: (sources) => {
      countRoundTrips(registry, sources.db);
      look = createGauges(registry, sources);
    },
    page: (mayRead) => {
      const router = Router();
      router.get('/metrics', async (request, response, next) => {
        if (!mayRead(request)) return next();
        response.type(registry.contentType).send(await scrapeOnce());
      });
      return router;
    },
  };
}
