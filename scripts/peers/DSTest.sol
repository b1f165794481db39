// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// @notice What solmate's suites use of `ds-test`, which is in no npm package. A failed assertion reverts.
abstract contract DSTest {
    event log(string);
    event log_named_bytes(string key, bytes value);
    event log_named_decimal_uint(string key, uint256 value, uint256 decimals);
    event log_named_string(string key, string value);
    event log_named_uint(string key, uint256 value);

    address internal constant HEVM_ADDRESS = address(uint160(uint256(keccak256("hevm cheat code"))));

    error AssertionFailed();

    /// @dev Turns a test round: it passes when it fails, whatever its input.
    modifier mustFail() {
        if (msg.sender == address(this)) {
            _;
        } else {
            (bool passed, ) = address(this).call(msg.data);
            assertTrue(!passed);
        }
    }

    function fail() internal virtual {
        revert AssertionFailed();
    }

    function assertTrue(bool condition) internal {
        if (!condition) fail();
    }

    function assertEq(address a, address b) internal {
        assertTrue(a == b);
    }

    function assertEq(uint256 a, uint256 b) internal {
        assertTrue(a == b);
    }

    function assertEq(string memory a, string memory b) internal {
        assertTrue(keccak256(bytes(a)) == keccak256(bytes(b)));
    }
}
