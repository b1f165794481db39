import type { Mutant } from '../mutant.ts';

const BOUNDS = 'test/contracts/MintBounds.t.sol';
const CONTROLS = 'test/contracts/ManagedToken.t.sol';
const ERC721 = 'test/contracts/ManagedERC721.t.sol';
const ERC20 = 'test/contracts/ManagedERC20.t.sol';
const RECOVERY = 'test/contracts/Recovery.t.sol';
const OPTIONS = 'test/contracts/CollectionOptions.t.sol';
const ANNOUNCEMENTS = 'test/contracts/Announcements.t.sol';

/** Who manages a token, ownership, recovery, ERC-20. */
export const tokens: readonly Mutant[] = [
  {
    name: 'the operator as owner',
    file: 'contracts/ManagedStorage.sol',
    find: 'if (msg.sender != owner()) revert NotOwner(msg.sender);',
    replace: 'if (msg.sender != owner() && msg.sender != operator()) revert NotOwner(msg.sender);',
    suites: [BOUNDS, CONTROLS],
  },
  {
    name: 'anybody manages',
    file: 'contracts/ManagedStorage.sol',
    find: 'if (msg.sender != owner()) revert NotOwnerOrOperator(msg.sender);',
    replace: '',
    suites: [CONTROLS],
  },
  {
    name: 'a pause without effect',
    file: 'contracts/ManagedStorage.sol',
    find: 'if (state & PAUSED != 0) revert TokenPaused();',
    replace: '',
    suites: [ERC721, ERC20],
  },
  {
    name: 'a transfer lock without effect',
    file: 'contracts/ManagedStorage.sol',
    find: 'if (state & LOCKED != 0) revert TransfersLocked();',
    replace: '',
    suites: [ERC721, ERC20],
  },
  {
    name: 'a freeze without effect',
    file: 'contracts/ManagedStorage.sol',
    find: 'if (word & FROZEN != 0) revert AccountFrozen(account);',
    replace: '',
    suites: [ERC721, ERC20],
  },
  {
    name: 'the first owner for ever',
    file: 'contracts/ManagedStorage.sol',
    find: 'if (_state() & OWNER_REPLACED != 0) return _managed().owner;',
    replace: '',
    suites: [CONTROLS],
  },
  {
    name: 'the first operator for ever',
    file: 'contracts/ManagedStorage.sol',
    find: 'if (state & OPERATOR_REPLACED != 0) return _managed().operator;',
    replace: '',
    suites: [CONTROLS],
  },
  {
    name: 'the zero address frozen',
    file: 'contracts/ManagedToken.sol',
    find: 'if (account == address(0)) revert InvalidAccount(account);',
    replace: '',
    suites: [CONTROLS],
  },
  {
    name: 'ownership in one step',
    file: 'contracts/ManagedToken.sol',
    find: '_managed().pendingOwner = newOwner;',
    replace:
      '_managed().pendingOwner = newOwner;\n        _managed().owner = newOwner;\n        _managed().state |= OWNER_REPLACED;',
    suites: [CONTROLS],
  },
  {
    name: 'anybody accepts',
    file: 'contracts/ManagedToken.sol',
    find: 'if (msg.sender != $.pendingOwner) revert NotPendingOwner(msg.sender);',
    replace: '',
    suites: [CONTROLS],
  },
  {
    name: 'accepted twice',
    file: 'contracts/ManagedToken.sol',
    find: '$.pendingOwner = address(0);',
    replace: '',
    suites: [CONTROLS],
  },
  {
    name: 'an owner who is not told',
    file: 'contracts/ManagedToken.sol',
    find: 'emit OwnershipTransferred(previousOwner, msg.sender);',
    replace: '',
    suites: [CONTROLS],
  },
  {
    name: 'the operator of the former owner stays',
    file: 'contracts/ManagedToken.sol',
    find: 'if (newOperator != operator()) _setOperator(newOperator);',
    replace: '',
    suites: [CONTROLS],
  },
  {
    name: 'setOperator open to the operator',
    file: 'contracts/ManagedToken.sol',
    find: '        _requireOwner();\n        _setOperator(newOperator);',
    replace: '        _requireManager();\n        _setOperator(newOperator);',
    suites: [CONTROLS],
  },
  {
    name: 'transferOwnership open to the operator',
    file: 'contracts/ManagedToken.sol',
    find: '        _requireOwner();\n        _managed().pendingOwner',
    replace: '        _requireManager();\n        _managed().pendingOwner',
    suites: [CONTROLS],
  },
  {
    name: 'recovery of any token',
    file: 'contracts/ManagedToken.sol',
    find: 'if (settings & CloneArguments.RECOVERABLE == 0) revert NotRecoverable();',
    replace: '',
    suites: [RECOVERY],
  },
  {
    name: 'recovery by anybody',
    file: 'contracts/ManagedToken.sol',
    find: '(uint256 state, uint256 settings) = _requireManager();\n        if (settings & CloneArguments.RECOVERABLE',
    replace:
      'uint256 state = _state();\n        uint256 settings = _settings();\n        if (settings & CloneArguments.RECOVERABLE',
    suites: [RECOVERY],
  },
  {
    name: 'recovery to a frozen account',
    file: 'contracts/ManagedToken.sol',
    find: 'if (isFrozen(to)) revert ERC7943CannotReceive(to);',
    replace: '',
    suites: [RECOVERY],
  },
  {
    name: 'recovery while paused',
    file: 'contracts/ManagedToken.sol',
    find: 'revert NotRecoverable();\n        _requireNotPaused(state);',
    replace: 'revert NotRecoverable();',
    suites: [RECOVERY],
  },
  {
    name: 'frozen metadata that changes',
    file: 'contracts/ManagedToken.sol',
    find: 'if (state & METADATA_FROZEN != 0) revert MetadataFrozen();',
    replace: '',
    suites: [BOUNDS, OPTIONS],
  },
  {
    name: 'metadata written while paused',
    file: 'contracts/ManagedToken.sol',
    find: '        (state, ) = _requireManager();\n        _requireNotPaused(state);',
    replace: '        (state, ) = _requireManager();',
    suites: [ERC721, ERC20],
  },
  {
    name: 'an emptied layout that is not remembered',
    file: 'contracts/ManagedToken.sol',
    find: 'if (keys == 0) return (state | NEWEST_LAYOUT_EMPTY, 0);',
    replace: 'if (keys == 0) return (state, 0);',
    suites: [ANNOUNCEMENTS],
  },
  {
    name: 'an emptied layout remembered for ever',
    file: 'contracts/ManagedToken.sol',
    find: 'state = (state & ~NEWEST_LAYOUT_EMPTY) + ONE_LAYOUT;',
    replace: 'state += ONE_LAYOUT;',
    suites: [ANNOUNCEMENTS],
  },
  {
    name: 'the zero address may receive',
    file: 'contracts/ManagedToken.sol',
    find: 'return account != address(0) && !isFrozen(account);',
    replace: 'return !isFrozen(account);',
    suites: [CONTROLS],
  },
  {
    name: 'a frozen account may send',
    file: 'contracts/ManagedToken.sol',
    find: 'return !isFrozen(account);\n    }\n\n    /// @inheritdoc IManagedToken\n    function canReceive',
    replace: 'return true;\n    }\n\n    /// @inheritdoc IManagedToken\n    function canReceive',
    suites: [RECOVERY],
  },
  {
    name: 'coins minted without a look at the bounds',
    file: 'contracts/ManagedERC20.sol',
    find: '_checkBounds(state, settings, amount);',
    replace: '',
    suites: [BOUNDS],
  },
  {
    name: 'a supply beyond its bits',
    file: 'contracts/ManagedERC20.sol',
    find: 'if (value > AMOUNT_MASK - supply) {',
    replace: 'if (value > type(uint256).max - supply) {',
    suites: [ERC20],
  },
  {
    name: 'a spender who is frozen',
    file: 'contracts/ManagedERC20.sol',
    find: 'if (msg.sender != from) _requireNotFrozen(msg.sender, _account(msg.sender));',
    replace: '',
    suites: [ERC20],
  },
  {
    name: 'a forced transfer from nobody',
    file: 'contracts/ManagedERC20.sol',
    find: 'if (from == address(0)) revert ERC20InvalidSender(from);',
    replace: '',
    suites: [RECOVERY],
  },
  {
    name: 'a forced transfer untold',
    file: 'contracts/ManagedERC20.sol',
    find: 'emit ForcedTransfer(from, to, amount);',
    replace: '',
    suites: [RECOVERY],
  },
  {
    name: 'the URI of a coin changes untold',
    file: 'contracts/ManagedERC20.sol',
    find: 'emit ContractURIUpdated();',
    replace: '',
    suites: [ANNOUNCEMENTS],
  },
  {
    name: 'an emptied coin that shows its last layout',
    file: 'contracts/ManagedERC20.sol',
    find: 'return state & NEWEST_LAYOUT_EMPTY != 0 ? 0 : _layoutsOf(state);',
    replace: 'return _layoutsOf(state);',
    suites: [ANNOUNCEMENTS],
  },
];
