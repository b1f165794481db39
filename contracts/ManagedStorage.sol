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
        /// @dev what the operator has minted of its limit, see {Bucket}
        uint256 minted;
        /// @dev when what was given up is so for good, three times of 48 bits, see {GivenUp}
        uint256 forGoodAt;
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
    uint256 internal constant CONTROLS_RENOUNCED = 512;
    uint256 private constant LAYOUTS_SHIFT = 12;
    uint256 private constant LAYOUTS_MASK = (1 << 36) - 1;
    uint256 internal constant ONE_LAYOUT = 1 << LAYOUTS_SHIFT;
    uint256 internal constant SUPPLY_SHIFT = 48;

    uint256 internal constant FROZEN = 1 << 255;
    uint256 internal constant APPROVED = 1 << 254;
    uint256 internal constant AMOUNT_BITS = 208;
    uint256 internal constant AMOUNT_MASK = (1 << AMOUNT_BITS) - 1;

    /// @dev The {Operator} contract that hot keys mint through: operator of every clone until its owner sets another one.
    address private immutable FIRST_OPERATOR;

    constructor(address firstOperator) {
        FIRST_OPERATOR = firstOperator;
    }

    /// @inheritdoc IManagedToken
    function owner() public view returns (address) {
        if (_state() & OWNER_REPLACED != 0) return _managed().owner;
        return CloneArguments.ownerOf(_settings());
    }

    /// @inheritdoc IManagedToken
    function operator() public view returns (address) {
        return _operatorOf(_state());
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

    function _settings() internal view returns (uint256) {
        return CloneArguments.read();
    }

    function _account(address account) internal view returns (uint256) {
        return _managed().accounts[account].word;
    }

    function _layoutsOf(uint256 state) internal pure returns (uint256) {
        return (state >> LAYOUTS_SHIFT) & LAYOUTS_MASK;
    }

    /// @dev Reverts unless called by owner or operator. Returns what it read, for callers that need it too: the packed
    /// word of the contract, and the fixed part of the clone's arguments.
    function _requireManager() internal view returns (uint256 state, uint256 settings) {
        settings = _settings();
        state = _state();
        if (msg.sender == _operatorOf(state)) return (state, settings);
        if (msg.sender != owner()) revert NotOwnerOrOperator(msg.sender);
    }

    /// @dev Whether an account is the operator, or was the first one: the Operator contract counts as operator also where it
    /// is the owner alone, for hot keys act through it.
    function _isOperator(address account) internal view returns (bool) {
        return account == FIRST_OPERATOR || account == operator();
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

    function _operatorOf(uint256 state) private view returns (address) {
        return state & OPERATOR_REPLACED != 0 ? _managed().operator : FIRST_OPERATOR;
    }
}
