// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// @title Reads the immutable arguments of a token
/// @notice They follow the 45 bytes of the ERC-1167 proxy in the code of the clone, so that no storage is read: first owner
/// (20 bytes), options (1), decimals (1), length of name (1), length of symbol (1); then one word for each option that has
/// a value, in the order of the flags; then name, symbol, base URI.
/// @dev `settings` is the fixed part, in the lower 192 bits of a word. {CloneFactory} writes what is read here.
library CloneArguments {
    /// @dev Flags of `settings`: only approved accounts may receive a mint.
    uint256 internal constant PERMISSIONED = 1 << 24;
    /// @dev Holdings may be moved by force.
    uint256 internal constant RECOVERABLE = 1 << 25;
    /// @dev A word has the cap on the supply.
    uint256 internal constant CAPPED = 1 << 26;
    /// @dev A word has the first mint limit.
    uint256 internal constant LIMITED = 1 << 27;
    /// @dev A word has the first royalty: receiver (160 bits), basis points (96 bits).
    uint256 internal constant ROYALTY = 1 << 28;

    uint256 private constant OFFSET = 0x2d;
    uint256 private constant HEADER_BYTES = 24;
    uint256 private constant WORD_BYTES = 32;

    /// @notice The fixed part of the arguments.
    /// @return settings all from the owner to the length of the symbol
    function read() internal view returns (uint256 settings) {
        assembly ("memory-safe") {
            extcodecopy(address(), 0x00, OFFSET, WORD_BYTES)
            settings := shr(64, mload(0x00))
        }
    }

    /// @notice The first owner.
    /// @param settings see {read}
    /// @return the account
    function ownerOf(uint256 settings) internal pure returns (address) {
        return address(uint160(settings >> 32));
    }

    /// @notice Digits after the point.
    /// @param settings see {read}
    /// @return the number; 0 for ERC-721
    function decimalsOf(uint256 settings) internal pure returns (uint8) {
        return uint8(settings >> 16);
    }

    /// @notice The value of an option.
    /// @param settings see {read}
    /// @param flag `CAPPED`, `LIMITED` or `ROYALTY`, which must be set
    /// @return value the word
    function valueOf(uint256 settings, uint256 flag) internal view returns (uint256 value) {
        uint256 start = OFFSET + HEADER_BYTES + WORD_BYTES * _valuesBefore(settings, flag);
        assembly ("memory-safe") {
            extcodecopy(address(), 0x00, start, WORD_BYTES)
            value := mload(0x00)
        }
    }

    /// @notice The name.
    /// @param settings see {read}
    /// @return UTF-8
    function nameOf(uint256 settings) internal view returns (string memory) {
        return _text(_textStart(settings), uint8(settings >> 8));
    }

    /// @notice The symbol.
    /// @param settings see {read}
    /// @return UTF-8
    function symbolOf(uint256 settings) internal view returns (string memory) {
        return _text(_textStart(settings) + uint8(settings >> 8), uint8(settings));
    }

    /// @notice The base URI, which reaches to the end of the code.
    /// @param settings see {read}
    /// @return UTF-8; empty when there is none
    function baseUriOf(uint256 settings) internal view returns (string memory) {
        uint256 start = _textStart(settings) + uint8(settings >> 8) + uint8(settings);
        return _text(start, address(this).code.length - start);
    }

    function _textStart(uint256 settings) private pure returns (uint256) {
        return OFFSET + HEADER_BYTES + WORD_BYTES * _valuesBefore(settings, ROYALTY << 1);
    }

    /// @dev How many options with a value come before that of the flag.
    function _valuesBefore(uint256 settings, uint256 flag) private pure returns (uint256 count) {
        for (uint256 other = CAPPED; other != flag; other <<= 1) {
            if (settings & other != 0) ++count;
        }
    }

    function _text(uint256 start, uint256 length) private view returns (string memory text) {
        text = new string(length);
        assembly ("memory-safe") {
            extcodecopy(address(), add(text, 0x20), start, length)
        }
    }
}
