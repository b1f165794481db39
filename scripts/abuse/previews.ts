import { headOf } from './attacker.ts';
import { heavyMetadata } from './gas.ts';
import { measureFlood, profileOf, showWork } from './others.ts';
import type { Attack } from './outcome.ts';
import { checkStatuses, showStatuses, withStage } from './stage.ts';

/** Previews of nearly as much metadata as a token may have. */
export const previews: Attack = () =>
  withStage({}, async (stage) => {
    const [connections, forMs] = [20, 10_000];
    const [other, own] = [await stage.register(), await stage.register()];
    const body = JSON.stringify({ name: 'Art', symbol: 'A', metadata: heavyMetadata(0) });
    const head = headOf('POST /metadata/preview', {
      bytes: body.length,
      headers: { Authorization: `Bearer ${own.token}` },
    });
    const flood = { connections, forMs, head, body };
    const measured = await measureFlood(stage, profileOf(stage, other), flood);
    const { figure, flaws, result, cpuSeconds } = measured;
    return {
      made: `${connections} connections, 8 KB each: ${showStatuses(result.statuses)}; ${showWork(cpuSeconds, forMs)}`,
      figures: [figure],
      flaws: [...flaws, ...checkStatuses(result.statuses, [200, 429, 'none', 'open'])],
    };
  });
