import { RpcRefused } from '../../chain/rpc/rpc.ts';
import { inTime } from '../../lib/in-time.ts';
import { repeat } from '../../lib/repeat.ts';
import type { Repeated } from '../../lib/repeat.ts';
import { failNeverSent } from '../verdict/verdict.ts';
import { findNeverSent, endSilence, isSilenceNoted, noteSilence } from '../store/silence.ts';
import type { Failure } from '../store/verdicts.ts';
import type { RunParts } from './lane-loop.ts';

/** Intents that fail at once when the chain is out of reach. */
const MAX_FAILURES = 1_000;
const OUT_OF_REACH = 'The chain is out of reach; nothing was sent and nothing was spent. Try again later.';

type SilenceParts = Pick<RunParts, 'db' | 'rpc' | 'log' | 'config' | 'followUps'>;

/**
 * Finds out, whatever leases this process has, whether anybody reaches the chain. A process that reaches it takes back
 * what another one has noted; when nobody does, what was never signed fails. It asks the chain only when somebody was
 * not answered.
 */
export function watchSilence(parts: SilenceParts): Repeated {
  const { log, config } = parts;
  return repeat(config.timings.leaseMs / 3, async () => {
    try {
      await lookForSilence(parts);
    } catch (error) {
      log.warn({ error: String(error) }, 'whether anybody reaches the chain cannot be told now');
    }
  });
}

/** One look. @throws errors of the database */
export async function lookForSilence(parts: SilenceParts): Promise<void> {
  const { db, rpc, config } = parts;
  const { silentMs, outOfReachMs } = config.timings;
  const isNoted = await isSilenceNoted(db);
  if (!isNoted && rpc.unreachableForMs() === 0) return;
  // A process that is answered late reaches the chain as well, though some call of it waits at each moment.
  if ((await isAnswered(parts)) || rpc.unreachableForMs() < silentMs) {
    if (isNoted) await endSilence(db);
    return;
  }
  await noteSilence(db);
  // By the clock of this process too: that of the database may have been set forward.
  if (rpc.unreachableForMs() >= outOfReachMs) await failUnsent(parts);
}

async function failUnsent(parts: SilenceParts): Promise<void> {
  const { outOfReachMs } = parts.config.timings;
  const unsent = await findNeverSent(parts.db, { outOfReachMs, limit: MAX_FAILURES });
  const failures = unsent.map(({ number, isDeployment }): Failure => {
    const code = isDeployment ? 'DEPLOY_UNAVAILABLE' : 'CHAIN_ERROR';
    return { number, error: { code, message: OUT_OF_REACH }, transactionHash: null };
  });
  await failNeverSent(parts, failures, outOfReachMs);
}

/** Whether an endpoint answers this process, with an error or not, before the next look. */
async function isAnswered({ rpc, config }: SilenceParts): Promise<boolean> {
  const late = (): Error => new Error('no answer in time');
  try {
    await inTime(rpc.call('eth_chainId', []), config.timings.leaseMs / 3, late);
    return true;
  } catch (error) {
    return error instanceof RpcRefused;
  }
}
