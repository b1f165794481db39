import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { ClientRequest } from 'node:http';
import fc from 'fast-check';
import { query } from '../../src/db/client.ts';
import type { Db } from '../../src/db/client.ts';
import { readContract } from '../../src/http/document.ts';
import { inParallel } from '../load/load.ts';
import { bearer, cookie, makeCredential } from '../stage/credentials.ts';
import { readDocumented } from '../stage/documented.ts';
import { STATUS_OF_ERROR } from '../stage/error-status.ts';
import { startTestService } from '../stage/service.ts';
import { RECIPIENT } from '../stage/tokens.ts';
import { createOwner } from '../stage/things.ts';
import { fuzzRequests } from './requests.ts';
import type { FuzzRequest, Kind } from './requests.ts';
import { createSender } from './send.ts';
import type { FuzzAnswer } from './send.ts';

export interface FuzzReport {
  requests: number;
  kinds: Partial<Record<Kind, number>>;
  statuses: Record<number, number>;
  /** Answers that are never allowed, in words, with the request. */
  faults: string[];
  /** Rows of the database that no accepted request explains. */
  unexplained: Record<string, number>;
  /** Intents that were accepted. */
  accepted: number;
  /** Requests of the service to any other machine, which a test must not make. */
  foreignConnections: number;
}

/** Operations that end the credential in use, or cost a password's hash: used often, they would hide all others. */
const RARE = new Set<string>(['signOut', 'logOut', 'changePassword', 'registerAccount', 'logIn', 'signIn']);
const BATCH = 1_000;

/** What the contract lets each operation answer. */
const STATUSES = new Map<string, string[]>(
  readDocumented().map(({ operationId, responses }) => [operationId, Object.keys(responses)]),
);

const show = ({ kind, operation, method, path, headers, body, raw }: FuzzRequest): string =>
  raw !== undefined
    ? `wire ${JSON.stringify(raw.slice(0, 200))}`
    : `${kind}, ${operation.id}: ${method} ${path.slice(0, 200)} ${JSON.stringify(headers).slice(0, 500)} ${body?.toString().slice(0, 500) ?? ''}`;

/** Whether an integer of the query is spelled in another way than with one to three digits. */
function hasOddInteger({ operation, path }: FuzzRequest): boolean {
  const query = new URLSearchParams(path.split('?').slice(1).join('?'));
  return operation.integerQueries.some((name) =>
    query.getAll(name).some((given) => !/^\d{1,3}$/.test(given)),
  );
}

/**
 * What is wrong with an answer; null when nothing is. The service itself checks each answer's schema, and answers 500.
 */
function checkAnswer(request: FuzzRequest, { status, headers, body }: FuzzAnswer): string | null {
  if (status === 0) return request.raw === undefined ? 'no answer' : null;
  // Of all operations only this one answers 503 by itself: where the machine is so busy that its probes end too late.
  if (status >= 500 && !(status === 503 && request.operation.id === 'getReady')) return `${status}`;
  const isOwnRoute = request.raw === undefined && request.kind !== 'hostile path';
  // What is not valid HTTP, as bytes beyond ASCII in a path, reaches no operation.
  const isHttp = /^[\x21-\x7e]*$/.test(request.path);
  if (isOwnRoute && isHttp && !STATUSES.get(request.operation.id)!.includes(String(status)))
    return `${status} is not in the contract`;
  if (isOwnRoute && status < 300 && hasOddInteger(request)) return `${status} in spite of its integers`;
  if (status < 400) return null;
  if (request.method === 'HEAD') return null;
  if (!String(headers['content-type']).startsWith('application/json'))
    return `an error as ${String(headers['content-type'])}`;
  try {
    const { code, message, ...rest } = JSON.parse(body) as { code: string; message: string };
    const isWhole = STATUS_OF_ERROR[code] === status && message.length > 0 && Object.keys(rest).length === 0;
    return isWhole
      ? /\bat \S+ \(|node_modules/.test(message)
        ? 'a stack trace'
        : null
      : 'an error of another shape';
  } catch {
    return 'an error that is not JSON';
  }
}

const COUNTS = `select (select count(*)::int from accounts) as accounts,
                       (select count(*)::int from credentials where kind = 'api_key') as keys`;
const counts = async (db: Db): Promise<Record<'accounts' | 'keys', number>> =>
  (await query<Record<'accounts' | 'keys', number>>(db, COUNTS))[0]!;

/**
 * Sends generated requests to a service of its own and checks each answer, and the database in the end.
 * @param seed the same one generates the same requests
 */
export async function fuzz(
  { count, seed, width = 8 }: { count: number; seed: number; width?: number },
  progress: (report: FuzzReport) => void = () => undefined,
): Promise<FuzzReport> {
  await using mintmark = await startTestService({
    REQUESTS_PER_MINUTE: '1000000000',
    ANONYMOUS_REQUESTS_PER_MINUTE: '1000000000',
    PAGES_PER_MINUTE: '1000000000',
    LOGIN_FAILURES_PER_ACCOUNT: '1000000000',
    LOGIN_FAILURES_PER_ADDRESS: '1000000000',
  });
  const { db } = mintmark.service.context;
  using sender = createSender(mintmark.url);
  const report: FuzzReport = {
    requests: 0,
    kinds: {},
    statuses: {},
    faults: [],
    unexplained: {},
    accepted: 0,
    foreignConnections: 0,
  };
  const countForeign = (message: unknown): void => {
    const { host } = (message as { request: ClientRequest }).request;
    if (!/^(127\.|\[?::1\]?$|localhost$)/.test(host)) report.foreignConnections += 1;
  };
  subscribe('http.client.request.created', countForeign);
  using watching = new DisposableStack();
  watching.defer(() => void unsubscribe('http.client.request.created', countForeign));
  const [one, other] = [await createOwner(mintmark), await createOwner(mintmark)];
  const secretOf = async (
    ...[accountId, kind, options]: [string, Parameters<typeof makeCredential>[2], object?]
  ) => (await makeCredential(db, accountId, kind, options)).secret;
  const { id } = one.account;
  const credentials = [
    bearer(await secretOf(id, 'access_token')),
    bearer(await secretOf(id, 'access_token')),
    bearer(await secretOf(id, 'api_key')),
    bearer(await secretOf(id, 'api_key', { environment: 'sandbox' })),
    cookie(await secretOf(id, 'session')),
    bearer(await secretOf(other.account.id, 'api_key')),
  ];
  const doomed = [
    cookie(await secretOf(other.account.id, 'session')),
    bearer(await secretOf(other.account.id, 'access_token')),
    {},
  ];
  const { operations } = readContract();
  const ingredients = {
    credentials,
    addresses: [
      one.live.token,
      one.live.collection,
      one.sandbox.collection,
      other.live.token,
      other.live.collection,
      RECIPIENT,
    ],
    ids: [one, other].flatMap(({ live, sandbox }) => [
      live.intent,
      sandbox.intent,
      live.webhook,
      sandbox.webhook,
    ]),
  };
  const requests = fc.oneof(
    {
      weight: 30,
      arbitrary: fuzzRequests({
        ...ingredients,
        operations: operations.filter((each) => !RARE.has(each.id)),
      }),
    },
    {
      weight: 1,
      arbitrary: fuzzRequests({
        ...ingredients,
        operations: operations.filter((each) => RARE.has(each.id)),
        credentials: doomed,
      }),
    },
  );

  const accepted = new Set((await query<{ id: string }>(db, 'select id from intents')).map((row) => row.id));
  const given = accepted.size;
  const before = await counts(db);
  const made = { accounts: 0, keys: 0 };

  const sendOne = async (request: FuzzRequest): Promise<void> => {
    const answer = await sender.send(request).catch((error: NodeJS.ErrnoException): FuzzAnswer => ({
      status: 0,
      headers: {},
      body: String(error.code ?? error),
    }));
    const { status, headers, body } = answer;
    report.kinds[request.kind] = (report.kinds[request.kind] ?? 0) + 1;
    report.statuses[status] = (report.statuses[status] ?? 0) + 1;
    const fault = checkAnswer(request, answer);
    if (fault) report.faults.push(`${fault} ${body.slice(0, 300)}\n    after ${show(request)}`);
    if (typeof headers['intent-id'] === 'string') accepted.add(headers['intent-id']);
    if (status === 201 && request.operation.id === 'registerAccount') made.accounts += 1;
    if (status === 201 && request.operation.id === 'createApiKey' && body.includes('"key":')) made.keys += 1;
    report.requests += 1;
    progress(report);
  };

  for (let done = 0; done < count; done += BATCH) {
    const batch = fc.sample(requests, { numRuns: Math.min(BATCH, count - done), seed: seed + done });
    await inParallel(batch.length, width, (index) => sendOne(batch[index]!));
  }

  const health = await fetch(`${mintmark.url}/health`);
  if (health.status !== 200) report.faults.push(`GET /health answers ${health.status} in the end`);
  const after = await counts(db);
  const intents = await query<{ id: string }>(db, 'select id from intents');
  report.accepted = accepted.size - given;
  report.unexplained = {
    intents: intents.filter((row) => !accepted.has(row.id)).length,
    accounts: after.accounts - before.accounts - made.accounts,
    keys: after.keys - before.keys - made.keys,
  };
  return report;
}
