// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IManagedERC20} from "../interfaces/IManagedERC20.sol";
import {IManagedERC721} from "../interfaces/IManagedERC721.sol";
import {IOperator} from "../interfaces/IOperator.sol";

/// @title The packed mints of a batch
/// @notice Reads tokens and mints that follow each other without gaps. How many tokens (1 byte); of each the address
/// (20 bytes), the gas cap of its mints (4 bytes) and the bytes of an amount (1 byte); then of each mint the index of the
/// token (1 byte), how far the intent's number is above the first one (2 bytes), its client's key (8 bytes), the recipient (20
/// bytes), and the amount in as many bytes as the token says.
/// @dev All positions are in calldata. Past its end all is zero.
library MintList {
    /// @dev Bytes of a token.
    uint256 private constant TARGET_BYTES = 25;
    /// @dev Bytes of a mint without its amount.
    uint256 private constant FIXED_BYTES = 31;

    /// @dev Where the number of tokens is, and the first mint.
    function begin(bytes calldata mints) internal pure returns (uint256 targets, uint256 mint) {
        assembly ("memory-safe") {
            targets := mints.offset
            mint := add(add(targets, 1), mul(byte(0, calldataload(targets)), TARGET_BYTES))
        }
    }

    /// @dev The intent of the mint at this place, by the one that the others are counted from.
    function intentOf(uint256 mint, uint256 firstIntent) internal pure returns (uint256 intent) {
        assembly ("memory-safe") {
            intent := add(firstIntent, and(shr(232, calldataload(mint)), 0xffff))
        }
    }

    /// @dev The client's key of the mint at this place.
    function keyOf(uint256 mint) internal pure returns (uint256 key) {
        assembly ("memory-safe") {
            key := and(shr(168, calldataload(mint)), 0xffffffffffffffff)
        }
    }

    /// @dev What the mint at this place mints, and with how much gas. Reverts `InvalidTarget`.
    function readTarget(
        uint256 targets,
        uint256 mint
    ) internal pure returns (address token, uint256 gasCap, uint256 amountBytes) {
        uint256 index;
        uint256 count;
        assembly ("memory-safe") {
            index := byte(0, calldataload(mint))
            count := byte(0, calldataload(targets))
        }
        if (index >= count) revert IOperator.InvalidTarget(index);
        assembly ("memory-safe") {
            let target := calldataload(add(add(targets, 1), mul(index, TARGET_BYTES)))
            token := shr(96, target)
            gasCap := and(shr(64, target), 0xffffffff)
            amountBytes := byte(24, target)
        }
    }

    /// @dev Writes the data of its call to the end of the memory in use: `mintNext(address)` without an amount, else
    /// `mint(address,uint256)`. Returns the size of the data.
    function writeData(uint256 mint, uint256 amountBytes, uint256 end) internal pure returns (uint256 size) {
        bytes4 selector = IManagedERC721.mintNext.selector;
        size = 0x24;
        if (amountBytes != 0) {
            selector = IManagedERC20.mint.selector;
            size = 0x44;
            assembly ("memory-safe") {
                let amount := calldataload(add(mint, FIXED_BYTES))
                mstore(add(end, 0x24), shr(sub(256, shl(3, amountBytes)), amount))
            }
        }
        assembly ("memory-safe") {
            mstore(end, selector)
            mstore(add(end, 0x04), shr(96, calldataload(add(mint, 11))))
        }
    }

    /// @dev Where the mint after it is.
    function next(uint256 mint, uint256 amountBytes) internal pure returns (uint256) {
        unchecked {
            return mint + FIXED_BYTES + amountBytes;
        }
    }
}
