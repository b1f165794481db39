import type { Mutant } from '../mutant.ts';

const RULES = 'test/contracts/Operator.t.sol';
const ADMIN = 'test/contracts/OperatorAdmin.t.sol';
const MINTS = 'test/contracts/OperatorMints.t.sol';

/** The memory of a batch. */
export const callBatch: readonly Mutant[] = [
  {
    name: 'answers that are not cut off',
    file: 'contracts/libraries/CallBatch.sol',
    find: 'MAX_RETURN_BYTES = 1024',
    replace: 'MAX_RETURN_BYTES = 1_000_000',
    suites: [RULES],
  },
  {
    name: 'returned bytes not padded',
    file: 'contracts/libraries/CallBatch.sol',
    find: '            mstore(add(newEnd, size), 0)\n',
    replace: '',
    suites: [ADMIN],
  },
  {
    name: 'a target of 19 bytes',
    file: 'contracts/libraries/CallBatch.sol',
    find: 'target := shr(96, shl(96, calldataload(call_)))',
    replace: 'target := shr(104, shl(104, calldataload(call_)))',
    suites: [ADMIN],
  },
  {
    name: 'calls with twice their gas',
    file: 'contracts/libraries/CallBatch.sol',
    find: 'ok := call(gasCap, target',
    replace: 'ok := call(mul(gasCap, 2), target',
    suites: [RULES],
  },
  {
    name: 'gas used that includes what came before',
    file: 'contracts/libraries/CallBatch.sol',
    find: 'gasUsed := sub(gasUsed, gas())',
    replace: 'gasUsed := gas()',
    suites: [RULES],
  },
  {
    name: 'results that end before they end',
    file: 'contracts/libraries/CallBatch.sol',
    find: 'newEnd := add(newEnd, shl(5, shr(5, add(size, 0x1f))))',
    replace: 'newEnd := add(newEnd, size)',
    suites: [ADMIN],
  },
  {
    name: 'memory in use that is forgotten',
    file: 'contracts/libraries/CallBatch.sol',
    find: '            mstore(0x40, newEnd)\n        }\n    }\n\n    /// @dev Writes the `Result` of a call that was not made',
    replace: '        }\n    }\n\n    /// @dev Writes the `Result` of a call that was not made',
    suites: [RULES, MINTS],
  },
  {
    name: 'refusals without their argument',
    file: 'contracts/libraries/CallBatch.sol',
    find: '            mstore(add(end, 0x84), argument)\n',
    replace: '',
    suites: [RULES],
  },
  {
    name: 'gas in the event in the place of the id',
    file: 'contracts/libraries/CallBatch.sol',
    find: 'shl(160, or(shl(64, gasUsed), word))',
    replace: 'shl(160, or(shl(32, gasUsed), word))',
    suites: [MINTS],
  },
];

/** The packed mints. */
export const mintList: readonly Mutant[] = [
  {
    name: 'offsets of one byte',
    file: 'contracts/libraries/MintList.sol',
    find: 'and(shr(232, calldataload(mint)), 0xffff)',
    replace: 'and(shr(232, calldataload(mint)), 0xff)',
    suites: [MINTS],
  },
  {
    name: 'a recipient one byte off',
    file: 'contracts/libraries/MintList.sol',
    find: 'shr(96, calldataload(add(mint, 3)))',
    replace: 'shr(96, calldataload(add(mint, 2)))',
    suites: [MINTS],
  },
  {
    name: 'amounts of a whole word',
    file: 'contracts/libraries/MintList.sol',
    find: 'shr(sub(256, shl(3, amountBytes)), amount)',
    replace: 'amount',
    suites: [MINTS],
  },
  {
    name: 'the next mint behind another amount',
    file: 'contracts/libraries/MintList.sol',
    find: 'return mint + FIXED_BYTES + amountBytes;',
    replace: 'return mint + FIXED_BYTES;',
    suites: [MINTS],
  },
  {
    name: 'targets beyond the list',
    file: 'contracts/libraries/MintList.sol',
    find: 'if (index >= count) revert IOperator.InvalidTarget(index);',
    replace: '',
    suites: [MINTS],
  },
  {
    name: 'the first target for all',
    file: 'contracts/libraries/MintList.sol',
    find: 'let target := calldataload(add(add(targets, 1), mul(index, TARGET_BYTES)))',
    replace: 'let target := calldataload(add(targets, 1))',
    suites: [MINTS],
  },
  {
    name: 'gas caps of two bytes',
    file: 'contracts/libraries/MintList.sol',
    find: 'and(shr(64, target), 0xffffffff)',
    replace: 'and(shr(64, target), 0xffff)',
    suites: [MINTS],
  },
  {
    name: 'half of the gas caps',
    file: 'contracts/libraries/MintList.sol',
    find: 'and(shr(64, target), 0xffffffff)',
    replace: 'and(shr(65, target), 0xffffffff)',
    suites: [MINTS],
  },
  {
    name: 'mints that begin behind the first token',
    file: 'contracts/libraries/MintList.sol',
    find: 'mul(byte(0, calldataload(targets)), TARGET_BYTES)',
    replace: 'TARGET_BYTES',
    suites: [MINTS],
  },
  {
    name: 'gas caps cut to 64 bits',
    file: 'contracts/libraries/CallBatch.sol',
    find: 'gasCap := calldataload(add(call_, 0x20))',
    replace: 'gasCap := and(calldataload(add(call_, 0x20)), 0xffffffffffffffff)',
    suites: ['test/contracts/OperatorCalldata.t.sol'],
  },
  {
    name: 'NFTs minted as coins',
    file: 'contracts/libraries/MintList.sol',
    find: 'if (amountBytes != 0) {',
    replace: 'if (amountBytes != 1) {',
    suites: [MINTS],
  },
];

/** What executors may call. */
export const allowList: readonly Mutant[] = [
  {
    name: 'transferFrom allowed',
    file: 'contracts/libraries/AllowList.sol',
    find: '        return 0;\n',
    replace: '        if (selector == IERC20.transferFrom.selector) return 1 << 24;\n        return 0;\n',
    suites: [ADMIN],
  },
  {
    name: 'transferFrom that may be allowed',
    file: 'contracts/libraries/AllowList.sol',
    find: '            selector == IERC20.transferFrom.selector ||\n',
    replace: '',
    suites: [ADMIN],
  },
  {
    name: 'setOperator that may be allowed',
    file: 'contracts/libraries/AllowList.sol',
    find: '            selector == IManagedToken.setOperator.selector ||\n',
    replace: '',
    suites: [ADMIN],
  },
  {
    name: 'setOperator allowed',
    file: 'contracts/libraries/AllowList.sol',
    find: '        return 0;\n',
    replace:
      '        if (selector == IManagedToken.setOperator.selector) return 1 << 25;\n        return 0;\n',
    suites: [ADMIN],
  },
  {
    name: 'transferOwnership that may be allowed',
    file: 'contracts/libraries/AllowList.sol',
    find: '            selector == IManagedToken.transferOwnership.selector ||\n',
    replace: '',
    suites: [ADMIN],
  },
  {
    name: 'acceptOwnership that may be allowed',
    file: 'contracts/libraries/AllowList.sol',
    find: '            selector == ACCEPT_OWNERSHIP ||\n',
    replace: '',
    suites: [ADMIN],
  },
  {
    name: 'raiseMintLimit that may be allowed',
    file: 'contracts/libraries/AllowList.sol',
    find: '            selector == RAISE_MINT_LIMIT ||\n',
    replace: '',
    suites: [ADMIN],
  },
  {
    name: 'a change of the admin that may be allowed',
    file: 'contracts/libraries/AllowList.sol',
    find: '            selector == IAccessControlDefaultAdminRules.beginDefaultAdminTransfer.selector ||\n',
    replace: '',
    suites: [ADMIN],
  },
  {
    name: 'grants of roles that may be allowed',
    file: 'contracts/libraries/AllowList.sol',
    find: '            selector == IAccessControl.grantRole.selector ||\n',
    replace: '',
    suites: [ADMIN],
  },
  {
    name: 'executeMints that may be allowed',
    file: 'contracts/libraries/AllowList.sol',
    find: '            selector == IOperator.executeMints.selector ||\n',
    replace: '',
    suites: [ADMIN],
  },
  {
    name: 'approvals of all that may be allowed',
    file: 'contracts/libraries/AllowList.sol',
    find: '            selector == IERC721.setApprovalForAll.selector ||\n',
    replace: '',
    suites: [ADMIN],
  },
  {
    name: 'one bit for two functions',
    file: 'contracts/libraries/AllowList.sol',
    find: 'if (selector == CLOSE_MINT) return 1 << 17;',
    replace: 'if (selector == CLOSE_MINT) return 1 << 16;',
    suites: [ADMIN],
  },
  {
    name: 'a function left out of the list',
    file: 'contracts/libraries/AllowList.sol',
    find: '        if (selector == FORCED_BURN) return 1 << 23;\n',
    replace: '',
    suites: [ADMIN],
  },
];
