// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// @title Writes data URIs (RFC 2397)
/// @notice Base64 (RFC 4648, section 4, with padding), 24 bytes at a time. OpenZeppelin's and Solady's take each character from
/// a table, which is too dear for the JSON of 8 KiB of control characters: it has 48 KiB.
library DataUri {
    /// @dev The upper halves of groups of 24, 12, 6 and 3 bytes and of 12 bits. Groups of the same size have gaps between them
    /// of a third of their size.
    uint256 private constant UPPER_12_BYTES = 0xffffffffffffffffffffffff000000000000000000000000;
    uint256 private constant UPPER_6_BYTES = 0xffffffffffff00000000000000000000ffffffffffff000000000000;
    uint256 private constant UPPER_3_BYTES = 0xffffff0000000000ffffff0000000000ffffff0000000000ffffff000000;
    uint256 private constant UPPER_12_BITS =
        0x00fff00000fff00000fff00000fff00000fff00000fff00000fff00000fff000;
    uint256 private constant UPPER_6_BITS =
        0x0fc00fc00fc00fc00fc00fc00fc00fc00fc00fc00fc00fc00fc00fc00fc00fc0;
    /// @dev Added to a value below 64 in each byte, these set the highest bit from 26, 52 and 62 on.
    uint256 private constant FROM_26 = 0x6666666666666666666666666666666666666666666666666666666666666666;
    uint256 private constant FROM_52 = 0x4c4c4c4c4c4c4c4c4c4c4c4c4c4c4c4c4c4c4c4c4c4c4c4c4c4c4c4c4c4c4c4c;
    uint256 private constant FROM_62 = 0x4242424242424242424242424242424242424242424242424242424242424242;
    uint256 private constant ONES = 0x0101010101010101010101010101010101010101010101010101010101010101;
    /// @dev The character of the value 0.
    uint256 private constant ALL_A = 0x4141414141414141414141414141414141414141414141414141414141414141;

    /// @notice Bytes in Base64 after a head.
    /// @param head `data:`, type and `;base64,`
    /// @param data any bytes
    /// @return uri the data URI
    function encode(string memory head, bytes memory data) internal pure returns (string memory uri) {
        assembly ("memory-safe") {
            uri := mload(0x40)
            let out := add(add(uri, 0x20), mload(head))
            mcopy(add(uri, 0x20), add(head, 0x20), mload(head))
            let i := add(data, 0x20)
            let end := add(i, mload(data))
            // The last bytes are encoded as if zeros followed. What is there, maybe of others, is put back.
            let behind := mload(end)
            mstore(end, 0)
            for {} lt(i, end) {} {
                // Values of 6 bits, each in a byte of its own: the upper half of each group moves up, five times.
                let word := shr(64, mload(i))
                word := add(word, mul(and(word, UPPER_12_BYTES), 0xffffffff))
                word := add(word, mul(and(word, UPPER_6_BYTES), 0xffff))
                word := add(word, mul(and(word, UPPER_3_BYTES), 0xff))
                word := add(word, mul(and(word, UPPER_12_BITS), 15))
                word := add(word, mul(and(word, UPPER_6_BITS), 3))
                // A to Z are 65 above their values, a to z 71, 0 to 9 -4, + -19 and / -16: 3 more, by its lowest bit.
                let symbols := and(shr(7, add(word, FROM_62)), ONES)
                let letters := mul(6, and(shr(7, add(word, FROM_26)), ONES))
                let digits := mul(75, and(shr(7, add(word, FROM_52)), ONES))
                digits := add(digits, sub(mul(15, symbols), mul(3, and(symbols, word))))
                mstore(out, sub(add(add(word, ALL_A), letters), digits))
                i := add(i, 24)
                out := add(out, 32)
            }
            mstore(end, behind)
            // A whole word was written last, of which the text takes what is its own.
            let size := mul(4, div(add(mload(data), 2), 3))
            end := add(add(add(uri, 0x20), mload(head)), size)
            if mod(mload(data), 3) {
                mstore8(sub(end, 1), 0x3d)
                if eq(mod(mload(data), 3), 1) {
                    mstore8(sub(end, 2), 0x3d)
                }
            }
            mstore(uri, add(mload(head), size))
            mstore(0x40, and(add(end, 0x1f), not(0x1f)))
        }
    }
}
