// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {Bucket} from "../../contracts/libraries/Bucket.sol";
import {Setup} from "./Setup.sol";

/// @notice The limit on what is taken in a day, for any limit, amounts and times.
contract BucketTest is Setup {
    uint256 private constant START = 20_000 days + 5 hours;
    uint256 private constant STEPS = 60;

    /// @dev What was taken, and under which limit, in the order of time.
    struct Take {
        uint256 time;
        uint256 limit;
        uint256 amount;
    }

    // solhint-disable-next-line no-empty-blocks
    function setUp() public override {}

    function test_anUntouchedBucketIsFull(uint256 limit, uint32 later) public pure {
        limit %= Bucket.MAX_LIMIT + 1;
        uint256 time = 1 days + uint256(later);
        equal(Bucket.available(0, limit, time), limit, "the word 0");
        equal(Bucket.fullAt(0, limit, time), time, "now");
    }

    function test_givesTheLimitAtOnceAndNoMore(uint256 limit, uint256 amount, uint256 later) public pure {
        limit = 1 + (limit % Bucket.MAX_LIMIT);
        amount %= limit + 1;
        uint256 word = Bucket.take(0, limit, START, amount);
        equal(Bucket.available(word, limit, START), limit - amount, "less what was taken");
        later = START + (later % 1 days);
        uint256 left = Bucket.available(word, limit, later);
        isTrue(left <= limit, "never more than the limit");
        isTrue(left >= limit - amount, "never less than there was");
        word = Bucket.take(word, limit, later, left);
        equal(Bucket.available(word, limit, later), 0, "nothing beyond it");
    }

    /// @dev Whoever takes, lowers and raises as it likes, at times that it chooses.
    function test_givesAtMostTwiceTheLimitInAnyDay(uint256 limit, uint256 seed) public pure {
        limit = 1 + (limit % (seed % 4 == 0 ? Bucket.MAX_LIMIT : 1_000));
        Take[] memory takes = new Take[](STEPS);
        uint256 time = START;
        uint256 word;
        for (uint256 i; i < STEPS; ++i) {
            uint256 draw = uint256(keccak256(abi.encode(seed, i)));
            time += gapOf(draw);
            draw >>= 64;
            if (draw % 8 < 3) {
                uint256 next = nextLimit(limit, draw);
                uint256 before = Bucket.available(word, limit, time);
                word = Bucket.change(word, limit, next, time);
                limit = next;
                isTrue(Bucket.available(word, limit, time) <= before, "another limit gives nothing");
            }
            uint256 most = Bucket.available(word, limit, time);
            isTrue(most <= limit, "at once");
            uint256 amount = draw % 3 == 0 ? (draw >> 8) % (most + 1) : most;
            word = Bucket.take(word, limit, time, amount);
            takes[i] = Take(time, limit, amount);
            equal(Bucket.available(word, limit, time + 1 days), limit, "whole after a day");
        }
        for (uint256 i; i < STEPS; ++i) {
            uint256 total;
            uint256 highest;
            for (uint256 j = i; j < STEPS && takes[j].time <= takes[i].time + 1 days; ++j) {
                total += takes[j].amount;
                if (takes[j].limit > highest) highest = takes[j].limit;
            }
            isTrue(total <= takes[i].limit + highest, "the limit that held at first, and the highest one");
        }
    }

    /// @dev Takes all whenever it comes: what it has then is what the seconds gave, to the last part.
    function test_roundsNothingAway(uint256 limit, uint256 seed) public pure {
        limit = 2 + (limit % (seed % 4 == 0 ? Bucket.MAX_LIMIT - 1 : 1_000));
        uint256 time = START;
        uint256 total = limit;
        uint256 word = Bucket.take(0, limit, time, limit);
        for (uint256 i; i < STEPS; ++i) {
            // So short that the bucket is not full in between.
            time += uint256(keccak256(abi.encode(seed, i))) % (i % 2 == 0 ? 43_201 : 30);
            uint256 amount = Bucket.available(word, limit, time);
            word = Bucket.take(word, limit, time, amount);
            total += amount;
            equal(total, limit + (limit * (time - START)) / 1 days, "to the second");
        }
    }

    function test_tenADayIsOneEach8640Seconds() public pure {
        uint256 time = START;
        uint256 word = Bucket.take(0, 10, time, 10);
        for (uint256 i; i < 1_000; ++i) {
            equal(Bucket.available(word, 10, time + 8_639), 0, "not yet");
            time += 8_640;
            equal(Bucket.available(word, 10, time), 1, "now");
            word = Bucket.take(word, 10, time, 1);
            equal(Bucket.available(word, 10, time), 0, "one");
        }
    }

    function test_hasRoomForTheLargestLimitAndTheLastTime() public pure {
        uint256 limit = Bucket.MAX_LIMIT;
        equal(limit, (1 << 198) - 1, "the largest");
        uint256 time = (1 << 40) - 1 - 1 days;
        uint256 word = Bucket.take(0, limit, time, limit);
        equal(word >> 40, limit * 1 days, "all of it is missing");
        equal(word & ((1 << 40) - 1), time, "since then");
        equal(Bucket.available(word, limit, time), 0, "nothing is left");
        equal(Bucket.fullAt(word, limit, time), time + 1 days, "for a day");
        equal(Bucket.available(word, limit, time + 12 hours), limit / 2, "half in half a day");
        equal(Bucket.available(word, limit, time + 1 days), limit, "all in a day");
        word = Bucket.take(word, limit, time + 1 days, limit);
        equal(Bucket.available(word, limit, time + 1 days), 0, "and again");
    }

    function test_tellsWhenItIsFull(uint256 limit, uint256 amount, uint256 later) public pure {
        limit = 1 + (limit % Bucket.MAX_LIMIT);
        amount = 1 + (amount % limit);
        uint256 word = Bucket.take(0, limit, START, amount);
        uint256 full = Bucket.fullAt(word, limit, START);
        isTrue(full > START && full <= START + 1 days, "within a day");
        equal(Bucket.missing(word, limit, full), 0, "then");
        isTrue(Bucket.missing(word, limit, full - 1) != 0, "and no second before");
        later = START + (later % 2 days);
        equal(Bucket.fullAt(word, limit, later), later < full ? full : later, "whenever it is asked");
    }

    function test_settlingChangesNothingThatIsLeft(
        uint256 limit,
        uint256 amount,
        uint256 first,
        uint256 second
    ) public pure {
        limit = 1 + (limit % Bucket.MAX_LIMIT);
        uint256 word = Bucket.take(0, limit, START, amount % (limit + 1));
        first = START + (first % 1 days);
        second = first + (second % 1 days);
        uint256 settled = Bucket.change(word, limit, limit, first);
        equal(
            Bucket.available(settled, limit, second),
            Bucket.available(word, limit, second),
            "the same at any later time"
        );
    }

    function test_neverMissesMoreThanALimitThatWasLowered(
        uint256 limit,
        uint256 lower,
        uint256 later
    ) public pure {
        limit = 1 + (limit % Bucket.MAX_LIMIT);
        lower %= limit;
        uint256 word = Bucket.change(Bucket.take(0, limit, START, limit), limit, lower, START);
        equal(Bucket.available(word, lower, START), 0, "used up under the lower one too");
        later %= 1 days;
        equal(
            Bucket.available(word, lower, START + later),
            (lower * later) / 1 days,
            "and refills as that does"
        );
        equal(Bucket.available(word, lower, START + 1 days), lower, "whole in a day");
    }

    function test_aLimitOfNothingGivesNothing(uint256 word, uint32 later) public pure {
        uint256 time = (word & ((1 << 40) - 1)) + later;
        equal(Bucket.available(word, 0, time), 0, "ever");
        equal(Bucket.fullAt(word, 0, time), time, "full of nothing");
    }

    function test_aHigherLimitGivesNothingAtOnce(
        uint256 limit,
        uint256 higher,
        uint256 amount,
        uint256 later
    ) public pure {
        limit %= Bucket.MAX_LIMIT;
        higher = limit + 1 + (higher % (Bucket.MAX_LIMIT - limit));
        later = START + (later % 2 days);
        uint256 word = Bucket.take(0, limit, START, amount % (limit + 1));
        uint256 before = Bucket.available(word, limit, later);
        word = Bucket.change(word, limit, higher, later);
        equal(Bucket.available(word, higher, later), before, "what there was");
        isTrue(Bucket.available(word, higher, later + 12 hours) >= higher / 2, "it refills as any other");
        equal(Bucket.available(word, higher, later + 1 days), higher, "whole in a day");
        word = Bucket.change(Bucket.change(word, higher, 0, later), 0, higher, later);
        equal(Bucket.available(word, higher, later), 0, "lowered and raised it has nothing");
    }

    /// @dev Half of the time lower, or one of nothing; else up to four times as high, or the largest.
    function nextLimit(uint256 limit, uint256 draw) private pure returns (uint256 next) {
        uint256 kind = (draw >> 3) % 8;
        draw >>= 8;
        if (kind == 0) return 0;
        if (kind < 4) return limit - (draw % (1 + limit / 4));
        if (kind == 4) return limit;
        next = limit + (draw % (3 + 3 * (limit % (1 << 197))));
        if (next > Bucket.MAX_LIMIT) next = Bucket.MAX_LIMIT;
    }

    /// @dev Seconds to the next step: none, a few, and around a day, where a window ends.
    function gapOf(uint256 draw) private pure returns (uint256) {
        uint256 kind = draw % 6;
        draw >>= 8;
        if (kind == 0) return 0;
        if (kind == 1) return draw % 100;
        if (kind == 2) return 1 days - 2 + (draw % 4);
        if (kind == 3) return 43_200;
        return draw % 40_000;
    }
}
