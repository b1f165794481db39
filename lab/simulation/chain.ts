import { Transaction } from 'ethers';
import type { Hex } from '../../src/lib/hex.ts';
import type { BlockSpan } from '../judge/history.ts';
import { BLOCK_GAS_LIMIT, RpcRefusal } from './evm.ts';
import type { Evm } from './evm.ts';
import type { Scheduler } from './scheduler.ts';
import type { Trace } from './trace.ts';

/** As nodes show it; the fields that are read here. */
interface Header {
  number: Hex;
  hash: Hex;
  baseFeePerGas: Hex;
  gasUsed: Hex;
  timestamp: Hex;
}

interface Block {
  number: number;
  hash: Hex;
  /** Takes the machine back to the end of this block. */
  snapshot: string;
  transactions: readonly Pooled[];
}

interface Pooled {
  hash: Hex;
  raw: Hex;
  sender: Hex;
  nonce: number;
  gas: bigint;
  maxFee: bigint;
  tip: bigint;
}

/** What a block is made from. */
export interface BlockRecipe {
  /** Seconds since 1970. */
  timestamp: number;
  baseFee: Hex;
  gasLimit: Hex;
  raw: readonly Hex[];
}

/** Geth's `--txpool.pricebump`. */
const PRICE_BUMP_PERCENT = 10n;
/** Its `--rpc.txfeecap`. */
const FEE_CAP = 10n ** 18n;
const MIN_BASE_FEE = 10n ** 7n;
/** Blocks that can be taken back. */
const KEPT_BLOCKS = 40;
const hex = (value: number | bigint): Hex => `0x${value.toString(16)}`;

/**
 * The chain: which blocks come when, with what of the pool, and which are taken back. What a block does is up to the
 * machine, which runs the real contracts. Pool and fees follow geth: a nonce is replaced for a tenth more, the base fee
 * follows the gas of the block before, and a transaction below it waits.
 */
export class ChainModel {
  readonly #evm: Evm;
  readonly #scheduler: Scheduler;
  readonly #trace: Trace;
  readonly #pool = new Map<Hex, Pooled>();
  /** All endpoints get a transaction, and get it again: its sender is computed once. */
  readonly #parsed = new Map<Hex, Pooled>();
  #blocks: Block[] = [];
  #baseFee = 10n ** 9n;
  /** Of each canonical block but the first one, in order: what makes the same chain again. */
  readonly record: BlockRecipe[] = [];
  #floor = MIN_BASE_FEE;
  /** Fees do not fall below it now; wei. */
  #leastBaseFee = this.#floor;
  #blockGas = BLOCK_GAS_LIMIT;
  /** No block comes. */
  isHalted = false;
  /** Whether the pool takes a transaction and then forgets it. */
  loses: () => boolean = () => false;
  /** Whose transactions the pool never forgets. */
  readonly steady = new Set<Hex>();
  /** Told of each transaction that the pool has taken. */
  onSubmit: () => void = () => undefined;
  /** By sender and nonce, the first that was sent there of those that were replaced: other nodes may have it still. */
  readonly #outbid = new Map<string, Pooled>();
  /** What a reorg took back, and this node's pool does not have again before so many blocks were made. */
  #late: { transaction: Pooled; blocks: number }[] = [];
  /** Every block that was made since the start, and while it counted. */
  readonly timeline: BlockSpan[] = [];

  constructor(evm: Evm, scheduler: Scheduler, trace: Trace) {
    [this.#evm, this.#scheduler, this.#trace] = [evm, scheduler, trace];
  }

  get head(): number {
    return this.#blocks.at(-1)?.number ?? 0;
  }

  /** Of the next block; wei. */
  get baseFee(): bigint {
    return this.#baseFee;
  }

  /** How many nonces have been bid for again. */
  get countOutbid(): number {
    return this.#outbid.size;
  }

  get poolSize(): number {
    return this.#pool.size;
  }

  /** @param blocks that there are already */
  async start(blocks: readonly BlockRecipe[] = []): Promise<void> {
    for (const recipe of blocks) await this.#make(recipe);
    this.record.push(...blocks);
    const header = await this.request<Header>('eth_getBlockByNumber', ['latest', false]);
    this.#baseFee = this.#feeAfter(header);
    this.#blocks = [await this.#keep(header, [])];
  }

  /** Asks the machine itself, about the fork that counts. @throws RpcRefusal */
  request<Result>(method: string, params: readonly unknown[] = []): Promise<Result> {
    return this.#scheduler.outside(() => this.#evm.request<Result>(method, params));
  }

  /**
   * Makes a block of what the pool has for it. @param asked its time, seconds since 1970; the clock's by default, and
   * never less than that of the block before
   */
  async mine(asked = Math.floor(this.#scheduler.wallClock / 1_000)): Promise<void> {
    const timestamp = Math.max(asked, this.record.at(-1)?.timestamp ?? 0);
    this.#returnLate();
    const chosen = await this.#choose();
    const recipe = {
      timestamp,
      baseFee: hex(this.#baseFee),
      gasLimit: hex(this.#blockGas),
      raw: chosen.map(({ raw }) => raw),
    };
    await this.#make(recipe);
    this.record.push(recipe);
    const header = await this.request<Header>('eth_getBlockByNumber', ['latest', false]);
    for (const { hash } of chosen) this.#pool.delete(hash);
    await this.#dropPassed();
    this.#baseFee = this.#feeAfter(header);
    const block = await this.#keep(header, chosen);
    this.#blocks.push(block);
    const transactions = chosen.map((each) => each.hash);
    const { number, hash } = block;
    this.timeline.push({ number, hash, transactions, from: this.#scheduler.now, to: null });
    if (this.#blocks.length > KEPT_BLOCKS) this.#blocks.shift();
    this.#trace.note(
      'block',
      'chain',
      `${header.number} ${header.hash} ${chosen.map((each) => each.hash).join()}`,
    );
  }

  /**
   * Takes back the newest blocks, and makes as many and one more in their place at once. What was in them is in the
   * pool again.
   * @param until when the newest one is made, in seconds since 1970
   * @param lateness after how many of the new blocks a transaction of the old ones is in the pool again
   * @param isOfOthers whether the new blocks are of somebody who has those that were replaced since
   */
  async reorganize(
    depth: number,
    {
      until = Math.floor(this.#scheduler.wallClock / 1_000),
      lateness = () => 0,
      isOfOthers = false,
    }: { until?: number; lateness?: () => number; isOfOthers?: boolean } = {},
  ): Promise<void> {
    const taken = Math.min(depth, this.#blocks.length - 1);
    const removed = this.#blocks.splice(this.#blocks.length - taken, taken);
    this.record.length -= taken;
    for (const span of this.timeline) {
      if (removed.some(({ hash }) => hash === span.hash)) span.to ??= this.#scheduler.now;
    }
    const last = this.#blocks.at(-1)!;
    await this.request('evm_revert', [last.snapshot]);
    last.snapshot = await this.request<string>('evm_snapshot');
    this.#trace.note('reorg', 'chain', `${removed.length} blocks below ${last.number}`);
    const back = removed.flatMap(({ transactions }) => transactions);
    const late = back.map((transaction) => ({
      transaction: (isOfOthers && this.#outbid.get(placeOf(transaction))) || transaction,
      blocks: this.steady.has(transaction.sender) ? 0 : lateness(),
    }));
    this.#late = [...this.#late, ...late];
    const header = await this.request<Header>('eth_getBlockByNumber', ['latest', false]);
    // They take what was bid first.
    if (!isOfOthers) this.#baseFee = this.#feeAfter(header);
    for (let index = 0; index <= removed.length; index += 1) {
      await this.mine(Math.max(Number(header.timestamp) + 1, until - removed.length + index));
    }
  }

  /** Unless its sender has sent it, or another one in its place, again meanwhile. */
  #returnLate(): void {
    const due = this.#late.filter(({ blocks }) => blocks === 0);
    this.#late = this.#late.flatMap(({ transaction, blocks }) =>
      blocks === 0 ? [] : [{ transaction, blocks: blocks - 1 }],
    );
    for (const { transaction } of due) {
      const { hash, sender, nonce } = transaction;
      const isThere = [...this.#pool.values()].some((each) => each.sender === sender && each.nonce === nonce);
      if (!isThere) this.#pool.set(hash, transaction);
    }
  }

  /** Gas costs nothing from the next block on. */
  makeFree(): void {
    [this.#floor, this.#leastBaseFee, this.#baseFee] = [0n, 0n, 0n];
  }

  /** Lets the base fee be this much of itself from the next block on. */
  jumpBaseFee(factor: number): void {
    this.#baseFee *= BigInt(factor);
  }

  /** Keeps the base fee at so many times itself, until what is returned is called: then it is what it was. */
  holdBaseFee(factor: number): () => void {
    const before = this.#baseFee;
    this.jumpBaseFee(factor);
    this.#leastBaseFee = this.#baseFee;
    return () => {
      this.#leastBaseFee = this.#floor;
      this.#baseFee = before;
    };
  }

  /** Of the blocks from the next one on. @param gas null: as many as at first */
  limitGas(gas: bigint | null): void {
    this.#blockGas = gas ?? BLOCK_GAS_LIMIT;
  }

  /** Takes a transaction into the pool. @throws RpcRefusal as geth does */
  async submit(raw: Hex): Promise<Hex> {
    const transaction = this.#parsed.get(raw) ?? parse(raw);
    this.#parsed.set(raw, transaction);
    const { sender, nonce, hash, maxFee, tip, gas } = transaction;
    if (this.#pool.has(hash)) throw new RpcRefusal(-32000, 'already known');
    const next = await this.minedNonce(sender);
    if (nonce < next) throw new RpcRefusal(-32000, `nonce too low: next nonce ${next}, tx nonce ${nonce}`);
    if (gas > this.#blockGas) throw new RpcRefusal(-32000, 'exceeds block gas limit');
    if (gas * maxFee > FEE_CAP) {
      throw new RpcRefusal(-32000, 'tx fee (2.00 ether) exceeds the configured cap (1.00 ether)');
    }
    const balance = BigInt(await this.request<Hex>('eth_getBalance', [sender, 'latest']));
    if (balance < gas * maxFee) {
      throw new RpcRefusal(-32000, `insufficient funds for gas * price + value: balance ${balance}`);
    }
    const old = [...this.#pool.values()].find((each) => each.sender === sender && each.nonce === nonce);
    if (old) {
      const isEnough = (bid: bigint, before: bigint): boolean =>
        bid * 100n >= before * (100n + PRICE_BUMP_PERCENT);
      if (!isEnough(maxFee, old.maxFee) || !isEnough(tip, old.tip)) {
        throw new RpcRefusal(-32000, 'replacement transaction underpriced');
      }
      this.#pool.delete(old.hash);
      if (!this.#outbid.has(placeOf(old))) this.#outbid.set(placeOf(old), old);
    }
    if (!this.steady.has(sender) && this.loses()) return hash;
    this.#pool.set(hash, transaction);
    this.onSubmit();
    return hash;
  }

  /** What waits, as it was sent. */
  get waiting(): readonly Hex[] {
    return [...this.#pool.values()].map(({ raw }) => raw);
  }

  /** A node forgets its pool when it starts again. */
  forgetPool(): void {
    for (const { hash, sender } of this.#pool.values()) if (!this.steady.has(sender)) this.#pool.delete(hash);
  }

  pooled(hash: Hex): { hash: Hex; from: Hex; nonce: Hex; blockHash: null; blockNumber: null } | null {
    const found = this.#pool.get(hash);
    if (!found) return null;
    return { hash, from: found.sender, nonce: hex(found.nonce), blockHash: null, blockNumber: null };
  }

  /** The nonce after all that is in blocks and, without a gap, in the pool. */
  async pendingNonce(sender: Hex): Promise<number> {
    const own = new Set(
      [...this.#pool.values()].filter((each) => each.sender === sender).map(({ nonce }) => nonce),
    );
    let next = await this.minedNonce(sender);
    while (own.has(next)) next += 1;
    return next;
  }

  async #make({ timestamp, baseFee, gasLimit, raw }: BlockRecipe): Promise<void> {
    await this.request('hardhat_setNextBlockBaseFeePerGas', [baseFee]);
    await this.request('evm_setBlockGasLimit', [gasLimit]);
    await this.request('evm_setNextBlockTimestamp', [hex(timestamp)]);
    for (const each of raw) await this.request('eth_sendRawTransaction', [each]);
    await this.request('evm_mine', []);
  }

  /** EIP-1559. After a reorg a free chain begins at a block of before, which cost something. */
  #feeAfter({ baseFeePerGas, gasUsed }: Header): bigint {
    if (this.#floor === 0n) return 0n;
    const [fee, used, target] = [BigInt(baseFeePerGas), BigInt(gasUsed), this.#blockGas / 2n];
    const next = fee + (fee * (used - target)) / target / 8n;
    return next > this.#leastBaseFee ? next : this.#leastBaseFee;
  }

  /** The nonce after all that is in blocks. */
  async minedNonce(sender: Hex): Promise<number> {
    return Number(await this.request<Hex>('eth_getTransactionCount', [sender, 'latest']));
  }

  /**
   * By sender in the order of nonces, without gaps; whoever bids below the base fee waits, and all of the sender behind
   * it.
   */
  async #choose(): Promise<Pooled[]> {
    const chosen: Pooled[] = [];
    let gasLeft = this.#blockGas;
    const senders = [...new Set([...this.#pool.values()].map(({ sender }) => sender))].sort();
    for (const sender of senders) {
      let next = await this.minedNonce(sender);
      const own = [...this.#pool.values()].filter((each) => each.sender === sender);
      for (const each of own.sort((one, other) => one.nonce - other.nonce)) {
        if (each.nonce !== next || each.maxFee < this.#baseFee || each.gas > gasLeft) break;
        chosen.push(each);
        gasLeft -= each.gas;
        next += 1;
      }
    }
    return chosen;
  }

  async #dropPassed(): Promise<void> {
    for (const sender of new Set([...this.#pool.values()].map((each) => each.sender))) {
      const next = await this.minedNonce(sender);
      for (const each of this.#pool.values()) {
        if (each.sender === sender && each.nonce < next) this.#pool.delete(each.hash);
      }
    }
  }

  async #keep({ number, hash }: Header, transactions: readonly Pooled[]): Promise<Block> {
    const snapshot = await this.request<string>('evm_snapshot');
    return { number: Number(number), hash, snapshot, transactions };
  }
}

const placeOf = ({ sender, nonce }: Pooled): string => `${sender} ${nonce}`;

function parse(raw: Hex): Pooled {
  const { hash, from, nonce, gasLimit, maxFeePerGas, maxPriorityFeePerGas, gasPrice } = Transaction.from(raw);
  return {
    hash: hash as Hex,
    raw,
    sender: from!.toLowerCase() as Hex,
    nonce,
    gas: gasLimit,
    maxFee: maxFeePerGas ?? gasPrice ?? 0n,
    tip: maxPriorityFeePerGas ?? gasPrice ?? 0n,
  };
}
