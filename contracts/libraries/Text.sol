// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// @title Makes text of any origin valid
/// @notice The input is bytes that anybody may have set on chain.
library Text {
    /// @dev U+FFFD, the replacement character, in UTF-8.
    uint256 private constant REPLACEMENT = 0xefbfbd;
    /// @dev The digit 0 in each byte, what sets the highest bit of a byte from 10 on, and that bit.
    uint256 private constant ALL_ZEROS = 0x3030303030303030303030303030303030303030303030303030303030303030;
    uint256 private constant FROM_10 = 0x7676767676767676767676767676767676767676767676767676767676767676;
    uint256 private constant HIGH = 0x8080808080808080808080808080808080808080808080808080808080808080;

    /// @notice The text with every byte that is not part of valid UTF-8, and every character that XML 1.0 does not allow,
    /// replaced by U+FFFD.
    /// @param text any bytes
    /// @return clean valid UTF-8, at most three times as long, not escaped
    function toXmlText(bytes memory text) internal pure returns (string memory clean) {
        // A word behind is for the last character: a whole word is written for each, of which the next one overwrites the
        // surplus.
        clean = new string(text.length * 3 + 32);
        uint256 size;
        uint256 i;
        unchecked {
            while (i < text.length) {
                uint256 word = _wordAt(text, i);
                uint256 length = characterAt(text, i);
                i += length == 0 ? 1 : length;
                if (length == 0 || _isForbiddenInXml(word, length)) {
                    word = REPLACEMENT << 232;
                    length = 3;
                }
                assembly ("memory-safe") {
                    mstore(add(add(clean, 0x20), size), word)
                }
                size += length;
            }
        }
        assembly ("memory-safe") {
            mstore(clean, size)
        }
    }

    /// @notice The first characters of a text, with an ellipsis when it is longer.
    /// @param text valid UTF-8
    /// @param limit most characters (code points) to keep
    /// @return the text itself when it is short enough
    function shorten(string memory text, uint256 limit) internal pure returns (string memory) {
        bytes memory all = bytes(text);
        uint256 size;
        for (uint256 i; i < limit; ++i) {
            if (size == all.length) return text;
            size += characterAt(all, size);
        }
        if (size == all.length) return text;
        return string.concat(string(slice(all, 0, size)), unicode"…");
    }

    /// @notice A part of a text.
    /// @param text any bytes
    /// @param start index of the first byte
    /// @param length number of bytes; both together at most the length of the text
    /// @return part a copy
    function slice(
        bytes memory text,
        uint256 start,
        uint256 length
    ) internal pure returns (bytes memory part) {
        part = new bytes(length);
        assembly ("memory-safe") {
            mcopy(add(part, 0x20), add(add(text, 0x20), start), length)
        }
    }

    /// @notice Texts one after another.
    /// @param pieces the texts
    /// @return joined all of them
    function join(string[] memory pieces) internal pure returns (bytes memory joined) {
        assembly ("memory-safe") {
            joined := mload(0x40)
            let out := add(joined, 0x20)
            let end := add(add(pieces, 0x20), shl(5, mload(pieces)))
            for {
                let i := add(pieces, 0x20)
            } lt(i, end) {
                i := add(i, 0x20)
            } {
                let piece := mload(i)
                mcopy(out, add(piece, 0x20), mload(piece))
                out := add(out, mload(piece))
            }
            mstore(joined, sub(sub(out, joined), 0x20))
            mstore(0x40, and(add(out, 0x1f), not(0x1f)))
        }
    }

    /// @notice Whether the text is a number as JSON writes it (RFC 8259).
    /// @param text any bytes
    /// @return true for `-1.5e3`, false for `01`, `+1`, `.5`, `NaN`
    function isJsonNumber(bytes memory text) internal pure returns (bool) {
        uint256 i = _byteAt(text, 0) == "-" ? 1 : 0;
        uint256 start = i;
        i = _skipDigits(text, i);
        if (i == start || (_byteAt(text, start) == "0" && i != start + 1)) return false;
        if (_byteAt(text, i) == ".") {
            start = ++i;
            i = _skipDigits(text, i);
            if (i == start) return false;
        }
        if (_byteAt(text, i) == "e" || _byteAt(text, i) == "E") {
            ++i;
            if (_byteAt(text, i) == "+" || _byteAt(text, i) == "-") ++i;
            start = i;
            i = _skipDigits(text, i);
            if (i == start) return false;
        }
        return i == text.length;
    }

    /// @notice Whether the text is `true` or `false`.
    /// @param text any bytes
    /// @return true for exactly these two
    function isJsonBoolean(bytes memory text) internal pure returns (bool) {
        bytes32 hash = keccak256(text);
        return hash == keccak256("true") || hash == keccak256("false");
    }

    /// @dev By words while there are digits only.
    function _skipDigits(bytes memory text, uint256 i) private pure returns (uint256) {
        while (i + 32 <= text.length && _isDigits(text, i)) i += 32;
        while (_byteAt(text, i) >= "0" && _byteAt(text, i) <= "9") ++i;
        return i;
    }

    /// @dev Whether 32 bytes are digits. Where a sum carries into the next byte, its own byte had the highest bit before.
    function _isDigits(bytes memory text, uint256 i) private pure returns (bool) {
        uint256 word = _wordAt(text, i) ^ ALL_ZEROS;
        unchecked {
            return (word | (word + FROM_10)) & HIGH == 0;
        }
    }

    /// @notice Length of the character that starts at a byte (Unicode 16, table 3-7).
    /// @param text any bytes
    /// @param i index of the byte, below the length of the text
    /// @return 1 to 4 bytes, 0 if no valid UTF-8 starts there
    function characterAt(bytes memory text, uint256 i) internal pure returns (uint256) {
        uint256 word = _wordAt(text, i);
        // What is behind the end of the text belongs to no character.
        uint256 left = text.length - i;
        if (left < 4) word &= ~(type(uint256).max >> (8 * left));
        uint256 lead = word >> 248;
        if (lead < 0x80) return 1;
        if (lead < 0xc2 || lead > 0xf4) return 0;
        uint256 second = uint8(word >> 240);
        if (lead < 0xe0) return _isContinuation(second) ? 2 : 0;
        if (!_isContinuation(uint8(word >> 232))) return 0;
        if (lead < 0xf0) {
            uint256 lowest = lead == 0xe0 ? 0xa0 : 0x80;
            uint256 highest = lead == 0xed ? 0x9f : 0xbf;
            return second < lowest || second > highest ? 0 : 3;
        }
        if (!_isContinuation(uint8(word >> 224))) return 0;
        uint256 least = lead == 0xf0 ? 0x90 : 0x80;
        uint256 most = lead == 0xf4 ? 0x8f : 0xbf;
        return second < least || second > most ? 0 : 4;
    }

    function _isContinuation(uint256 value) private pure returns (bool) {
        return value & 0xc0 == 0x80;
    }

    /// @dev Control characters except tab, line feed and carriage return; U+FFFE and U+FFFF.
    function _isForbiddenInXml(uint256 word, uint256 length) private pure returns (bool) {
        uint256 first = word >> 248;
        if (length == 1) return first < 0x20 && first != 0x09 && first != 0x0a && first != 0x0d;
        return length == 3 && (word >> 232) | 1 == 0xefbfbf;
    }

    /// @dev The 32 bytes from an index on, also those behind the end.
    function _wordAt(bytes memory text, uint256 i) private pure returns (uint256 word) {
        assembly ("memory-safe") {
            word := mload(add(add(text, 0x20), i))
        }
    }

    /// @dev The byte, or zero past the end.
    function _byteAt(bytes memory text, uint256 i) private pure returns (bytes1) {
        return i < text.length ? text[i] : bytes1(0);
    }
}
