import type { Mutant } from '../mutant.ts';

const FACTORIES = 'test/contracts/Factories.t.sol';

/** Factories and the arguments of clones. */
export const factories: readonly Mutant[] = [
  {
    name: 'creation while paused',
    file: 'contracts/CloneFactory.sol',
    find: 'if (creationPaused) revert CreationPaused();',
    replace: '',
    suites: [FACTORIES],
  },
  {
    name: 'created twice',
    file: 'contracts/CloneFactory.sol',
    find: 'if (token.code.length != 0) return token;',
    replace: '',
    suites: [FACTORIES],
  },
  {
    name: 'anybody deploys to the address of another',
    file: 'contracts/CloneFactory.sol',
    find: 'return keccak256(abi.encode(caller, salt));',
    replace: 'return keccak256(abi.encode(salt));',
    suites: [FACTORIES],
  },
  {
    name: 'the owner told as creator',
    file: 'contracts/CloneFactory.sol',
    find: 'emit TokenCreated(token, owner, msg.sender, salt);',
    replace: 'emit TokenCreated(token, owner, owner, salt);',
    suites: [FACTORIES],
  },
  {
    name: 'a name of 65 bytes',
    file: 'contracts/CloneFactory.sol',
    find: 'MAX_NAME_BYTES = 64',
    replace: 'MAX_NAME_BYTES = 65',
    suites: [FACTORIES],
  },
  {
    name: 'a symbol of 15 bytes at most',
    file: 'contracts/CloneFactory.sol',
    find: 'MAX_SYMBOL_BYTES = 16',
    replace: 'MAX_SYMBOL_BYTES = 15',
    suites: [FACTORIES],
  },
  {
    name: 'nobody as owner',
    file: 'contracts/CloneFactory.sol',
    find: 'if (owner == address(0)) revert OwnerMissing();',
    replace: '',
    suites: [FACTORIES],
  },
  {
    name: 'a cap beyond the bits of a supply',
    file: 'contracts/CloneFactory.sol',
    find: 'if (cap > MAX_AMOUNT) revert InvalidMaxSupply(cap);',
    replace: '',
    suites: [FACTORIES],
  },
  {
    name: 'a first limit beyond the bits of its count',
    file: 'contracts/CloneFactory.sol',
    find: 'if (limit > MAX_AMOUNT) revert InvalidMintLimit(limit);',
    replace: '',
    suites: [FACTORIES],
  },
  {
    name: 'recoverable without being asked',
    file: 'contracts/CloneFactory.sol',
    find: 'if (options.recoverable) flags',
    replace: 'if (options.permissioned) flags',
    suites: [FACTORIES],
  },
  {
    name: '256-byte base URI refused',
    file: 'contracts/CollectionFactory.sol',
    find: 'if (length > MAX_BASE_URI_BYTES)',
    replace: 'if (length >= MAX_BASE_URI_BYTES)',
    suites: [FACTORIES],
  },
  {
    name: 'a base URI of any length',
    file: 'contracts/CollectionFactory.sol',
    find: 'if (length > MAX_BASE_URI_BYTES) revert BaseUriTooLong(length);',
    replace: '',
    suites: [FACTORIES],
  },
  {
    name: 'decimals above 18',
    file: 'contracts/TokenFactory.sol',
    find: 'if (args.decimals > MAX_DECIMALS) revert InvalidDecimals(args.decimals);',
    replace: '',
    suites: [FACTORIES],
  },
  {
    name: 'the value of another option',
    file: 'contracts/libraries/CloneArguments.sol',
    find: 'for (uint256 other = CAPPED; other != flag; other <<= 1)',
    replace: 'for (uint256 other = LIMITED; other != flag && other != 1 << 40; other <<= 1)',
    suites: [FACTORIES],
  },
  {
    name: 'texts that begin too early',
    file: 'contracts/libraries/CloneArguments.sol',
    find: 'WORD_BYTES * _valuesBefore(settings, ROYALTY << 1)',
    replace: 'WORD_BYTES * _valuesBefore(settings, ROYALTY)',
    suites: [FACTORIES],
  },
];
