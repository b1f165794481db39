// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {KeyedMetadata} from "./KeyedMetadata.sol";
import {IERC7572} from "./interfaces/IERC7572.sol";
import {IERC8049} from "./interfaces/IERC8049.sol";
import {Entry} from "./interfaces/IKeyedMetadata.sol";
import {IManagedToken} from "./interfaces/IManagedToken.sol";
import {ITokenDescriptor} from "./interfaces/ITokenDescriptor.sol";

/// @title Base of the managed ERC-20 and ERC-721
/// @notice The implementation of ERC-1167 clones. Constants (name, symbol, decimals, descriptor, whether it is
/// permissioned) and the first owner and operator are immutable arguments in the code of the clone, so there is no
/// initialiser. State is packed into one word for the contract and one word for each account.
///
/// @dev Arguments of a clone, from byte 0x2d of its code: owner (20 bytes), operator (20), descriptor (20),
/// permissioned (1), decimals (1), length of name (1), length of symbol (1), name, symbol, base URI.
abstract contract ManagedToken is IManagedToken, IERC7572, IERC8049, KeyedMetadata {
    /// @custom:storage-location erc7201:mintmark.storage.ManagedToken
    struct ManagedTokenStorage {
        /// @dev flags (8 bits), number of layouts written (40 bits), supply (208 bits)
        uint256 state;
        /// @dev valid once the flag says that it was replaced
        address owner;
        /// @dev valid once the flag says that it was replaced
        address operator;
        mapping(address account => Account) accounts;
    }

    /// @dev One word. A struct, so that its slot is computed once for reading and writing.
    struct Account {
        /// @dev balance (208 bits), unused, approved (1 bit), frozen (1 bit)
        uint256 word;
    }

    // keccak256(abi.encode(uint256(keccak256("mintmark.storage.ManagedToken")) - 1)) & ~bytes32(uint256(0xff))
    bytes32 private constant STORAGE_LOCATION =
        0x63449f8811959f3f5492b5a3c7c080942d54f49a904a90453322df2b7b8c1100;

    uint256 internal constant PAUSED = 1;
    uint256 internal constant LOCKED = 2;
    uint256 private constant OWNER_REPLACED = 4;
    uint256 private constant OPERATOR_REPLACED = 8;
    uint256 private constant LAYOUTS_SHIFT = 8;
    uint256 private constant LAYOUTS_MASK = (1 << 40) - 1;
    uint256 internal constant ONE_LAYOUT = 1 << LAYOUTS_SHIFT;
    uint256 internal constant SUPPLY_SHIFT = 48;

    uint256 internal constant FROZEN = 1 << 255;
    uint256 internal constant APPROVED = 1 << 254;
    uint256 internal constant BALANCE_MASK = (1 << 208) - 1;

    uint256 private constant ARGS_OFFSET = 0x2d;
    uint256 private constant HEADER_BYTES = 64;

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
        ManagedTokenStorage storage $ = _managed();
        address previousOwner = owner();
        if (msg.sender != previousOwner) revert NotOwner(msg.sender);
        if (newOwner == address(0)) revert InvalidOwner(newOwner);
        $.owner = newOwner;
        $.state |= OWNER_REPLACED;
        emit OwnershipTransferred(previousOwner, newOwner);
    }

    /// @inheritdoc IManagedToken
    function setOperator(address newOperator) external {
        ManagedTokenStorage storage $ = _managed();
        if (msg.sender != owner()) revert NotOwner(msg.sender);
        address previousOperator = operator();
        $.operator = newOperator;
        $.state |= OPERATOR_REPLACED;
        emit OperatorChanged(previousOperator, newOperator);
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
        (, uint256 settings) = _header();
        return _isPermissioned(settings);
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
    function tokenState() external view returns (TokenState memory) {
        return
            TokenState({
                owner: owner(),
                operator: operator(),
                paused: paused(),
                transferLocked: transfersLocked(),
                permissioned: isPermissioned(),
                supply: _supplyOf(_state()),
                name: _name(),
                symbol: _symbol(),
                decimals: _decimals()
            });
    }

    /// @inheritdoc IManagedToken
    function owner() public view returns (address) {
        if (_state() & OWNER_REPLACED != 0) return _managed().owner;
        (uint256 first, ) = _header();
        return address(uint160(first >> 96));
    }

    /// @inheritdoc IManagedToken
    function operator() public view returns (address) {
        (uint256 first, uint256 settings) = _header();
        return _operatorOf(_state(), first, settings);
    }

    /// @inheritdoc IERC8049
    function contractMetadata(string calldata key) external view returns (bytes memory) {
        return _valueOf(_contractLayout(), key);
    }

    /// @notice The keys of the layout most recently written in this contract, in order.
    /// @return keys UTF-8; empty when nothing was written yet
    function metadataKeys() external view returns (string[] memory keys) {
        return _keysOf(_layoutsOf(_state()));
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

    /// @dev The number that {tokenState} returns as supply.
    function _supplyOf(uint256 state) internal pure virtual returns (uint256) {
        return state >> SUPPLY_SHIFT;
    }

    function _managed() internal pure returns (ManagedTokenStorage storage $) {
        assembly ("memory-safe") {
            $.slot := STORAGE_LOCATION
        }
    }

    function _state() internal view returns (uint256) {
        return _managed().state;
    }

    function _account(address account) internal view returns (uint256) {
        return _managed().accounts[account].word;
    }

    function _layoutsOf(uint256 state) internal pure returns (uint256) {
        return (state >> LAYOUTS_SHIFT) & LAYOUTS_MASK;
    }

    /// @dev Whether pause, lock and freeze let the one account send to the other.
    function _mayTransfer(address from, address to) internal view returns (bool) {
        if (_state() & (PAUSED | LOCKED) != 0 || from == address(0) || to == address(0)) return false;
        return !isFrozen(from) && !isFrozen(to);
    }

    /// @dev Reverts unless called by owner or operator. Returns what it read, for callers that need it too: the packed
    /// word of the contract, and the second word of the clone's arguments.
    function _requireManager() internal view returns (uint256 state, uint256 settings) {
        uint256 first;
        (first, settings) = _header();
        state = _state();
        if (msg.sender == _operatorOf(state, first, settings)) return (state, settings);
        if (msg.sender != owner()) revert NotOwnerOrOperator(msg.sender);
    }

    function _requireNotPaused(uint256 state) internal pure {
        if (state & PAUSED != 0) revert TokenPaused();
    }

    /// @dev Transfers and approvals: neither paused nor locked.
    function _requireUnlocked(uint256 state) internal pure {
        _requireNotPaused(state);
        if (state & LOCKED != 0) revert TransfersLocked();
    }

    /// @dev Takes the packed word of the account, which the caller has already.
    function _requireNotFrozen(address account, uint256 word) internal pure {
        if (word & FROZEN != 0) revert AccountFrozen(account);
    }

    function _isPermissioned(uint256 settings) internal pure returns (bool) {
        return uint8(settings >> 24) != 0;
    }

    function _descriptor() internal view returns (ITokenDescriptor) {
        (, uint256 settings) = _header();
        return ITokenDescriptor(address(uint160(settings >> 32)));
    }

    function _decimals() internal view returns (uint8) {
        (, uint256 settings) = _header();
        return uint8(settings >> 16);
    }

    function _name() internal view returns (string memory) {
        (, uint256 settings) = _header();
        return _argument(0, uint8(settings >> 8));
    }

    function _symbol() internal view returns (string memory) {
        (, uint256 settings) = _header();
        return _argument(uint8(settings >> 8), uint8(settings));
    }

    function _baseUri() internal view returns (string memory) {
        (, uint256 settings) = _header();
        uint256 start = uint256(uint8(settings >> 8)) + uint8(settings);
        return _argument(start, address(this).code.length - ARGS_OFFSET - HEADER_BYTES - start);
    }

    function _operatorOf(uint256 state, uint256 first, uint256 settings) private view returns (address) {
        if (state & OPERATOR_REPLACED != 0) return _managed().operator;
        return address(uint160((first << 64) | (settings >> 192)));
    }

    function _setFlag(uint256 flag, bool on) private returns (bool changed) {
        (uint256 state, ) = _requireManager();
        changed = (state & flag != 0) != on;
        if (changed) _managed().state = state ^ flag;
    }

    function _setMark(address account, uint256 mark, bool on) private returns (bool changed) {
        _requireManager();
        Account storage marked = _managed().accounts[account];
        changed = (marked.word & mark != 0) != on;
        if (changed) marked.word ^= mark;
    }

    /// @dev The two words of the fixed part of the clone's arguments, as described above.
    function _header() internal view returns (uint256 first, uint256 settings) {
        assembly ("memory-safe") {
            extcodecopy(address(), 0x00, ARGS_OFFSET, HEADER_BYTES)
            first := mload(0x00)
            settings := mload(0x20)
        }
    }

    /// @dev A part of the texts after the fixed part.
    function _argument(uint256 start, uint256 length) private view returns (string memory text) {
        text = new string(length);
        assembly ("memory-safe") {
            extcodecopy(address(), add(text, 0x20), add(add(ARGS_OFFSET, HEADER_BYTES), start), length)
        }
    }
}
