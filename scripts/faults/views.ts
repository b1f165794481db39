import type { Random } from '../../test/faults/random.ts';
import { laggingState, preconfirmedCounts, prunedNode, wrongCounts } from '../../test/faults/rpc/state.ts';
import type { Moment } from '../../test/faults/schedule.ts';
import type { Write } from '../../test/faults/writes.ts';
import { drawWrites } from '../../test/faults/writes.ts';
import { restartWithLever } from './alive.ts';
import { addLayers, createNetworkFault, heal } from './network.ts';

/** Controls are set and undone at once while the state that the node shows is some blocks old. */
export const laggingReads = createNetworkFault<{ blocks: number } | 'end'>({
  made: (rounds) =>
    `${rounds} times states lag by 2 to 6 blocks behind heads, while controls are set and undone`,
  plan: (random, { blockMs }) => {
    const drawn = drawWrites(random, 4, { targets: 3, controls: 1, waiting: 1 });
    const undone = drawn.flatMap((write): Write[] =>
      write.kind === 'control'
        ? [
            { ...write, on: true },
            { ...write, on: false },
          ]
        : [],
    );
    return {
      writes: [...drawWrites(random, 2, { targets: 3 }), ...undone],
      troubles: [
        { at: { write: 1 }, what: { blocks: random.between(2, 6) } },
        { at: { ms: 12 * blockMs }, what: 'end' },
      ],
    };
  },
  apply: async (trouble, network) => {
    if (trouble === 'end') return heal(network);
    addLayers(network, laggingState(trouble.blocks));
  },
});

/** With one of the first writes, or in the midst of what they cause. */
const drawMoment = (random: Random): Moment =>
  random.chance(0.5) ? { write: random.between(1, 2) } : { call: random.between(5, 40) };

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
    if (trouble === 'restart') return restartWithLever(network.stage);
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
    troubles: [{ at: { write: random.between(1, 2) }, what: 'withhold' }],
  }),
  apply: async (_, { proxies }) => {
    for (const { options } of proxies) options.withholdFirstBids = true;
  },
});
