import { waitForQuiet } from './books.ts';
import { heightOf } from './node-faults.ts';
import type { Random } from '../random.ts';
import { laggingState, preconfirmedCounts, prunedNode, wrongCounts } from '../proxies/rpc/state.ts';
import type { Moment } from './schedule.ts';
import type { Write } from '../load/writes.ts';
import { drawWrites, makeWrites } from '../load/writes.ts';
import { restartWithCommand } from './alive.ts';
import { addLayers, createNetworkFault, heal } from './network.ts';

/** Far longer than a control takes to be final. */
const FINAL_MS = 60_000;

/**
 * Controls are undone when they are final, while the state that the node shows is the one before they were set: by that
 * there is nothing to undo.
 */
export const laggingReads = createNetworkFault<{ controls: Write[]; blocks: number } | 'end'>({
  made: (rounds) => `${rounds} times final controls are undone`,
  plan: (random, { blockMs }) => ({
    writes: drawWrites(random, 6, { targets: 3 }),
    troubles: [
      {
        at: { write: 1 },
        what: {
          controls: drawWrites(random, 4, { targets: 3, controls: 1 }),
          blocks: random.whole(2, 6),
        },
      },
      { at: { ms: 4 * blockMs }, what: 'end' },
    ],
  }),
  apply: async (trouble, network) => {
    if (trouble === 'end') return heal(network);
    const { anvil, stage } = network;
    const turn = (on: boolean): Promise<void> =>
      makeWrites(
        trouble.controls.map((write) => ({ ...write, on })),
        stage.targets,
        stage.log,
      );
    const before = await heightOf(anvil);
    await turn(true);
    await waitForQuiet(stage.mintmark.service.context.db, FINAL_MS);
    addLayers(network, laggingState((await heightOf(anvil)) - before + trouble.blocks));
    await turn(false);
  },
});

/** With one of the first writes, or in the midst of what they cause. */
const drawMoment = (random: Random): Moment =>
  random.chance(0.5) ? { write: random.whole(1, 2) } : { call: random.whole(5, 40) };

/** In half of the rounds the service starts meanwhile: what it believes then it keeps. */
export const wrongNonces = createNetworkFault<{ by: number } | 'restart' | 'end'>({
  made: (rounds) => `${rounds} times by up to 5, for 4 blocks`,
  plan: (random, { number, blockMs }) => ({
    writes: drawWrites(random, 6, { targets: 3, controls: 0.2, waiting: 0.4 }),
    troubles: [
      { at: drawMoment(random), what: { by: random.pick(number % 2 === 0 ? [1, 2, 5] : [-1, -2, -5]) } },
      ...(number === 0 || random.chance(0.5) ? [{ at: { ms: blockMs / 2 }, what: 'restart' } as const] : []),
      { at: { ms: 4 * blockMs }, what: 'end' },
    ],
  }),
  apply: async (trouble, network) => {
    if (trouble === 'end') return heal(network);
    if (trouble === 'restart') return restartWithCommand(network.stage);
    addLayers(network, wrongCounts(trouble.by));
  },
});

export const preconfirmations = createNetworkFault({
  layers: [preconfirmedCounts],
  worksMeanwhile: true,
  made: (rounds) => `${rounds} rounds, counts ahead of receipts`,
  plan: (random) => ({
    writes: drawWrites(random, 10, { targets: 3, controls: 0.3, deploys: 0.1 }),
    troubles: [],
  }),
  apply: async () => undefined,
});

/** Finality needs more blocks than the node keeps states of, and transactions need a second bid meanwhile. */
export const prunedStates = createNetworkFault<'withhold'>({
  layers: [prunedNode({ states: 2, logs: 32 })],
  variables: { CONFIRMATIONS: '6' },
  worksMeanwhile: true,
  made: (rounds) => `${rounds} rounds, 2 blocks of state, 32 of logs`,
  plan: (random) => ({
    writes: drawWrites(random, 6, { targets: 3, controls: 0.3 }),
    troubles: [{ at: { write: random.whole(1, 2) }, what: 'withhold' }],
  }),
  apply: async (_, { proxies }) => {
    for (const { options } of proxies) options.withholdFirstBids = true;
  },
});
