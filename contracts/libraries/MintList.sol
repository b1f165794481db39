// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IManagedERC20} from "../interfaces/IManagedERC20.sol";
import {IManagedERC721} from "../interfaces/IManagedERC721.sol";
import {IOperator} from "../interfaces/IOperator.sol";

/// @title The packed mints of a batch
/// @notice Reads mints that follow each other without gaps: the index of the token (1 byte), how far the intent's number
/// is above the first one (2 bytes), the recipient (20 bytes), and the amount in as many bytes as the token says.
/// @dev All positions are in calldata. Past its end all is zero.
library MintList {
    /// @dev Bytes of a mint without its amount.
    uint256 private constant FIXED_BYTES = 23;

    /// @dev Where the first mint is.
    function begin(bytes calldata mints) internal pure returns (uint256 mint) {
        assembly ("memory-safe") {
            mint := mints.offset
        }
    }

    /// @dev The intent of the mint at this place, by the one that the others are counted from.
    function intentOf(uint256 mint, uint256 firstIntent) internal pure returns (uint256 intent) {
        assembly ("memory-safe") {
            intent := add(firstIntent, and(shr(232, calldataload(mint)), 0xffff))
        }
    }

    /// @dev What the mint at this place mints, and with how much gas. Reverts `InvalidTarget`.
    function readTarget(
        IOperator.MintTarget[] calldata targets,
        uint256 mint
    ) internal pure returns (address token, uint256 gasCap, uint256 amountBytes) {
        uint256 index;
        assembly ("memory-safe") {
            index := shr(248, calldataload(mint))
        }
        if (index >= targets.length) revert IOperator.InvalidTarget(index);
        assembly ("memory-safe") {
            let target := add(targets.offset, mul(index, 0x60))
            token := shr(96, shl(96, calldataload(target)))
            gasCap := calldataload(add(target, 0x20))
            amountBytes := calldataload(add(target, 0x40))
        }
    }

    /// @dev Writes the data of its call to the end of the memory in use: `mint(address)` without an amount, else
    /// `mint(address,uint256)`. Returns the size of the data.
    function writeData(uint256 mint, uint256 amountBytes, uint256 end) internal pure returns (uint256 size) {
        bytes4 selector = IManagedERC721.mint.selector;
        size = 0x24;
        if (amountBytes != 0) {
            selector = IManagedERC20.mint.selector;
            size = 0x44;
        }
        assembly ("memory-safe") {
            mstore(end, selector)
            mstore(add(end, 0x04), shr(96, calldataload(add(mint, 3))))
            mstore(add(end, 0x24), shr(sub(256, shl(3, amountBytes)), calldataload(add(mint, FIXED_BYTES))))
        }
    }

    /// @dev Where the mint after it is.
    function next(uint256 mint, uint256 amountBytes) internal pure returns (uint256) {
        unchecked {
            return mint + FIXED_BYTES + amountBytes;
        }
    }
}
