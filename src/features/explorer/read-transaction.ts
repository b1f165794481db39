import { decodeCall, decodeError, decodeEvent } from '../../chain/abi/decode.ts';
import type { Decoded, Field, Value } from '../../chain/abi/decode.ts';
import type { Log } from '../../chain/abi/operator.ts';
import { RpcRefused } from '../../chain/rpc/rpc.ts';
import type { Rpc } from '../../chain/rpc/rpc.ts';
import type { System } from '../../chain/system/system-contracts.ts';
import type { Hex } from '../../lib/hex.ts';
import type { Db } from '../../db/client.ts';
import { findAttempt, findKnownTokens } from './store.ts';
import type { KnownToken, SentTransaction } from './store.ts';

interface ChainTransaction {
  hash: Hex;
  from: Hex;
  to: Hex | null;
  nonce: Hex;
  value: Hex;
  gas: Hex;
  input: Hex;
}

interface ChainReceipt {
  status: Hex;
  gasUsed: Hex;
  effectiveGasPrice: Hex;
  blockNumber: Hex;
  contractAddress: Hex | null;
  logs: Log[];
}

/** Something that a contract announced; not decoded when it is none of ours. */
export interface ShownEvent {
  address: Hex;
  event: Decoded | null;
  topic: Hex | undefined;
}

/** Events, as many as are shown, and how many there were. */
export interface ShownEvents {
  shown: ShownEvent[];
  count: number;
}

/** Why something reverted. */
export interface Revert {
  data: Hex;
  error: Decoded | null;
}

/** A call of one of our contracts; null where its function is none of theirs. */
export interface ShownCall {
  target: Hex;
  selector: Hex;
  call: Decoded | null;
}

/** One call of `Operator.execute`, with what became of it as far as it was mined. */
export interface ShownExecution extends ShownCall {
  intent: bigint;
  gasCap: bigint;
  outcome: { events: ShownEvents; failure: Revert | null } | null;
}

export interface ShownTransaction {
  transaction: ChainTransaction;
  mined: {
    succeeded: boolean;
    block: bigint;
    /** Blocks that say so, its own among them. */
    confirmations: bigint;
    /** Null when the node has lost the block in between. */
    at: Date | null;
    gasUsed: bigint;
    gasPrice: bigint;
    contractAddress: Hex | null;
    /** Of a reverted one; null when its replay gives no reason. */
    revert: Revert | null;
  } | null;
  /** The calls of `Operator.execute`, as many as are shown, and how many there are. */
  executions: { shown: ShownExecution[]; count: number };
  /** Any other call, and the one that `Operator.adminExecute` carries. */
  calls: ShownCall[];
  /** What belongs to no execution. */
  events: ShownEvents;
  tokens: ReadonlyMap<Hex, KnownToken>;
}

const MAX_EVENTS = 25;

interface Parts {
  rpc: Rpc;
  db: Db;
  system: System;
}

/**
 * Reads a transaction: three calls in one request to the node, then one more, and one more still to find out why a
 * transaction reverted. Returns what the database knows of a hash that the node does not know.
 * @throws RpcUnreachable, RpcRefused
 */
export async function readTransaction(
  parts: Parts,
  hash: Hex,
): Promise<{ found: ShownTransaction } | { sent: SentTransaction | undefined }> {
  const { rpc, db, system } = parts;
  const [transaction, receipt, head] = await Promise.all([
    rpc.call<ChainTransaction | null>('eth_getTransactionByHash', [hash]),
    rpc.call<ChainReceipt | null>('eth_getTransactionReceipt', [hash]),
    rpc.call<Hex>('eth_blockNumber', []),
  ]);
  if (!transaction) return { sent: await findAttempt(db, hash) };
  const to = transaction.to?.toLowerCase() as Hex | undefined;
  const call = decodeCall(transaction.input);
  const executes = to === system.operator && call?.name === 'execute';
  const [groups, rest] = executes
    ? groupByExecution(receipt?.logs ?? [], system.operator)
    : [[], receipt?.logs ?? []];
  const batch = executes ? readExecutions(call) : { shown: [], count: 0 };
  const executions = batch.shown.map((execution, index) => ({
    ...execution,
    outcome: outcomeOf(execution, groups[index]),
  }));
  const calls = executes || !to ? [] : unwrap({ target: to, selector: selectorOf(transaction.input), call });
  const events = decodeEvents(rest);

  const [block, revert, tokens] = await Promise.all([
    receipt && rpc.call<{ timestamp: Hex } | null>('eth_getBlockByNumber', [receipt.blockNumber, false]),
    receipt && BigInt(receipt.status) === 0n ? replay(rpc, transaction, BigInt(receipt.blockNumber)) : null,
    findKnownTokens(db, addressesOf(executions, calls, events)),
  ]);
  // Whoever calls a contract that is none of ours may mean something else by the same function.
  const ours = (address: Hex): boolean =>
    tokens.has(address) || system.contracts.some((contract) => contract.address === address);
  const onlyOurs = (shown: ShownCall): ShownCall => (ours(shown.target) ? shown : { ...shown, call: null });
  const eventsOfOurs = ({ shown, count }: ShownEvents): ShownEvents => ({
    shown: shown.map((one) => (ours(one.address) ? one : { ...one, event: null })),
    count,
  });
  return {
    found: {
      transaction,
      mined: receipt && {
        succeeded: BigInt(receipt.status) === 1n,
        block: BigInt(receipt.blockNumber),
        confirmations: BigInt(head) - BigInt(receipt.blockNumber) + 1n,
        at: block && new Date(Number(block.timestamp) * 1_000),
        gasUsed: BigInt(receipt.gasUsed),
        gasPrice: BigInt(receipt.effectiveGasPrice),
        contractAddress: receipt.contractAddress,
        revert,
      },
      executions: {
        shown: executions.map((execution) => ({
          ...execution,
          ...onlyOurs(execution),
          outcome: execution.outcome && {
            ...execution.outcome,
            events: eventsOfOurs(execution.outcome.events),
          },
        })),
        count: batch.count,
      },
      calls: calls.map(onlyOurs),
      events: eventsOfOurs(events),
      tokens,
    },
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
  const shown = items.map((item) => {
    const one = (item as Value & { kind: 'fields' }).fields;
    const data = hexOf(one, 'data');
    return {
      target: hexOf(one, 'target'),
      selector: selectorOf(data),
      call: decodeCall(data),
      intent: numberOf(one, 'intent'),
      gasCap: numberOf(one, 'gasCap'),
    };
  });
  return { shown, count };
}

/** A call as it is, and behind the admin's the one that it carries. */
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

/** The Operator announces each call after what the call itself announced, in order. */
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
  { intent }: Pick<ShownExecution, 'intent'>,
  group: Group | undefined,
): ShownExecution['outcome'] {
  if (!group || numberOf(group.verdict.fields, 'intent') !== intent) return null;
  const events = decodeEvents(group.logs);
  if (group.verdict.name === 'CallExecuted') return { events, failure: null };
  const data = hexOf(group.verdict.fields, 'reason');
  return { events, failure: { data, error: decodeError(data) } };
}

function decodeEvents(logs: readonly Log[]): ShownEvents {
  return {
    shown: logs.slice(0, MAX_EVENTS).map((log) => ({
      address: log.address.toLowerCase() as Hex,
      event: decodeEvent(log),
      topic: log.topics[0],
    })),
    count: logs.length,
  };
}

/** Runs a reverted transaction again on the block before its own, which tells its reason wherever it stood alone. */
async function replay(
  rpc: Rpc,
  { from, to, value, gas, input }: ChainTransaction,
  block: bigint,
): Promise<Revert | null> {
  try {
    const call = { from, ...(to ? { to } : {}), value, gas, data: input };
    await rpc.call('eth_call', [call, `0x${(block - 1n).toString(16)}`]);
    return null;
  } catch (error) {
    if (!(error instanceof RpcRefused)) throw error;
    const data = error.data as Hex | undefined;
    return data ? { data, error: decodeError(data) } : null;
  }
}

/** Every address that the page will name. */
function addressesOf(
  executions: readonly Pick<ShownExecution, 'target' | 'call' | 'outcome'>[],
  calls: readonly ShownCall[],
  events: ShownEvents,
): Hex[] {
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
  for (const { target, call } of [...executions, ...calls]) {
    found.add(target);
    call?.fields.forEach(({ value }) => visit(value));
  }
  for (const { outcome } of executions) if (outcome) visitEvents(outcome.events);
  visitEvents(events);
  return [...found];
}
