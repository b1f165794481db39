import {
  BATCH_FORMS,
  batchLimit,
  gaslessNode,
  indexingNode,
  sequencerWithoutPool,
} from '../proxies/rpc/nodes.ts';
import type { BatchForm } from '../proxies/rpc/nodes.ts';
import { haltChain, raiseBaseFee } from './node-faults.ts';
import { drawWrites } from '../load/writes.ts';
import { restartWithCommand } from './alive.ts';
import { addLayers, createNetworkFault } from './network.ts';

/** The limit is met by a start, by deployments and by mints. */
export const batchLimits = createNetworkFault<{ form: BatchForm; limit: number } | 'restart'>({
  worksMeanwhile: true,
  made: (rounds) => `${rounds} limits of 1 to 6 calls, in ${BATCH_FORMS.length} forms`,
  plan: (random) => ({
    writes: drawWrites(random, 8, { targets: 3, controls: 0.2, deploys: 0.4, waiting: 0.5 }),
    troubles: [
      { at: { write: 1 }, what: { form: random.pick(BATCH_FORMS), limit: random.whole(1, 6) } },
      { at: { write: 2 }, what: 'restart' },
    ],
  }),
  apply: async (trouble, { proxies, stage }) => {
    if (trouble === 'restart') return restartWithCommand(stage);
    for (const { endpoint } of proxies) endpoint.batchRule = batchLimit(trouble.form, trouble.limit);
  },
});

export const sequencer = createNetworkFault({
  layers: [sequencerWithoutPool],
  worksMeanwhile: true,
  accounts: 4,
  variables: { MAX_BATCH: '2' },
  made: (rounds) => `${rounds} rounds, transactions of 2 calls`,
  plan: (random) => ({
    writes: drawWrites(random, 16, { targets: 4, controls: 0.2, deploys: 0.1, waiting: 0.2 }),
    troubles: [],
  }),
  apply: async () => undefined,
});

export const indexing = createNetworkFault({
  worksMeanwhile: true,
  made: (rounds) => `${rounds} rounds, nothing by transaction hash`,
  plan: (random) => ({
    writes: drawWrites(random, 8, { targets: 3, controls: 0.2, deploys: 0.1 }),
    troubles: [{ at: { write: random.whole(1, 3) }, what: 'index' }],
  }),
  apply: async (_, network) => addLayers(network, indexingNode),
});

/** A signer without money on a chain without prices. */
export const gasless = createNetworkFault({
  node: { baseFeePerGas: 0 },
  layers: [gaslessNode],
  worksMeanwhile: true,
  balance: 0n,
  made: (rounds) => `${rounds} rounds, no fees and no balance`,
  plan: (random) => ({
    writes: drawWrites(random, 10, { targets: 3, controls: 0.2, deploys: 0.1 }),
    troubles: [],
  }),
  apply: async () => undefined,
});

const USUAL_FEE = 20_000_000_000n;

/** The node refuses transactions that may cost more than 1 ether, as geth does. */
export const baseFees = createNetworkFault<{ times: number; ms: number }>({
  node: { baseFeePerGas: Number(USUAL_FEE) },
  worksMeanwhile: true,
  made: (rounds) => `${rounds} times, for 5 minutes`,
  plan: (random, { isShort }) => ({
    writes: drawWrites(random, 8, { targets: 3, controls: 0.2, deploys: 0.1 }),
    troubles: [{ at: { write: random.whole(1, 3) }, what: { times: 100, ms: isShort ? 20_000 : 300_000 } }],
  }),
  apply: async ({ times, ms }, { anvil, proxies, lasting }) => {
    for (const { options } of proxies) options.feeCap = 10n ** 18n;
    lasting.push(raiseBaseFee(anvil, USUAL_FEE * BigInt(times), ms, USUAL_FEE));
  },
});

export const halts = createNetworkFault<{ ms: number }>({
  made: (rounds) => `${rounds} of a minute, then a clock 1 h ahead`,
  plan: (random, { isShort, blockMs }) => ({
    writes: drawWrites(random, 6, { targets: 3, controls: 0.3, waiting: 0.3 }),
    troubles: [{ at: { write: random.whole(1, 3) }, what: { ms: isShort ? 10 * blockMs : 60_000 } }],
  }),
  apply: async ({ ms }, { anvil, lasting }) => void lasting.push(haltChain(anvil, ms)),
});

const USUAL_GAS = 30_000_000;

/** Transactions are signed, and then no block has room for them any more. */
export const smallBlocks = createNetworkFault<'withhold' | { gas: number }>({
  worksMeanwhile: true,
  made: (rounds) => `${rounds} times too small for what is signed`,
  plan: (random) => ({
    writes: drawWrites(random, 24, { targets: 3, controls: 0.1, deploys: 0.1, waiting: 0 }),
    troubles: [
      { at: { write: 1 }, what: 'withhold' },
      { at: { write: 22 }, what: { gas: random.whole(1_000_000, 3_000_000) } },
    ],
  }),
  apply: async (trouble, { anvil, proxies }) => {
    for (const { options } of proxies) options.withholdFirstBids = trouble === 'withhold';
    const gas = trouble === 'withhold' ? USUAL_GAS : trouble.gas;
    await anvil.call('evm_setBlockGasLimit', [`0x${gas.toString(16)}`]);
  },
});
