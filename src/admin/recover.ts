import { presentAddress } from '../chain/address.ts';
import {
  acceptLoss,
  acceptReorg,
  areCommitsLost,
  beginEpochs,
  findPendingEpochs,
  refuseUnknown,
} from '../engine/index.ts';
import { commandParts } from './command-parts.ts';
import type { AdminContext } from './open.ts';
import type { Report } from './report.ts';

/**
 * Begins a new epoch: what was signed with the keys of this service and is not known to this database has no effect in
 * it. To be done after each restore, or when the key of a signer is lost or stolen.
 * @throws Error with one sentence when the database lacks commits, and `acceptsLoss` is not given
 */
export async function recover(context: AdminContext, acceptsLoss: boolean): Promise<Report> {
  const { db } = context;
  if (acceptsLoss) await acceptLoss(db);
  else {
    if (await areCommitsLost(db))
      throw new Error(
        'The database lacks commits, or another one goes on with its contracts. It will never know the intents that it lacks: give --accept-loss if the right database does not come back',
      );
    await refuseUnknown(db, (await context.chain()).rpc);
    await beginEpochs(db);
  }
  const epochs = (await findPendingEpochs(db)).map(({ operator, epoch }) => ({
    operator: presentAddress(operator),
    epoch: Number(epoch),
  }));
  return {
    json: { isLossAccepted: acceptsLoss, epochs },
    text: [
      ...epochs.map(({ operator, epoch }) => `The Operator ${operator} goes on in epoch ${epoch}.`),
      'An engine raises it, in some blocks, or ten minutes after the last raise. What was accepted before goes on once that is final. The service goes on, or can be started.',
    ].join('\n'),
  };
}

/** Lets the service undo a reorg that is deeper than it undoes by itself. */
export async function acceptDeepReorg(context: AdminContext): Promise<Report> {
  const chain = await context.chain();
  const rewound = await acceptReorg({
    ...commandParts(context, chain),
    rpc: chain.rpc,
    profile: chain.profile,
  });
  if (!rewound)
    return { json: { accepted: false }, text: 'There is no reorg: the chain contains the last final block.' };
  const { ancestor, transactions, successes } = rewound;
  return {
    json: { accepted: true, ancestor: Number(ancestor.number), transactions, successes },
    text:
      `Everything above block ${ancestor.number} is settled again: ${transactions} transactions, ${successes} writes that ` +
      'were final. The service goes on, or can be started.',
  };
}
