// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {KeyedMetadata} from "./KeyedMetadata.sol";
import {GivenUp} from "./GivenUp.sol";
import {ManagedStorage} from "./ManagedStorage.sol";
import {MintBounds} from "./MintBounds.sol";
import {IERC7572} from "./interfaces/IERC7572.sol";
import {IERC8049} from "./interfaces/IERC8049.sol";
import {Entry} from "./interfaces/IKeyedMetadata.sol";
import {IManagedToken} from "./interfaces/IManagedToken.sol";
import {ITokenDescriptor} from "./interfaces/ITokenDescriptor.sol";
import {CloneArguments} from "./libraries/CloneArguments.sol";

/// @title Base of the managed ERC-20 and ERC-721
/// @notice The implementation of ERC-1167 clones. Its constants (name, symbol, decimals, options) and its first owner are
/// immutable arguments in the code of the clone, the first operator and the descriptor immutable in this code, so there is no
/// initialiser.
abstract contract ManagedToken is MintBounds, IERC7572, IERC8049, KeyedMetadata {
    /// @dev Renders the JSON.
    ITokenDescriptor private immutable DESCRIPTOR;

    constructor(
        address firstOperator,
        ITokenDescriptor descriptor,
        uint40 revocableSeconds
    ) ManagedStorage(firstOperator) GivenUp(revocableSeconds) {
        DESCRIPTOR = descriptor;
    }

    /// @inheritdoc IManagedToken
    function pause() external {
        if (_setFlag(PAUSED, true)) emit Paused(msg.sender);
    }

    /// @inheritdoc IManagedToken
    function unpause() external {
        if (_setFlag(PAUSED, false)) emit Unpaused(msg.sender);
    }

    /// @inheritdoc IManagedToken
    function lockTransfers() external {
        if (_setFlag(LOCKED, true)) emit TransferLockChanged(true);
    }

    /// @inheritdoc IManagedToken
    function unlockTransfers() external {
        if (_setFlag(LOCKED, false)) emit TransferLockChanged(false);
    }

    /// @inheritdoc IManagedToken
    function freeze(address account) external {
        if (account == address(0)) revert InvalidAccount(account);
        if (_setMark(account, FROZEN, true)) emit AccountFreezeChanged(account, true);
    }

    /// @inheritdoc IManagedToken
    function unfreeze(address account) external {
        if (_setMark(account, FROZEN, false)) emit AccountFreezeChanged(account, false);
    }

    /// @inheritdoc IManagedToken
    function approveAccount(address account) external {
        if (_setMark(account, APPROVED, true)) emit AccountApprovalChanged(account, true);
    }

    /// @inheritdoc IManagedToken
    function unapproveAccount(address account) external {
        if (_setMark(account, APPROVED, false)) emit AccountApprovalChanged(account, false);
    }

    /// @inheritdoc IManagedToken
    function transferOwnership(address newOwner) external {
        _requireOwner();
        _managed().pendingOwner = newOwner;
        emit OwnershipTransferStarted(msg.sender, newOwner);
    }

    /// @inheritdoc IManagedToken
    function acceptOwnership(address newOperator) external {
        ManagedTokenStorage storage $ = _managed();
        if (msg.sender != $.pendingOwner) revert NotPendingOwner(msg.sender);
        address previousOwner = owner();
        $.pendingOwner = address(0);
        $.owner = msg.sender;
        $.state |= OWNER_REPLACED;
        emit OwnershipTransferred(previousOwner, msg.sender);
        if (newOperator != operator()) _setOperator(newOperator);
    }

    /// @inheritdoc IManagedToken
    function setOperator(address newOperator) external {
        _requireOwner();
        _setOperator(newOperator);
    }

    /// @inheritdoc IManagedToken
    function pendingOwner() external view returns (address) {
        return _managed().pendingOwner;
    }

    /// @inheritdoc IManagedToken
    function paused() public view returns (bool) {
        return _state() & PAUSED != 0;
    }

    /// @inheritdoc IManagedToken
    function transfersLocked() public view returns (bool) {
        return _state() & LOCKED != 0;
    }

    /// @inheritdoc IManagedToken
    function isPermissioned() public view returns (bool) {
        return _isPermissioned(_settings());
    }

    /// @inheritdoc IManagedToken
    function isFrozen(address account) public view returns (bool) {
        return _account(account) & FROZEN != 0;
    }

    /// @inheritdoc IManagedToken
    function isApprovedAccount(address account) external view returns (bool) {
        return _account(account) & APPROVED != 0;
    }

    /// @inheritdoc IManagedToken
    function canSend(address account) public view returns (bool) {
        return !isFrozen(account);
    }

    /// @inheritdoc IManagedToken
    function canReceive(address account) public view returns (bool) {
        return account != address(0) && !isFrozen(account);
    }

    /// @inheritdoc IManagedToken
    function recoverable() public view returns (bool) {
        return _settings() & CloneArguments.RECOVERABLE != 0;
    }

    /// @inheritdoc IManagedToken
    function tokenLimits() external view returns (TokenLimits memory limits) {
        uint256 state = _state();
        uint256 settings = _settings();
        limits.totalSupply = _existingOf(state);
        limits.maxSupply = _capOf(settings);
        limits.mintLimit = _limitOf(state, settings);
        limits.mintableNow = mintableNow();
        limits.fullAt = _fullAt(limits.mintLimit);
        limits.mintClosed = state & MINT_CLOSED != 0;
        limits.recoverable = settings & CloneArguments.RECOVERABLE != 0;
        limits.metadataFrozen = state & METADATA_FROZEN != 0;
        limits.controlsRenounced = state & CONTROLS_RENOUNCED != 0;
        (
            limits.mintClosedForGoodAt,
            limits.metadataFrozenForGoodAt,
            limits.controlsRenouncedForGoodAt
        ) = _forGoodAt();
        (limits.royaltyReceiver, limits.royaltyBasisPoints) = _royalty();
    }

    /// @inheritdoc IManagedToken
    function tokenState() external view returns (TokenState memory) {
        uint256 state = _state();
        uint256 settings = _settings();
        return
            TokenState({
                owner: owner(),
                operator: operator(),
                paused: state & PAUSED != 0,
                transferLocked: state & LOCKED != 0,
                permissioned: _isPermissioned(settings),
                supply: _supplyOf(state),
                name: CloneArguments.nameOf(settings),
                symbol: CloneArguments.symbolOf(settings),
                decimals: CloneArguments.decimalsOf(settings)
            });
    }

    /// @inheritdoc IERC8049
    function contractMetadata(string calldata key) external view returns (bytes memory) {
        return _valueOf(_contractLayout(), key);
    }

    /// @notice The keys of the layout most recently written in this contract, in order.
    /// @return keys UTF-8; empty when nothing was written yet
    function metadataKeys() external view returns (string[] memory keys) {
        uint256 state = _state();
        return _keysOf(state & NEWEST_LAYOUT_EMPTY != 0 ? 0 : _layoutsOf(state));
    }

    /// @notice The whole contract-level layout, in order.
    /// @return entries keys with values and kinds; empty when nothing was written yet
    function contractMetadataEntries() external view returns (Entry[] memory entries) {
        return _entriesOf(_contractLayout());
    }

    /// @inheritdoc IERC7572
    function contractURI() external view returns (string memory) {
        return _descriptor().contractURI(_name(), _symbol(), _entriesOf(_contractLayout()));
    }

    /// @dev The reference to the contract-level layout, 0 for none.
    function _contractLayout() internal view virtual returns (uint256);

    /// @dev What exists: minted and not burned.
    function _existingOf(uint256 state) internal pure virtual returns (uint256) {
        return _supplyOf(state);
    }

    /// @dev Receiver and basis points of the royalty.
    function _royalty() internal view virtual returns (address, uint96) {
        return (address(0), 0);
    }

    /// @dev Whether pause, lock and freeze let the one account send to the other.
    function _mayTransfer(address from, address to) internal view returns (bool) {
        if (_state() & (PAUSED | LOCKED) != 0 || from == address(0)) return false;
        return canSend(from) && canReceive(to);
    }

    /// @dev Before metadata is written: returns the packed word of the contract.
    function _requireMetadataManager() internal view returns (uint256 state) {
        (state, ) = _requireManager();
        _requireNotPaused(state);
        if (state & METADATA_FROZEN != 0) revert MetadataFrozen();
    }

    /// @dev Before somebody's holdings are moved by force, to the zero address when they are burned.
    function _requireRecovery(address to) internal view {
        (uint256 state, uint256 settings) = _requireManager();
        if (settings & CloneArguments.RECOVERABLE == 0) revert NotRecoverable();
        _requireControls(state);
        _requireNotPaused(state);
        if (isFrozen(to)) revert ERC7943CannotReceive(to);
    }

    /// @dev Counts a layout of that many keys: the new packed word of the contract, and the number of the layout. An
    /// empty one has the number 0 and no blob.
    function _countLayout(uint256 state, uint256 keys) internal pure returns (uint256, uint256 number) {
        if (keys == 0) return (state | NEWEST_LAYOUT_EMPTY, 0);
        state = (state & ~NEWEST_LAYOUT_EMPTY) + ONE_LAYOUT;
        return (state, _layoutsOf(state));
    }

    function _isPermissioned(uint256 settings) internal pure returns (bool) {
        return settings & CloneArguments.PERMISSIONED != 0;
    }

    function _descriptor() internal view returns (ITokenDescriptor) {
        return DESCRIPTOR;
    }

    function _decimals() internal view returns (uint8) {
        return CloneArguments.decimalsOf(_settings());
    }

    function _name() internal view returns (string memory) {
        return CloneArguments.nameOf(_settings());
    }

    function _symbol() internal view returns (string memory) {
        return CloneArguments.symbolOf(_settings());
    }

    function _setOperator(address newOperator) private {
        ManagedTokenStorage storage $ = _managed();
        address previousOperator = operator();
        $.operator = newOperator;
        $.state |= OPERATOR_REPLACED;
        emit OperatorChanged(previousOperator, newOperator);
    }

    /// @dev Halts or locks the contract, or ends that. Only for owner and operator.
    function _setFlag(uint256 flag, bool on) private returns (bool changed) {
        (uint256 state, ) = _requireManager();
        if (on) _requireControls(state);
        changed = (state & flag != 0) != on;
        if (changed) _managed().state = state ^ flag;
    }

    function _setMark(address account, uint256 mark, bool on) private returns (bool changed) {
        (uint256 state, ) = _requireManager();
        if (on && mark == FROZEN) _requireControls(state);
        Account storage marked = _managed().accounts[account];
        changed = (marked.word & mark != 0) != on;
        if (changed) marked.word ^= mark;
    }
}
