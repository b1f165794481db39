import { RpcRefused, RpcUnreachable } from '../../chain/rpc/rpc.ts';
import type { Hex } from '../../lib/hex.ts';
import { findUnpriced, readFeesToday, storeFees } from '../store/fees.ts';
import type { Lane } from './lane.ts';

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

/** What may still be paid for today: everything, brakes alone (chain/abi/brakes.ts), or nothing. */
export type Budget = 'all' | 'brakes' | 'nothing';

/** What the signers may spend on of the fees of the day. */
export async function readBudget({ db, config }: Pick<Lane, 'db' | 'config'>): Promise<Budget> {
  const { maxFeesPerDay } = config;
  if (maxFeesPerDay === null) return 'all';
  const left = maxFeesPerDay - (await readFeesToday(db));
  if (left <= 0n) return 'nothing';
  return left > maxFeesPerDay / KEPT_PART ? 'all' : 'brakes';
}

/**
 * Returns a function that begins to add up what the final transactions of the lane have cost, unless that goes on already:
 * by their receipts where there is a budget, else by what was expected, which costs no call. Nothing waits for it: an
 * endpoint that hangs holds up no loop. What no endpoint tells is asked again the next time.
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
