import type { Hex } from '../../lib/hex.ts';
import { setFunded } from '../store/lanes.ts';
import type { Lane } from './lane.ts';

/** A signer that could not send a transaction of this gas is out of funds even when nothing is in flight. */
const MIN_FUNDED_GAS = 1_000_000n;

/** Finds out whether the signer can pay for what it has to send, and tells the replicas that accept requests. */
export async function checkFunds(lane: Lane): Promise<void> {
  const { db, rpc, log, key } = lane;
  const balance = BigInt(await rpc.call<Hex>('eth_getBalance', [key.signer, 'latest']));
  const need = fundsNeeded(lane);
  const funded = balance >= need;
  lane.funds.areEnough = funded;
  if (!(await setFunded(db, key, funded))) return;
  if (funded) return log.info({ signer: key.signer }, 'the signer can pay for gas again');
  log.error(
    { signer: key.signer, balance: String(balance), need: String(need) },
    'the signer cannot pay for gas',
  );
}

/** Wei. */
function fundsNeeded({ inFlight, head, tip }: Lane): bigint {
  const { baseFee } = head.newest;
  const [next] = inFlight.open();
  if (!next) return MIN_FUNDED_GAS * (baseFee + tip.last);
  // The least bid that a block would take is enough.
  const bid = next.attempts.find(({ maxFeePerGas }) => maxFeePerGas >= baseFee) ?? next.attempts.at(-1)!;
  return next.gasLimit * bid.maxFeePerGas;
}
