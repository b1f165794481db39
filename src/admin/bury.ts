import { presentAddress } from '../chain/address.ts';
import { isExecutor, isExecutorOfAny, revocationOf } from '../chain/system/roles.ts';
import { LANE_IS_HELD, buryLane, findLane } from '../engine/index.ts';
import type { Hex } from '../lib/hex.ts';
import { operatorsOf } from '../lib/operators.ts';
import { becomesTrue } from './becomes-true.ts';
import { isLaneInUse } from './lane-in-use.ts';
import { commandParts } from './command-parts.ts';
import { administerAll, administerCall, describe, isMade, makeBlock } from './operator.ts';
import type { AdminContext } from './open.ts';
import type { Report } from './report.ts';

/**
 * Gives up a signer whose key is lost: takes its role for ever, and lets another signer send what it sent and was not
 * mined. To be run again until nothing remains.
 * @param waitSeconds how long to wait until the revocation is final
 * @throws Error with one sentence when a process has the key still
 */
export async function burySigner(context: AdminContext, signer: Hex, waitSeconds: number): Promise<Report> {
  const { db } = context;
  const name = presentAddress(signer);
  const lane = await findLane(db, signer);
  if (!lane) throw new Error('This signer has no lane');
  if (lane.isHeld) throw new Error(LANE_IS_HELD);
  const chain = await context.chain();
  const hasRole = (operator: Hex): Promise<boolean> => isExecutor(chain.rpc, operator, signer);
  if (await isExecutorOfAny(chain.rpc, operatorsOf(chain), signer)) {
    // A process that lost the lane a moment ago takes it again, and would work without its role.
    if (await isLaneInUse(db, signer)) throw new Error(LANE_IS_HELD);
    const outcome = await administerAll(chain, hasRole, (operator) =>
      administerCall(context, chain, operator, revocationOf(operator, signer)),
    );
    if (outcome && !isMade(outcome)) {
      const remains = `${describe(outcome, '')}\n\nand then run this command again.`;
      return { json: { signer: name, isBuried: false, remaining: remains, ...outcome }, text: remains };
    }
  }
  const parts = commandParts(context, chain);
  const { minesOnDemand, stuckMs } = chain.profile;
  let transactions: number | null | undefined;
  let pushedAt = performance.now();
  const bury = async (): Promise<boolean> => {
    transactions = await buryLane(parts, signer);
    // Nobody else may send anything, and so the revocation would never be final.
    if (transactions === null && minesOnDemand && performance.now() - pushedAt > stuckMs) {
      await makeBlock(context, chain);
      pushedAt = performance.now();
    }
    return transactions !== null;
  };
  await becomesTrue(bury, waitSeconds * 1_000);
  if (typeof transactions === 'number') return reportOn(name, transactions);
  const remaining =
    'The revocation is not final yet, or no engine reads the chain: run this command again in a moment.';
  return { json: { signer: name, isBuried: false, remaining }, text: remaining };
}

function reportOn(name: string, transactions: number): Report {
  return {
    json: { signer: name, isBuried: true, transactions, remaining: null },
    text: `${name} is buried: ${transactions} of its transactions were given up, and their calls go to another signer. Never grant its role again.`,
  };
}
