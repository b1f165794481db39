import { acceptReorg } from '../engine/index.ts';
import { leverParts } from './lever-parts.ts';
import type { Premises } from './open.ts';
import type { Report } from './report.ts';

/** Lets the service judge again what a reorg undid that is deeper than it undoes by itself. */
export async function acceptDeepReorg(premises: Premises): Promise<Report> {
  const chain = await premises.chain();
  const rewound = await acceptReorg({ ...leverParts(premises, chain), profile: chain.profile });
  if (!rewound)
    return { json: { accepted: false }, text: 'There is no reorg: the chain contains the last final block.' };
  const { ancestor, transactions, successes } = rewound;
  return {
    json: { accepted: true, ancestor: Number(ancestor.number), transactions, successes },
    text:
      `Everything above block ${ancestor.number} is judged again: ${transactions} transactions, ${successes} writes that ` +
      'were final. The service goes on, or can be started.',
  };
}
