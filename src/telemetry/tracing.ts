import { ROOT_CONTEXT, SpanKind, SpanStatusCode, defaultTextMapGetter, trace } from '@opentelemetry/api';
import type { ContextManager, Link, Span, SpanContext, Tracer as SpanTracer } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { ExportResultCode, W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { BatchSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import type { SpanExporter } from '@opentelemetry/sdk-trace';
import type { Logger } from './logger.ts';
import type { IntentEvent, RequestEvent, ResponseEvent, Step, Tracer, VerdictEvent } from './observe.ts';
import { contextOfIntent, contextOfTransaction, createTraceIds } from './trace-ids.ts';
import type { TraceIds } from './trace-ids.ts';

/*
 * Three kinds of traces, connected by links:
 * - of a request, which continues the trace of its caller (`traceparent`);
 * - of an intent;
 * - of a transaction.
 * The trace ids of the last two follow from the intent's id and the transaction's hash (trace-ids.ts).
 */

/** As many as a transaction has calls. */
const MAX_LINKS = 500;
/** Short, since a stopping service waits for the last export. */
const EXPORT_TIMEOUT_MS = 2_000;

interface Tracing extends Tracer {
  /** Exports the finished spans, and ends. */
  close(): Promise<void>;
}

interface Instruments {
  ids: TraceIds;
  contexts: ContextManager;
  spans: SpanTracer;
}

/** @param endpoint base URL of an OTLP/HTTP collector */
export function createTracing(
  { endpoint, serviceName }: { endpoint: string; serviceName: string },
  log: Logger,
): Tracing {
  const ids = createTraceIds();
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
  const instruments = { ids, contexts, spans: provider.getTracer('mintmark') };
  return {
    request: (request, work) => traceRequest(instruments, request, work),
    step: (step, work) => traceStep(instruments, step, work),
    accepted: (intent) => traceAccepted(instruments, intent),
    settled: (verdicts) => traceSettled(instruments, verdicts),
    close: async () => {
      await provider.shutdown().catch(() => undefined);
      contexts.disable();
    },
  };
}

const propagator = new W3CTraceContextPropagator();

function traceRequest(
  { contexts, spans }: Instruments,
  { method, traceparent, tracestate }: RequestEvent,
  work: () => void,
): (response: ResponseEvent) => void {
  const caller = propagator.extract(ROOT_CONTEXT, { traceparent, tracestate }, defaultTextMapGetter);
  const span = spans.startSpan(method, { kind: SpanKind.SERVER }, caller);
  span.setAttribute('http.request.method', method);
  contexts.with(trace.setSpan(caller, span), work);
  return ({ operation, route, status, isRevert }) => {
    if (route !== undefined) span.updateName(`${method} ${route}`).setAttribute('http.route', route);
    span.setAttribute('mintmark.operation', operation);
    if (typeof status === 'number') span.setAttribute('http.response.status_code', status);
    if (status === 'aborted' || (status >= 500 && !isRevert)) span.setStatus({ code: SpanStatusCode.ERROR });
    span.end();
  };
}

async function traceStep<Result>(
  instruments: Instruments,
  step: Step,
  work: () => Promise<Result>,
): Promise<Result> {
  const { contexts } = instruments;
  const active = contexts.active();
  if (step.partOnly && trace.getSpan(active) === undefined) return work();
  const span = startStep(instruments, step);
  try {
    return await contexts.with(trace.setSpan(active, span), work);
  } catch (error) {
    // Not the message: it may repeat what a user or an endpoint wrote.
    span.setAttribute('error.type', error instanceof Error ? error.name : 'unknown');
    span.setStatus({ code: SpanStatusCode.ERROR });
    throw error;
  } finally {
    span.end();
  }
}

function startStep(
  { ids, contexts, spans }: Instruments,
  { name, kind, intents = [], transaction, isBeginning, details = {} }: Step,
): Span {
  const active = contexts.active();
  const options = {
    kind: kind === 'client' ? SpanKind.CLIENT : SpanKind.INTERNAL,
    attributes: prefixed(details),
    links: intents.map((id) => linkTo(contextOfIntent(id))),
  };
  if (transaction === undefined) return spans.startSpan(name, options, active);
  const root = contextOfTransaction(transaction);
  if (!isBeginning) return spans.startSpan(name, options, trace.setSpanContext(ROOT_CONTEXT, root));
  const cause = trace.getSpanContext(active);
  const links = [...options.links, ...(cause ? [linkTo(cause)] : [])];
  return ids.withNext(root, () => spans.startSpan(name, { ...options, links, root: true }, ROOT_CONTEXT));
}

function traceAccepted({ ids, contexts, spans }: Instruments, intent: IntentEvent): void {
  const cause = trace.getSpanContext(contexts.active());
  const options = { ...describe(intent), root: true, links: cause ? [linkTo(cause)] : [] };
  ids
    .withNext(contextOfIntent(intent.id), () =>
      spans.startSpan(`intent ${intent.kind}`, options, ROOT_CONTEXT),
    )
    .end();
}

function traceSettled({ contexts, spans }: Instruments, verdicts: readonly VerdictEvent[]): void {
  // The step that settles the transaction, if one does.
  const cause = trace.getSpanContext(contexts.active());
  for (const { intent, outcome } of verdicts) {
    const parent = trace.setSpanContext(ROOT_CONTEXT, contextOfIntent(intent.id));
    const options = { ...describe(intent), links: cause ? [linkTo(cause)] : [] };
    const span = spans.startSpan(outcome, options, parent);
    if (outcome === 'failed') span.setStatus({ code: SpanStatusCode.ERROR });
    span.end();
  }
}

function prefixed(details: Readonly<Record<string, string | number>>) {
  return Object.fromEntries(Object.entries(details).map(([name, value]) => [`mintmark.${name}`, value]));
}

function describe({ id, kind, createdAt, transactionHash, error }: IntentEvent) {
  return {
    startTime: createdAt,
    attributes: {
      'mintmark.intent': id,
      'mintmark.kind': kind,
      ...(transactionHash === null ? {} : { 'mintmark.hash': transactionHash }),
      ...(error === null ? {} : { 'error.type': error.code }),
    },
  };
}

function linkTo(context: SpanContext): Link {
  return { context };
}

/** Logs a collector that is out of reach once, until it accepts an export again. */
function warnOnce(exporter: SpanExporter, log: Logger): SpanExporter {
  let isAway = false;
  return {
    export: (spans, done) =>
      exporter.export(spans, (result) => {
        const failed = result.code !== ExportResultCode.SUCCESS;
        if (failed && !isAway)
          log.warn('the collector of OTEL_EXPORTER_OTLP_ENDPOINT does not accept traces');
        if (!failed && isAway) log.info('the collector accepts traces again');
        isAway = failed;
        done(result);
      }),
    forceFlush: () => exporter.forceFlush?.() ?? Promise.resolve(),
    shutdown: () => exporter.shutdown(),
  };
}
