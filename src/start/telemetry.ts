import type { Config } from '../config.ts';
import { createMetrics } from '../features/metrics/pages.ts';
import type { Metrics } from '../features/metrics/pages.ts';
import type { Logger } from '../telemetry/logger.ts';
import { combineObservers, noopTracer } from '../telemetry/observe.ts';
import type { Observe, Tracer } from '../telemetry/observe.ts';
import { createVerdictLog } from '../telemetry/verdict-log.ts';

interface Telemetry {
  metrics: Metrics;
  observe: Observe;
}

/** Opens metrics, and traces where an endpoint is configured. */
export async function openTelemetry(
  config: Config,
  log: Logger,
  stack: AsyncDisposableStack,
): Promise<Telemetry> {
  const metrics = createMetrics();
  const observe = combineObservers(metrics.counts, await openTracing(config, log, stack));
  const logVerdicts = createVerdictLog(log);
  const settled: Observe['settled'] = (verdicts) => {
    observe.settled(verdicts);
    logVerdicts(verdicts);
  };
  return { metrics, observe: { ...observe, settled } };
}

/** Nothing of OpenTelemetry is loaded but with an endpoint. */
async function openTracing(config: Config, log: Logger, stack: AsyncDisposableStack): Promise<Tracer> {
  if (config.otlpEndpoint === null) return noopTracer;
  const { createTracing } = await import('../telemetry/tracing.ts');
  const tracing = createTracing({ endpoint: config.otlpEndpoint, serviceName: config.serviceName }, log);
  stack.defer(tracing.close);
  return tracing;
}
