import { setTimeout as sleep } from 'node:timers/promises';
import type { Hex } from '../../lib/hex.ts';
import type { Logger } from '../../telemetry/logger.ts';
import { goodFees, readSuggestedFee, transactionType } from '../fees.ts';
import type { ChainProfile } from '../profile.ts';
import type { Rpc } from '../rpc/rpc.ts';
import type { Signer } from '../signing/signer.ts';

const POLL_MS = 100;

/** After this time without a receipt the log says what is waited for. */
const SILENT_MS = 15_000;

/** After this time a transaction without a receipt is given up. */
export const SEND_TIMEOUT_MS = 180_000;

/**
 * Sends one transaction of preparation or administration and waits for its receipt.
 * @param log is told what is waited for when that takes long
 * @param minNonce lower bound of its nonce, when the chain does not know of all transactions yet
 * @throws Error with one sentence when it reverts, or is not mined within `SEND_TIMEOUT_MS`
 */
export async function sendAndWait(
  {
    rpc,
    log,
    chainId,
    profile,
  }: { rpc: Rpc; log: Pick<Logger, 'warn'>; chainId: bigint; profile: Pick<ChainProfile, 'feeModel'> },
  signer: Signer,
  { to, data }: { to: Hex; data: Hex },
  minNonce = 0n,
): Promise<{ hash: Hex; nonce: bigint }> {
  const { feeModel } = profile;
  const [count, gas, block, suggested] = await Promise.all([
    rpc.call<Hex>('eth_getTransactionCount', [signer.address, 'pending']),
    rpc.call<Hex>('eth_estimateGas', [{ from: signer.address, to, data }]),
    rpc.call<{ baseFeePerGas?: Hex }>('eth_getBlockByNumber', ['latest', false]),
    readSuggestedFee(rpc, feeModel),
  ]);
  const nonce = BigInt(count) > minNonce ? BigInt(count) : minNonce;
  const { raw, hash } = await signer.sign({
    type: transactionType(feeModel),
    chainId,
    nonce,
    to,
    data,
    gasLimit: (BigInt(gas) * 12n) / 10n,
    ...goodFees({ baseFee: BigInt(block.baseFeePerGas ?? 0), suggested }, feeModel),
  });
  await rpc.call('eth_sendRawTransaction', [raw]);
  await waitForSuccess(rpc, log, hash);
  return { hash, nonce };
}

async function waitForSuccess(rpc: Rpc, log: Pick<Logger, 'warn'>, hash: Hex): Promise<void> {
  const began = performance.now();
  let isSaid = false;
  for (let polls = 0; polls < SEND_TIMEOUT_MS / POLL_MS; polls += 1) {
    const receipt = await rpc.call<{ status: Hex } | null>('eth_getTransactionReceipt', [hash]);
    if (receipt) {
      if (BigInt(receipt.status) === 1n) return;
      throw new Error(`The transaction ${hash} was reverted`);
    }
    if (!isSaid && performance.now() - began > SILENT_MS) {
      isSaid = true;
      log.warn(
        { transaction: hash },
        'waiting for a block with this transaction, for three minutes at most: does the chain make blocks? A node of a developer may do so when it is told to alone (anvil --no-mining)',
      );
    }
    await sleep(POLL_MS);
  }
  throw new Error(`The transaction ${hash} was not mined within three minutes`);
}
