import { headOf } from './attacker.ts';
import { measureFlood, profileOf, sandboxMintOf } from './others.ts';
import type { Attack } from './outcome.ts';
import { checkStatuses, createKey, showStatuses, withStage } from './stage.ts';

/** Changes of one account, which wait for its row: as many at a time as the attacker has connections. */
export const ownChanges: Attack = () =>
  withStage({}, async (stage) => {
    const [connections, forMs] = [200, 8_000];
    const [other, own] = [await stage.register(), await stage.register()];
    const mint = await sandboxMintOf(stage, (await createKey(stage, other, 'sandbox'))!);
    const body = JSON.stringify({ walletAddress: null });
    const head = headOf('PATCH /me', {
      bytes: body.length,
      headers: { Authorization: `Bearer ${own.token}` },
    });
    const flood = { connections, forMs, head, body };
    const reads = await measureFlood(stage, profileOf(stage, other), flood);
    const mints = await measureFlood(stage, mint, flood);
    const statuses = [reads, mints].map(({ result }) => result.statuses);
    return {
      made: `${connections} connections with \`PATCH /me\`, twice: ${statuses.map(showStatuses).join('; ')}`,
      figures: [reads.figure, mints.figure],
      flaws: [
        ...reads.flaws,
        ...mints.flaws,
        ...statuses.flatMap((each) => checkStatuses(each, [200, 429, 'none', 'open'])),
      ],
    };
  });
