import type { Hex } from '../../lib/hex.ts';
import type { Db } from '../../db/client.ts';
import { decodeExecution, encodeExecution } from '../../chain/abi/execution.ts';
import type { Rpc } from '../../chain/rpc/rpc.ts';
import type { LaneConfig } from '../lane/config.ts';
import { readOperatorOf } from '../store/chain-identity.ts';
import { findSendingSigner } from '../store/lanes.ts';
import { maxCallGasCap } from './gas.ts';

/** More than a number of the database can be: no intent ever has it. */
const NO_INTENT = 2n ** 64n - 1n;
/** One that costs as much gas as any. */
const NO_KEY = 2n ** 64n - 1n;

/**
 * Gas that the Operator would spend on a call at the newest block, whether it succeeds or not; a call that wants more
 * than a transaction can give has used that up. Null while nobody can tell. A hint only, like every simulation.
 */
export async function estimateGas(
  { db, rpc, profile }: { db: Db; rpc: Rpc } & Pick<LaneConfig, 'profile'>,
  { target, data }: { target: Hex; data: Hex },
): Promise<number | null> {
  // Only an executor may call the Operator, and every lane that sends is one's; a replica of the API has no signer of its own.
  const signer = await findSendingSigner(db);
  if (!signer) return null;
  const { operator, epoch } = await readOperatorOf(db, target);
  const execution = encodeExecution(epoch, [
    { target, gasCap: maxCallGasCap(data, profile.maxTransactionGas), number: NO_INTENT, key: NO_KEY, data },
  ]);
  const gas = `0x${profile.maxTransactionGas.toString(16)}`;
  try {
    const call = { from: signer, to: operator, data: execution, gas };
    const [result] = decodeExecution(await rpc.call<Hex>('eth_call', [call, 'latest']));
    return Number(result!.gasUsed);
  } catch {
    return null;
  }
}
