// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {AllowList} from "../../contracts/libraries/AllowList.sol";
import {Setup} from "./Setup.sol";

/// @notice Eight selectors of a word at once, compared with one after the other.
contract AllowListTest is Setup {
    function setUp() public override {}

    function test_findsWhatIsThereAndNothingElse(uint256 eight, bytes4 selector) public pure {
        agrees(eight, selector);
        for (uint256 lane; lane < 8; ++lane) agrees(eight, laneOf(eight, lane));
    }

    /// @dev What differs in one bit, or by one, from what is sought: where a carry from lane to lane would show.
    function test_isNotMisledByNeighbours(bytes4 selector, uint256 seed) public pure {
        uint32[8] memory differences = [0, 1, 0x80000000, 0x80000001, 0xffffffff, 0x7fffffff, 0x100, 0x80];
        for (uint256 round; round < 32; ++round) {
            uint256 eight;
            for (uint256 lane; lane < 8; ++lane) {
                uint256 draw = uint256(keccak256(abi.encode(seed, round, lane)));
                uint32 difference = differences[draw % 8];
                // Half of the words do not have it.
                if (round % 2 == 0 && difference == 0) difference = 1;
                eight |= uint256(uint32(selector) ^ difference) << (32 * lane);
            }
            agrees(eight, selector);
        }
    }

    function test_findsItInEachLaneAlone(bytes4 selector, uint32 other) public pure {
        if (other == uint32(selector)) other ^= 1;
        for (uint256 lane; lane < 8; ++lane) {
            uint256 eight = AllowList.eightTimes(bytes4(other));
            isTrue(!AllowList.contains(eight, AllowList.eightTimes(selector)), "nowhere");
            eight ^= uint256(uint32(selector) ^ other) << (32 * lane);
            isTrue(AllowList.contains(eight, AllowList.eightTimes(selector)), "there");
        }
    }

    function test_knowsTheLowestAndTheHighest() public pure {
        bytes4[4] memory edges = [bytes4(0), bytes4(0xffffffff), bytes4(0x80000000), bytes4(0x00000001)];
        for (uint256 i; i < 4; ++i) {
            for (uint256 j; j < 4; ++j) {
                agrees(AllowList.eightTimes(edges[i]), edges[j]);
                agrees(AllowList.eightTimes(edges[i]) ^ (1 << 224), edges[j]);
            }
        }
    }

    function agrees(uint256 eight, bytes4 selector) private pure {
        bool found;
        for (uint256 lane; lane < 8; ++lane) if (laneOf(eight, lane) == selector) found = true;
        uint256 lanes = AllowList.eightTimes(selector);
        for (uint256 lane; lane < 8; ++lane) isTrue(laneOf(lanes, lane) == selector, "in each lane");
        isTrue(AllowList.contains(eight, lanes) == found, "the same answer");
    }

    function laneOf(uint256 eight, uint256 lane) private pure returns (bytes4) {
        return bytes4(uint32(eight >> (32 * lane)));
    }
}
