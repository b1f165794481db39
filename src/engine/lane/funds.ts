import type { Fees } from '../../lib/fees.ts';
import type { Hex } from '../../lib/hex.ts';
import { setFunded } from '../store/lanes.ts';
import type { Attempt, Transaction } from '../store/transactions.ts';
import type { Lane } from './lane.ts';
import { RpcRefused, RpcUnreachable, unlessRefused } from '../../chain/rpc/rpc.ts';
import { findUnpriced, readFeesToday, storeFees } from '../store/fees.ts';

/** A signer that could not send a transaction of this gas is out of funds even when nothing is in flight. */
const MIN_FUNDED_GAS = 1_000_000n;
/** The calldata of such a transaction. */
const MIN_FUNDED_BYTES = 2_000;

type Priced = Pick<Transaction, 'gasLimit' | 'calldata'>;

/** Wei that a transaction with this bid may cost. */
export const costOf = (
  { l1 }: Pick<Lane, 'l1'>,
  { gasLimit, calldata }: Priced,
  maxFeePerGas: bigint,
): bigint => gasLimit * maxFeePerGas + l1.fee(calldata.length / 2 - 1);

/** Wei that a transaction with this bid will cost by experience, in a block like the newest one. */
export function expectedFee(
  { latest, l1 }: Pick<Lane, 'latest' | 'l1'>,
  { expectedGas, calldata }: Pick<Transaction, 'expectedGas' | 'calldata'>,
  { maxFeePerGas, maxPriorityFeePerGas }: Fees,
): bigint {
  const price = latest.block.baseFee + maxPriorityFeePerGas;
  const paid = price < maxFeePerGas ? price : maxFeePerGas;
  return costOf({ l1 }, { gasLimit: BigInt(expectedGas), calldata }, paid);
}

/**
 * Promises the signer's money to a transaction. Returns false when it has not that much beyond what everything open may
 * cost: then nothing may be signed.
 * @param wei what it may cost; for a higher bid what that may cost more
 */
export async function promiseFunds(lane: Lane, wei: bigint): Promise<boolean> {
  if (lane.funds.unpromised < wei) await checkFunds(lane);
  if (lane.funds.unpromised < wei) {
    lane.funds.shortUntil = performance.now() + lane.config.timings.fundsLookMs;
    return false;
  }
  lane.funds.unpromised -= wei;
  return true;
}

/**
 * Finds out whether the signer can pay for what it has to send, and stores it for the replicas that accept requests.
 */
export async function checkFunds(lane: Lane): Promise<void> {
  const { db, rpc, log, key, funds, inFlight } = lane;
  await lane.l1.refresh();
  const openBefore = findSigned(inFlight);
  const balance = BigInt(await rpc.call<Hex>('eth_getBalance', [key.signer, 'latest']));
  // What was mined while the node answered may not be in its answer yet.
  const open = new Set([...openBefore.filter(isSigned), ...findSigned(inFlight)]);
  const promised = [...open].reduce((sum, transaction) => sum + highestCost(lane, transaction), 0n);
  funds.unpromised = balance > promised ? balance - promised : 0n;
  const need = fundsNeeded(lane);
  const funded = balance >= need || (funds.areEnough && !(await hasLessAtHead(lane, need)));
  funds.areEnough = funded;
  if (!(await setFunded(db, key, funded))) return;
  if (funded) return log.info({ signer: key.signer }, 'the signer can pay for gas again');
  log.error(
    { signer: key.signer, balance: String(balance), need: String(need) },
    'the signer cannot pay for gas',
  );
}

/**
 * Whether the signer has less than that by the canonical head. `latest` may be a block of before it was paid: one of
 * several backends lags. False while nobody can tell.
 */
async function hasLessAtHead({ chain, rpc, key }: Lane, wei: bigint): Promise<boolean> {
  const cursor = await chain.fresh();
  if (!cursor) return false;
  const at = { blockHash: cursor.head.hash };
  const balance = await unlessRefused(rpc.call<Hex>('eth_getBalance', [key.signer, at]));
  return balance !== null && BigInt(balance) < wei;
}

/** A nonce whose bytes were given up costs nothing until a no-op takes it. */
const isSigned = ({ attempts }: Transaction): boolean => attempts.length > 0;

/** Open transactions that may cost something. */
const findSigned = (inFlight: Lane['inFlight']): Transaction[] => inFlight.open().filter(isSigned);

const highestCost = (lane: Lane, transaction: Transaction): bigint =>
  costOf(lane, transaction, transaction.attempts.at(-1)!.maxFeePerGas);

/** Wei. */
function fundsNeeded(lane: Lane): bigint {
  const { inFlight, latest, tip, l1 } = lane;
  const { baseFee } = latest.block;
  const open = findSigned(inFlight);
  if (open.length === 0) return MIN_FUNDED_GAS * (baseFee + tip.last) + l1.fee(MIN_FUNDED_BYTES);
  // The least bid that a block would take is enough.
  const leastBid = ({ attempts }: Transaction): Attempt =>
    attempts.find(({ maxFeePerGas }) => maxFeePerGas >= baseFee) ?? attempts.at(-1)!;
  return open.reduce(
    (sum, transaction) => sum + costOf(lane, transaction, leastBid(transaction).maxFeePerGas),
    0n,
  );
}

/** Receipts that are asked for at a time. */
const MAX_RECEIPTS = 500;

/** What a receipt says of money. */
interface PaidReceipt {
  gasUsed: Hex;
  effectiveGasPrice?: Hex;
  /** On the OP stack: for the data on L1, besides the gas. */
  l1Fee?: Hex;
}

type FeeParts = Pick<Lane, 'db' | 'rpc' | 'key' | 'log' | 'config'>;

/** The part of the fees of a day that is kept for what stops or bounds a token: a twentieth. */
const KEPT_PART = 20n;

/** What may still be paid for today: everything, brakes alone (src/lib/brakes.ts), or nothing. */
type Budget = 'all' | 'brakes' | 'nothing';

/** What the signers may spend on of the fees of the day. */
export async function readBudget({ db, config }: Pick<Lane, 'db' | 'config'>): Promise<Budget> {
  const { maxFeesPerDay } = config;
  if (maxFeesPerDay === null) return 'all';
  const left = maxFeesPerDay - (await readFeesToday(db));
  if (left <= 0n) return 'nothing';
  return left > maxFeesPerDay / KEPT_PART ? 'all' : 'brakes';
}

/**
 * Returns a function that begins to add up what the final transactions of the lane have cost, unless that goes on
 * already: by their receipts where there is a budget, else by what was expected, which costs no call. Nothing waits for
 * it: an endpoint that hangs holds up no loop. What no endpoint tells is asked again the next time.
 */
export function createFeeReader(lane: FeeParts): () => void {
  let isReading = false;
  const read = async (): Promise<void> => {
    try {
      await readFees(lane);
    } catch (error) {
      lane.log.warn({ error: String(error) }, 'the fees of transactions could not be read');
    } finally {
      isReading = false;
    }
  };
  return () => {
    if (isReading) return;
    isReading = true;
    void read();
  };
}

async function readFees({ db, rpc, key, config }: Omit<FeeParts, 'log'>): Promise<void> {
  const unpriced = await findUnpriced(db, key.signer, MAX_RECEIPTS);
  const fees = await Promise.all(
    unpriced.map(async ({ id, hash, expectedFee }) => ({
      id,
      wei: config.maxFeesPerDay === null ? expectedFee : await readFee(rpc, hash),
    })),
  );
  await storeFees(
    db,
    fees.flatMap(({ id, wei }) => (wei === null ? [] : [{ id, wei }])),
  );
}

/** Wei; null when no endpoint tells. */
async function readFee(rpc: Lane['rpc'], hash: Hex): Promise<bigint | null> {
  try {
    const receipt = await rpc.call<PaidReceipt | null>('eth_getTransactionReceipt', [hash]);
    if (!receipt?.effectiveGasPrice) return null;
    const { gasUsed, effectiveGasPrice, l1Fee } = receipt;
    return BigInt(gasUsed) * BigInt(effectiveGasPrice) + BigInt(l1Fee ?? 0);
  } catch (error) {
    if (error instanceof RpcRefused || error instanceof RpcUnreachable) return null;
    throw error;
  }
}
