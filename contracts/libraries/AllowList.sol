// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {IERC721} from "@openzeppelin/contracts/token/ERC721/IERC721.sol";
import {ICloneFactory} from "../interfaces/ICloneFactory.sol";
import {IManagedToken} from "../interfaces/IManagedToken.sol";

/// @title Which functions nobody can ever allow to executors
/// @notice Those that change an owner or an operator, or give away what the Operator holds or may move for others. The
/// Operator's own are out of reach too: it never calls itself for an executor. And 0, as which data of fewer than four bytes
/// would be taken.
library AllowList {
    // Functions of one name cannot be told apart by it.
    bytes4 private constant SAFE_TRANSFER = bytes4(keccak256("safeTransferFrom(address,address,uint256)"));
    bytes4 private constant SAFE_TRANSFER_WITH_DATA = bytes4(
        keccak256("safeTransferFrom(address,address,uint256,bytes)")
    );
    uint256 private constant EACH_LANE = 0x0000000100000001000000010000000100000001000000010000000100000001;
    uint256 private constant HIGH_BITS = 0x8000000080000000800000008000000080000000800000008000000080000000;

    /// @notice Whether a function is for owner, admin or holder alone.
    /// @param selector the function
    /// @return true when it can never be allowed
    function isDenied(bytes4 selector) internal pure returns (bool) {
        return selector == 0 || _isOwners(selector) || _isHolders(selector);
    }

    /// @notice A selector in each of the eight lanes of a word, for {contains}.
    /// @param selector the function
    /// @return the word
    function eightTimes(bytes4 selector) internal pure returns (uint256) {
        unchecked {
            return uint256(uint32(selector)) * EACH_LANE;
        }
    }

    /// @notice Whether a word of eight selectors has the one that stands in each lane of another.
    /// @dev A lane of 32 bits is zero after the XOR, see "Determine if a word has a zero byte" of Bit Twiddling Hacks.
    /// @param eight 8 selectors of 4 bytes
    /// @param lanes see {eightTimes}
    /// @return true when it is one of them
    function contains(uint256 eight, uint256 lanes) internal pure returns (bool) {
        unchecked {
            uint256 difference = eight ^ lanes;
            return (difference - EACH_LANE) & ~difference & HIGH_BITS != 0;
        }
    }

    /// @dev Of tokens and factories, for their owner.
    function _isOwners(bytes4 selector) private pure returns (bool) {
        return
            selector == IManagedToken.transferOwnership.selector ||
            selector == IManagedToken.acceptOwnership.selector ||
            selector == IManagedToken.setOperator.selector ||
            selector == IManagedToken.raiseMintLimit.selector ||
            selector == ICloneFactory.pauseCreation.selector ||
            selector == ICloneFactory.resumeCreation.selector;
    }

    /// @dev Of tokens, for whoever holds them or was approved.
    function _isHolders(bytes4 selector) private pure returns (bool) {
        return
            selector == IERC20.transfer.selector ||
            selector == IERC20.transferFrom.selector ||
            selector == IERC20.approve.selector ||
            selector == IERC721.setApprovalForAll.selector ||
            selector == SAFE_TRANSFER ||
            selector == SAFE_TRANSFER_WITH_DATA;
    }
}
