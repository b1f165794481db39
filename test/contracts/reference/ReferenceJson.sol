// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {Text} from "../../../contracts/libraries/Text.sol";

/// @title Writes JSON
/// @notice By words of 32 bytes where the text allows it, so that the JSON of a large layout can be read in one call.
library ReferenceJson {
    /// @dev The highest bit of each byte, and other bytes repeated.
    uint256 private constant HIGH = 0x8080808080808080808080808080808080808080808080808080808080808080;
    uint256 private constant ONES = 0x0101010101010101010101010101010101010101010101010101010101010101;
    /// @dev U+FFFD, the replacement character, in UTF-8.
    uint256 private constant REPLACEMENT = 0xefbfbd;
    /// @dev The upper two bits of the second byte, and their value in a character of two bytes.
    uint256 private constant TWO_BYTES = 0xc0 << 240;
    uint256 private constant ONE_CONTINUATION = 0x80 << 240;
    /// @dev The upper two bits of the second and the third byte, and their value in a character of three bytes.
    uint256 private constant THREE_BYTES = 0xc0c0 << 232;
    uint256 private constant TWO_CONTINUATIONS = 0x8080 << 232;
    /// @dev Control characters that have an escape of two, as bits: 0x08, 0x09, 0x0a, 0x0c, 0x0d.
    uint256 private constant SHORT_ESCAPES = 0x3700;
    uint256 private constant QUOTE = 0x22;
    uint256 private constant BACKSLASH = 0x5c;

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

    /// @dev Some 32 bytes of the text from `i` on, character by character, written at `out` in memory. A whole word is
    /// written for each, of which the next one overwrites the surplus.
    function _quoteSlowly(bytes memory text, uint256 i, uint256 out) private pure returns (uint256, uint256) {
        uint256 size = text.length;
        uint256 end = i + 32 < size ? i + 32 : size;
        unchecked {
            while (i < end) {
                uint256 word = _wordAt(text, i);
                uint256 lead = word >> 248;
                uint256 length = 1;
                if (lead < 0x80) {
                    if (lead < 0x20 || lead == QUOTE || lead == BACKSLASH) {
                        out = _escape(lead, out);
                        ++i;
                        continue;
                    }
                } else if (lead - 0xc2 < 30 && word & TWO_BYTES == ONE_CONTINUATION && i + 2 <= size) {
                    length = 2;
                } else if (lead - 0xe1 < 12 && word & THREE_BYTES == TWO_CONTINUATIONS && i + 3 <= size) {
                    // Most characters of three bytes, without the exceptions of the others.
                    length = 3;
                } else {
                    length = Text.characterAt(text, i);
                    if (length == 0) {
                        out = _replace(out);
                        ++i;
                        continue;
                    }
                }
                assembly ("memory-safe") {
                    mstore(out, word)
                }
                i += length;
                out += length;
            }
        }
        return (i, out);
    }

    /// @dev Writes what RFC 8259 does not allow in a string: a quote, a backslash or a control character.
    function _escape(uint256 char, uint256 out) private pure returns (uint256) {
        uint256 word = (BACKSLASH << 248) | (char << 240);
        uint256 size = 2;
        if (char < 0x20) (word, size) = _escapeControl(char);
        assembly ("memory-safe") {
            mstore(out, word)
        }
        unchecked {
            return out + size;
        }
    }

    /// @dev In the place of a byte that belongs to no character.
    function _replace(uint256 out) private pure returns (uint256) {
        assembly ("memory-safe") {
            mstore(out, shl(232, REPLACEMENT))
            out := add(out, 3)
        }
        return out;
    }

    function _escapeControl(uint256 char) private pure returns (uint256 word, uint256 size) {
        unchecked {
            if ((SHORT_ESCAPES >> char) & 1 != 0) {
                // By their letter: b, t, n, none for 0x0b, f, r.
                uint256 letter = (uint48(bytes6("btn\x00fr")) >> (8 * (13 - char))) & 0xff;
                return ((BACKSLASH << 248) | (letter << 240), 2);
            }
            uint256 digit = char & 15;
            uint256 hexDigit = digit < 10 ? 0x30 + digit : 0x57 + digit;
            word = uint256(bytes32("\\u00")) | ((0x30 + (char >> 4)) << 216) | (hexDigit << 208);
            return (word, 6);
        }
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
