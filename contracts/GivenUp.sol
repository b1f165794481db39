// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {ManagedStorage} from "./ManagedStorage.sol";
import {IManagedToken} from "./interfaces/IManagedToken.sol";

/// @title What can be given up for ever
/// @notice Minting, changes of metadata, and the controls over holders. Each stops at once. When the operator asked, it can be
/// taken back for some time, since hot keys act through the operator; after that, and when an owner asked who is not the
/// operator, never.
abstract contract GivenUp is ManagedStorage {
    uint256 private constant TIME_BITS = 48;
    uint256 private constant TIME_MASK = (1 << TIME_BITS) - 1;

    /// @dev Where the time of each flag is in `forGoodAt`.
    uint256 private constant MINT_SHIFT = 0;
    uint256 private constant METADATA_SHIFT = TIME_BITS;
    uint256 private constant CONTROLS_SHIFT = 2 * TIME_BITS;

    /// @dev Seconds in which what the operator gave up can be taken back.
    uint256 private immutable REVOCABLE_SECONDS;

    /// @notice Sets what all clones share.
    /// @param revocableSeconds 40 bits, so that no sum with the time of a block fills the 48 of a time
    constructor(uint40 revocableSeconds) {
        REVOCABLE_SECONDS = revocableSeconds;
    }

    /// @inheritdoc IManagedToken
    function closeMint() external {
        uint256 forGood = _giveUp(MINT_CLOSED, MINT_SHIFT);
        if (forGood != 0) emit MintingClosed(forGood);
    }

    /// @inheritdoc IManagedToken
    function reopenMint() external {
        if (_takeBack(MINT_CLOSED, MINT_SHIFT)) emit MintingReopened();
    }

    /// @inheritdoc IManagedToken
    function freezeMetadata() external {
        uint256 forGood = _giveUp(METADATA_FROZEN, METADATA_SHIFT);
        if (forGood != 0) emit AllMetadataFrozen(forGood);
    }

    /// @inheritdoc IManagedToken
    function unfreezeMetadata() external {
        if (_takeBack(METADATA_FROZEN, METADATA_SHIFT)) emit AllMetadataUnfrozen();
    }

    /// @inheritdoc IManagedToken
    function renounceControls() external {
        uint256 forGood = _giveUp(CONTROLS_RENOUNCED, CONTROLS_SHIFT);
        if (forGood != 0) emit AllControlsRenounced(forGood);
    }

    /// @inheritdoc IManagedToken
    function restoreControls() external {
        if (_takeBack(CONTROLS_RENOUNCED, CONTROLS_SHIFT)) emit ControlsRestored();
    }

    /// @inheritdoc IManagedToken
    function mintClosed() public view returns (bool) {
        return _state() & MINT_CLOSED != 0;
    }

    /// @inheritdoc IManagedToken
    function metadataFrozen() public view returns (bool) {
        return _state() & METADATA_FROZEN != 0;
    }

    /// @inheritdoc IManagedToken
    function controlsRenounced() public view returns (bool) {
        return _state() & CONTROLS_RENOUNCED != 0;
    }

    /// @dev When the mint is closed for good, and so on; 0 for what is not given up.
    function _forGoodAt() internal view returns (uint256 mint, uint256 metadata, uint256 controls) {
        uint256 times = _managed().forGoodAt;
        mint = (times >> MINT_SHIFT) & TIME_MASK;
        metadata = (times >> METADATA_SHIFT) & TIME_MASK;
        controls = (times >> CONTROLS_SHIFT) & TIME_MASK;
    }

    /// @dev From when on what the caller gives up now cannot be taken back, in seconds since 1970.
    function _forGoodFrom() internal view returns (uint256) {
        return _isOperator(msg.sender) ? block.timestamp + REVOCABLE_SECONDS : block.timestamp;
    }

    /// @dev Reverts when what was given up is so for good.
    function _requireRevocable(uint256 forGoodAt) internal view {
        if (block.timestamp >= forGoodAt) revert Irrevocable(forGoodAt);
    }

    function _requireControls(uint256 state) internal pure {
        if (state & CONTROLS_RENOUNCED != 0) revert ControlsRenounced();
    }

    /// @dev Only for owner and operator. Returns from when on it is for good; 0 when it was so already, no later.
    function _giveUp(uint256 flag, uint256 shift) private returns (uint256 forGood) {
        (uint256 state, ) = _requireManager();
        ManagedTokenStorage storage $ = _managed();
        forGood = _forGoodFrom();
        uint256 times = $.forGoodAt;
        if (state & flag != 0 && (times >> shift) & TIME_MASK <= forGood) return 0;
        $.state = state | flag;
        $.forGoodAt = (times & ~(TIME_MASK << shift)) | (forGood << shift);
    }

    /// @dev Only for owner and operator. Returns whether it was given up.
    function _takeBack(uint256 flag, uint256 shift) private returns (bool) {
        (uint256 state, ) = _requireManager();
        if (state & flag == 0) return false;
        ManagedTokenStorage storage $ = _managed();
        uint256 times = $.forGoodAt;
        _requireRevocable((times >> shift) & TIME_MASK);
        $.state = state ^ flag;
        $.forGoodAt = times & ~(TIME_MASK << shift);
        return true;
    }
}
