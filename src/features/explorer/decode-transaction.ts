import { decodeCall, decodeError, decodeEvent } from '../../chain/abi/decode.ts';
import { MAX_ITEMS } from '../../chain/abi/values.ts';
import type { Decoded, Field, Value } from '../../chain/abi/decode.ts';
import { EXECUTE } from '../../chain/abi/execution.ts';
import type { CallResult } from '../../chain/abi/execution.ts';
import { ERC721 } from '../../chain/abi/interfaces.ts';
import { EXECUTE_MINTS, decodeBatch } from '../../chain/abi/mint-list.ts';
import { decodeExecuted, intentId } from '../../chain/abi/operator.ts';
import type { Log } from '../../chain/abi/operator.ts';
import type { Hex } from '../../lib/hex.ts';
import type {
  ChainTransaction,
  ShownCall,
  ShownEvents,
  ShownExecution,
  ShownTransaction,
} from './shown-transaction.ts';

/** What calldata and logs say. */
type DecodedTransaction = Pick<ShownTransaction, 'executions' | 'calls' | 'events'>;

/** The same of ERC-20 and ERC-721. */
const TRANSFER = ERC721.getEvent('Transfer')!.topicHash;

/** Events shown of one call, and of what belongs to none; and of all calls together. */
const MAX_EVENTS = 25;
const MAX_EVENTS_OF_CALLS = 500;

/**
 * Decodes a transaction as if every contract in it were ours.
 * @param logs none before it is mined
 * @param operators those whose batches are shown as their calls
 */
export function decodeTransaction(
  transaction: Pick<ChainTransaction, 'to' | 'input'>,
  logs: readonly Log[],
  operators: readonly Hex[],
): DecodedTransaction {
  const { to, input } = transaction;
  const target = to?.toLowerCase() as Hex | undefined;
  if (!target) return { executions: { shown: [], count: 0 }, calls: [], events: decodeEvents(logs) };
  const selector = selectorOf(input);
  const isOperator = operators.includes(target);
  if (isOperator && selector === EXECUTE_MINTS.selector) return decodeMints(input, logs, target);
  const call = decodeCall(input);
  if (isOperator && call?.name === EXECUTE.name) return decodeExecutions(call, logs, target);
  const calls = unwrap({ target, selector, call });
  return { executions: { shown: [], count: 0 }, calls, events: decodeEvents(logs) };
}

function decodeExecutions(batch: Decoded, logs: readonly Log[], operator: Hex): DecodedTransaction {
  const [groups, rest] = groupByExecution(logs, operator);
  const { shown, count } = readExecutions(batch);
  let left = MAX_EVENTS_OF_CALLS;
  const executions = shown.map((execution, index) => {
    const outcome = outcomeOf(execution, groups[index], Math.min(left, MAX_EVENTS));
    left -= outcome?.events.shown.length ?? 0;
    return { ...execution, outcome };
  });
  return { executions: { shown: executions, count }, calls: [], events: decodeEvents(rest) };
}

/** Several mints: one event tells of all that succeeded. What each did begins with its transfer from nobody. */
function decodeMints(input: Hex, logs: readonly Log[], operator: Hex): DecodedTransaction {
  const { epoch = 0n, calls = [] } = decodeBatch(input) ?? {};
  const results = decodeExecuted(logs, { operator, epoch });
  const own = logs.filter(({ address }) => address.toLowerCase() !== operator);
  let from = 0;
  const starts = calls.map(({ target, number }) => {
    const at = results.get(number)?.ok
      ? own.findIndex((log, index) => index >= from && isMintOf(target, log))
      : -1;
    if (at >= 0) from = at + 1;
    return at;
  });
  const eventsOf = (index: number): Log[] => {
    const end = starts.find((start, other) => other > index && start >= 0);
    return starts[index]! < 0 ? [] : own.slice(starts[index], end);
  };
  let left = MAX_EVENTS_OF_CALLS;
  const shown = calls.slice(0, MAX_ITEMS).map(({ target, number, gasCap, data }, index) => {
    const outcome = toOutcome(results.get(number), decodeEvents(eventsOf(index), Math.min(left, MAX_EVENTS)));
    left -= outcome?.events.shown.length ?? 0;
    const call = { target, selector: selectorOf(data), call: decodeCall(data) };
    return { ...call, epoch, intent: number, gasCap: BigInt(gasCap), outcome };
  });
  const first = starts.find((start) => start >= 0);
  return { executions: { shown, count: calls.length }, calls: [], events: decodeEvents(own.slice(0, first)) };
}

/** Whether a log is the transfer from nobody with which a mint of this token begins. */
function isMintOf(token: Hex, { address, topics }: Log): boolean {
  return address.toLowerCase() === token && topics[0] === TRANSFER && BigInt(topics[1] ?? 1) === 0n;
}

function toOutcome(result: CallResult | undefined, events: ShownEvents): ShownExecution['outcome'] {
  if (!result) return null;
  const data = result.returnData;
  return { events, failure: result.ok ? null : { data, error: decodeError(data) } };
}

/** Decodes only calls and events of our contracts: with others the same function may mean something else. */
export function withoutForeign(
  { executions, calls, events }: DecodedTransaction,
  isOurs: (address: Hex) => boolean,
): DecodedTransaction {
  const onlyOurs = <Call extends ShownCall>(call: Call): Call =>
    isOurs(call.target) ? call : { ...call, call: null };
  const eventsOfOurs = ({ shown, count }: ShownEvents): ShownEvents => ({
    shown: shown.map((one) => (isOurs(one.address) ? one : { ...one, event: null })),
    count,
  });
  const shown = executions.shown.map((execution) => {
    const { outcome } = execution;
    return {
      ...onlyOurs(execution),
      outcome: outcome && { ...outcome, events: eventsOfOurs(outcome.events) },
    };
  });
  return {
    executions: { shown, count: executions.count },
    calls: calls.map(onlyOurs),
    events: eventsOfOurs(events),
  };
}

function selectorOf(data: Hex): Hex {
  return data.slice(0, 10) as Hex;
}

/** The value of a field. The ABI has it, or nothing would have been decoded. */
function valueOf(fields: readonly Field[], name: string): Value {
  return fields.find((field) => field.name === name)!.value;
}

function numberOf(fields: readonly Field[], name: string): bigint {
  return (valueOf(fields, name) as Value & { kind: 'number' }).value;
}

function hexOf(fields: readonly Field[], name: string): Hex {
  return (valueOf(fields, name) as Value & { kind: 'address' | 'bytes' }).value;
}

/** The calls of a batch, not yet with their outcomes. */
function readExecutions({ fields }: Decoded): { shown: Omit<ShownExecution, 'outcome'>[]; count: number } {
  const { items, count } = valueOf(fields, 'calls') as Value & { kind: 'list' };
  const epoch = numberOf(fields, 'ofEpoch');
  const shown = items.map((item) => {
    const one = (item as Value & { kind: 'fields' }).fields;
    const data = hexOf(one, 'data');
    return {
      target: hexOf(one, 'target'),
      selector: selectorOf(data),
      call: decodeCall(data),
      epoch,
      // Above its number is the client's key.
      intent: BigInt.asUintN(64, numberOf(one, 'number')),
      gasCap: numberOf(one, 'gasCap'),
    };
  });
  return { shown, count };
}

/** The call itself, and for `Operator.adminExecute` also the call inside it. */
function unwrap(outer: ShownCall): ShownCall[] {
  if (outer.call?.name !== 'adminExecute') return [outer];
  const target = hexOf(outer.call.fields, 'target');
  const data = hexOf(outer.call.fields, 'data');
  return [outer, { target, selector: selectorOf(data), call: decodeCall(data) }];
}

interface Group {
  logs: Log[];
  verdict: Decoded;
}

/** Groups logs by call: the Operator logs each call after the logs of the call itself, in order. */
function groupByExecution(logs: readonly Log[], operator: Hex): [Group[], Log[]] {
  const groups: Group[] = [];
  let open: Log[] = [];
  for (const log of logs) {
    const event = log.address.toLowerCase() === operator ? decodeEvent(log) : null;
    if (event?.name === 'CallExecuted' || event?.name === 'CallFailed') {
      groups.push({ logs: open, verdict: event });
      open = [];
    } else open.push(log);
  }
  return [groups, open];
}

function outcomeOf(
  { epoch, intent }: Pick<ShownExecution, 'epoch' | 'intent'>,
  group: Group | undefined,
  maxEvents: number,
): ShownExecution['outcome'] {
  if (!group || numberOf(group.verdict.fields, 'intent') !== intentId(epoch, intent)) return null;
  const events = decodeEvents(group.logs, maxEvents);
  if (group.verdict.name === 'CallExecuted') return { events, failure: null };
  const data = hexOf(group.verdict.fields, 'reason');
  return { events, failure: { data, error: decodeError(data) } };
}

function decodeEvents(logs: readonly Log[], most = MAX_EVENTS): ShownEvents {
  return {
    shown: logs.slice(0, most).map((log) => ({
      address: log.address.toLowerCase() as Hex,
      event: decodeEvent(log),
      topic: log.topics[0],
    })),
    count: logs.length,
  };
}

/** Every address that the page will name. */
export function addressesOf({ executions, calls, events }: DecodedTransaction): Hex[] {
  const found = new Set<Hex>();
  const visit = (value: Value): void => {
    if (value.kind === 'address') found.add(value.value);
    if (value.kind === 'list') value.items.forEach(visit);
    if (value.kind === 'fields') value.fields.forEach((field) => visit(field.value));
  };
  const visitEvents = ({ shown }: ShownEvents): void => {
    for (const { address, event } of shown) {
      found.add(address);
      event?.fields.forEach(({ value }) => visit(value));
    }
  };
  for (const { target, call } of [...executions.shown, ...calls]) {
    found.add(target);
    call?.fields.forEach(({ value }) => visit(value));
  }
  for (const { outcome } of executions.shown) if (outcome) visitEvents(outcome.events);
  visitEvents(events);
  return [...found];
}
