// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// @title Finds invalid UTF-8 by words of 32 bytes
/// @notice All bytes of a word are looked at together: the highest bit of each byte of a mask answers for the byte at its
/// place. Shifts by 8, 16 and 24 bits bring the bytes that follow a lead byte to its place.
library Utf8 {
    /// @dev The highest bit of each byte.
    uint256 private constant HIGH = 0x8080808080808080808080808080808080808080808080808080808080808080;
    /// @dev Bits of each byte, and what sets the highest bit of a byte when it is added to them unless they are all 0. It
    /// never carries into the next byte.
    uint256 private constant BITS_1E = 0x1e1e1e1e1e1e1e1e1e1e1e1e1e1e1e1e1e1e1e1e1e1e1e1e1e1e1e1e1e1e1e1e;
    uint256 private constant ADD_7E = 0x7e7e7e7e7e7e7e7e7e7e7e7e7e7e7e7e7e7e7e7e7e7e7e7e7e7e7e7e7e7e7e7e;
    uint256 private constant BITS_0F = 0x0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f;
    uint256 private constant BITS_03 = 0x0303030303030303030303030303030303030303030303030303030303030303;
    uint256 private constant ADD_7F = 0x7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f;
    /// @dev The lower half of ED, the lead byte of surrogates.
    uint256 private constant ALL_0D = 0x0d0d0d0d0d0d0d0d0d0d0d0d0d0d0d0d0d0d0d0d0d0d0d0d0d0d0d0d0d0d0d0d;
    /// @dev The highest bits of the last bytes, whose characters may end in the next word.
    uint256 private constant LAST = 0x80;
    uint256 private constant LAST_TWO = 0x8080;
    uint256 private constant LAST_THREE = 0x808080;

    /// @notice The bytes of a word that are not part of a valid character (Unicode 16, table 3-7).
    /// @param word 32 bytes, of which the first is no continuation of a valid character before it
    /// @return bad 0x80 in each such byte, 0 in all others
    /// @return size the number of bytes from the first on that are decided, 29 to 32: a character that begins in one of
    /// the last three bytes may need more than the word has. `bad` is 0 in the bytes behind.
    function check(uint256 word) internal pure returns (uint256 bad, uint256 size) {
        uint256 lead = word & (word << 1) & HIGH;
        uint256 continuation = HIGH & word & ~(word << 1);
        (uint256 two, uint256 three, uint256 four) = _charactersIn(word, lead, continuation);
        uint256 valid = two | three | four;
        bad = HIGH & word & ~(valid | (valid >> 8) | ((three | four) >> 16) | (four >> 24));
        size = 32;
        // What may go on behind the word: in the last byte every lead, before it those with continuations up to the end.
        uint256 open = lead & ~valid & ((continuation << 8) | LAST) & ((continuation << 16) | LAST_TWO);
        open &= LAST_THREE;
        if (open != 0) {
            size =
                open > 0x7fffff
                    ? 29
                    : open > 0x7fff
                        ? 30
                        : 31;
            bad &= ~(type(uint256).max >> (8 * size));
        }
    }

    /// @dev The lead bytes of all valid characters of two, three and four bytes that end in the word. `lead` has 0x80 in each
    /// byte from C0 on, `continuation` in each from 80 to BF.
    function _charactersIn(
        uint256 word,
        uint256 lead,
        uint256 continuation
    ) private pure returns (uint256 two, uint256 three, uint256 four) {
        uint256 bit5 = word << 2;
        uint256 bit4 = word << 3;
        uint256 followed = lead & (continuation << 8);
        unchecked {
            two = followed & ~bit5 & ((word & BITS_1E) + ADD_7E);
            followed &= bit5 & (continuation << 16);
            // E0 wants bit 5 in the second byte, or a shorter form would do; ED wants none, or it is a surrogate.
            uint256 isLonger = ((word & BITS_0F) + ADD_7F) | (bit5 << 8);
            uint256 isSurrogate = (bit5 << 8) & ~(((word & BITS_0F) ^ ALL_0D) + ADD_7F);
            three = followed & ~bit4 & isLonger & ~isSurrogate;
            // F0 wants bit 4 or 5 in the second byte, F4 wants neither, F1 to F3 take any, those from F5 on none.
            uint256 isAbove = ((word & BITS_03) + ADD_7F) | ((bit4 | bit5) << 8);
            four = followed & bit4 & ~(word << 4) & (continuation << 24) & ((word << 5) ^ isAbove);
        }
    }
}
