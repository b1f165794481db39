// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IAccessControl} from "@openzeppelin/contracts/access/IAccessControl.sol";
import {IOperator} from "../../contracts/interfaces/IOperator.sol";
import {Setup} from "./Setup.sol";

/// @notice What a stolen key of the admin could do to the delay itself, and to the role that grants roles.
contract OperatorDelayTest is Setup {
    bytes32 private constant SELF_ROLE = keccak256("SELF_ROLE");

    function setUp() public override {
        vm.warp(20_000 days);
        super.setUp();
    }

    function adminDelay() internal pure override returns (uint48) {
        return 30 days;
    }

    /// @dev OpenZeppelin's waits five days at the most.
    function test_aLongerDelayIsInForceNoSoonerThanTheOneBefore(uint48 longer) public {
        longer = uint48(30 days + 1 + (longer % 334 days));
        operator.changeDefaultAdminDelay(longer);
        vm.warp(block.timestamp + longer);
        equal(operator.defaultAdminDelay(), 30 days, "as it was");
        vm.warp(block.timestamp + 1);
        equal(operator.defaultAdminDelay(), longer, "and longer from then on");
    }

    /// @dev A sum with it would overflow, and nobody could ever become the admin.
    function test_noDelayIsLongerThanAYear(uint48 longer) public {
        operator.changeDefaultAdminDelay(365 days);
        longer = longer > 365 days ? longer : type(uint48).max;
        vm.expectRevert(error1(IOperator.InvalidAdminDelay.selector, longer));
        operator.changeDefaultAdminDelay(longer);
    }

    function test_nobodyElseGrantsRolesEver(address other) public {
        vm.assume(other != address(operator));
        bytes memory given = abi.encodeCall(operator.grantRole, (SELF_ROLE, other));
        vm.expectRevert(unauthorized(other));
        operator.adminExecute(address(operator), given);
        bytes memory taken = abi.encodeCall(operator.revokeRole, (SELF_ROLE, address(operator)));
        vm.expectRevert(unauthorized(address(operator)));
        operator.adminExecute(address(operator), taken);
    }

    function unauthorized(address account) private pure returns (bytes memory) {
        return
            abi.encodeWithSelector(
                IAccessControl.AccessControlUnauthorizedAccount.selector,
                account,
                SELF_ROLE
            );
    }
}
