import { acceptReorg } from '../engine/index.ts';
import { commandParts } from './command-parts.ts';
import type { AdminContext } from './open.ts';
import type { Report } from './report.ts';

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
