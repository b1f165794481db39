// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {TokenRuns} from "../../contracts/libraries/TokenRuns.sol";

/// @notice `npm run prove` asks the compiler's model checker.
contract ARunHasItsOwner {
    using TokenRuns for TokenRuns.Runs;

    TokenRuns.Runs private runs;

    function check(uint256 first, uint256 count, address owner, uint256 tokenId) external {
        require(first < 2 ** 64 && count > 0 && count <= TokenRuns.MAX_LENGTH);
        require(tokenId >= first && tokenId - first < count);
        runs.add(first, count, owner);
        assert(runs.ownerOf(first) == owner);
    }
}
