// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {Bucket} from "../../contracts/libraries/Bucket.sol";

// What holds of every bucket, limit and time. `npm run prove` asks the compiler's model checker, one contract after
// another: together they are too much for its solver.

uint256 constant LAST_TIME = 2 ** 40 - 1;

contract AnUntouchedBucketIsFull {
    function check(uint256 limit, uint256 time) external pure {
        require(limit <= Bucket.MAX_LIMIT);
        assert(Bucket.available(0, limit, time) == limit);
    }
}

contract NeverMissesMoreThanTheLimit {
    function check(uint256 word, uint256 limit, uint256 time) external pure {
        require(limit <= Bucket.MAX_LIMIT);
        assert(Bucket.missing(word, limit, time) <= limit * 1 days);
    }
}

contract NeverGivesMoreThanTheLimit {
    function check(uint256 word, uint256 limit, uint256 time) external pure {
        require(limit <= Bucket.MAX_LIMIT);
        assert(Bucket.available(word, limit, time) <= limit);
    }
}

contract IsFullWithinADay {
    function check(uint256 word, uint256 limit, uint256 time) external pure {
        require(limit <= Bucket.MAX_LIMIT && time <= LAST_TIME);
        assert(Bucket.fullAt(word, limit, time) - time <= 1 days);
    }
}

contract GivesAllAfterADay {
    function check(uint256 word, uint256 limit, uint256 later) external pure {
        require(limit <= Bucket.MAX_LIMIT && later >= (word & LAST_TIME) + 1 days);
        assert(Bucket.available(word, limit, later) == limit);
    }
}

contract LeavesWhatWasNotTaken {
    function check(uint256 word, uint256 limit, uint256 time, uint256 amount) external pure {
        require(limit <= Bucket.MAX_LIMIT && time <= LAST_TIME);
        uint256 before = Bucket.available(word, limit, time);
        require(amount <= before);
        assert(Bucket.available(Bucket.take(word, limit, time, amount), limit, time) == before - amount);
    }
}

contract AnotherLimitGivesNothing {
    function check(uint256 word, uint256 limit, uint256 newLimit, uint256 time) external pure {
        require(limit <= Bucket.MAX_LIMIT && newLimit <= Bucket.MAX_LIMIT && time <= LAST_TIME);
        uint256 before = Bucket.available(word, limit, time);
        assert(Bucket.available(Bucket.change(word, limit, newLimit, time), newLimit, time) <= before);
    }
}
