/**
 * What the parts of the service tell whoever watches them. They know neither Prometheus nor OpenTelemetry: context.ts
 * hands them an `Observe`, and one that nobody listens to costs a function call.
 */
export interface Observe {
  /** Runs `work`, which begins to answer an HTTP request; answers what to call when that has ended. */
  request(request: RequestEvent, work: () => void): (answer: ResponseEvent) => void;
  /** Runs `work` as a step of whatever runs now. */
  step<Result>(step: Step, work: () => Promise<Result>): Promise<Result>;
  /** An intent became durable. */
  accepted(intent: IntentEvent): void;
  /** Verdicts became durable. */
  settled(verdicts: readonly VerdictEvent[]): void;
  /** A transaction became durable, with so many calls. */
  sent(calls: number): void;
  /** Another attempt bids more for a transaction. */
  replaced(): void;
  /** A transaction reached its final verdict on the chain: it used so much gas for so many calls. */
  mined(gasUsed: number, calls: number): void;
  /** An endpoint, by its place in RPC_URL, did not answer a call, or answered it with an error. */
  rpcFailed(method: string, reason: 'unreachable' | 'refused', endpoint: number): void;
  /** What became of an attempt to deliver a message to a webhook is durable. */
  attempted(attempt: DeliveryEvent): void;
}

export interface RequestEvent {
  method: string;
  /** W3C Trace Context of the caller. */
  traceparent: string | undefined;
  tracestate: string | undefined;
}

export interface ResponseEvent {
  /** As openapi.yaml calls it, or `page` outside of it. */
  operation: string;
  /** As openapi.yaml spells it; undefined outside of it. */
  route: string | undefined;
  /** `aborted` when the caller went away before. */
  status: number | 'aborted';
  seconds: number;
}

export interface Step {
  name: string;
  kind?: 'client';
  /** Only worth telling as a part of another step. */
  partOnly?: boolean;
  /** Public ids (UUID) of intents that it is about. */
  intents?: readonly string[];
  /** The transaction that it belongs to: the hash of its first attempt, which stays its name whatever replaces it. */
  transaction?: string;
  /** It is the beginning of that transaction. */
  isBeginning?: boolean;
  /** No secrets, and nothing that users wrote. */
  details?: Readonly<Record<string, string | number>>;
}

export interface IntentEvent {
  /** UUID. */
  id: string;
  kind: string;
  createdAt: Date;
  transactionHash: string | null;
  error: { code: string } | null;
}

export interface VerdictEvent {
  intent: IntentEvent;
  outcome: 'confirmed' | 'final' | 'failed' | 'cancelled' | 'retracted';
}

export interface DeliveryEvent {
  outcome: 'delivered' | 'to_retry' | 'given_up';
  /** From the first look at the name to the end of the answer; null when nothing was to be sent. */
  seconds: number | null;
}

/** What tells stories, as against what counts. */
export type Tracer = Pick<Observe, 'request' | 'step' | 'accepted' | 'settled'>;
/** What counts. */
export type Counters = Omit<Observe, 'request' | 'step'> & { answered(answer: ResponseEvent): void };

/** Tells everything to whom it concerns. */
export const combineObservers = (count: Counters, tell: Tracer): Observe => ({
  ...count,
  step: tell.step,
  request: (request, work) => {
    const end = tell.request(request, work);
    return (answer) => {
      count.answered(answer);
      end(answer);
    };
  },
  accepted: (intent) => {
    count.accepted(intent);
    tell.accepted(intent);
  },
  settled: (verdicts) => {
    count.settled(verdicts);
    tell.settled(verdicts);
  },
});

/** Nobody listens to stories. */
export const noopTracer: Tracer = {
  request: (_request, work) => {
    work();
    return () => undefined;
  },
  step: (_step, work) => work(),
  accepted: () => undefined,
  settled: () => undefined,
};

/** Nobody watches at all. */
export const noopObserver: Observe = {
  ...noopTracer,
  sent: () => undefined,
  replaced: () => undefined,
  mined: () => undefined,
  rpcFailed: () => undefined,
  attempted: () => undefined,
};
