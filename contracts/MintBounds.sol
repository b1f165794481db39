// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {GivenUp} from "./GivenUp.sol";
import {IManagedToken} from "./interfaces/IManagedToken.sol";
import {Bucket} from "./libraries/Bucket.sol";
import {CloneArguments} from "./libraries/CloneArguments.sol";

/// @title How much may be minted
/// @notice A cap for ever, a limit on what the operator mints in a day, and an end of all minting. A token without them
/// pays for none: one test of words that the mint has read anyway.
abstract contract MintBounds is GivenUp {
    uint256 private constant NO_BOUND = type(uint256).max;

    /// @inheritdoc IManagedToken
    function lowerMintLimit(uint256 newLimit) external {
        _requireManager();
        uint256 current = mintLimit();
        if (newLimit > current) revert InvalidMintLimit(newLimit, current);
        _setMintLimit(newLimit, current);
    }

    /// @inheritdoc IManagedToken
    function raiseMintLimit(uint256 newLimit) external {
        _requireOwner();
        uint256 current = mintLimit();
        if (newLimit < current) revert InvalidMintLimit(newLimit, current);
        _setMintLimit(newLimit, current);
    }

    /// @inheritdoc IManagedToken
    function maxSupply() public view returns (uint256) {
        return _capOf(_settings());
    }

    /// @inheritdoc IManagedToken
    function mintLimit() public view returns (uint256) {
        return _limitOf(_state(), _settings());
    }

    /// @inheritdoc IManagedToken
    function mintableNow() public view returns (uint256) {
        uint256 limit = mintLimit();
        return limit == NO_BOUND ? NO_BOUND : Bucket.available(_managed().minted, limit, block.timestamp);
    }

    /// @dev Reverts while paused and when the bounds forbid the mint, and counts it. Before anything is minted and
    /// anybody is called.
    function _checkBounds(uint256 state, uint256 settings, uint256 amount) internal {
        uint256 bounds = settings & (CloneArguments.CAPPED | CloneArguments.LIMITED);
        bounds |= state & (PAUSED | MINT_CLOSED | LIMIT_REPLACED);
        if (bounds != 0) _applyBounds(state, settings, amount);
    }

    function _applyBounds(uint256 state, uint256 settings, uint256 amount) private {
        _requireNotPaused(state);
        if (state & MINT_CLOSED != 0) revert MintClosed();
        uint256 cap = _capOf(settings);
        uint256 supply = _sum(_supplyOf(state), amount);
        if (supply > cap) revert SupplyCapExceeded(supply, cap);
        uint256 limit = _limitOf(state, settings);
        if (limit == NO_BOUND || !_isOperator(msg.sender)) return;
        ManagedTokenStorage storage $ = _managed();
        uint256 word = $.minted;
        // A block's timestamp may be some seconds off, which moves what refills in them.
        uint256 mintable = Bucket.available(word, limit, block.timestamp);
        if (amount > mintable) revert MintLimitExceeded(amount, mintable);
        $.minted = Bucket.take(word, limit, block.timestamp, amount);
    }

    function _setMintLimit(uint256 newLimit, uint256 current) private {
        if (newLimit == current) return;
        if (newLimit > Bucket.MAX_LIMIT && newLimit != NO_BOUND) revert InvalidMintLimit(newLimit, current);
        ManagedTokenStorage storage $ = _managed();
        if (current != NO_BOUND) {
            // Without a limit nothing is counted any more.
            uint256 next = newLimit == NO_BOUND ? current : newLimit;
            $.minted = Bucket.change($.minted, current, next, block.timestamp);
        }
        $.mintLimit = newLimit;
        $.state |= LIMIT_REPLACED;
        emit MintLimitChanged(current, newLimit);
    }

    function _capOf(uint256 settings) internal view returns (uint256) {
        if (settings & CloneArguments.CAPPED == 0) return NO_BOUND;
        return CloneArguments.valueOf(settings, CloneArguments.CAPPED);
    }

    function _limitOf(uint256 state, uint256 settings) internal view returns (uint256) {
        if (state & LIMIT_REPLACED != 0) return _managed().mintLimit;
        if (settings & CloneArguments.LIMITED == 0) return NO_BOUND;
        return CloneArguments.valueOf(settings, CloneArguments.LIMITED);
    }

    /// @dev When the limit can be used up at once again; 0 without a limit.
    function _fullAt(uint256 limit) internal view returns (uint256) {
        return limit == NO_BOUND ? 0 : Bucket.fullAt(_managed().minted, limit, block.timestamp);
    }

    /// @dev The sum, or 2^256 - 1 when it is more than that.
    function _sum(uint256 a, uint256 b) private pure returns (uint256 total) {
        unchecked {
            total = a + b;
            if (total < a) total = type(uint256).max;
        }
    }
}
