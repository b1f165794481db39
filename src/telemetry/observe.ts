/**
 * The events that the parts of the service report. They know neither Prometheus nor OpenTelemetry: start/compose.ts
 * hands them an `Observe`. Without metrics or tracing an event costs a function call.
 */
export interface Observe {
  /** Runs `work`, which handles an HTTP request. Returns a function to call when the response has ended. */
  request(request: RequestEvent, work: () => void): (response: ResponseEvent) => void;
  /** Runs `work` as a step of the step or request that runs now. */
  step<Result>(step: Step, work: () => Promise<Result>): Promise<Result>;
  /** An intent became durable. */
  accepted(intent: IntentEvent): void;
  /** Verdicts became durable. */
  settled(verdicts: readonly VerdictEvent[]): void;
  /** A transaction with this number of calls became durable. */
  sent(calls: number): void;
  /** A transaction was replaced by an attempt with higher fees. */
  replaced(): void;
  /** The chain used a nonce of a signer for a transaction that is none of this service. */
  foreign(): void;
  /** Nonces that this service never used, and that the chain waited for, went to no-ops. */
  gapFilled(nonces: number): void;
  /** A transaction became final; its gas as it was simulated, and the number of its calls. */
  finished(gasUsed: number, calls: number): void;
  /** An endpoint did not answer a call, or answered with an error. `endpoint` is its place in RPC_URL, from 1. */
  rpcFailed(method: string, reason: 'unreachable' | 'refused', endpoint: number): void;
  /** The outcome of an attempt to deliver a message to a webhook became durable. */
  attempted(attempt: DeliveryEvent): void;
}

export interface RequestEvent {
  method: string;
  /** W3C Trace Context of the caller. */
  traceparent: string | undefined;
  tracestate: string | undefined;
}

export interface ResponseEvent {
  /** The operationId of openapi.yaml; `page` outside of it. */
  operation: string;
  /** The path of openapi.yaml; undefined outside of it. */
  route: string | undefined;
  /** `aborted` when the caller closed the connection first. */
  status: number | 'aborted';
  /** The contract refused what was asked for: whatever the status, the service did not fail. */
  isRevert: boolean;
  seconds: number;
}

export interface Step {
  name: string;
  kind?: 'client';
  /** Traced only within another step or a request. */
  partOnly?: boolean;
  /** Ids (UUID) of the intents concerned. */
  intents?: readonly string[];
  /** The transaction it belongs to, by the hash of its first attempt, which stays the same when it is replaced. */
  transaction?: string;
  /** Whether it is the first step of that transaction. */
  isBeginning?: boolean;
  /** Never secrets, never text of users. */
  details?: Readonly<Record<string, string | number>>;
}

export interface IntentEvent {
  /** UUID. */
  id: string;
  /** UUID of its account. */
  accountId: string;
  kind: string;
  createdAt: Date;
  transactionHash: string | null;
  error: { code: string; message: string } | null;
}

export interface VerdictEvent {
  intent: IntentEvent;
  outcome: 'confirmed' | 'final' | 'failed' | 'cancelled' | 'retracted' | 'reopened';
}

export interface DeliveryEvent {
  outcome: 'delivered' | 'to_retry' | 'given_up';
  /** From the DNS lookup to the end of the response; null when nothing was sent. */
  seconds: number | null;
}

/** Traces events. */
export type Tracer = Pick<Observe, 'request' | 'step' | 'accepted' | 'settled'>;
/** Counts events; `answered` counts a response. */
export type Counters = Omit<Observe, 'request' | 'step'> & { answered(response: ResponseEvent): void };

/** Returns an observer that counts and traces. */
export function combineObservers(counters: Counters, tracer: Tracer): Observe {
  return {
    ...counters,
    step: tracer.step,
    request: (request, work) => {
      const end = tracer.request(request, work);
      return (response) => {
        counters.answered(response);
        end(response);
      };
    },
    accepted: (intent) => {
      counters.accepted(intent);
      tracer.accepted(intent);
    },
    settled: (verdicts) => {
      counters.settled(verdicts);
      tracer.settled(verdicts);
    },
  };
}

/** Traces nothing. */
export const noopTracer: Tracer = {
  request: (_request, work) => {
    work();
    return () => undefined;
  },
  step: (_step, work) => work(),
  accepted: () => undefined,
  settled: () => undefined,
};

/** Neither counts nor traces. */
export const noopObserver: Observe = {
  ...noopTracer,
  sent: () => undefined,
  replaced: () => undefined,
  foreign: () => undefined,
  gapFilled: () => undefined,
  finished: () => undefined,
  rpcFailed: () => undefined,
  attempted: () => undefined,
};
