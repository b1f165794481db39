// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// @title A limit on what is taken in a day
/// @notice A bucket holds a day's amount and refills evenly over 24 hours: never more than the limit is taken at once, and
/// never more than twice the limit in any 24 hours, whatever midnight does. What is missing in it and since when share a
/// word; the word 0 is a full bucket.
/// @dev `missing` is counted in parts of 86,400 of an amount, so that what refills in a second is a whole number and nothing
/// is rounded.
library Bucket {
    /// @dev A limit is below this, so that `missing` fits beside a time.
    uint256 internal constant MAX_LIMIT = (1 << 198) - 1;
    uint256 private constant TIME_BITS = 40;
    uint256 private constant TIME_MASK = (1 << TIME_BITS) - 1;

    /// @notice What can be taken at a time.
    /// @param word the bucket
    /// @param limit a day's amount
    /// @param time seconds since 1970, not before the last one that the word has seen
    /// @return whole amount, at most the limit
    function available(uint256 word, uint256 limit, uint256 time) internal pure returns (uint256) {
        unchecked {
            return (limit * 1 days - missing(word, limit, time)) / 1 days;
        }
    }

    /// @notice When it is full again, if nothing more is taken.
    /// @param word the bucket
    /// @param limit a day's amount
    /// @param time seconds since 1970
    /// @return seconds since 1970: the time given when it is full
    function fullAt(uint256 word, uint256 limit, uint256 time) internal pure returns (uint256) {
        if (limit == 0) return time;
        unchecked {
            return time + (missing(word, limit, time) + limit - 1) / limit;
        }
    }

    /// @notice Takes an amount that is available.
    /// @param word the bucket
    /// @param limit a day's amount
    /// @param time seconds since 1970
    /// @param amount at most what is {available}
    /// @return the new word
    function take(uint256 word, uint256 limit, uint256 time, uint256 amount) internal pure returns (uint256) {
        unchecked {
            return ((missing(word, limit, time) + amount * 1 days) << TIME_BITS) | time;
        }
    }

    /// @notice The bucket under another limit. What has refilled by then refilled under the one before. A higher one gives
    /// nothing at once: else who may lower it would, by whoever raises it again, have all of it once more.
    /// @param word the bucket
    /// @param limit a day's amount
    /// @param newLimit the one that holds from now on
    /// @param time seconds since 1970
    /// @return the new word
    function change(
        uint256 word,
        uint256 limit,
        uint256 newLimit,
        uint256 time
    ) internal pure returns (uint256) {
        unchecked {
            return take(word, limit, time, newLimit > limit ? newLimit - limit : 0);
        }
    }

    /// @dev What is missing at a time, in parts of 86,400 of an amount; never more than all of it, also under a limit that
    /// was lowered.
    function missing(uint256 word, uint256 limit, uint256 time) internal pure returns (uint256 parts) {
        unchecked {
            parts = word >> TIME_BITS;
            uint256 all = limit * 1 days;
            if (parts > all) parts = all;
            uint256 seconds_ = time - (word & TIME_MASK);
            uint256 refilled = limit * (seconds_ < 1 days ? seconds_ : 1 days);
            parts = parts > refilled ? parts - refilled : 0;
        }
    }
}
