// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// @title Makes text of any origin valid for JSON and XML
/// @notice The input is bytes that anybody may have set on chain.
library Text {
    /// @dev U+FFFD, the replacement character, in UTF-8.
    uint256 private constant REPLACEMENT = 0xefbfbd;

    /// @notice The text with every byte that is not part of valid UTF-8 replaced by U+FFFD.
    /// @param text any bytes
    /// @param xml whether characters that XML 1.0 does not allow are replaced too
    /// @return clean valid UTF-8, at most three times as long
    function toUtf8(bytes memory text, bool xml) internal pure returns (string memory clean) {
        bytes memory buffer = new bytes(text.length * 3);
        uint256 size;
        uint256 i;
        while (i < text.length) {
            uint256 length = _characterAt(text, i);
            if (length == 0 || (xml && _isForbiddenInXml(text, i, length))) {
                buffer[size++] = bytes1(uint8(REPLACEMENT >> 16));
                buffer[size++] = bytes1(uint8(REPLACEMENT >> 8));
                buffer[size++] = bytes1(uint8(REPLACEMENT));
                i += length == 0 ? 1 : length;
            } else {
                for (uint256 end = i + length; i < end; ++i) {
                    buffer[size++] = text[i];
                }
            }
        }
        assembly ("memory-safe") {
            mstore(buffer, size)
        }
        return string(buffer);
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
            size += _characterAt(all, size);
        }
        if (size == all.length) return text;
        bytes memory kept = new bytes(size);
        for (uint256 i; i < size; ++i) {
            kept[i] = all[i];
        }
        return string.concat(string(kept), unicode"…");
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

    function _skipDigits(bytes memory text, uint256 i) private pure returns (uint256) {
        while (_byteAt(text, i) >= "0" && _byteAt(text, i) <= "9") ++i;
        return i;
    }

    /// @dev Length in bytes of the character that starts here, 0 if there is none (Unicode 16, table 3-7).
    function _characterAt(bytes memory text, uint256 i) private pure returns (uint256) {
        uint256 lead = uint8(text[i]);
        if (lead < 0x80) return 1;
        if (lead < 0xc2 || lead > 0xf4) return 0;
        uint256 length =
            lead < 0xe0
                ? 2
                : lead < 0xf0
                    ? 3
                    : 4;
        uint256 lowest =
            lead == 0xe0
                ? 0xa0
                : lead == 0xf0
                    ? 0x90
                    : 0x80;
        uint256 highest =
            lead == 0xed
                ? 0x9f
                : lead == 0xf4
                    ? 0x8f
                    : 0xbf;
        for (uint256 j = 1; j < length; ++j) {
            uint256 next = uint8(_byteAt(text, i + j));
            if (next < lowest || next > highest) return 0;
            (lowest, highest) = (0x80, 0xbf);
        }
        return length;
    }

    /// @dev Control characters except tab, line feed and carriage return; U+FFFE and U+FFFF.
    function _isForbiddenInXml(bytes memory text, uint256 i, uint256 length) private pure returns (bool) {
        bytes1 first = text[i];
        if (length == 1) return first < 0x20 && first != "\t" && first != "\n" && first != "\r";
        return length == 3 && first == 0xef && text[i + 1] == 0xbf && text[i + 2] >= 0xbe;
    }

    /// @dev The byte, or zero past the end.
    function _byteAt(bytes memory text, uint256 i) private pure returns (bytes1) {
        return i < text.length ? text[i] : bytes1(0);
    }
}
