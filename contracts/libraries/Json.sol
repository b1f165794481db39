// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {Text} from "./Text.sol";

/// @title Writes JSON
/// @notice By words of 32 bytes where the text allows it, so that the JSON of a large layout can be read in one call.
library Json {
    /// @dev The highest bit of each byte, and other bytes repeated.
    uint256 private constant HIGH = 0x8080808080808080808080808080808080808080808080808080808080808080;
    uint256 private constant ONES = 0x0101010101010101010101010101010101010101010101010101010101010101;
    /// @dev U+FFFD, the replacement character, in UTF-8.
    uint256 private constant REPLACEMENT = 0xefbfbd;
    /// @dev Characters that have an escape of two, as bits: 0x08, 0x09, 0x0a, 0x0c, 0x0d, quote, backslash.
    uint256 private constant SHORT_ESCAPES = 0x3700 | (1 << 0x22) | (1 << 0x5c);

    /// @notice A text as a JSON string, with quotes. Every byte that is not part of valid UTF-8 becomes U+FFFD.
    /// @param text any bytes
    /// @return quoted valid JSON (RFC 8259) in valid UTF-8
    function quote(bytes memory text) internal pure returns (string memory quoted) {
        uint256 out;
        // Written at the end of memory, and taken when its length is known.
        assembly ("memory-safe") {
            quoted := mload(0x40)
            mstore8(add(quoted, 0x20), 0x22)
            out := add(quoted, 0x21)
        }
        uint256 length = text.length;
        uint256 i;
        while (i < length) {
            uint256 left = length - i;
            uint256 word = _wordAt(text, i);
            if (_isPlain(left < 32 ? _padded(word, left) : word)) {
                assembly ("memory-safe") {
                    mstore(out, word)
                }
                if (left > 32) left = 32;
                i += left;
                out += left;
            } else {
                (i, out) = _quoteSlowly(text, i, out);
            }
        }
        assembly ("memory-safe") {
            mstore8(out, 0x22)
            out := add(out, 1)
            mstore(quoted, sub(sub(out, quoted), 0x20))
            mstore(0x40, and(add(out, 0x3f), not(0x1f)))
        }
    }

    /// @notice Values in a text that are separated by commas or spaces, as a JSON array of strings.
    /// @param text any bytes
    /// @return list valid JSON; `[]` when there is no value
    function quoteList(bytes memory text) internal pure returns (string memory list) {
        uint256 start;
        for (uint256 i; i <= text.length; ++i) {
            if (i < text.length && text[i] != "," && text[i] != " ") continue;
            if (i > start) {
                string memory comma = bytes(list).length == 0 ? "" : ",";
                list = string.concat(list, comma, quote(Text.slice(text, start, i - start)));
            }
            start = i + 1;
        }
        list = string.concat("[", list, "]");
    }

    /// @dev Some 32 bytes of the text from `i` on, character by character, written at `out` in memory.
    function _quoteSlowly(bytes memory text, uint256 i, uint256 out) private pure returns (uint256, uint256) {
        uint256 end = i + 32 < text.length ? i + 32 : text.length;
        while (i < end) {
            uint256 lead = _wordAt(text, i) >> 248;
            if (lead < 0x80) {
                out = _writeAscii(lead, out);
                ++i;
                continue;
            }
            uint256 length = Text.characterAt(text, i);
            uint256 word = length == 0 ? REPLACEMENT << 232 : _wordAt(text, i);
            assembly ("memory-safe") {
                mstore(out, word)
            }
            i += length == 0 ? 1 : length;
            out += length == 0 ? 3 : length;
        }
        return (i, out);
    }

    /// @dev Escapes what RFC 8259 does not allow in a string: quote, backslash and control characters.
    function _writeAscii(uint256 char, uint256 out) private pure returns (uint256) {
        uint256 word = char << 248;
        uint256 size = 1;
        if ((SHORT_ESCAPES >> char) & 1 != 0) {
            // Control characters by their letter: b, t, n, (no v), f, r.
            if (char < 0x20) char = uint8(bytes6("btn\x00fr")[char - 8]);
            word = (0x5c << 248) | (char << 240);
            size = 2;
        } else if (char < 0x20) {
            bytes16 digits = "0123456789abcdef";
            word = uint256(bytes32("\\u00")) | (uint256(uint8(digits[char >> 4])) << 216);
            word |= uint256(uint8(digits[char & 15])) << 208;
            size = 6;
        }
        assembly ("memory-safe") {
            mstore(out, word)
        }
        return out + size;
    }

    /// @dev Whether all bytes are printable ASCII other than quote and backslash. The sums cannot carry from one byte into
    /// the next: once the highest bits are known to be 0, each is below 0x100.
    function _isPlain(uint256 word) private pure returns (bool) {
        unchecked {
            if (word & HIGH != 0) return false;
            uint256 printable = word + ONES * 0x60;
            uint256 noQuote = (word ^ (ONES * 0x22)) + ONES * 0x7f;
            uint256 noBackslash = (word ^ (ONES * 0x5c)) + ONES * 0x7f;
            return printable & noQuote & noBackslash & HIGH == HIGH;
        }
    }

    /// @dev The first `count` bytes of a word, and letters behind them.
    function _padded(uint256 word, uint256 count) private pure returns (uint256) {
        uint256 rest = type(uint256).max >> (8 * count);
        return (word & ~rest) | ((ONES * 0x61) & rest);
    }

    function _wordAt(bytes memory text, uint256 i) private pure returns (uint256 word) {
        assembly ("memory-safe") {
            word := mload(add(add(text, 0x20), i))
        }
    }
}
