import {
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  defaultTextMapGetter,
  trace,
} from '@opentelemetry/api';
import type { Context, Link, Span, SpanContext } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { ExportResultCode, W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { BatchSpanProcessor, RandomIdGenerator, TracerProvider } from '@opentelemetry/sdk-trace';
import type { SpanExporter } from '@opentelemetry/sdk-trace';
import type { Logger } from './logger.ts';
import type { IntentEvent, Step, Tracer } from './observe.ts';

/*
 * Three kinds of traces, connected by links:
 * - a request's own, which goes on that of its caller (`traceparent`);
 * - an intent's: its id is the intent's UUID without dashes, so that everybody who has an `Intent-Id` finds it, and every
 *   process can link to it without being told;
 * - a transaction's: its id is the beginning of the hash of its first attempt, for the same reasons.
 */

/** As many as a transaction carries calls. */
const MAX_LINKS = 500;
/** A collector that takes longer gets nothing, so that a stop never waits for it for long. */
const EXPORT_TIMEOUT_MS = 2_000;

export interface Tracing extends Tracer {
  /** Sends what is finished, and ends. */
  close(): Promise<void>;
}

/** @param endpoint base URL of an OTLP/HTTP collector */
export function createTracing(
  { endpoint, serviceName }: { endpoint: string; serviceName: string },
  log: Logger,
): Tracing {
  const ids = createIds();
  const contexts = new AsyncLocalStorageContextManager().enable();
  const exporter = new OTLPTraceExporter({
    url: `${endpoint.replace(/\/+$/, '')}/v1/traces`,
    timeoutMillis: EXPORT_TIMEOUT_MS,
  });
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ 'service.name': serviceName }),
    idGenerator: ids,
    spanLimits: { linkCountLimit: MAX_LINKS },
    spanProcessors: [new BatchSpanProcessor({ exporter: warnOnce(exporter, log) })],
  });
  const tracer = provider.getTracer('mintmark');
  const propagator = new W3CTraceContextPropagator();

  const begin = ({ name, kind, intents = [], transaction, isBeginning, details = {} }: Step): Span => {
    const active = contexts.active();
    const options = {
      kind: kind === 'client' ? SpanKind.CLIENT : SpanKind.INTERNAL,
      attributes: prefixed(details),
      links: intents.map((id) => linkTo(contextOfIntent(id))),
    };
    if (transaction === undefined) return tracer.startSpan(name, options, active);
    const own = contextOfTransaction(transaction);
    if (!isBeginning) return tracer.startSpan(name, options, trace.setSpanContext(ROOT_CONTEXT, own));
    const cause = trace.getSpanContext(active);
    const links = [...options.links, ...(cause ? [linkTo(cause)] : [])];
    return ids.withNext(own, () => tracer.startSpan(name, { ...options, links, root: true }, ROOT_CONTEXT));
  };

  return {
    request: ({ method, traceparent, tracestate }, work) => {
      const caller = propagator.extract(ROOT_CONTEXT, { traceparent, tracestate }, defaultTextMapGetter);
      const span = tracer.startSpan(method, { kind: SpanKind.SERVER }, caller);
      span.setAttribute('http.request.method', method);
      contexts.with(trace.setSpan(caller, span), work);
      return ({ operation, route, status }) => {
        if (route !== undefined) span.updateName(`${method} ${route}`).setAttribute('http.route', route);
        span.setAttribute('mintmark.operation', operation);
        if (typeof status === 'number') span.setAttribute('http.response.status_code', status);
        if (status === 'aborted' || status >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
        span.end();
      };
    },
    step: async (step, work) => {
      const active = contexts.active();
      if (step.partOnly && trace.getSpan(active) === undefined) return work();
      const span = begin(step);
      try {
        return await contexts.with(trace.setSpan(active, span), work);
      } catch (error) {
        // The message stays out: it may repeat what a user or an endpoint wrote.
        span.setAttribute('error.type', error instanceof Error ? error.name : 'unknown');
        span.setStatus({ code: SpanStatusCode.ERROR });
        throw error;
      } finally {
        span.end();
      }
    },
    accepted: (intent) => {
      const cause = trace.getSpanContext(contexts.active());
      const options = { ...describe(intent), root: true, links: cause ? [linkTo(cause)] : [] };
      ids
        .withNext(contextOfIntent(intent.id), () =>
          tracer.startSpan(`intent ${intent.kind}`, options, ROOT_CONTEXT),
        )
        .end();
    },
    settled: (verdicts) => {
      // Called within the step that settles a transaction, if one does.
      const cause = trace.getSpanContext(contexts.active());
      for (const { intent, outcome } of verdicts) {
        const parent: Context = trace.setSpanContext(ROOT_CONTEXT, contextOfIntent(intent.id));
        const options = { ...describe(intent), links: cause ? [linkTo(cause)] : [] };
        const span = tracer.startSpan(outcome, options, parent);
        if (outcome === 'failed') span.setStatus({ code: SpanStatusCode.ERROR });
        span.end();
      }
    },
    close: async () => {
      await provider.shutdown().catch(() => undefined);
      contexts.disable();
    },
  };
}

const prefixed = (details: Readonly<Record<string, string | number>>) =>
  Object.fromEntries(Object.entries(details).map(([name, value]) => [`mintmark.${name}`, value]));

const describe = ({ id, kind, createdAt, transactionHash, error }: IntentEvent) => ({
  startTime: createdAt,
  attributes: {
    'mintmark.intent': id,
    'mintmark.kind': kind,
    ...(transactionHash === null ? {} : { 'mintmark.hash': transactionHash }),
    ...(error === null ? {} : { 'error.type': error.code }),
  },
});

const linkTo = (context: SpanContext): Link => ({ context });

const contextOf = (digits: string): SpanContext => ({
  traceId: digits.slice(0, 32),
  spanId: digits.slice(-16),
  traceFlags: TraceFlags.SAMPLED,
  isRemote: true,
});
const contextOfIntent = (id: string): SpanContext => contextOf(id.replaceAll('-', ''));
const contextOfTransaction = (hash: string): SpanContext => contextOf(hash.slice(2));

/** Random ids, but for a span that is begun within `withNext`. */
function createIds() {
  const random = new RandomIdGenerator();
  let next: SpanContext | null = null;
  return {
    generateTraceId: () => next?.traceId ?? random.generateTraceId(),
    generateSpanId: () => next?.spanId ?? random.generateSpanId(),
    withNext: (context: SpanContext, start: () => Span): Span => {
      next = context;
      try {
        return start();
      } finally {
        next = null;
      }
    },
  };
}

/** A collector that is away is said once, until it takes something again. */
function warnOnce(exporter: SpanExporter, log: Logger): SpanExporter {
  let isAway = false;
  return {
    export: (spans, done) =>
      exporter.export(spans, (result) => {
        const failed = result.code !== ExportResultCode.SUCCESS;
        if (failed && !isAway) log.warn('the collector of OTEL_EXPORTER_OTLP_ENDPOINT does not take traces');
        if (!failed && isAway) log.info('the collector takes traces again');
        isAway = failed;
        done(result);
      }),
    forceFlush: () => exporter.forceFlush?.() ?? Promise.resolve(),
    shutdown: () => exporter.shutdown(),
  };
}
