import { setTimeout as sleep } from 'node:timers/promises';
import type { CallResult } from '../../chain/abi/execution.ts';
import { decodeExecution, encodeExecution } from '../../chain/abi/execution.ts';
import { isInsufficientGas, readRefusal } from '../../chain/abi/reverts.ts';
import { bidOfCall } from '../../chain/fees.ts';
import { classifySubmission } from '../../chain/rpc/classify.ts';
import { RpcRefused, RpcUnreachable } from '../../chain/rpc/rpc.ts';
import type { Rpc } from '../../chain/rpc/rpc.ts';
import type { StateBlock } from '../../lib/block-id.ts';
import type { Fees } from '../../lib/fees.ts';
import type { Hex } from '../../lib/hex.ts';
import type { Lane } from '../lane/lane.ts';
import { ExecutionRefused } from '../lane/pause.ts';
import type { PlannedCall } from './batch.ts';
import { gasLimitOf, maxCallGasCap } from './gas.ts';
import { encodeMints } from '../../chain/abi/mint-list.ts';
import { keyOf } from '../intent.ts';
import type { QueuedIntent } from '../store/queue.ts';
import type { Db } from '../../db/client.ts';
import type { EngineConfig } from '../config.ts';
import { readOperatorOf } from '../store/operators.ts';
import { findSendingSigner } from '../store/lanes.ts';

/** What calls are simulated with: what they would be sent with, for a receiver can see it. */
export interface GasOffer {
  /** Gas limit of the largest transaction. */
  maxGas: number;
  fees: Fees;
}

/**
 * In so many parts a batch is simulated that is refused as a whole, and each of these again: few rounds, for a node may
 * take its time to refuse.
 */
const PARTS = 16;

/** What a simulation is made with, and what of it the node refused. */
interface Simulation {
  offer: GasOffer;
  block: StateBlock;
  /** The last refusal of each call that is refused by itself. */
  refused: Map<PlannedCall, Error>;
}

/**
 * One eth_call of the function that would be sent for the batch, all of one Operator and epoch, with the caps, the fees
 * and the gas limit that it would be sent with; null for an intent that the batch left no gas for, that the signer
 * cannot pay for, or that no endpoint simulates. The contract of the last two waits for the cooldown; one call that a
 * node refuses holds up no other contract.
 * @throws ExecutionRefused when the Operator executes nothing of this signer, or of this epoch; RpcUnreachable;
 * RpcRefused when the block is not known, or the endpoints take no more calls for a time
 */
export async function simulate(
  lane: Lane,
  calls: readonly PlannedCall[],
  offer: GasOffer,
  block: StateBlock = 'latest',
): Promise<(CallResult | null)[]> {
  const refused = new Map<PlannedCall, Error>();
  const results = await simulateCalls(lane, calls, { offer, block, refused });
  for (const { intent } of refused.keys()) lane.blocked.coolDown(intent.contract);
  const [[first, error] = []] = refused;
  if (first) {
    const facts = { calls: refused.size, intent: first.intent.id, error: String(error) };
    lane.log.warn(facts, 'what the node does not simulate waits, and holds up no other contract');
  }
  return results;
}

async function simulateCalls(
  lane: Lane,
  calls: readonly PlannedCall[],
  simulation: Simulation,
): Promise<(CallResult | null)[]> {
  try {
    return decodeExecution(await lane.rpc.call<Hex>('eth_call', paramsOf(lane, calls, simulation)));
  } catch (error) {
    const { operator, epoch } = calls[0]!.intent;
    const refusal = error instanceof RpcRefused ? readRefusal(error.data) : null;
    if (refusal) throw new ExecutionRefused(refusal, { operator, epoch });
    if (!(await isOfCalls(lane, error))) throw error;
    if (calls.length === 1) {
      simulation.refused.set(calls[0]!, error as Error);
      return [null];
    }
    if (isTooMuch(error as Error)) {
      // Half of the calls may find enough; the others wait for their turn.
      const half = calls.slice(0, Math.ceil(calls.length / 2));
      const results = await simulateCalls(lane, half, simulation);
      return [...results, ...calls.slice(half.length).map(() => null)];
    }
    const size = Math.ceil(calls.length / PARTS);
    const parts = Array.from({ length: Math.ceil(calls.length / size) }, (_, index) =>
      calls.slice(index * size, (index + 1) * size),
    );
    const results = parts.map(async (part, index) => {
      // Calls of one turn share a request, which a single one of them may keep from being answered.
      await sleep(index);
      return simulateCalls(lane, part, simulation);
    });
    return (await Promise.all(results)).flat();
  }
}

function paramsOf(
  { key, config, l1 }: Lane,
  calls: readonly PlannedCall[],
  { offer, block }: Simulation,
): unknown[] {
  const { calldata, areMints } = encodeCalls(calls);
  const gas = Math.min(offer.maxGas, gasLimitOf(l1, calls, areMints));
  const call = {
    from: key.signer,
    to: calls[0]!.intent.operator,
    data: calldata,
    gas: `0x${gas.toString(16)}`,
    ...bidOfCall(offer.fees, config.profile.feeModel),
  };
  return [call, block];
}

/**
 * Whether a simulation failed for what was simulated: endpoints that answer otherwise refuse this, or never answer it.
 */
async function isOfCalls({ rpc }: Lane, error: unknown): Promise<boolean> {
  if (error instanceof RpcRefused) return error.kind !== 'limited' && error.kind !== 'unknown-block';
  if (!(error instanceof RpcUnreachable)) return false;
  return rpc.call('eth_chainId', []).then(
    () => true,
    () => false,
  );
}

/** Whether the calls together want more gas than there is, or than the signer can pay. */
const isTooMuch = (error: Error): boolean =>
  error instanceof RpcRefused &&
  (isInsufficientGas(error.data) ||
    (error.data === undefined && classifySubmission(error.message) === 'unpaid'));

/** A call of an intent, with the gas cap that it is simulated and sent with. */
interface BatchCall {
  intent: Pick<QueuedIntent, 'id' | 'number' | 'target' | 'data' | 'epoch'>;
  gasCap: number;
}

interface EncodedCalls {
  calldata: Hex;
  /** Whether it is of `executeMints`. */
  areMints: boolean;
}

/**
 * Encodes a call of the Operator that runs these calls, one at least, all of one Operator and epoch: for several plain
 * mints of the function that mints for less.
 */
export function encodeCalls(batch: readonly BatchCall[]): EncodedCalls {
  const { epoch } = batch[0]!.intent;
  const calls = batch.map(({ intent: { id, number, target, data }, gasCap }) => ({
    ...{ number, target, data },
    key: keyOf(id),
    gasCap,
  }));
  const mints = encodeMints(epoch, calls);
  return { calldata: mints ?? encodeExecution(epoch, calls), areMints: mints !== null };
}

/** More than a number of the database can be: no intent ever has it. */
const NO_INTENT = 2n ** 64n - 1n;
/** One that costs as much gas as any. */
const NO_KEY = 2n ** 64n - 1n;

/**
 * Gas that the Operator would spend on a call at the newest block, whether it succeeds or not; a call that wants more
 * than a transaction can give has used that up. Null while nobody can tell. A hint only, like every simulation.
 */
export async function estimateGas(
  { db, rpc, profile }: { db: Db; rpc: Rpc } & Pick<EngineConfig, 'profile'>,
  { target, data }: { target: Hex; data: Hex },
): Promise<number | null> {
  // Only an executor may call the Operator, and every lane that sends is one's; a replica of the API has no signer of
  // its own.
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
