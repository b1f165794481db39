import { setTimeout as sleep } from 'node:timers/promises';
import { query } from '../../db/client.ts';
import type { Db } from '../../db/client.ts';
import { toBytes } from '../../lib/hex.ts';
import type { Hex } from '../../lib/hex.ts';
import { RpcRefused } from '../../chain/rpc/rpc.ts';
import type { Rpc } from '../../chain/rpc/rpc.ts';
import type { Signer } from '../../chain/signing/signer.ts';
import type { Logger } from '../../telemetry/logger.ts';
import type { Reach } from '../../lib/crash-points.ts';
import type { Observe } from '../../telemetry/observe.ts';
import { createGasMemory } from '../send/batch.ts';
import type { GasMemory } from '../send/batch.ts';
import type { Fees } from '../send/fees.ts';
import type { Effects } from '../ports.ts';
import type { LaneTimings } from './timings.ts';
import type { Attempt, LaneKey, Transaction } from '../store/transactions.ts';

export interface LaneConfig {
  chainId: bigint;
  operator: Hex;
  /** Callees without which a deployment is impossible. */
  factories: readonly Hex[];
  /** Blocks, the one with the receipt included, after which a verdict is final. */
  confirmations: number;
  /** Most transactions of a signer without a receipt at a time; geth keeps 16 an account for sure. */
  maxInFlight: number;
  /** Most calls in one transaction, whatever their size. */
  maxBatch: number;
  /** Called at the named moments of crash-points.ts. */
  reach: Reach;
  observe: Observe;
  timings: LaneTimings;
}

/** The newest block seen. Base fee in wei per gas. */
export interface Head {
  number: bigint;
  hash: Hex;
  baseFee: bigint;
  gasLimit: bigint;
}

/** A transaction that carries calls, and where it was mined when that was looked at. */
export interface Carrier {
  transaction: Transaction;
  mined: Transaction['mined'];
}

/** Whether calls of this contract are in the transaction. */
export const carries = ({ members }: Transaction, contract: Hex): boolean =>
  members.some((member) => member.contract === contract);

/** Thrown when what this process knows of the lane may be stale: it has to take the lane again and recover. */
export class LaneLost extends Error {
  override readonly name = 'LaneLost';
  constructor(message = 'another process holds the lane of this signer') {
    super(message);
  }
}

/** A signer's lane while this process holds it: what is in flight, the next nonce, the newest block. */
export interface Lane {
  readonly db: Db;
  readonly rpc: Rpc;
  readonly log: Logger;
  readonly config: LaneConfig;
  readonly settle: Effects['settled'];
  readonly key: LaneKey;
  readonly head: Head;
  readonly nextNonce: bigint;
  readonly memory: GasMemory;
  /** Unfinished transactions by nonce: open ones, and mined ones that are not deep enough yet. */
  readonly unfinished: Transaction[];
  /** Those without a receipt. */
  open(): Transaction[];
  hasOpen(contract: Hex): boolean;
  /** What is unfinished, as it stands now. */
  carriers(): Carrier[];
  /** Leaves a contract out of the queue until one of these carriers does not stand as it stood. */
  waitFor(contract: Hex, carriers: readonly Carrier[]): void;
  /** Leaves a contract out of the queue for some seconds: what would decide its next call cannot be seen yet. */
  rest(contract: Hex): void;
  waitingContracts(): Hex[];
  add(transaction: Transaction): void;
  remove(transaction: Transaction): void;
  sign(slot: { nonce: bigint; gasLimit: bigint; calldata: Hex }, fees: Fees): Promise<Attempt>;
  /** Suggested tip, wei per gas. */
  tip(): Promise<bigint>;
  /** Sends the newest attempt. An error is logged and is no verdict: the receipt decides. */
  broadcast(transaction: Transaction): Promise<void>;
  /** Sends every attempt again, oldest first: the last one may be more than the node takes, or the signer can pay. */
  resend(transaction: Transaction): Promise<void>;
  /** Reads the newest block, unless that was done within the last `freshMs` milliseconds. */
  refreshHead(freshMs?: number): Promise<void>;
  /** Whether the signer could pay when that was looked at the last time. */
  readonly isFunded: boolean;
  /** Finds out whether the signer can pay for what it has to send, and tells the replicas that accept requests. */
  checkFunds(): Promise<void>;
  /** @throws LaneLost */
  renew(): Promise<void>;
  /** Lets another process take over at once. */
  giveUp(): Promise<void>;
}

/** What a node says that has the transaction, a higher bid for it, or a receipt of its nonce: no error. */
const NOT_WANTED = /already known|known transaction|nonce too low|replacement transaction underpriced/i;
/** A signer that could not send a transaction of this gas is out of funds even when nothing is in flight. */
const MIN_FUNDED_GAS = 1_000_000n;

export interface LaneParts {
  db: Db;
  rpc: Rpc;
  log: Logger;
  config: LaneConfig;
  settle: Effects['settled'];
  signer: Signer;
  /** Name of this process, the same for all of its lanes. */
  holder: string;
}

/** Takes the lane of a signer if nobody holds it; null otherwise. The epoch grows with each holder. */
export async function acquireLane(parts: LaneParts): Promise<Lane | null> {
  const { db, rpc, signer, holder, config } = parts;
  const count = BigInt(await rpc.call<Hex>('eth_getTransactionCount', [signer.address, 'latest']));
  const [row] = await query<{ epoch: bigint; next_nonce: bigint }>(
    db,
    `insert into lanes (signer, epoch, holder, lease_until, next_nonce)
     values (?, 1, ?, now() + ? * interval '1 millisecond', ?)
     on conflict (signer) do update
        set epoch = lanes.epoch + 1, holder = excluded.holder, lease_until = excluded.lease_until,
            -- Somebody else may have used the key while nothing of ours was under way; our own slots are never skipped.
            next_nonce = greatest(lanes.next_nonce, excluded.next_nonce)
      where lanes.lease_until < now()
     returning epoch, next_nonce`,
    [toBytes(signer.address), holder, config.timings.leaseMs, String(count)],
  );
  return row ? openLane(parts, { signer: signer.address, epoch: row.epoch }, row.next_nonce) : null;
}

function openLane(parts: LaneParts, key: LaneKey, firstNonce: bigint): Lane {
  const { db, rpc, log, config, settle, signer } = parts;
  const { timings } = config;
  const unfinished: Transaction[] = [];
  const waiting = new Map<Hex, readonly Carrier[]>();
  const resting = new Map<Hex, number>();
  let nextNonce = firstNonce;
  let head: Head = { number: 0n, hash: '0x', baseFee: 0n, gasLimit: 0n };
  let headAt = 0;
  let suggestedTip = { at: 0, value: 0n };
  let isFunded = true;

  const open = (): Transaction[] => unfinished.filter(({ mined }) => !mined);
  const hasOpen = (contract: Hex): boolean => open().some((transaction) => carries(transaction, contract));

  let reading: Promise<void> | null = null;
  const readHead = async (): Promise<void> => {
    const block = await rpc.call<{ number: Hex; hash: Hex; baseFeePerGas: Hex; gasLimit: Hex }>(
      'eth_getBlockByNumber',
      ['latest', false],
    );
    headAt = Date.now();
    head = {
      number: BigInt(block.number),
      hash: block.hash,
      baseFee: BigInt(block.baseFeePerGas),
      gasLimit: BigInt(block.gasLimit),
    };
  };

  /** Sends an attempt; answers whether the node said that the signer cannot pay for it. */
  const send = async ({ nonce, attempts }: Transaction, { raw }: Attempt): Promise<boolean> => {
    try {
      const step = { name: 'broadcast', transaction: attempts[0]!.hash, details: { nonce: String(nonce) } };
      const answer = config.observe.step(step, () => rpc.call('eth_sendRawTransaction', [raw]));
      await Promise.race([answer, sleep(timings.broadcastMs, undefined, { ref: false })]);
      return false;
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      const known = error instanceof RpcRefused && NOT_WANTED.test(message);
      log[known ? 'debug' : 'warn'](
        { nonce: String(nonce), error: message },
        'the node did not take a transaction',
      );
      return /insufficient funds|doesn't have enough funds/i.test(message);
    }
  };
  const offer = async (transaction: Transaction, attempts: readonly Attempt[]): Promise<void> => {
    const unpaid = await Promise.all(attempts.map((attempt) => send(transaction, attempt)));
    if (unpaid.includes(true)) await lane.checkFunds();
  };

  const lane: Lane = {
    db,
    rpc,
    log,
    config,
    settle,
    key,
    get head() {
      return head;
    },
    get nextNonce() {
      return nextNonce;
    },
    unfinished,
    open,
    hasOpen,
    memory: createGasMemory(),
    carriers: () => unfinished.map((transaction) => ({ transaction, mined: transaction.mined })),
    waitFor: (contract, carriers) => {
      waiting.set(contract, carriers);
    },
    waitingContracts: () => {
      const stands = ({ transaction, mined }: Carrier): boolean =>
        transaction.mined === mined && unfinished.includes(transaction);
      for (const [contract, carriers] of waiting)
        if (carriers.length === 0 || !carriers.every(stands)) waiting.delete(contract);
      for (const [contract, until] of resting) if (Date.now() >= until) resting.delete(contract);
      return [...waiting.keys(), ...resting.keys()];
    },
    rest: (contract) => {
      resting.set(contract, Date.now() + timings.cooldownMs);
    },
    add: (transaction) => {
      unfinished.push(transaction);
      if (transaction.nonce >= nextNonce) nextNonce = transaction.nonce + 1n;
    },
    remove: (transaction) => {
      unfinished.splice(unfinished.indexOf(transaction), 1);
    },
    sign: async ({ nonce, gasLimit, calldata }, fees) => ({
      ...fees,
      ...(await signer.sign({
        chainId: config.chainId,
        nonce,
        to: config.operator,
        data: calldata,
        gasLimit,
        ...fees,
      })),
    }),
    tip: async () => {
      if (Date.now() - suggestedTip.at > timings.tipFreshMs) {
        suggestedTip = { at: Date.now(), value: BigInt(await rpc.call<Hex>('eth_maxPriorityFeePerGas', [])) };
      }
      return suggestedTip.value;
    },
    broadcast: (transaction) => offer(transaction, transaction.attempts.slice(-1)),
    resend: (transaction) => offer(transaction, transaction.attempts),
    get isFunded() {
      return isFunded;
    },
    refreshHead: async (freshMs = 0) => {
      if (Date.now() - headAt < freshMs) return;
      reading ??= readHead().finally(() => (reading = null));
      await reading;
    },
    checkFunds: async () => {
      const balance = BigInt(await rpc.call<Hex>('eth_getBalance', [key.signer, 'latest']));
      const next = open()[0];
      // The least bid that a block would take is enough.
      const bid = next?.attempts.find(({ maxFeePerGas }) => maxFeePerGas >= head.baseFee);
      const need = next
        ? next.gasLimit * (bid ?? next.attempts.at(-1)!).maxFeePerGas
        : MIN_FUNDED_GAS * (head.baseFee + suggestedTip.value);
      const funded = balance >= need;
      isFunded = funded;
      const changed = await query(
        db,
        'update lanes set funded = ? where signer = ? and epoch = ? and funded <> ? returning 1',
        [funded, toBytes(key.signer), String(key.epoch), funded],
      );
      if (changed.length === 0) return;
      if (funded) log.info({ signer: key.signer }, 'the signer can pay for gas again');
      else
        log.error(
          { signer: key.signer, balance: String(balance), need: String(need) },
          'the signer cannot pay for gas',
        );
    },
    renew: async () => {
      const rows = await query(
        db,
        `update lanes set lease_until = now() + ? * interval '1 millisecond' where signer = ? and epoch = ? returning 1`,
        [timings.leaseMs, toBytes(key.signer), String(key.epoch)],
      );
      if (rows.length === 0) throw new LaneLost();
    },
    giveUp: async () => {
      await query(db, `update lanes set lease_until = '-infinity' where signer = ? and epoch = ?`, [
        toBytes(key.signer),
        String(key.epoch),
      ]);
    },
  };
  return lane;
}
