import { EPOCH, STOPPED } from '../chain/abi/operator.ts';
import type { View } from '../chain/abi/view.ts';
import { OtherChain } from '../chain/rpc/rpc.ts';
import { START_EXECUTION, STOP_EXECUTION, mayStop } from '../chain/system/roles.ts';
import type { Hex } from '../lib/hex.ts';
import { administer, administerAll, describe } from './operator.ts';
import type { AdminContext, AdministeredChain } from './open.ts';
import type { Report } from './report.ts';

/** Who may stop and start. */
const WHO = 'a guardian or the admin';

/** Stops the execution of all Operators: what is queued waits, and nothing is lost. */
export const stopExecution = (context: AdminContext): Promise<Report> => setStopped(context, true);

/** Starts it again. */
export const startExecution = (context: AdminContext): Promise<Report> => setStopped(context, false);

async function setStopped(context: AdminContext, stopped: boolean): Promise<Report> {
  const chain = await context.chain();
  const state = stopped ? 'is stopped' : 'runs';
  const isOther = async (operator: Hex): Promise<boolean> =>
    (await readExecution({ ...chain, operator })).stopped !== stopped;
  const data = stopped ? STOP_EXECUTION : START_EXECUTION;
  const outcome = await administerAll(chain, isOther, (operator) =>
    administer(context, chain, { operator, data, isAllowed: mayStop }),
  );
  if (!outcome) return { json: { stopped, sent: false }, text: `Execution ${state} already.` };
  return {
    json: { stopped: outcome.sent ? stopped : !stopped, ...outcome },
    text: describe(outcome, `Execution ${state} now`, WHO),
  };
}

/** Whether an Operator's execution is stopped, and its epoch. @throws OtherChain when it is not there */
export async function readExecution({
  rpc,
  operator,
}: Pick<AdministeredChain, 'rpc' | 'operator'>): Promise<{ stopped: boolean; epoch: bigint }> {
  const read = async <Answer>({ data, decode }: View<Answer>): Promise<Answer> => {
    const answer = await rpc.call<Hex>('eth_call', [{ to: operator, data }, 'latest']);
    if (answer === '0x') throw OtherChain.ofContracts();
    return decode(answer);
  };
  const [stopped, epoch] = await Promise.all([read(STOPPED), read(EPOCH)]);
  return { stopped, epoch };
}
