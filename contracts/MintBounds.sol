// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {ManagedStorage} from "./ManagedStorage.sol";
import {IManagedToken} from "./interfaces/IManagedToken.sol";
import {CloneArguments} from "./libraries/CloneArguments.sol";

/// @title How much may be minted
/// @notice A cap for ever, a limit for each UTC day, and an end of all minting. A token without them pays for none: one
/// test of words that the mint has read anyway.
abstract contract MintBounds is ManagedStorage {
    uint256 private constant NO_BOUND = type(uint256).max;

    /// @inheritdoc IManagedToken
    function closeMint() external {
        if (_setFlag(MINT_CLOSED, true)) emit MintingClosed();
    }

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
    function mintedToday() public view returns (uint256) {
        return mintLimit() == NO_BOUND ? 0 : _mintedOn(_today());
    }

    /// @inheritdoc IManagedToken
    function mintClosed() public view returns (bool) {
        return _state() & MINT_CLOSED != 0;
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
        if (limit == NO_BOUND || !_isLimited(msg.sender)) return;
        uint256 day = _today();
        uint256 minted = _sum(_mintedOn(day), amount);
        if (minted > limit) revert MintLimitExceeded(minted, limit);
        _managed().mintedOnDay = (day << AMOUNT_BITS) | minted;
    }

    function _setMintLimit(uint256 newLimit, uint256 current) private {
        if (newLimit == current) return;
        if (newLimit > AMOUNT_MASK && newLimit != NO_BOUND) revert InvalidMintLimit(newLimit, current);
        ManagedTokenStorage storage $ = _managed();
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

    /// @dev Whether the limit of a day holds for somebody who may mint: for the operator, and for the first one also when
    /// it is but the owner any more. That is the Operator contract, which hot keys mint through.
    function _isLimited(address minter) private view returns (bool) {
        (uint256 first, uint256 settings) = CloneArguments.header();
        return minter == CloneArguments.operatorOf(first, settings) || minter == operator();
    }

    function _mintedOn(uint256 day) private view returns (uint256) {
        uint256 counted = _managed().mintedOnDay;
        return counted >> AMOUNT_BITS == day ? counted & AMOUNT_MASK : 0;
    }

    /// @dev Days since 1970 in UTC. A block's timestamp may be some seconds off, which moves the start of a day by them.
    function _today() private view returns (uint256) {
        // solhint-disable-next-line not-rely-on-time
        return block.timestamp / 1 days;
    }

    /// @dev The sum, or 2^256 - 1 when it is more than that.
    function _sum(uint256 a, uint256 b) private pure returns (uint256 total) {
        unchecked {
            total = a + b;
            if (total < a) total = type(uint256).max;
        }
    }
}
