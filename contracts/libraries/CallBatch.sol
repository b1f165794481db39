// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IOperator} from "../interfaces/IOperator.sol";

/// @title The memory of a batch of calls
/// @notice Makes calls with bounded gas and bounded answers, and writes what came of them as the ABI encoding of
/// `IOperator.Result[]` while it goes: offset and length of the array, the offset of each element, then the elements,
/// each appended at the end of the memory in use.
/// @dev All positions are in memory, except those that are said to be in calldata.
library CallBatch {
    /// @dev Limit of copied return data, so that a hostile answer cannot use the gas of the other calls.
    uint256 private constant MAX_RETURN_BYTES = 1024;
    /// @dev Offset and length of the array, before the offsets of its elements.
    uint256 private constant HEAD_BYTES = 0x40;
    /// @dev Of a `Result`, before the bytes of its `returnData`: ok, gasUsed, offset and length of `returnData`.
    uint256 private constant RESULT_BYTES = 0x80;
    /// @dev Bytes in which {appendPacked} puts a result.
    uint256 private constant PACKED_BYTES = 20;

    /// @dev Begins the encoding of so many results. Returns where the offsets of the elements are, and its end.
    function open(uint256 count) internal pure returns (uint256 heads, uint256 end) {
        assembly ("memory-safe") {
            let start := mload(0x40)
            mstore(start, 0x20)
            mstore(add(start, 0x20), count)
            heads := add(start, HEAD_BYTES)
            end := add(heads, shl(5, count))
            mstore(0x40, end)
        }
    }

    /// @dev Says that the element of this index begins at `end`.
    function setHead(uint256 heads, uint256 index, uint256 end) internal pure {
        assembly ("memory-safe") {
            mstore(add(heads, shl(5, index)), sub(end, heads))
        }
    }

    /// @dev Ends the external function with what was encoded.
    function close(uint256 heads, uint256 end) internal pure {
        assembly ("memory-safe") {
            let start := sub(heads, HEAD_BYTES)
            return(start, sub(end, start))
        }
    }

    /// @dev Where in calldata a call of a batch is. Offsets are not checked: one that points elsewhere, or past the end
    /// where all is zero, gives a call that the executor could have encoded properly as well.
    function locate(IOperator.Call[] calldata calls, uint256 index) internal pure returns (uint256 call_) {
        assembly ("memory-safe") {
            call_ := add(calls.offset, calldataload(add(calls.offset, shl(5, index))))
        }
    }

    /// @dev The target, the gas cap and the number of the call at this place in calldata.
    function read(
        uint256 call_
    ) internal pure returns (address target, uint256 gasCap, uint256 intentNumber) {
        assembly ("memory-safe") {
            target := shr(96, shl(96, calldataload(call_)))
            gasCap := calldataload(add(call_, 0x20))
            intentNumber := calldataload(add(call_, 0x40))
        }
    }

    /// @dev Copies the data of the call at this place in calldata to the end of the memory in use. Returns its size.
    function copyData(uint256 call_, uint256 end) internal pure returns (uint256 size) {
        assembly ("memory-safe") {
            let data := add(call_, calldataload(add(call_, 0x60)))
            size := calldataload(data)
            // Fewer than four bytes are no selector, whatever was here before.
            mstore(end, 0)
            calldatacopy(end, add(data, 0x20), size)
        }
    }

    /// @dev The selector of the data at this place.
    function selectorAt(uint256 data) internal pure returns (bytes4 selector) {
        assembly ("memory-safe") {
            selector := shl(224, shr(224, mload(data)))
        }
    }

    /// @dev Makes a call with the data at `end`, the end of the memory in use, and writes its `Result` in its place:
    /// what it returned is cut off, and filled with zeros up to the next word.
    function make(
        address target,
        uint256 gasCap,
        uint256 end,
        uint256 size
    ) internal returns (bool ok, uint256 gasUsed, uint256 newEnd) {
        assembly ("memory-safe") {
            gasUsed := gas()
            ok := call(gasCap, target, 0, end, size, 0, 0)
            gasUsed := sub(gasUsed, gas())
            mstore(end, ok)
            mstore(add(end, 0x20), gasUsed)
            mstore(add(end, 0x40), 0x60)
            size := returndatasize()
            if gt(size, MAX_RETURN_BYTES) {
                size := MAX_RETURN_BYTES
            }
            mstore(add(end, 0x60), size)
            newEnd := add(end, RESULT_BYTES)
            mstore(add(newEnd, size), 0)
            returndatacopy(newEnd, 0, size)
            newEnd := add(newEnd, shl(5, shr(5, add(size, 0x1f))))
            mstore(0x40, newEnd)
        }
    }

    /// @dev Makes a call with data that is in memory, and returns what it answered, cut off.
    function makeOne(
        address target,
        uint256 gasCap,
        bytes memory data
    ) internal returns (bool ok, uint256 gasUsed, bytes memory answer) {
        assembly ("memory-safe") {
            gasUsed := gas()
            ok := call(gasCap, target, 0, add(data, 0x20), mload(data), 0, 0)
            gasUsed := sub(gasUsed, gas())
            let size := returndatasize()
            if gt(size, MAX_RETURN_BYTES) {
                size := MAX_RETURN_BYTES
            }
            answer := mload(0x40)
            mstore(answer, size)
            returndatacopy(add(answer, 0x20), 0, size)
            mstore(0x40, add(add(answer, 0x20), and(add(size, 0x1f), not(0x1f))))
        }
    }

    /// @dev Writes the `Result` of a call that was not made at the end of the memory in use: a custom error with one
    /// word of argument.
    function refuse(uint256 end, bytes4 refusal, uint256 argument) internal pure returns (uint256 newEnd) {
        assembly ("memory-safe") {
            mstore(end, 0)
            mstore(add(end, 0x20), 0)
            mstore(add(end, 0x40), 0x60)
            mstore(add(end, 0x60), 0x24)
            mstore(add(end, 0x80), refusal)
            mstore(add(end, 0x84), argument)
            mstore(add(end, 0xa4), 0)
            newEnd := add(end, 0xc0)
            mstore(0x40, newEnd)
        }
    }

    /// @dev The `returnData` of the `Result` at this place.
    function returned(uint256 result) internal pure returns (bytes memory data) {
        assembly ("memory-safe") {
            data := add(result, 0x60)
        }
    }

    /// @dev The first word of the `returnData` of the `Result` at this place, filled with zeros; 0 without any, as {make} wrote
    /// a zero there.
    function firstWord(uint256 result) internal pure returns (uint256 word) {
        assembly ("memory-safe") {
            word := mload(add(result, RESULT_BYTES))
        }
    }

    /// @dev An empty list with room for so many packed results.
    function newPacked(uint256 count) internal pure returns (bytes memory list) {
        assembly ("memory-safe") {
            list := mload(0x40)
            mstore(list, 0)
            // One is written as a whole word.
            mstore(0x40, add(list, add(0x40, mul(PACKED_BYTES, count))))
        }
    }

    /// @dev Appends a result to a list that has room for it: gas below 2^32, a word and a client's key below 2^64.
    function appendPacked(bytes memory list, uint256 gasUsed, uint256 word, uint256 key) internal pure {
        assembly ("memory-safe") {
            let length := mload(list)
            mstore(add(add(list, 0x20), length), shl(96, or(shl(128, gasUsed), or(shl(64, word), key))))
            mstore(list, add(length, PACKED_BYTES))
        }
    }

    /// @dev Takes everything out of a list.
    function clear(bytes memory list) internal pure {
        assembly ("memory-safe") {
            mstore(list, 0)
        }
    }
}
