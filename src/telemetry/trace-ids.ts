import { TraceFlags } from '@opentelemetry/api';
import type { Span, SpanContext } from '@opentelemetry/api';
import { RandomIdGenerator } from '@opentelemetry/sdk-trace';
import type { IdGenerator } from '@opentelemetry/sdk-trace';

/** Returns the root span of an intent: its trace id is the UUID without dashes, so that any process can link to it. */
export function contextOfIntent(id: string): SpanContext {
  return contextOf(id.replaceAll('-', ''));
}

/** Returns the root span of a transaction: its trace id is the beginning of the hash of its first attempt. */
export function contextOfTransaction(hash: string): SpanContext {
  return contextOf(hash.slice(2));
}

function contextOf(digits: string): SpanContext {
  return {
    traceId: digits.slice(0, 32),
    spanId: digits.slice(-16),
    traceFlags: TraceFlags.SAMPLED,
    isRemote: true,
  };
}

/** Random ids, except for a span that is started within `withNext`. */
export interface TraceIds extends IdGenerator {
  withNext(context: SpanContext, start: () => Span): Span;
}

export function createTraceIds(): TraceIds {
  const random = new RandomIdGenerator();
  let next: SpanContext | null = null;
  return {
    generateTraceId: () => next?.traceId ?? random.generateTraceId(),
    generateSpanId: () => next?.spanId ?? random.generateSpanId(),
    withNext: (context, start) => {
      next = context;
      try {
        return start();
      } finally {
        next = null;
      }
    },
  };
}
