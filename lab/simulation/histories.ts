import { Wallet, keccak256 } from 'ethers';
import { classifySubmission } from '../../src/chain/rpc/classify.ts';
import { embeddedAccounts } from '../../src/embedded/accounts.ts';
import type { Hex } from '../../src/lib/hex.ts';
import { createRandom } from '../random.ts';
import type { Random } from '../random.ts';
import { CHAIN_ID } from './admin.ts';
import { ChainModel } from './chain.ts';
import { BLOCK_GAS_LIMIT, openEvm } from './evm.ts';
import { askAt } from './node.ts';
import { Scheduler } from './scheduler.ts';
import { createTrace } from './trace.ts';

/** A real node that makes a block when it is told to, and can go back to a snapshot. */
interface RealNode {
  call<Result>(method: string, params?: unknown[]): Promise<Result>;
}

/** What the model and a node say differently. */
export interface Difference {
  seed: number;
  step: string;
  what: string;
  model: unknown;
  node: unknown;
}

/*
 * In what anvil differs from geth, which the model follows, and what is done so that a history can go on:
 * - geth asks for a tenth more of both fees, anvil for any more: what the model refuses is taken out of its pool.
 * - geth keeps a bid that is too low for the next block, anvil refuses it, and drops it when a block is made: its base
 *   fee is lowered while it takes transactions, and its pool is made anew.
 * - anvil goes on telling of what was replaced while it waits for an earlier nonce: its pool is made anew.
 * - geth takes back into its pool what a reorg removes, evm_revert does not: it is sent again.
 */

const GWEI = 10n ** 9n;
const ACCOUNTS = embeddedAccounts.slice(0, 3);
const SENDERS = ACCOUNTS.map(({ privateKey }) => new Wallet(privateKey));
/** Code of a contract that emits a log without topics whenever it is called. */
const EMITTER = '0x6560006000a0006000526006601af3';
const NONCES = [0, 0, 0, 0, 0, 1, 2, -1];
/** Percent of the bid that a replacement makes. */
const BUMPS = [100n, 105n, 110n, 113n, 200n];
const FACTORS = [2, 3, 10];
const GAS = 100_000;
/**
 * Wei. Histories follow each other on one chain: a base fee that rose on and on would meet geth's cap of a
 * transaction's fee, which anvil lacks.
 */
const JUMPS_BELOW = 10n * GWEI;
const MAX_DEPTH = 4;
/** How many of the newest transactions are asked for after each step. */
const LOOKED_AT = 4;
const hex = (value: bigint | number): string => `0x${value.toString(16)}`;

interface Sent {
  raw: Hex;
  hash: Hex;
  sender: number;
  nonce: number;
  maxFee: bigint;
  tip: bigint;
}

type Ask = <Result>(method: string, params: unknown[]) => Promise<Result>;

/** The model and a node side by side, over many histories. */
export interface Pair {
  chain: ChainModel;
  ask: { model: Ask; node: Ask };
  /** A contract that emits a log. */
  emitter: Hex;
  mine(): Promise<void>;
  reorganize(depth: number): Promise<void>;
  submitToNode(raw: Hex): Promise<string>;
  /** Lets the node's pool be the model's. */
  equalize(): Promise<void>;
  /** Empties both pools. */
  settle(): Promise<void>;
}

export async function openPair(node: RealNode): Promise<Pair> {
  const scheduler = new Scheduler();
  const genesis = Number(
    (await node.call<{ timestamp: string }>('eth_getBlockByNumber', ['0x0', false])).timestamp,
  );
  const rich = ACCOUNTS.map(({ address }) => address as Hex);
  const chain = new ChainModel(
    await openEvm(CHAIN_ID, { seconds: genesis, rich }),
    scheduler,
    createTrace(scheduler),
  );
  await chain.start();
  let now = genesis;
  const snapshots = [await node.call<string>('evm_snapshot')];

  const mineNode = async (timestamp: number, baseFee: string): Promise<void> => {
    await node.call('anvil_setNextBlockBaseFeePerGas', [baseFee]);
    await node.call('evm_setNextBlockTimestamp', [timestamp]);
    await node.call('evm_mine', []);
    snapshots.push(await node.call<string>('evm_snapshot'));
  };
  const fill = async (waiting: readonly Hex[]): Promise<void> => {
    await node.call('anvil_setNextBlockBaseFeePerGas', ['0x1']);
    await node.call('anvil_dropAllTransactions', []);
    for (const raw of waiting) await node.call('eth_sendRawTransaction', [raw]).catch(() => undefined);
  };
  const mine = async (): Promise<void> => {
    now += 2;
    await chain.mine(now);
    const { timestamp, baseFee } = chain.record.at(-1)!;
    await mineNode(timestamp, baseFee);
  };
  const reorganize = async (depth: number): Promise<void> => {
    const taken = Math.min(depth, chain.record.length);
    const removed = chain.record.slice(chain.record.length - taken).flatMap(({ raw }) => raw);
    const waiting = [...removed, ...chain.waiting];
    // Blocks of another second than those before.
    now += 2;
    await chain.reorganize(taken, { until: now });
    snapshots.length -= taken;
    await node.call('evm_revert', [snapshots.pop()]);
    snapshots.push(await node.call<string>('evm_snapshot'));
    for (const { timestamp, baseFee } of chain.record.slice(-taken - 1)) {
      await fill(waiting);
      await mineNode(timestamp, baseFee);
    }
    now = chain.record.at(-1)!.timestamp;
  };
  const ask = {
    model: <Result>(method: string, params: unknown[]) =>
      askAt(chain, null, method, params) as Promise<Result>,
    node: <Result>(method: string, params: unknown[]) => node.call<Result>(method, params),
  };
  const submitToNode = async (raw: Hex): Promise<string> => {
    await node.call('anvil_setNextBlockBaseFeePerGas', ['0x1']);
    return submit(ask.node, raw);
  };
  const equalize = (): Promise<void> => fill(chain.waiting);
  const settle = async (): Promise<void> => {
    chain.forgetPool();
    await node.call('anvil_dropAllTransactions', []);
    await mine();
  };
  const emitter = await deployEmitter(ask, mine);
  return { chain, ask, mine, reorganize, submitToNode, equalize, settle, emitter };
}

async function deployEmitter(ask: { model: Ask; node: Ask }, mine: () => Promise<void>): Promise<Hex> {
  const fees = { maxFeePerGas: 10n * GWEI, maxPriorityFeePerGas: GWEI };
  const sent = { data: EMITTER, nonce: 0, chainId: CHAIN_ID, gasLimit: GAS, ...fees, type: 2 };
  const raw = await SENDERS[0]!.signTransaction(sent);
  const hashes = await Promise.all([
    ask.model<Hex>('eth_sendRawTransaction', [raw]),
    ask.node('eth_sendRawTransaction', [raw]),
  ]);
  // Deeper than any reorg: whether a call of the same block came before it is what both may choose.
  for (let block = 0; block <= MAX_DEPTH; block += 1) await mine();
  const receipt = await ask.model<{ contractAddress: Hex }>('eth_getTransactionReceipt', [hashes[0]]);
  return receipt.contractAddress;
}

/** Gives a random history to both, and compares what they answer after each step. */
export async function compareHistory(pair: Pair, seed: number, steps: number): Promise<Difference[]> {
  const random = createRandom(`history ${seed}`);
  const sent: Sent[] = [];
  const found: Difference[] = [];
  for (let count = 0; count < steps; count += 1) {
    const { step, answers } = await runStep(pair, random, sent);
    await pair.equalize();
    for (const [what, [model, node]] of Object.entries({ ...answers, ...(await look(pair, sent)) })) {
      if (JSON.stringify(model) !== JSON.stringify(node)) found.push({ seed, step, what, model, node });
    }
    // What follows from a difference is none of its own.
    if (found.length > 0) break;
  }
  return found;
}

type Answers = Record<string, readonly [unknown, unknown]>;

async function runStep(
  pair: Pair,
  random: Random,
  sent: Sent[],
): Promise<{ step: string; answers: Answers }> {
  const kind = random.fraction();
  if (kind < 0.6) {
    const next = await drawTransaction(pair, random, sent);
    const said = [await submit(pair.ask.model, next.raw), await pair.submitToNode(next.raw)] as const;
    const { sender, nonce, maxFee, tip } = next;
    const isAccepted = said[0] === 'underpriced' && said[1] === 'taken';
    const answers: Answers = isAccepted ? {} : { submission: said };
    return { step: `send ${sender} ${nonce} ${maxFee} ${tip}`, answers };
  }
  if (kind < 0.88) {
    await pair.mine();
    return { step: 'mine', answers: {} };
  }
  if (kind < 0.95) {
    const depth = random.whole(1, MAX_DEPTH);
    await pair.reorganize(depth);
    return { step: `reorg of ${depth}`, answers: {} };
  }
  const factor = random.pick(FACTORS);
  if (pair.chain.baseFee < JUMPS_BELOW) pair.chain.jumpBaseFee(factor);
  return { step: `base fee x ${factor}`, answers: {} };
}

/** Whether it was taken, or why not. */
const submit = (ask: Ask, raw: Hex): Promise<string> =>
  ask('eth_sendRawTransaction', [raw]).then(
    () => 'taken',
    (error: Error) => classifySubmission(error.message),
  );

async function drawTransaction({ ask, chain, emitter }: Pair, random: Random, sent: Sent[]): Promise<Sent> {
  const before = random.chance(0.25) ? sent.at(-random.whole(1, 3)) : undefined;
  if (before && random.chance(0.2)) return before;
  const sender = before?.sender ?? random.whole(0, SENDERS.length - 1);
  const next = Number(
    await ask.model<Hex>('eth_getTransactionCount', [ACCOUNTS[sender]!.address, 'pending']),
  );
  const nonce = before?.nonce ?? Math.max(0, next + random.pick(NONCES));
  const bump = random.pick(BUMPS);
  const percent = BigInt(random.pick([60, 100, 200, 400]));
  const maxFee = before ? (before.maxFee * bump) / 100n : (chain.baseFee * percent) / 100n + GWEI;
  const tip = before ? (before.tip * bump) / 100n : GWEI;
  const asked = { to: emitter, nonce, chainId: CHAIN_ID, gasLimit: GAS, type: 2 };
  const raw = await SENDERS[sender]!.signTransaction({
    ...asked,
    maxFeePerGas: maxFee,
    maxPriorityFeePerGas: tip,
  });
  const drawn = { raw: raw as Hex, hash: keccak256(raw) as Hex, sender, nonce, maxFee, tip };
  sent.push(drawn);
  return drawn;
}

interface Block {
  number: string;
  baseFeePerGas: string;
  gasUsed: string;
  gasLimit: string;
  transactions: string[];
}

interface Mined {
  status?: string;
  blockNumber: string | null;
  gasUsed?: string;
  effectiveGasPrice?: string;
}

/** Everything that is asked of both, without what they may choose: hashes of blocks, order in a block. */
async function look({ ask }: Pair, sent: readonly Sent[]): Promise<Answers> {
  const views = await Promise.all([lookAt(ask.model, sent), lookAt(ask.node, sent)]);
  return Object.fromEntries(
    Object.keys(views[0]).map((what) => [what, [views[0][what], views[1][what]] as const]),
  );
}

async function lookAt(ask: Ask, sent: readonly Sent[]): Promise<Record<string, unknown>> {
  const view: Record<string, unknown> = {};
  const head = Number(await ask<string>('eth_blockNumber', []));
  const block = await ask<Block>('eth_getBlockByNumber', ['latest', false]);
  const { number, baseFeePerGas, gasUsed, transactions } = block;
  view['block'] = { head, number, baseFeePerGas, gasUsed, transactions: transactions.toSorted() };
  for (const { address } of ACCOUNTS) {
    for (const at of ['latest', 'pending'])
      view[`${at} count`] = [view[`${at} count`], await ask('eth_getTransactionCount', [address, at])];
  }
  for (const { hash } of sent.slice(-LOOKED_AT)) {
    const receipt = await ask<Mined | null>('eth_getTransactionReceipt', [hash]);
    const known = await ask<Mined | null>('eth_getTransactionByHash', [hash]);
    view[`receipt ${hash}`] = receipt && [
      receipt.status,
      receipt.blockNumber,
      receipt.gasUsed,
      receipt.effectiveGasPrice,
    ];
    view[`transaction ${hash}`] = known && { blockNumber: known.blockNumber };
  }
  const range = { fromBlock: hex(Math.max(0, head - MAX_DEPTH)), toBlock: 'latest' };
  const logs = await ask<{ blockNumber: string; transactionHash: string }[]>('eth_getLogs', [range]);
  view['logs'] = logs.map(({ blockNumber, transactionHash }) => `${blockNumber} ${transactionHash}`).sort();
  return view;
}

/** What a node needs so that its blocks hold as much. */
export const GAS_LIMIT = Number(BLOCK_GAS_LIMIT);
