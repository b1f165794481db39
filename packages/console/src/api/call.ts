import type { paths } from '../../../../generated/api.ts';
import { KEYLESS } from '../../../client/src/keyless.ts';

export type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';
type OperationOf<P extends keyof paths, M extends Method> =
  paths[P] extends Record<M, infer Operation> ? Operation : never;
/** The paths of the contract that have this method. */
export type PathOf<M extends Method> = {
  [P in keyof paths]: OperationOf<P, M> extends { responses: unknown } ? P : never;
}[keyof paths];

type ParametersOf<O, Where extends 'path' | 'query'> = O extends {
  parameters: { [W in Where]?: infer Given };
}
  ? NonNullable<Given>
  : never;
type BodyOf<O> = O extends { requestBody?: { content: { 'application/json': infer Body } } } ? Body : never;
type Required<Key extends string, Value> = [Value] extends [never]
  ? { [K in Key]?: undefined }
  : Record<never, never> extends Value
    ? { [K in Key]?: Value }
    : { [K in Key]: Value };

/** The values of a request: parameters in the path and in the query, and the body, as the contract has them. */
export type Values<P extends keyof paths, M extends Method> = Required<
  'path',
  ParametersOf<OperationOf<P, M>, 'path'>
> &
  Required<'query', ParametersOf<OperationOf<P, M>, 'query'>> &
  Required<'body', BodyOf<OperationOf<P, M>>>;

type SuccessOf<O> = O extends { responses: infer Responses }
  ? Responses extends Record<string | number, unknown>
    ? ContentOf<Responses[Extract<keyof Responses, 200 | 201 | 202 | 204>]>
    : ContentOf<Responses[Extract<keyof Responses, 200 | 201 | 202 | 204>]>
  : never;
type ContentOf<Response> = Response extends { content: { 'application/json': infer Body } }
  ? Body
  : undefined;

/**
 * One request: what a form sends, and what `CopyAsCode` shows as curl, TypeScript and Python. Made by `describeCall`,
 * so that both are the same.
 */
export interface Call<Answer = unknown> {
  readonly method: Method;
  /** As the contract spells it: `/tokens/{address}/mint`. */
  readonly path: keyof paths;
  readonly pathValues: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, unknown>>;
  readonly body: unknown;
  /** Of the answer, for types alone. */
  readonly answer?: Answer;
}

/**
 * Describes a request, typed by the contract:
 * `describeCall('post', '/tokens/{address}/mint', { path: { address }, body: { owner, amount } })`.
 */
export function describeCall<M extends Method, P extends PathOf<M>>(
  method: M,
  path: P,
  ...[values]: Record<never, never> extends Values<P, M> ? [Values<P, M>?] : [Values<P, M>]
): Call<SuccessOf<OperationOf<P, M>>> {
  const given: { path?: object | undefined; query?: object | undefined; body?: unknown } = values ?? {};
  return {
    method,
    path,
    pathValues: { ...given.path },
    query: { ...given.query },
    body: given.body,
  };
}

/** Whether the contract takes an Idempotency-Key for this. */
export function takesKey({ method, path }: Pick<Call, 'method' | 'path'>): boolean {
  return method !== 'get' && !KEYLESS.has(`${method} ${path}`);
}
