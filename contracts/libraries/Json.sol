// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {Escapes} from "./Escapes.sol";
import {Utf8} from "./Utf8.sol";

/// @title Writes JSON
/// @notice By words of 32 bytes, so that the JSON of any layout can be read in one call: a word of valid text with nothing to
/// escape is copied, every other one is written byte by byte from a table. So no byte costs more than a fixed amount of gas.
library Json {
    /// @dev The highest bit of each byte, and all others.
    uint256 private constant HIGH = 0x8080808080808080808080808080808080808080808080808080808080808080;
    uint256 private constant LOW = 0x7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f;
    /// @dev A byte repeated.
    uint256 private constant ONES = 0x0101010101010101010101010101010101010101010101010101010101010101;
    uint256 private constant SPACES = 0x2020202020202020202020202020202020202020202020202020202020202020;
    uint256 private constant QUOTES = 0x2222222222222222222222222222222222222222222222222222222222222222;
    uint256 private constant COMMAS = 0x2c2c2c2c2c2c2c2c2c2c2c2c2c2c2c2c2c2c2c2c2c2c2c2c2c2c2c2c2c2c2c2c;
    uint256 private constant BACKSLASHES = 0x5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c;
    /// @dev Behind a text, where they belong to no character of it and need no escape.
    uint256 private constant LETTERS = 0x6161616161616161616161616161616161616161616161616161616161616161;
    /// @dev Added to seven bits, it sets the highest one from 0x20 on.
    uint256 private constant FROM_20 = 0x6060606060606060606060606060606060606060606060606060606060606060;
    /// @dev The highest bit of the first byte.
    uint256 private constant FIRST = 1 << 255;
    /// @dev Stands for a separator that follows another one: as {Escapes-INVALID}, no byte of valid UTF-8 has this value.
    uint256 private constant REPEATED = 0xfe;

    /// @notice A text as a JSON string, with quotes. Every byte that is not part of valid UTF-8 becomes U+FFFD.
    /// @param text any bytes
    /// @param table from {Escapes-reserve}; filled when it is needed, so that one does for many texts
    /// @return quoted valid JSON (RFC 8259) in valid UTF-8
    function quote(bytes memory text, bytes memory table) internal pure returns (string memory quoted) {
        uint256 out;
        (quoted, out) = _begin('"', 1);
        (out, ) = _write(text, table, false, out);
        _finish(quoted, out, '"', 1);
    }

    /// @notice Values in a text that are separated by commas or spaces, as a JSON array of strings.
    /// @param text any bytes
    /// @return list valid JSON; `[]` when there is no value
    function quoteList(bytes memory text) internal pure returns (string memory list) {
        bytes memory table = _listTable();
        uint256 start;
        (list, start) = _begin('["', 2);
        (uint256 out, bool isOpen) = _write(text, table, true, start);
        if (out == start) return "[]";
        // At the end, what was written for a separator has begun a string that does not follow.
        if (isOpen) out -= 3;
        _finish(list, out, '"]', 2);
    }

    /// @dev Writes the JSON of a text without what is around it. Tells where it ends in memory, and whether a list is empty or
    /// ends with a separator.
    function _write(
        bytes memory text,
        bytes memory table,
        bool isList,
        uint256 out
    ) private pure returns (uint256 end, bool isOpen) {
        (uint256 i, uint256 textEnd, uint256 behind) = _open(text);
        // In the first byte, whether a separator is before the word: no other one is written after it.
        uint256 before = FIRST;
        unchecked {
            while (i < textEnd) {
                uint256 word = _load(i);
                uint256 size = 32;
                uint256 bad;
                if (word & HIGH != 0) (bad, size) = Utf8.check(word);
                if (textEnd - i < size) size = textEnd - i;
                i += size;
                if (isList) {
                    uint256 separators = _equalIn(word, COMMAS) | _equalIn(word, SPACES);
                    word |= ((separators & ((separators >> 8) | before)) >> 7) * REPEATED;
                    before = (separators << (8 * (size - 1))) & FIRST;
                } else if (bad | _specialsIn(word) == 0) {
                    _store(out, word);
                    out += size;
                    continue;
                }
                Escapes.fillForJson(table);
                out = Escapes.write(table, _marked(word, bad, size), size, out);
            }
        }
        _store(textEnd, behind);
        return (out, before != 0);
    }

    /// @dev A separator ends a string and begins the next one.
    function _listTable() private pure returns (bytes memory table) {
        table = Escapes.reserve();
        Escapes.fillForJson(table);
        Escapes.set(table, 0x2c, hex"222c220000000003");
        Escapes.set(table, 0x20, hex"222c220000000003");
        Escapes.set(table, REPEATED, 0);
    }

    /// @dev Where a text is in memory, and the word behind it, which is replaced by letters until the text is read.
    function _open(bytes memory text) private pure returns (uint256 start, uint256 end, uint256 behind) {
        assembly ("memory-safe") {
            start := add(text, 0x20)
            end := add(start, mload(text))
            behind := mload(end)
            mstore(end, LETTERS)
        }
    }

    /// @dev Begins a text at the end of memory, which {_finish} takes: nothing may be allocated in between. One word stays
    /// free, since {_open} may have put its letters there.
    function _begin(bytes32 head, uint256 size) private pure returns (string memory begun, uint256 out) {
        assembly ("memory-safe") {
            begun := add(mload(0x40), 0x20)
            mstore(add(begun, 0x20), head)
            out := add(add(begun, 0x20), size)
        }
    }

    function _finish(string memory begun, uint256 out, bytes32 tail, uint256 size) private pure {
        assembly ("memory-safe") {
            mstore(out, tail)
            out := add(out, size)
            mstore(begun, sub(sub(out, begun), 0x20))
            mstore(0x40, and(add(out, 0x1f), not(0x1f)))
        }
    }

    /// @dev 0x80 in each byte that RFC 8259 does not allow in a string: control characters, quotes, backslashes. The sums do
    /// not carry from one byte into the next, since they are of seven bits.
    function _specialsIn(uint256 word) private pure returns (uint256) {
        unchecked {
            uint256 low = word & LOW;
            uint256 printable = low + FROM_20;
            uint256 noQuote = (low ^ QUOTES) + LOW;
            uint256 noBackslash = (low ^ BACKSLASHES) + LOW;
            return HIGH & ~(word | (printable & noQuote & noBackslash));
        }
    }

    /// @dev 0x80 in each byte that is the one that is repeated in `wanted`, which is below 0x80.
    function _equalIn(uint256 word, uint256 wanted) private pure returns (uint256) {
        unchecked {
            return HIGH & ~(word | (((word & LOW) ^ wanted) + LOW));
        }
    }

    /// @dev The first bytes of a word, with those that are bad marked as such, and letters behind them.
    function _marked(uint256 word, uint256 bad, uint256 size) private pure returns (uint256) {
        unchecked {
            uint256 rest = size == 32 ? 0 : type(uint256).max >> (8 * size);
            return ((word | ((bad >> 7) * Escapes.INVALID)) & ~rest) | (LETTERS & rest);
        }
    }

    function _load(uint256 i) private pure returns (uint256 word) {
        assembly ("memory-safe") {
            word := mload(i)
        }
    }

    function _store(uint256 out, uint256 word) private pure {
        assembly ("memory-safe") {
            mstore(out, word)
        }
    }
}
