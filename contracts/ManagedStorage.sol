// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IManagedToken} from "./interfaces/IManagedToken.sol";
import {CloneArguments} from "./libraries/CloneArguments.sol";

/// @title What a managed token stores, and who manages it
/// @notice State is packed into one word for the contract and one word for each account. What never changes is in the
/// code of the clone, see {CloneArguments}.
abstract contract ManagedStorage is IManagedToken {
    /// @custom:storage-location erc7201:mintmark.storage.ManagedToken
    struct ManagedTokenStorage {
        /// @dev flags (12 bits), number of layouts written (36 bits), supply (208 bits)
        uint256 state;
        /// @dev valid once the flag says that it was replaced
        address owner;
        /// @dev valid once the flag says that it was replaced
        address operator;
        mapping(address account => Account) accounts;
        address pendingOwner;
        /// @dev valid once the flag says that it was replaced
        uint256 mintLimit;
        /// @dev what the operator minted on its last day (208 bits), that day counted from 1970 (48 bits)
        uint256 mintedOnDay;
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
    uint256 internal constant OWNER_REPLACED = 4;
    uint256 internal constant OPERATOR_REPLACED = 8;
    uint256 internal constant MINT_CLOSED = 16;
    uint256 internal constant LIMIT_REPLACED = 32;
    uint256 internal constant ROYALTY_REPLACED = 64;
    uint256 internal constant METADATA_FROZEN = 128;
    /// @dev The layout most recently written is empty, and so has no blob.
    uint256 internal constant NEWEST_LAYOUT_EMPTY = 256;
    uint256 private constant LAYOUTS_SHIFT = 12;
    uint256 private constant LAYOUTS_MASK = (1 << 36) - 1;
    uint256 internal constant ONE_LAYOUT = 1 << LAYOUTS_SHIFT;
    uint256 internal constant SUPPLY_SHIFT = 48;

    uint256 internal constant FROZEN = 1 << 255;
    uint256 internal constant APPROVED = 1 << 254;
    uint256 internal constant AMOUNT_BITS = 208;
    uint256 internal constant AMOUNT_MASK = (1 << AMOUNT_BITS) - 1;

    /// @inheritdoc IManagedToken
    function owner() public view returns (address) {
        if (_state() & OWNER_REPLACED != 0) return _managed().owner;
        (uint256 first, ) = CloneArguments.header();
        return CloneArguments.ownerOf(first);
    }

    /// @inheritdoc IManagedToken
    function operator() public view returns (address) {
        (uint256 first, uint256 settings) = CloneArguments.header();
        return _operatorOf(_state(), first, settings);
    }

    /// @dev What the mint adds to and what {tokenState} returns as supply.
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

    function _settings() internal view returns (uint256 settings) {
        (, settings) = CloneArguments.header();
    }

    function _account(address account) internal view returns (uint256) {
        return _managed().accounts[account].word;
    }

    function _layoutsOf(uint256 state) internal pure returns (uint256) {
        return (state >> LAYOUTS_SHIFT) & LAYOUTS_MASK;
    }

    /// @dev Reverts unless called by owner or operator. Returns what it read, for callers that need it too: the packed
    /// word of the contract, and the second word of the clone's arguments.
    function _requireManager() internal view returns (uint256 state, uint256 settings) {
        uint256 first;
        (first, settings) = CloneArguments.header();
        state = _state();
        if (msg.sender == _operatorOf(state, first, settings)) return (state, settings);
        if (msg.sender != owner()) revert NotOwnerOrOperator(msg.sender);
    }

    function _requireOwner() internal view {
        if (msg.sender != owner()) revert NotOwner(msg.sender);
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

    /// @dev Sets a flag of the contract for good or for a while. Only for owner and operator.
    function _setFlag(uint256 flag, bool on) internal returns (bool changed) {
        (uint256 state, ) = _requireManager();
        changed = (state & flag != 0) != on;
        if (changed) _managed().state = state ^ flag;
    }

    function _operatorOf(uint256 state, uint256 first, uint256 settings) private view returns (address) {
        if (state & OPERATOR_REPLACED != 0) return _managed().operator;
        return CloneArguments.operatorOf(first, settings);
    }
}
