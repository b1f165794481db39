// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IAccessControl} from "@openzeppelin/contracts/access/IAccessControl.sol";
import {IAccessControlDefaultAdminRules as IAdminRules} from "@openzeppelin/contracts/access/extensions/IAccessControlDefaultAdminRules.sol";
import {IManagedToken} from "../../contracts/interfaces/IManagedToken.sol";
import {IOperator} from "../../contracts/interfaces/IOperator.sol";
import {Target} from "./Receivers.sol";
import {Setup} from "./Setup.sol";

/// @notice An operator as on a public chain: what its admin wants waits for two days, in which a guardian can cancel it.
abstract contract SlowSetup is Setup {
    uint48 internal constant DELAY = 2 days;
    uint256 internal constant START = 20_000 days;

    address internal immutable guardian = vm.addr(0x9a7d1a);
    Target internal target;

    function setUp() public virtual override {
        vm.warp(START);
        super.setUp();
        target = new Target();
        grant(operator.GUARDIAN_ROLE(), guardian);
        grant(operator.EPOCH_ROLE(), raiser);
    }

    function adminDelay() internal pure override returns (uint48) {
        return DELAY;
    }

    /// @dev The first execution, after which the delay holds.
    function begin() internal {
        vm.prank(executor);
        operator.execute(EPOCH, new IOperator.Call[](0));
    }

    function unauthorized(address caller, bytes32 role) internal pure returns (bytes memory) {
        return abi.encodeWithSelector(IAccessControl.AccessControlUnauthorizedAccount.selector, caller, role);
    }

    function notScheduled(address to, bytes memory data) internal view returns (bytes memory) {
        return abi.encodeWithSelector(IOperator.NotScheduled.selector, operator.scheduleId(to, data));
    }

    function waits(address to, bytes memory data) internal {
        vm.expectRevert(notScheduled(to, data));
        operator.adminExecute(to, data);
    }
}

contract OperatorScheduleTest is SlowSetup {
    function test_beforeTheFirstExecutionEverythingIsAtOnce() public {
        // A batch that reverts begins nothing.
        vm.prank(executor);
        (bool ok, ) = address(operator).call(
            abi.encodeCall(operator.execute, (EPOCH + 1, new IOperator.Call[](0)))
        );
        isTrue(!ok, "of another epoch");
        grant(operator.EXECUTOR_ROLE(), alice);
        revoke(operator.GUARDIAN_ROLE(), guardian);
        allow(Target.poke.selector);
        operator.adminExecute(address(nft), abi.encodeCall(nft.transferOwnership, (wallet)));
        operator.adminExecute(address(target), abi.encodeCall(target.poke, ()));
        isTrue(operator.hasRole(operator.EXECUTOR_ROLE(), alice), "granted");
        isTrue(!operator.hasRole(operator.GUARDIAN_ROLE(), guardian), "revoked");
        isTrue(operator.isSelectorAllowed(Target.poke.selector), "allowed");
        isTrue(nft.pendingOwner() == wallet && target.calls() == 1, "called");
    }

    function test_eachWayOfExecutingIsABeginning() public {
        bytes[3] memory ways = [
            abi.encodeCall(operator.execute, (EPOCH, new IOperator.Call[](0))),
            abi.encodeCall(operator.executeMints, (EPOCH, 0, 0, "")),
            abi.encodeCall(operator.executeRows, (EPOCH, IOperator.Rows(address(nft), CAP, 0, 0, 0, 0, "")))
        ];
        for (uint256 i; i < 3; ++i) {
            super.setUp();
            operator.adminExecute(address(target), abi.encodeCall(target.poke, ()));
            vm.prank(executor);
            (bool ok, ) = address(operator).call(ways[i]);
            isTrue(ok, "it runs");
            waits(address(target), abi.encodeCall(target.poke, ()));
        }
    }

    function test_afterItEachCallNeedsItsScheduleAndItsTime(uint256 early) public {
        begin();
        (address[] memory targets, bytes[] memory calls) = anything();
        for (uint256 i; i < calls.length; ++i) {
            vm.warp(START + i * 10 days);
            bytes32 id = operator.scheduleId(targets[i], calls[i]);
            waits(targets[i], calls[i]);
            uint256 due = START + i * 10 days + DELAY;
            vm.expectEmit(true, true, true, true, address(operator));
            emit IOperator.AdminScheduled(id, targets[i], calls[i], due);
            isTrue(operator.schedule(targets[i], calls[i]) == id, "it is named");
            equal(operator.dueAt(id), due, "and told");
            vm.expectRevert(abi.encodeWithSelector(IOperator.AlreadyScheduled.selector, id));
            operator.schedule(targets[i], calls[i]);
            vm.warp(due - 1 - (early % DELAY));
            vm.expectRevert(abi.encodeWithSelector(IOperator.NotDue.selector, id, due));
            operator.adminExecute(targets[i], calls[i]);
            vm.warp(due);
            vm.expectEmit(true, true, true, true, address(operator));
            emit IOperator.AdminExecuted(targets[i], 0, calls[i]);
            operator.adminExecute(targets[i], calls[i]);
            equal(operator.dueAt(id), 0, "it is off the schedule");
            waits(targets[i], calls[i]);
        }
    }

    /// @dev Of what was scheduled, nothing else is in force: neither another argument nor another contract.
    function test_aScheduleIsOfOneCallOfOneContract(address other, bytes memory data) public {
        begin();
        bytes memory call_ = abi.encodeCall(nft.transferOwnership, (alice));
        vm.assume(other != alice && keccak256(data) != keccak256(call_));
        operator.schedule(address(nft), call_);
        vm.warp(START + DELAY);
        waits(address(coin), call_);
        waits(address(nft), abi.encodeCall(nft.transferOwnership, (other)));
        waits(address(nft), bytes.concat(call_, hex"00"));
        isTrue(
            operator.scheduleId(address(nft), data) != operator.scheduleId(address(nft), call_),
            "its name is its own"
        );
        operator.adminExecute(address(nft), call_);
        equal(nft.pendingOwner(), alice, "what was said");
    }

    function test_brakesActAtOnce() public {
        begin();
        (address[] memory targets, bytes[] memory calls) = brakes();
        for (uint256 i; i < calls.length; ++i) {
            vm.expectEmit(true, true, true, true, address(operator));
            emit IOperator.AdminExecuted(targets[i], 0, calls[i]);
            operator.adminExecute(targets[i], calls[i]);
        }
        isTrue(nft.paused() && coin.transfersLocked() && nft.isFrozen(alice), "a token halts");
        equal(nft.mintLimit(), 5, "and mints less");
        isTrue(tokenFactory.creationPaused() && collectionFactory.creationPaused(), "no new ones");
        isTrue(!operator.hasRole(operator.EXECUTOR_ROLE(), executor), "an executor is out");
        isTrue(!operator.isSelectorAllowed(IManagedToken.unpause.selector), "a function too");
        bytes32 role = operator.EXECUTOR_ROLE();
        vm.prank(executor);
        vm.expectRevert(unauthorized(executor, role));
        operator.execute(EPOCH, new IOperator.Call[](0));
    }

    function test_everythingElseWaits() public {
        begin();
        bytes[12] memory own = [
            abi.encodeCall(operator.grantRole, (operator.EXECUTOR_ROLE(), alice)),
            abi.encodeCall(operator.grantRole, (operator.GUARDIAN_ROLE(), alice)),
            abi.encodeCall(operator.grantRole, (operator.EPOCH_ROLE(), alice)),
            abi.encodeCall(operator.grantRole, (keccak256("SELF_ROLE"), alice)),
            abi.encodeCall(operator.revokeRole, (operator.GUARDIAN_ROLE(), guardian)),
            abi.encodeCall(operator.revokeRole, (operator.EPOCH_ROLE(), raiser)),
            abi.encodeCall(operator.revokeRole, (keccak256("SELF_ROLE"), address(operator))),
            abi.encodeCall(operator.renounceRole, (operator.EXECUTOR_ROLE(), address(operator))),
            abi.encodeCall(operator.setSelectorAllowed, (Target.poke.selector, true)),
            // Brakes of tokens are none of the operator.
            abi.encodeCall(nft.pause, ()),
            abi.encodeCall(nft.freeze, (alice)),
            abi.encodeCall(tokenFactory.pauseCreation, ())
        ];
        for (uint256 i; i < own.length; ++i) waits(address(operator), own[i]);
        bytes[14] memory calls = [
            abi.encodeCall(nft.unpause, ()),
            abi.encodeCall(nft.unlockTransfers, ()),
            abi.encodeCall(nft.unfreeze, (alice)),
            abi.encodeCall(nft.raiseMintLimit, (7)),
            abi.encodeCall(nft.transferOwnership, (alice)),
            abi.encodeCall(nft.acceptOwnership, (alice)),
            abi.encodeCall(nft.setOperator, (alice)),
            abi.encodeCall(nft.mint, (alice)),
            abi.encodeCall(nft.closeMint, ()),
            abi.encodeCall(nft.renounceControls, ()),
            abi.encodeCall(nft.setApprovalForAll, (alice, true)),
            abi.encodeCall(tokenFactory.resumeCreation, ()),
            // Of the operator alone.
            abi.encodeCall(operator.revokeRole, (operator.EXECUTOR_ROLE(), executor)),
            ""
        ];
        for (uint256 i; i < calls.length; ++i) waits(address(nft), calls[i]);
    }

    /// @dev The whole word says whether a function is forbidden; data that ends before it says nothing.
    function test_dataThatOnlyLooksLikeABrakeIsNone(uint256 word) public {
        begin();
        vm.assume(word != 0);
        bytes memory data = abi.encodeCall(
            operator.setSelectorAllowed,
            (IManagedToken.pause.selector, false)
        );
        assembly ("memory-safe") {
            mstore(add(data, 0x44), word)
        }
        waits(address(operator), data);
        vm.assume(bytes32(word) != operator.EXECUTOR_ROLE());
        waits(address(operator), abi.encodeCall(operator.revokeRole, (bytes32(word), executor)));
        bytes4[2] memory selectors = [
            IOperator.setSelectorAllowed.selector,
            IAccessControl.revokeRole.selector
        ];
        for (uint256 i; i < 2; ++i) {
            vm.expectRevert();
            operator.adminExecute(address(operator), abi.encodePacked(selectors[i], uint256(0) >> 8));
            vm.expectRevert();
            operator.adminExecute(address(operator), abi.encodePacked(selectors[i]));
        }
    }

    function test_aGuardianAndTheAdminCancel() public {
        begin();
        bytes memory data = abi.encodeCall(operator.grantRole, (operator.EXECUTOR_ROLE(), alice));
        bytes32 id = operator.scheduleId(address(operator), data);
        address[2] memory callers = [guardian, address(this)];
        for (uint256 i; i < 2; ++i) {
            vm.prank(callers[i]);
            vm.expectRevert(abi.encodeWithSelector(IOperator.NotScheduled.selector, id));
            operator.cancel(id);
            operator.schedule(address(operator), data);
            vm.warp(START + (i + 1) * 10 days);
            vm.expectEmit(true, true, true, true, address(operator));
            emit IOperator.AdminCancelled(id, callers[i]);
            vm.prank(callers[i]);
            operator.cancel(id);
            equal(operator.dueAt(id), 0, "off the schedule, due or not");
            waits(address(operator), data);
        }
        operator.schedule(address(operator), data);
        equal(operator.dueAt(id), START + 20 days + DELAY, "scheduled again, it waits again");
    }

    function test_nobodyElseSchedulesOrCancels(address caller) public {
        vm.assume(caller != guardian && caller != address(this));
        bytes memory data = abi.encodeCall(target.poke, ());
        bytes32 id = operator.schedule(address(target), data);
        bytes32 admins = operator.DEFAULT_ADMIN_ROLE();
        bytes32 guardians = operator.GUARDIAN_ROLE();
        address[3] memory others = [caller, executor, raiser];
        for (uint256 i; i < 3; ++i) {
            vm.prank(others[i]);
            vm.expectRevert(unauthorized(others[i], guardians));
            operator.cancel(id);
            vm.prank(others[i]);
            vm.expectRevert(unauthorized(others[i], admins));
            operator.schedule(address(nft), data);
        }
        vm.prank(guardian);
        vm.expectRevert(unauthorized(guardian, admins));
        operator.schedule(address(nft), data);
    }

    /// @dev Else a call that was announced long ago could come again when nobody waits for it.
    function test_whatWasDoneAtOnceIsOffTheScheduleToo() public {
        bytes memory data = abi.encodeCall(operator.grantRole, (operator.EXECUTOR_ROLE(), alice));
        bytes32 id = operator.schedule(address(operator), data);
        operator.adminExecute(address(operator), data);
        equal(operator.dueAt(id), 0, "done before the first execution");
        begin();
        revoke(operator.EXECUTOR_ROLE(), alice);
        vm.warp(START + 10 * DELAY);
        waits(address(operator), data);
        bytes memory brake = abi.encodeCall(nft.pause, ());
        id = operator.schedule(address(nft), brake);
        operator.adminExecute(address(nft), brake);
        equal(operator.dueAt(id), 0, "a brake");
    }

    function test_whatFailsStaysOnTheSchedule() public {
        begin();
        // Nobody is to accept yet.
        bytes memory data = abi.encodeCall(nft.acceptOwnership, (address(operator)));
        bytes32 id = operator.schedule(address(nft), data);
        vm.warp(START + DELAY);
        vm.expectRevert(error1(IManagedToken.NotPendingOwner.selector, address(operator)));
        operator.adminExecute(address(nft), data);
        equal(operator.dueAt(id), START + DELAY, "it may be tried again");
    }

    function test_aStopDoesNotHoldUpTheAdmin() public {
        begin();
        bytes memory data = abi.encodeCall(target.poke, ());
        operator.schedule(address(target), data);
        vm.prank(guardian);
        operator.stopExecution();
        vm.warp(START + DELAY);
        operator.adminExecute(address(target), data);
        equal(target.calls(), 1, "done");
    }

    /// @dev Each would let the admin's key do at once what has to wait.
    function test_theAdminHasNoShortCutToARole() public {
        bytes32 self = keccak256("SELF_ROLE");
        bytes32[4] memory roles = [
            operator.EXECUTOR_ROLE(),
            operator.GUARDIAN_ROLE(),
            operator.EPOCH_ROLE(),
            self
        ];
        for (uint256 round; round < 2; ++round) {
            for (uint256 i; i < 4; ++i) {
                isTrue(operator.getRoleAdmin(roles[i]) == self, "the operator alone grants");
                vm.expectRevert(unauthorized(address(this), self));
                operator.grantRole(roles[i], address(this));
                vm.expectRevert(unauthorized(address(this), self));
                operator.revokeRole(roles[i], i == 3 ? address(operator) : executor);
            }
            vm.expectRevert(unauthorized(address(this), self));
            operator.setSelectorAllowed(Target.poke.selector, true);
            vm.expectRevert(unauthorized(address(this), self));
            operator.setSelectorAllowed(IManagedToken.pause.selector, false);
            begin();
        }
    }

    /// @dev Its own calls do not wait for themselves.
    function test_theOperatorNeverBecomesItsAdmin() public {
        bytes memory invalid = error1(
            IAdminRules.AccessControlInvalidDefaultAdmin.selector,
            address(operator)
        );
        vm.expectRevert(invalid);
        operator.beginDefaultAdminTransfer(address(operator));
        bytes32 role = operator.DEFAULT_ADMIN_ROLE();
        vm.expectRevert(unauthorized(address(operator), role));
        asAdmin(abi.encodeCall(operator.beginDefaultAdminTransfer, (alice)));
        vm.expectRevert(invalid);
        asAdmin(abi.encodeCall(operator.beginDefaultAdminTransfer, (address(operator))));
        operator.beginDefaultAdminTransfer(alice);
        vm.warp(START + DELAY + 1);
        vm.expectRevert(invalid);
        asAdmin(abi.encodeCall(operator.acceptDefaultAdminTransfer, ()));
        vm.expectRevert(error0(IAdminRules.AccessControlEnforcedDefaultAdminRules.selector));
        asAdmin(abi.encodeCall(operator.grantRole, (role, address(operator))));
        equal(operator.defaultAdmin(), address(this), "the admin stays");
    }

    /// @dev By no way anything is in force before the delay that held when the way began, and no step of it is too short to cancel.
    function test_aShorterDelayWaitsForThePresentOne(uint48 shorter) public {
        begin();
        shorter %= DELAY;
        bytes memory data = abi.encodeCall(target.poke, ());
        operator.changeDefaultAdminDelay(shorter);
        vm.warp(START + DELAY);
        isTrue(operator.defaultAdminDelay() == DELAY, "not yet");
        waits(address(target), data);
        vm.warp(START + DELAY + 1);
        isTrue(operator.defaultAdminDelay() == shorter, "now");
        if (shorter != 0) {
            bytes32 id = operator.schedule(address(target), data);
            equal(operator.dueAt(id), START + DELAY + 1 + shorter, "by the shorter one");
        } else operator.adminExecute(address(target), data);
    }

    /// @dev A shorter delay does not reach what was scheduled under the longer one.
    function test_whatIsScheduledKeepsItsTime() public {
        begin();
        bytes memory data = abi.encodeCall(target.poke, ());
        operator.changeDefaultAdminDelay(0);
        vm.warp(START + DELAY);
        bytes32 id = operator.schedule(address(target), data);
        vm.warp(START + DELAY + 1);
        vm.expectRevert(abi.encodeWithSelector(IOperator.NotDue.selector, id, START + 2 * DELAY));
        operator.adminExecute(address(target), data);
    }

    /// @dev Else a thief with the admin's key would only have to wait for a delay of nothing, or to be another admin.
    function test_aGuardianCancelsAnotherDelayAndAnotherAdmin() public {
        begin();
        operator.changeDefaultAdminDelay(0);
        operator.beginDefaultAdminTransfer(alice);
        vm.startPrank(guardian);
        operator.rollbackDefaultAdminDelay();
        operator.cancelDefaultAdminTransfer();
        vm.stopPrank();
        (address pending, ) = operator.pendingDefaultAdmin();
        equal(pending, address(0), "nobody takes over");
        vm.warp(START + 10 * DELAY);
        isTrue(operator.defaultAdminDelay() == DELAY, "the delay stays");
        vm.prank(alice);
        vm.expectRevert(error1(IAdminRules.AccessControlInvalidDefaultAdmin.selector, alice));
        operator.acceptDefaultAdminTransfer();
        operator.beginDefaultAdminTransfer(alice);
        operator.cancelDefaultAdminTransfer();
        operator.changeDefaultAdminDelay(0);
        operator.rollbackDefaultAdminDelay();
        (, uint48 due) = operator.pendingDefaultAdminDelay();
        equal(due, 0, "the admin may as well");
    }

    function test_nobodyElseCancelsAnotherDelayOrAnotherAdmin(address caller) public {
        vm.assume(caller != guardian && caller != address(this));
        operator.changeDefaultAdminDelay(0);
        operator.beginDefaultAdminTransfer(alice);
        bytes32 guardians = operator.GUARDIAN_ROLE();
        address[4] memory others = [caller, executor, raiser, alice];
        for (uint256 i; i < 4; ++i) {
            vm.startPrank(others[i]);
            vm.expectRevert(unauthorized(others[i], guardians));
            operator.rollbackDefaultAdminDelay();
            vm.expectRevert(unauthorized(others[i], guardians));
            operator.cancelDefaultAdminTransfer();
            vm.stopPrank();
        }
    }

    /// @dev Else one stolen key, or two that cancel each other's, would hold the admin for ever.
    function test_noGuardianCancelsTheEndOfAGuardian() public {
        grant(operator.GUARDIAN_ROLE(), bob);
        begin();
        bytes32 role = operator.GUARDIAN_ROLE();
        bytes32 admins = operator.DEFAULT_ADMIN_ROLE();
        address[2] memory guardians = [guardian, bob];
        for (uint256 i; i < 2; ++i) {
            bytes memory data = endOf(guardians[i], i);
            bytes32 id = operator.schedule(address(operator), data);
            operator.cancel(id);
            equal(operator.dueAt(id), 0, "the admin may");
            operator.schedule(address(operator), data);
            for (uint256 j; j < 2; ++j) {
                vm.prank(guardians[j]);
                vm.expectRevert(unauthorized(guardians[j], admins));
                operator.cancel(id);
            }
        }
        vm.warp(START + DELAY);
        for (uint256 i; i < 2; ++i) {
            operator.adminExecute(address(operator), endOf(guardians[i], i));
            isTrue(!operator.hasRole(role, guardians[i]), "gone after one delay");
        }
    }

    /// @dev Also with bytes behind the arguments.
    function endOf(address account, uint256 more) private view returns (bytes memory) {
        bytes memory data = abi.encodeCall(operator.revokeRole, (operator.GUARDIAN_ROLE(), account));
        return bytes.concat(data, new bytes(more));
    }

    /// @dev The end of any other role they cancel, and what only looks like that of theirs.
    function test_aGuardianCancelsWhatIsNoEndOfAGuardian() public {
        begin();
        bytes32 role = operator.GUARDIAN_ROLE();
        bytes[5] memory calls = [
            abi.encodeCall(operator.revokeRole, (operator.EXECUTOR_ROLE(), guardian)),
            abi.encodeCall(operator.revokeRole, (operator.EPOCH_ROLE(), guardian)),
            abi.encodeCall(operator.grantRole, (role, guardian)),
            abi.encodePacked(IAccessControl.revokeRole.selector, bytes31(role)),
            ""
        ];
        for (uint256 i; i < 5; ++i) {
            bytes32 id = operator.schedule(address(operator), calls[i]);
            vm.prank(guardian);
            operator.cancel(id);
        }
        bytes32 ofToken = operator.schedule(
            address(nft),
            abi.encodeCall(operator.revokeRole, (role, guardian))
        );
        vm.prank(guardian);
        operator.cancel(ofToken);
    }

    /// @dev Calls that wait, and succeed.
    function anything() private view returns (address[] memory targets, bytes[] memory calls) {
        calls = new bytes[](9);
        calls[0] = abi.encodeCall(operator.grantRole, (operator.EXECUTOR_ROLE(), alice));
        calls[1] = abi.encodeCall(operator.grantRole, (operator.GUARDIAN_ROLE(), alice));
        calls[2] = abi.encodeCall(operator.revokeRole, (operator.EPOCH_ROLE(), raiser));
        calls[3] = abi.encodeCall(operator.revokeRole, (operator.GUARDIAN_ROLE(), guardian));
        calls[4] = abi.encodeCall(operator.setSelectorAllowed, (Target.poke.selector, true));
        calls[5] = abi.encodeCall(nft.mint, (alice));
        calls[6] = abi.encodeCall(nft.unpause, ());
        calls[7] = abi.encodeCall(nft.setOperator, (alice));
        calls[8] = abi.encodeCall(nft.transferOwnership, (wallet));
        targets = new address[](9);
        for (uint256 i; i < 9; ++i) targets[i] = i < 5 ? address(operator) : address(nft);
    }

    /// @dev Calls that do not.
    function brakes() private view returns (address[] memory targets, bytes[] memory calls) {
        calls = new bytes[](8);
        targets = new address[](8);
        (targets[0], calls[0]) = (address(nft), abi.encodeCall(nft.pause, ()));
        (targets[1], calls[1]) = (address(coin), abi.encodeCall(coin.lockTransfers, ()));
        (targets[2], calls[2]) = (address(nft), abi.encodeCall(nft.freeze, (alice)));
        (targets[3], calls[3]) = (address(nft), abi.encodeCall(nft.lowerMintLimit, (5)));
        (targets[4], calls[4]) = (address(tokenFactory), abi.encodeCall(tokenFactory.pauseCreation, ()));
        (targets[5], calls[5]) = (address(collectionFactory), abi.encodeCall(tokenFactory.pauseCreation, ()));
        targets[6] = targets[7] = address(operator);
        calls[6] = abi.encodeCall(operator.revokeRole, (operator.EXECUTOR_ROLE(), executor));
        calls[7] = abi.encodeCall(operator.setSelectorAllowed, (IManagedToken.unpause.selector, false));
    }
}
