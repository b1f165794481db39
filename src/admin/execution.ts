import { EPOCH, STOPPED } from '../chain/abi/operator.ts';
import type { View } from '../chain/abi/view.ts';
import { START_EXECUTION, STOP_EXECUTION, mayStop } from '../chain/system/roles.ts';
import type { Hex } from '../lib/hex.ts';
import { administer, describe } from './operator.ts';
import type { AdminContext, AdministeredChain } from './open.ts';
import type { Report } from './report.ts';

/** Who may stop and start. */
const WHO = 'a guardian or the admin';

/** Stops the Operator's execution: what is queued waits, and nothing is lost. */
export const stopExecution = (context: AdminContext): Promise<Report> => setStopped(context, true);

/** Starts it again. */
export const startExecution = (context: AdminContext): Promise<Report> => setStopped(context, false);

async function setStopped(context: AdminContext, stopped: boolean): Promise<Report> {
  const chain = await context.chain();
  const state = stopped ? 'is stopped' : 'runs';
  if ((await readExecution(chain)).stopped === stopped) {
    return { json: { stopped, sent: false }, text: `Execution ${state} already.` };
  }
  const outcome = await administer(context, chain, stopped ? STOP_EXECUTION : START_EXECUTION, mayStop);
  return {
    json: { stopped: outcome.sent ? stopped : !stopped, ...outcome },
    text: describe(outcome, `Execution ${state} now`, WHO),
  };
}

/** Whether the Operator's execution is stopped, and its epoch. */
export async function readExecution({
  rpc,
  operator,
}: AdministeredChain): Promise<{ stopped: boolean; epoch: bigint }> {
  const read = async <Answer>({ data, decode }: View<Answer>): Promise<Answer> =>
    decode(await rpc.call<Hex>('eth_call', [{ to: operator, data }, 'latest']));
  const [stopped, epoch] = await Promise.all([read(STOPPED), read(EPOCH)]);
  return { stopped, epoch };
}
