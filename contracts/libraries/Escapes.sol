// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// @title What stands for each byte in a text
/// @notice A table of 8 bytes for each byte: what is written for it, 6 bytes at most, and in the last byte how many.
library Escapes {
    /// @dev Stands for a byte that belongs to no character: no byte of valid UTF-8 has this value.
    uint256 internal constant INVALID = 0xff;
    uint256 private constant TABLE_BYTES = 2_048;
    /// @dev From an entry to that of the byte 4 above, in a word of four entries that stand for themselves.
    uint256 private constant FOUR_ABOVE = 0x0400000000000000040000000000000004000000000000000400000000000000;

    /// @notice Memory for a table.
    /// @return table without entries
    function reserve() internal pure returns (bytes memory table) {
        // And a word behind, into which the word of the last entries reaches.
        return new bytes(TABLE_BYTES + 0x20);
    }

    /// @notice Fills a table for strings of JSON (RFC 8259): the escape of two characters where there is one, of six for other
    /// control characters, U+FFFD for {INVALID}, and each other byte for itself. Does nothing when it was filled before.
    /// @param table from {reserve}
    function fillForJson(bytes memory table) internal pure {
        if (_isFilled(table)) return;
        _fillControls(table);
        assembly ("memory-safe") {
            let to := add(table, 0x120)
            let end := add(table, 0x820)
            let word := 0x2000000000000001210000000000000122000000000000012300000000000001
            for {} lt(to, end) {
                to := add(to, 0x20)
            } {
                mstore(to, word)
                word := add(word, FOUR_ABOVE)
            }
        }
        set(table, 0x22, hex"5c22000000000002");
        set(table, 0x5c, hex"5c5c000000000002");
        set(table, INVALID, hex"efbfbd0000000003");
    }

    /// @notice Changes an entry.
    /// @param table from {reserve}
    /// @param char the byte
    /// @param entry what is written for it and, in the last byte, how many bytes of that
    function set(bytes memory table, uint256 char, bytes8 entry) internal pure {
        assembly ("memory-safe") {
            let to := add(add(table, 0x20), shl(3, char))
            mstore(to, or(entry, shr(64, shl(64, mload(to)))))
        }
    }

    /// @notice Writes what stands for some bytes.
    /// @param table a filled one
    /// @param word the bytes, the first one highest, and letters behind them
    /// @param size how many bytes, 1 to 32
    /// @param out where in memory, behind what is in use; up to 32 bytes more are overwritten
    /// @return end where the next is to be written
    function write(
        bytes memory table,
        uint256 word,
        uint256 size,
        uint256 out
    ) internal pure returns (uint256 end) {
        assembly ("memory-safe") {
            let entries := add(table, 0x20)
            let i := 0
            end := out
            // By eight, of which the last ones may be letters behind: they take one byte each.
            for {} lt(i, size) {
                i := add(i, 8)
            } {
                let entry := mload(add(entries, shl(3, byte(0, word))))
                mstore(end, entry)
                end := add(end, byte(7, entry))
                entry := mload(add(entries, shl(3, byte(1, word))))
                mstore(end, entry)
                end := add(end, byte(7, entry))
                entry := mload(add(entries, shl(3, byte(2, word))))
                mstore(end, entry)
                end := add(end, byte(7, entry))
                entry := mload(add(entries, shl(3, byte(3, word))))
                mstore(end, entry)
                end := add(end, byte(7, entry))
                entry := mload(add(entries, shl(3, byte(4, word))))
                mstore(end, entry)
                end := add(end, byte(7, entry))
                entry := mload(add(entries, shl(3, byte(5, word))))
                mstore(end, entry)
                end := add(end, byte(7, entry))
                entry := mload(add(entries, shl(3, byte(6, word))))
                mstore(end, entry)
                end := add(end, byte(7, entry))
                entry := mload(add(entries, shl(3, byte(7, word))))
                mstore(end, entry)
                end := add(end, byte(7, entry))
                word := shl(64, word)
            }
            end := sub(end, sub(i, size))
        }
    }

    /// @dev The entry of the byte 0 is never empty.
    function _isFilled(bytes memory table) private pure returns (bool filled) {
        assembly ("memory-safe") {
            filled := gt(mload(add(table, 0x20)), 0)
        }
    }

    function _fillControls(bytes memory table) private pure {
        assembly ("memory-safe") {
            mstore(add(table, 0x20), "\\u0000\x00\x06\\u0001\x00\x06\\u0002\x00\x06\\u0003\x00\x06")
            mstore(add(table, 0x40), "\\u0004\x00\x06\\u0005\x00\x06\\u0006\x00\x06\\u0007\x00\x06")
            mstore(
                add(table, 0x60),
                "\\b\x00\x00\x00\x00\x00\x02\\t\x00\x00\x00\x00\x00\x02\\n\x00\x00\x00\x00\x00\x02\\u000b\x00\x06"
            )
            mstore(
                add(table, 0x80),
                "\\f\x00\x00\x00\x00\x00\x02\\r\x00\x00\x00\x00\x00\x02\\u000e\x00\x06\\u000f\x00\x06"
            )
            mstore(add(table, 0xa0), "\\u0010\x00\x06\\u0011\x00\x06\\u0012\x00\x06\\u0013\x00\x06")
            mstore(add(table, 0xc0), "\\u0014\x00\x06\\u0015\x00\x06\\u0016\x00\x06\\u0017\x00\x06")
            mstore(add(table, 0xe0), "\\u0018\x00\x06\\u0019\x00\x06\\u001a\x00\x06\\u001b\x00\x06")
            mstore(add(table, 0x100), "\\u001c\x00\x06\\u001d\x00\x06\\u001e\x00\x06\\u001f\x00\x06")
        }
    }
}
