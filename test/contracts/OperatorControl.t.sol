// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IAccessControl} from "@openzeppelin/contracts/access/IAccessControl.sol";
import {IOperator} from "../../contracts/interfaces/IOperator.sol";
import {Target} from "./Receivers.sol";
import {Setup} from "./Setup.sol";

/// @notice Epoch and stop of the operator, who may change them, and the gas that a call with much calldata gets.
contract OperatorControlTest is Setup {
    Target private target;
    address private immutable guardian = vm.addr(0x9a4d);

    function setUp() public override {
        super.setUp();
        target = new Target();
        allow(Target.poke.selector);
        allow(Target.need.selector);
        grant(operator.GUARDIAN_ROLE(), guardian);
    }

    function test_theFirstEpochIsOneAndNothingIsStopped() public view {
        isTrue(operator.epoch() == 1 && !operator.stopped(), "as constructed");
    }

    function test_aBatchOfAnotherEpochRevertsAsAWhole(uint48 epoch) public {
        vm.assume(epoch != EPOCH);
        vm.prank(executor);
        vm.expectRevert(error1(IOperator.WrongEpoch.selector, EPOCH));
        operator.execute(epoch, pokes(5));
        equal(target.calls(), 0, "without an effect");
    }

    function test_theEpochIsRaisedUnderATag(bytes32 tag) public {
        grant(operator.EPOCH_ROLE(), raiser);
        vm.warp(20_000 days);
        vm.expectEmit(true, true, true, true, address(operator));
        emit IOperator.EpochRaised(2, tag);
        vm.prank(raiser);
        operator.raiseEpoch(1, tag);
        isTrue(operator.epoch() == 2 && !operator.stopped(), "the next one");
        vm.prank(executor);
        vm.expectRevert(error1(IOperator.WrongEpoch.selector, uint256(2)));
        operator.execute(1, pokes(5));
        vm.prank(executor);
        isTrue(operator.execute(2, pokes(5))[0].ok, "it runs in the new one");
    }

    function test_marksOfAnEpochBlockNothingInTheNext() public {
        vm.prank(executor);
        operator.execute(1, pokes(5));
        raiseEpoch();
        isTrue(operator.intentDone(idOf(1, 5)) && !operator.intentDone(idOf(2, 5)), "marked in its epoch");
        vm.startPrank(executor);
        isTrue(operator.execute(2, pokes(5))[0].ok, "the number is free again");
        IOperator.Result memory again = operator.execute(2, pokes(5))[0];
        vm.stopPrank();
        equal(
            again.returnData,
            error1(IOperator.IntentAlreadyDone.selector, idOf(2, 5)),
            "once, and named with its epoch"
        );
        equal(operator.intentWord(uint256(2) << 56), 1 << 5, "in a word of its own");
    }

    function test_aRaiseLeavesTheStopAsItIs() public {
        operator.stopExecution();
        raiseEpoch();
        isTrue(operator.stopped() && operator.epoch() == 2, "stopped in the new epoch");
        operator.startExecution();
        isTrue(!operator.stopped() && operator.epoch() == 2, "and the epoch stays");
    }

    function test_nobodyElseRaisesTheEpoch(address caller) public {
        grant(operator.EPOCH_ROLE(), raiser);
        vm.assume(caller != raiser && caller != executor);
        vm.warp(20_000 days);
        bytes32 role = operator.EPOCH_ROLE();
        address[3] memory others = [caller, guardian, address(this)];
        for (uint256 i; i < others.length; ++i) {
            vm.prank(others[i]);
            vm.expectRevert(unauthorized(others[i], role));
            operator.raiseEpoch(1, 0);
        }
    }

    /// @dev Else a stolen key, whose role is taken at once, would end epochs for as long as the admin's delay is.
    function test_anExecutorRaisesTheEpochUntilItsRoleIsTaken() public {
        vm.warp(block.timestamp + 10 minutes);
        vm.prank(executor);
        operator.raiseEpoch(1, "tag");
        equal(operator.epoch(), 2, "raised by an executor");
        (bytes32 role, bytes32 taken) = (operator.EPOCH_ROLE(), operator.EXECUTOR_ROLE());
        operator.adminExecute(address(operator), abi.encodeCall(operator.revokeRole, (taken, executor)));
        isTrue(!operator.hasRole(role, executor), "taken together");
        vm.warp(block.timestamp + 10 minutes);
        vm.prank(executor);
        vm.expectRevert(unauthorized(executor, role));
        operator.raiseEpoch(2, "tag");
        grant(taken, executor);
        isTrue(operator.hasRole(role, executor), "granted together");
    }

    /// @dev Two who saw the same incident raise it once, and a thief does not raise it with each block.
    function test_theEpochIsRaisedFromTheOneThatWasSeenAndNotSoonAgain(uint256 pause) public {
        raiseEpoch();
        vm.startPrank(raiser);
        vm.expectRevert(error1(IOperator.WrongEpoch.selector, uint256(2)));
        operator.raiseEpoch(1, 0);
        uint256 next = block.timestamp + 10 minutes;
        vm.warp(block.timestamp + (pause % 10 minutes));
        vm.expectRevert(error1(IOperator.RaisedRecently.selector, next));
        operator.raiseEpoch(2, 0);
        vm.warp(next);
        operator.raiseEpoch(2, 0);
        vm.stopPrank();
        equal(operator.epoch(), 3, "one step at a time");
    }

    function test_theRoleOfTheEpochDoesNothingElse() public {
        grant(operator.EPOCH_ROLE(), raiser);
        doesNothingElse(raiser);
        vm.prank(raiser);
        vm.expectRevert();
        operator.stopExecution();
    }

    function test_aGuardianStopsAndStarts() public {
        vm.expectEmit(true, true, true, true, address(operator));
        emit IOperator.ExecutionStopChanged(guardian, true);
        vm.prank(guardian);
        operator.stopExecution();
        isTrue(operator.stopped(), "stopped");
        vm.prank(executor);
        vm.expectRevert(error0(IOperator.ExecutionStopped.selector));
        operator.execute(EPOCH, pokes(5));
        equal(target.calls(), 0, "without an effect");
        vm.expectEmit(true, true, true, true, address(operator));
        emit IOperator.ExecutionStopChanged(guardian, false);
        vm.prank(guardian);
        operator.startExecution();
        isTrue(!operator.stopped(), "started");
        vm.prank(executor);
        isTrue(operator.execute(EPOCH, pokes(5))[0].ok, "it goes on");
    }

    function test_stoppingTwiceIsStopped() public {
        vm.startPrank(guardian);
        operator.stopExecution();
        operator.stopExecution();
        isTrue(operator.stopped(), "still");
        operator.startExecution();
        operator.startExecution();
        vm.stopPrank();
        isTrue(!operator.stopped(), "one start is enough");
    }

    function test_theAdminStopsAndStartsToo() public {
        operator.stopExecution();
        isTrue(operator.stopped(), "stopped");
        operator.startExecution();
        isTrue(!operator.stopped(), "started");
    }

    function test_nobodyElseStopsOrStarts(address caller) public {
        vm.assume(caller != guardian && caller != address(this));
        bytes32 role = operator.GUARDIAN_ROLE();
        bytes memory refused = unauthorized(caller, role);
        vm.startPrank(caller);
        vm.expectRevert(refused);
        operator.stopExecution();
        vm.expectRevert(refused);
        operator.startExecution();
        vm.stopPrank();
        vm.prank(executor);
        vm.expectRevert(unauthorized(executor, role));
        operator.stopExecution();
    }

    function test_aGuardianDoesNothingElse() public {
        doesNothingElse(guardian);
    }

    function doesNothingElse(address caller) private {
        bytes32 role = operator.GUARDIAN_ROLE();
        bytes[7] memory others = [
            abi.encodeCall(operator.execute, (EPOCH, pokes(5))),
            abi.encodeCall(operator.adminExecute, (address(target), abi.encodeCall(target.poke, ()))),
            abi.encodeCall(operator.setSelectorAllowed, (Target.poke.selector, true)),
            abi.encodeCall(operator.grantRole, (role, alice)),
            abi.encodeCall(operator.schedule, (address(target), abi.encodeCall(target.poke, ()))),
            abi.encodeCall(operator.takeBack, (address(nft), abi.encodeCall(nft.pause, ()))),
            abi.encodeCall(operator.beginDefaultAdminTransfer, (caller))
        ];
        for (uint256 i; i < others.length; ++i) {
            vm.prank(caller);
            (bool ok, ) = address(operator).call(others[i]);
            isTrue(!ok, "refused");
        }
    }

    /// @dev Whatever is granted, revoked and renounced in whatever order: who has the role executes, and nobody else.
    function test_executorsAreThoseWithTheRole(uint256 seed) public {
        address[3] memory signers = [executor, alice, bob];
        bytes32 role = operator.EXECUTOR_ROLE();
        for (uint64 step; step < 12; ++step) {
            uint256 draw = uint256(keccak256(abi.encode(seed, step)));
            address signer = signers[(draw >> 8) % 3];
            if (draw % 4 < 2) grant(role, signer);
            else if (draw % 4 == 2) revoke(role, signer);
            else {
                vm.prank(signer);
                operator.renounceRole(role, signer);
            }
            for (uint64 i; i < 3; ++i) {
                bool has = operator.hasRole(role, signers[i]);
                vm.prank(signers[i]);
                if (!has) vm.expectRevert(unauthorized(signers[i], role));
                operator.execute(EPOCH, pokes(1 + 3 * step + i));
                isTrue(operator.intentDone(idOf(EPOCH, 1 + 3 * step + i)) == has, "as the role says");
            }
        }
    }

    function test_adminExecuteGoesOnWhileStopped() public {
        operator.stopExecution();
        operator.adminExecute(address(target), abi.encodeCall(target.poke, ()));
        equal(target.calls(), 1, "the admin can still act");
    }

    function test_refusesANumberBeyondTheClientsKey(uint256 tooLarge) public {
        if (tooLarge >> 128 == 0) tooLarge = (tooLarge + 1) << 128;
        bytes memory data = abi.encodeCall(operator.execute, (EPOCH, pokes(0)));
        // Behind length and selector: epoch, offset, length, offset, target, gasCap, number.
        assembly ("memory-safe") {
            mstore(add(data, add(0x24, 0xc0)), tooLarge)
        }
        vm.prank(executor);
        (bool ok, bytes memory reason) = address(operator).call(data);
        isTrue(!ok, "refused");
        equal(reason, error1(IOperator.InvalidNumber.selector, tooLarge), "and it says so");
    }

    /// @dev To copy so much calldata costs more than the reserve for what comes after the check.
    function test_neverStarvesACallWithMuchCalldata(uint256 gasGiven) public {
        gasGiven = 300_000 + (gasGiven % 400_000);
        IOperator.Call[] memory calls = pokes(1);
        calls[0].gasCap = 230_000;
        calls[0].data = bytes.concat(abi.encodeCall(target.need, (200_000)), new bytes(200_000));
        vm.prank(executor);
        try operator.execute{gas: gasGiven}(EPOCH, calls) returns (IOperator.Result[] memory results) {
            isTrue(results[0].ok, "what could not get its gas was not made");
        } catch {
            equal(target.calls(), 0, "no trace");
        }
    }

    function pokes(uint64 number) private view returns (IOperator.Call[] memory calls) {
        calls = new IOperator.Call[](1);
        calls[0] = IOperator.Call(address(target), CAP, number, abi.encodeCall(target.poke, ()));
    }

    function unauthorized(address caller, bytes32 role) private pure returns (bytes memory) {
        return abi.encodeWithSelector(IAccessControl.AccessControlUnauthorizedAccount.selector, caller, role);
    }
}
