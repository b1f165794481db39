import { classifyRefusal, isOfBatch } from './classify.ts';
import { RpcRefused, RpcUnreachable } from './errors.ts';

export interface Call {
  method: string;
  params: readonly unknown[];
  /** Nobody waits for the answer any longer; of the monotonic clock, in milliseconds. */
  deadline: number;
}

/** The call has no answer because of the others in its batch: it may have one with fewer of them, or alone. */
export class BatchRefused extends Error {
  override readonly name = 'BatchRefused';
}

/** What came back for one HTTP request. */
export interface Reply {
  status: number;
  text: string;
}

/** An object of JSON-RPC 2.0, which has a result or an error. What is in it may be anything. */
interface Answer {
  id?: unknown;
  result?: unknown;
  error?: unknown;
}

/** HTTP statuses of a request that asks for too much at once; 501 and 400: that is no single call. */
const BATCH_STATUS = new Set([400, 413, 422, 429, 501]);
/** Whoever is not let in with a batch is not let in with a call. */
const CLOSED_STATUS = new Set([401, 402, 403, 404, 407]);

/** The body of a request for one call, or for several. Ids are the places of the calls. */
export function encodeCalls(calls: readonly Call[]): string {
  const requests = calls.map(({ method, params }, id) => ({ jsonrpc: '2.0', id, method, params }));
  return JSON.stringify(requests.length === 1 ? requests[0] : requests);
}

/**
 * Returns the result or the error of each call, matched by id alone. In a batch that was not answered in full, results
 * are believed and errors are not, since one of them may be that of the whole batch under the id of a call (geth does
 * that).
 * @throws Error when the reply is none to any of the calls
 */
export function decodeReply(calls: readonly Call[], reply: Reply, hide: (text: string) => string): unknown[] {
  const body = parse(reply.text);
  const answers = (Array.isArray(body) ? body : [body]).filter(isAnswer);
  const refuse: Refuse = (call, error) => toRefusal(call, error, { status: reply.status, hide });
  if (calls.length > 1 && Array.isArray(body)) return matchBatch(calls, answers, refuse);
  const [answer] = answers;
  if (calls.length > 1 && answer?.error && CLOSED_STATUS.has(reply.status)) {
    return calls.map((call) => refuse(call, answer.error));
  }
  if (calls.length > 1 && (answer?.error || BATCH_STATUS.has(reply.status))) {
    return calls.map(() => new BatchRefused());
  }
  if (!answer || calls.length > 1) {
    throw new Error(reply.status === 200 ? 'no answer of JSON-RPC' : `HTTP ${reply.status}`);
  }
  return [matchSingle(calls[0]!, answers, refuse)];
}

type Refuse = (call: Call, error: unknown) => RpcRefused;

function matchSingle(call: Call, answers: readonly Answer[], refuse: Refuse): unknown {
  const { id = null, result, error } = answers[0]!;
  // An error without an id is that of the only call: the server could not read as far as its id.
  const isItsOwn = answers.length === 1 && (id === 0 || (id === null && error));
  if (isItsOwn && error) return refuse(call, error);
  if (isItsOwn && result !== undefined) return result;
  return new RpcUnreachable(`${call.method}: the endpoint did not answer the call`);
}

function matchBatch(calls: readonly Call[], answers: readonly Answer[], refuse: Refuse): unknown[] {
  const byId = Map.groupBy(answers, ({ id }) => id);
  const matched = calls.map((_, id) => {
    const [answer, ...more] = byId.get(id) ?? [];
    return answer && more.length === 0 && (answer.error || answer.result !== undefined) ? answer : null;
  });
  const isComplete = !matched.includes(null);
  return matched.map((answer, id) => {
    if (answer && !answer.error) return answer.result;
    if (!answer || !isComplete) return new BatchRefused();
    const refusal = refuse(calls[id]!, answer.error);
    return isOfBatch(refusal.kind, refusal.message) ? new BatchRefused() : refusal;
  });
}

function toRefusal(
  { method }: Call,
  error: unknown,
  { status, hide }: { status: number; hide: (text: string) => string },
): RpcRefused {
  const { code, message, data } = typeof error === 'object' ? (error as Record<string, unknown>) : {};
  const words = [message, error].find((part) => typeof part === 'string');
  const text = hide(words ?? 'an error without a message');
  const number = typeof code === 'number' ? code : undefined;
  const kind = classifyRefusal(method, { message: text, code: number }, status);
  return new RpcRefused(kind, text, number, revertData(data));
}

/** geth and anvil give revert data as a string, Hardhat inside an object, Nethermind after a word. */
function revertData(data: unknown): string | undefined {
  if (typeof data === 'object' && data !== null && 'data' in data) return revertData(data.data);
  return typeof data === 'string' ? /^(?:Reverted )?(0x[0-9a-f]*)$/i.exec(data)?.[1] : undefined;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const isAnswer = (value: unknown): value is Answer =>
  typeof value === 'object' && value !== null && ('result' in value || 'error' in value);
