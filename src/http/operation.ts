import type { components, operations, security } from '../../generated/api.ts';
import type { Owner } from '../lib/owner.ts';
import type { Origin, WriteOptions } from '../lib/write-options.ts';

/** What the service answers; the contract's `webhooks` are answered by others. */
export type OperationId = keyof security;
export type Schemas = components['schemas'];

/** Who is asking, as far as any part of the service needs to know. */
export interface Principal extends Owner {
  email: string;
  plan: Schemas['Plan'];
  credentialId: string;
  /** Of the session that a token belongs to; null for all else. */
  sessionId: string | null;
  kind: 'session' | 'access_token' | 'sandbox_token' | 'api_key';
}

/** A new session, or the end of it in the browser. */
export type SessionCookie = { value: string; maxAgeSeconds: number } | 'clear';

type Parameters<Id extends OperationId> = operations[Id]['parameters'];
type OrNone<T> = [NonNullable<T>] extends [never] ? Record<never, never> : NonNullable<T>;
/** One that may be left out is an empty object then. */
type JsonBody<T> = T extends { requestBody?: infer Given }
  ? NonNullable<Given> extends { content: { 'application/json': infer Body } }
    ? Body
    : undefined
  : undefined;
type IsWrite<Id extends OperationId> = 'Idempotency-Key' extends keyof OrNone<Parameters<Id>['header']>
  ? true
  : false;

/** A request that has passed authentication and validation. */
export interface Request<Id extends OperationId> {
  path: OrNone<Parameters<Id>['path']>;
  /** Defaults of the contract are filled in, though the types call such a parameter optional. */
  query: OrNone<Parameters<Id>['query']>;
  body: JsonBody<operations[Id]>;
  /** Null exactly where the operation is public. */
  principal: [security[Id]] extends [never] ? null : Principal;
  /** Null exactly where the operation takes no `Idempotency-Key`. */
  write: IsWrite<Id> extends true ? WriteOptions : null;
  requestId: string;
  /** What the client's address is counted as where addresses are counted. */
  network: string;
  /** Who asks, and from where, as the audit log keeps it. */
  origin: Origin;
  /** Lets the account's next dear request begin before this one is answered: what is left of it only waits. */
  endTurn: () => void;
  /** SHA-256 of the session cookie that came along, whatever it is worth; null without one. */
  cookieHash: Buffer | null;
}

type Responses<Id extends OperationId> = operations[Id]['responses'];
type SuccessStatus<Id extends OperationId> = Extract<keyof Responses<Id>, 200 | 201 | 202 | 204>;
type Body<Response> = Response extends { content: infer Content } ? Content[keyof Content] : undefined;
type Declared<Headers> = { [Name in keyof Headers as string extends Name ? never : Name]: Headers[Name] };
type HeadersOf<Response> = Response extends { headers: infer Headers }
  ? Declared<Headers>
  : Record<never, never>;

type Allowed<Headers> = [keyof Headers] extends [never] ? Record<string, never> : Partial<Headers>;

type Answer<Status, Response> = {
  status: Status;
  headers?: Allowed<Omit<HeadersOf<Response>, 'Set-Cookie'>>;
} & (Body<Response> extends undefined ? { body?: undefined } : { body: Body<Response> }) &
  ('Set-Cookie' extends keyof HeadersOf<Response> ? { cookie: SessionCookie } : { cookie?: undefined });

/** What a handler may answer: a status, body and headers that the contract declares for the operation. */
export type Success<Id extends OperationId> = {
  [Status in SuccessStatus<Id>]: Answer<Status, Responses<Id>[Status]>;
}[SuccessStatus<Id>];

/** Carries out one operation. Everything but success is thrown, as an `AppError`. */
export type Handler<Id extends OperationId> = (request: Request<Id>) => Promise<Success<Id>>;

/** The one handler table: a missing or an extra operation does not compile. */
export type Handlers = { [Id in OperationId]: Handler<Id> };
