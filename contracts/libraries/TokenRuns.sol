// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {LibBit} from "solady/src/utils/LibBit.sol";

/// @title Runs: consecutive tokens with one record of their owner
/// @notice The owner of a token that has no word of its own is that of the run which it is in. A record is never changed:
/// a token that is transferred or burned gets a word of its own. The first token of each run has a bit in a bitmap, so
/// that the run of a token is found with two or three reads, however long it is.
library TokenRuns {
    /// @dev Most tokens of a run, so that it begins in the word of the bitmap that has the token, or in the one before.
    uint256 internal constant MAX_LENGTH = 256;
    uint256 private constant LENGTH_SHIFT = 160;

    struct Runs {
        /// @dev bit `i` of word `w`: a run begins with token `256 * w + i`
        mapping(uint256 word => uint256) firsts;
        /// @dev by the first token: owner (160 bits), number of tokens
        mapping(uint256 first => uint256) records;
    }

    /// @notice Records a run.
    /// @param runs all runs of the collection
    /// @param first id of its first token
    /// @param count number of its tokens, 1 to 256
    /// @param owner whose they are
    function add(Runs storage runs, uint256 first, uint256 count, address owner) internal {
        runs.firsts[first >> 8] |= 1 << (first & 0xff);
        runs.records[first] = uint160(owner) | (count << LENGTH_SHIFT);
    }

    /// @notice The owner of the tokens of a run.
    /// @param runs all runs of the collection
    /// @param tokenId a token
    /// @return the owner according to the run; zero for a token that is in none
    function ownerOf(Runs storage runs, uint256 tokenId) internal view returns (address) {
        uint256 index = tokenId >> 8;
        // The bits of this token and of those before it.
        uint256 bits = runs.firsts[index] & (type(uint256).max >> (255 - (tokenId & 0xff)));
        if (bits == 0) {
            if (index == 0) return address(0);
            bits = runs.firsts[--index];
            if (bits == 0) return address(0);
        }
        uint256 first = (index << 8) | LibBit.fls(bits);
        uint256 record = runs.records[first];
        return tokenId - first < record >> LENGTH_SHIFT ? address(uint160(record)) : address(0);
    }
}
