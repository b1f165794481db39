import type { Mutant } from '../../mutant.ts';

const BATCH = ['test/engine/batch.test.ts'];

export const send: readonly Mutant[] = [
  {
    name: 'later calls of a contract pass one that did not fit',
    file: 'src/engine/send/batch.ts',
    find: 'leftOut.add(contract);',
    replace: '',
    suites: BATCH,
  },
  {
    name: 'later calls of a contract pass one that was refused',
    file: 'src/engine/send/sort-simulated.ts',
    find: 'stopped.add(intent.contract);',
    replace: '',
    suites: ['test/engine/overtaking.test.ts'],
  },
  {
    name: 'a call that has to go alone goes with others',
    file: 'src/engine/send/batch.ts',
    find: 'const limit = intent.fullGas ? 1 : intent.batchLimit;',
    replace: 'const limit = intent.batchLimit;',
    suites: BATCH,
  },
  {
    name: 'a batch beyond the calldata that pools take',
    file: 'src/engine/send/batch.ts',
    find: '&& bytes + size <= limits.calldataBytes',
    replace: '',
    suites: BATCH,
  },
  {
    name: 'a revert verified at `latest`',
    file: 'src/engine/send/verify-revert.ts',
    find: 'simulate(lane, [call], { maxGas, fees, block })',
    replace: "simulate(lane, [call], { maxGas, fees, block: block && 'latest' })",
    suites: ['test/engine/depth.test.ts'],
  },
  {
    name: 'a revert that does not wait for an earlier call',
    file: 'src/engine/send/verify-revert.ts',
    find: "if ((await findBehind(lane.db, [number])).size > 0) return 'premature';",
    replace: '',
    suites: ['test/engine/contract-order.test.ts'],
  },
  {
    name: 'a revert judged beside what a reorg took back',
    file: 'src/engine/send/verify-revert.ts',
    find: "if (!mined || (await isInChain(lane, mined)) !== true) return 'unsure';",
    replace: '',
    suites: ['test/engine/contract-order.test.ts'],
  },
  {
    name: 'broadcast before the bytes are stored',
    file: 'src/engine/send/send-calls.ts',
    find: '  const id = await insertTransaction(lane.db, lane.key, { ...unsaved, attempt });',
    replace: `  await broadcast(lane, { ...unsaved, id: 0n, attempts: [attempt], mined: null });
  const id = await insertTransaction(lane.db, lane.key, { ...unsaved, attempt });`,
    suites: ['test/engine/kill.test.ts', 'test/engine/contract-order.test.ts'],
  },
  {
    name: 'a cancel that costs the lane',
    file: 'src/engine/send/send-calls.ts',
    find: `    await renewLane(lane);
    return null;`,
    replace: `    throw new Error('the lane was lost', { cause: renewLane });`,
    suites: ['test/engine/contract-order.test.ts'],
  },
  {
    name: 'replacements by a tenth instead of an eighth',
    file: 'src/engine/send/replacement.ts',
    find: '(fee * 9n) / 8n + 1n',
    replace: '(fee * 11n) / 10n',
    suites: ['test/engine/fees.test.ts'],
  },
  {
    name: 'bids without end',
    file: 'src/engine/send/replacement.ts',
    find: 'if (previous.maxFeePerGas > MAX_OVERBID * current.maxFeePerGas) return null;',
    replace: '',
    suites: ['test/engine/fees.test.ts'],
  },
  {
    name: 'a bid beyond what nodes take',
    file: 'src/engine/send/fees.ts',
    find: 'fee > most ? most : fee',
    replace: 'fee',
    suites: ['test/engine/fees.test.ts'],
  },
  {
    name: 'more gas than a block has',
    file: 'src/engine/send/gas.ts',
    find: 'Math.min(most, Number((blockGas * 15n) / 16n));',
    replace: 'blockGas > 0n ? most : 0;',
    suites: ['test/engine/block-gas-limit.test.ts'],
  },
  {
    name: 'a cap without room for another path',
    file: 'src/engine/send/gas.ts',
    find: 'Math.ceil(gasUsed * 1.25) + 10_000',
    replace: 'gasUsed',
    suites: ['test/engine/batch.test.ts', 'test/features/tokens.test.ts'],
  },
  {
    name: 'a transaction without the 64/63 of its largest cap',
    file: 'src/engine/send/gas.ts',
    find: '+ wordCount * WORD_GAS + reserve + memoryGas(bytes)',
    replace: '+ wordCount * WORD_GAS + reserve * 0 + memoryGas(bytes)',
    suites: ['test/engine/batch.test.ts'],
  },
  {
    name: 'turns that do not count gas',
    file: 'src/engine/send/fair-order.ts',
    find: 'round: Math.floor(start / quantum)',
    replace: 'round: Math.floor(start / quantum / 1e9)',
    suites: ['test/engine/fair-order.test.ts'],
  },
  {
    name: 'a simulation without the fees',
    file: 'src/engine/send/simulate.ts',
    find: 'maxFeePerGas: toQuantity(fees.maxFeePerGas),',
    replace: 'maxFeePerGas: toQuantity(0n * fees.maxFeePerGas),',
    suites: ['test/engine/hostile-receivers.test.ts'],
  },
  {
    name: 'more in flight than a block takes',
    file: 'src/engine/send/batch.ts',
    find: 'return room < block * MIN_ROOM ? 0 : Math.floor(room);',
    replace: 'return room < block * MIN_ROOM ? block : Math.floor(room);',
    suites: ['test/engine/batch.test.ts', 'test/engine/fair-by-gas.test.ts'],
  },
];
