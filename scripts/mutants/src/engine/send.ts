import type { Mutant } from '../../mutant.ts';

const BATCH = ['test/engine/batch.test.ts'];

export const send: readonly Mutant[] = [
  {
    name: 'later calls of a contract pass one that did not fit',
    file: 'src/engine/send/batch.ts',
    find: 'leftOut.add(intent.contract);',
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
    find: '&& bytes + size <= maxBytes',
    replace: '',
    suites: BATCH,
  },
  {
    name: 'a revert that does not wait for an earlier call',
    file: 'src/engine/send/verify-revert.ts',
    find: "if ((await findBehind(lane.db, [number])).size > 0) return 'premature';",
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
    find: `    await noteUnstored(lane);
    return null;`,
    replace: `    throw new Error('the lane was lost', { cause: noteUnstored });`,
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
    find: 'if (isBeyondSense(previous, current)) return null;',
    replace: '',
    suites: ['test/engine/fees.test.ts'],
  },
  {
    name: 'a bid beyond what nodes take',
    file: 'src/engine/send/fees.ts',
    find: 'const capped = capFees(fees, maxTransactionFee / gasLimit);',
    replace: 'const capped = capFees(fees, maxTransactionFee * gasLimit);',
    suites: ['test/engine/fees.test.ts'],
  },
  {
    name: 'more gas than a block has',
    file: 'src/engine/send/gas.ts',
    find: 'Math.min(limit, Number((blockGas * 15n) / 16n));',
    replace: 'blockGas > 0n ? limit : 0;',
    suites: ['test/engine/block-gas-limit.test.ts'],
  },
  {
    name: 'a cap without room for another path',
    file: 'src/engine/send/gas.ts',
    find: 'Math.ceil(simulatedGas * 1.25) + 10_000',
    replace: 'simulatedGas',
    suites: ['test/engine/batch.test.ts', 'test/features/tokens.test.ts'],
  },
  {
    name: 'a transaction without the 64/63 of its largest cap',
    file: 'src/engine/send/gas.ts',
    find: '+ words * WORD_GAS + reserve + memoryGas(bytes)',
    replace: '+ words * WORD_GAS + reserve * 0 + memoryGas(bytes)',
    suites: ['test/engine/batch.test.ts'],
  },
  {
    name: 'a revert verified at `latest`',
    file: 'src/engine/send/verify-revert.ts',
    find: 'block: { blockHash: block } });',
    replace: "block: (void block, 'latest') });",
    suites: ['test/engine/depth.test.ts'],
  },
  {
    name: 'a revert judged beside what a reorg took back',
    file: 'src/engine/settle/verdict.ts',
    find: 'if ((await findBehind(tx, [failure.number])).size > 0) return false;',
    replace: 'void findBehind;',
    suites: ['test/engine/contract-order.test.ts'],
  },
  {
    name: 'a transaction that fits into no block bids on',
    file: 'src/engine/send/replacement.ts',
    find: 'if (transaction.gasLimit > blockGas) return giveUpCalls(lane, transaction);',
    replace: 'void blockGas;',
    suites: ['test/engine/disposable-slots.test.ts'],
  },
];
