import type { Mutant } from '../mutant.ts';

const RULES = 'test/contracts/Operator.t.sol';
const ADMIN = 'test/contracts/OperatorAdmin.t.sol';
const MINTS = 'test/contracts/OperatorMints.t.sol';

/** Done, allowed, enough gas, call, record: the rules of the Operator. */
export const operator: readonly Mutant[] = [
  {
    name: 'the 63/64 term left out',
    file: 'contracts/Operator.sol',
    find: 'gasCap + gasCap / 63 + reserve',
    replace: 'gasCap + reserve',
    suites: [ADMIN],
  },
  {
    name: 'a reserve that is too small',
    file: 'contracts/Operator.sol',
    find: 'GAS_RESERVE = 45_000',
    replace: 'GAS_RESERVE = 12_000',
    suites: [ADMIN],
  },
  {
    name: 'a reserve that is too large',
    file: 'contracts/Operator.sol',
    find: 'GAS_RESERVE = 45_000',
    replace: 'GAS_RESERVE = 90_000',
    suites: [ADMIN],
  },
  {
    name: 'no bound of the gas cap',
    file: 'contracts/Operator.sol',
    find: 'return gasCap - 1 < MAX_GAS_CAP;',
    replace: 'return gasCap - 1 < type(uint256).max;',
    suites: [RULES],
  },
  {
    name: 'a bound of the gas cap that is one too low',
    file: 'contracts/Operator.sol',
    find: 'return gasCap - 1 < MAX_GAS_CAP;',
    replace: 'return gasCap < MAX_GAS_CAP && gasCap != 0;',
    suites: [ADMIN],
  },
  {
    name: 'a gas cap of zero taken',
    file: 'contracts/Operator.sol',
    find: 'return gasCap - 1 < MAX_GAS_CAP;',
    replace: 'return gasCap <= MAX_GAS_CAP;',
    suites: [RULES],
  },
  {
    name: 'the event of a refusal left out',
    file: 'contracts/Operator.sol',
    find: '        emit CallFailed(intent, 0, CallBatch.returned(end));\n',
    replace: '',
    suites: [ADMIN],
  },
  {
    name: 'the event of a failure left out',
    file: 'contracts/Operator.sol',
    find: 'if (!ok) emit CallFailed(intent, gasUsed, CallBatch.returned(end));',
    replace: 'if (!ok) return newEnd;',
    suites: [RULES],
  },
  {
    name: 'no check of the remaining gas',
    file: 'contracts/Operator.sol',
    find: 'if (!_isEnoughGas(gasCap, batch.gasReserve)) revert InsufficientGas();',
    replace: '',
    suites: [RULES],
  },
  {
    name: 'no reserve for the event of several mints',
    file: 'contracts/Operator.sol',
    find: 'batch.gasReserve += GAS_RESERVE_PER_MINT * most;',
    replace: 'batch.gasReserve = 0;',
    suites: [MINTS],
  },
  {
    name: 'marks that are not looked at',
    file: 'contracts/Operator.sol',
    find: 'return batch.marks & _markOf(intent) != 0;',
    replace: 'return batch.storedMarks & _markOf(intent) != 0;',
    suites: [RULES],
  },
  {
    name: 'marks that are not stored',
    file: 'contracts/Operator.sol',
    find: 'if (batch.marks != batch.storedMarks) intentWords[batch.wordIndex] = batch.marks;',
    replace: 'if (batch.marks == batch.storedMarks) intentWords[batch.wordIndex] = batch.marks;',
    suites: [RULES],
  },
  {
    name: 'marks that are lost at another word',
    file: 'contracts/Operator.sol',
    find: '        _store(batch);\n        batch.wordIndex',
    replace: '        batch.wordIndex',
    suites: [MINTS],
  },
  {
    name: 'marks of the word before kept',
    file: 'contracts/Operator.sol',
    find: 'batch.marks = batch.storedMarks = intentWords[wordIndex];',
    replace: 'batch.storedMarks = batch.marks;',
    suites: [MINTS],
  },
  {
    name: 'results that no longer fit, packed',
    file: 'contracts/Operator.sol',
    find: 'MAX_PACKED_RESULT = 1 << 64',
    replace: 'MAX_PACKED_RESULT = 1 << 80',
    suites: [MINTS],
  },
  {
    name: 'results that still fit, not packed',
    file: 'contracts/Operator.sol',
    find: 'MAX_PACKED_RESULT = 1 << 64',
    replace: 'MAX_PACKED_RESULT = 1 << 62',
    suites: [MINTS],
  },
  {
    name: 'results in the order of the list',
    file: 'contracts/Operator.sol',
    find: 'if (mark < batch.untold) _tell(batch);',
    replace: '',
    suites: [MINTS],
  },
  {
    name: 'an event that tells what another one told',
    file: 'contracts/Operator.sol',
    find: '        batch.untold = 0;\n',
    replace: '',
    suites: [MINTS],
  },
  {
    name: 'results of the event before told again',
    file: 'contracts/Operator.sol',
    find: '        CallBatch.clear(batch.results);\n',
    replace: '',
    suites: [MINTS],
  },
  {
    name: 'room for too few results',
    file: 'contracts/Operator.sol',
    find: 'uint256 most = count < WORD_BITS ? count : WORD_BITS;',
    replace: 'uint256 most = count < WORD_BITS ? count : 16;',
    suites: [MINTS],
  },
];
