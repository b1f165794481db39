// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// @title Numbers as JSON writes them
/// @notice A number without quotes that breaks the grammar would break the whole JSON of a token. No library answers the
/// question: OpenZeppelin's `Strings.tryParseInt` knows neither fractions nor exponents and takes `+1` and `01`; Solady's
/// `JSONParserLib` reverts on what is no number.
library JsonNumber {
    /// @notice Whether the text is a number (RFC 8259, section 6).
    /// @param text any bytes
    /// @return true for `-1.5e3`, false for `01`, `+1`, `.5`, `NaN`
    function isValid(bytes calldata text) internal pure returns (bool) {
        uint256 start = _at(text, 0) == "-" ? 1 : 0;
        uint256 i = _skipDigits(text, start);
        if (i == start || (_at(text, start) == "0" && i != start + 1)) return false;
        if (_at(text, i) == ".") {
            start = i + 1;
            i = _skipDigits(text, start);
            if (i == start) return false;
        }
        if (_at(text, i) == "e" || _at(text, i) == "E") {
            start = i + 1;
            if (_at(text, start) == "+" || _at(text, start) == "-") ++start;
            i = _skipDigits(text, start);
            if (i == start) return false;
        }
        return i == text.length;
    }

    function _skipDigits(bytes calldata text, uint256 i) private pure returns (uint256) {
        while (_at(text, i) >= "0" && _at(text, i) <= "9") ++i;
        return i;
    }

    /// @dev The byte, or zero past the end.
    function _at(bytes calldata text, uint256 i) private pure returns (bytes1) {
        return i < text.length ? text[i] : bytes1(0);
    }
}
