import type { ParamsOption, RequestBodyOption } from 'openapi-fetch';
import type { components, paths } from './api.ts';

/** Every schema of the contract by its name: `Schemas['Token']`. */
export type Schemas = components['schemas'];

export type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';

/** The paths that have a method. */
export type PathsWith<M extends Method> = {
  [Path in keyof paths]: paths[Path] extends Record<M, object> ? Path : never;
}[keyof paths];

/** Body of an answer; undefined when it has none. */
type BodyOf<Answer> = Answer extends { content: Record<string, infer Body> } ? Body : undefined;

type AnswerOf<Operation, Status> = Operation extends { responses: infer Responses }
  ? { [S in keyof Responses & Status]: BodyOf<Responses[S]> }[keyof Responses & Status]
  : never;

/** What an operation answers; with `wait: false` also that it is accepted. */
export type Data<Operation, Wait extends boolean> = AnswerOf<
  Operation,
  false extends Wait ? 200 | 201 | 202 | 204 : 200 | 201 | 204
>;

export interface CallOptions<Wait extends boolean = boolean> {
  /**
   * Under this key a write is done once, however often it is asked for: 1 to 255 printable ASCII characters, such as
   * the number of an order. Without one each call has a key of its own, which all its retries share.
   */
  idempotencyKey?: string | undefined;
  /**
   * Whether a write to the chain is followed until it is confirmed; true by default. With false the call returns as
   * soon as the service has stored it, mostly with `{ intent }`.
   */
  wait?: Wait | undefined;
  /** Milliseconds for the call with all its retries and waiting, instead of the client's. */
  timeoutMs?: number | undefined;
  /** Ends the call, which then rejects with the signal's reason. What the service has accepted goes on. */
  signal?: AbortSignal | undefined;
}

/** Parameters and body of an operation, as the contract has them, and how to carry it out. */
export type Init<Operation, Wait extends boolean = boolean> = ParamsOption<Operation> &
  RequestBodyOption<Operation> &
  CallOptions<Wait>;

type IsOptional<Value> = Record<never, never> extends Value ? true : false;

/** The second argument may be left out when nothing in it is required. */
export type Arguments<Operation, Wait extends boolean> =
  IsOptional<Init<Operation, Wait>> extends true
    ? [init?: Init<Operation, Wait>]
    : [init: Init<Operation, Wait>];

/** Every write to the chain may answer 202, and names its intent whatever it answers. */
type IntentIdOf<Operation> = Operation extends { responses: { 202: unknown } } ? string : string | null;

export interface Result<Body, IntentId extends string | null = string | null> {
  /** Body of the answer, typed by the contract. */
  data: Body;
  /** Names the write, for `waitForIntent`; null for what does not go to the chain. */
  intentId: IntentId;
  /** The answer itself, for its headers: `Transaction-Hash`, `RateLimit`, `X-Request-Id`. Its body is read already. */
  response: Response;
}

/** One method of all paths that have it. @throws MintmarkError unless the answer is a success */
export type Caller<M extends Method> = <Path extends PathsWith<M>, Wait extends boolean = true>(
  path: Path,
  ...init: Arguments<paths[Path][M], Wait>
) => Promise<Result<Data<paths[Path][M], Wait>, IntentIdOf<paths[Path][M]>>>;

interface Page {
  data: readonly unknown[];
  nextCursor: string | null;
}

/** The paths that answer in pages. */
export type PagedPath = {
  [Path in PathsWith<'get'>]: Data<paths[Path]['get'], true> extends Page ? Path : never;
}[PathsWith<'get'>];

/** An entry of a list. */
export type EntryOf<Path extends PagedPath> = Extract<Data<paths[Path]['get'], true>, Page>['data'][number];
