// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IAccessControl} from "@openzeppelin/contracts/access/IAccessControl.sol";
import {Operator} from "../../contracts/Operator.sol";
import {ICloneFactory} from "../../contracts/interfaces/ICloneFactory.sol";
import {IManagedERC20} from "../../contracts/interfaces/IManagedERC20.sol";
import {IManagedERC721} from "../../contracts/interfaces/IManagedERC721.sol";
import {IManagedToken} from "../../contracts/interfaces/IManagedToken.sol";
import {IOperator} from "../../contracts/interfaces/IOperator.sol";
import {
    BurningReceiver,
    LongWindedReceiver,
    ReenteringReceiver,
    RevertingReceiver,
    Target
} from "./Receivers.sol";
import {Setup} from "./Setup.sol";
import {Vm} from "./Vm.sol";

contract OperatorTest is Setup {
    Target private target;

    function setUp() public override {
        super.setUp();
        target = new Target();
        bytes4[6] memory further = [
            Target.poke.selector,
            Target.fail.selector,
            Target.burnGas.selector,
            Target.returnBytes.selector,
            Target.revertBytes.selector,
            Target.need.selector
        ];
        for (uint256 i; i < further.length; ++i) allow(further[i]);
    }

    function test_runsEachCallAndAnswersItsResult() public {
        IOperator.Call[] memory calls = new IOperator.Call[](3);
        calls[0] = IOperator.Call(address(nft), CAP, 700, abi.encodeCall(nft.mint, (alice)));
        calls[1] = IOperator.Call(address(coin), CAP, 701, abi.encodeCall(coin.mint, (bob, 5)));
        calls[2] = IOperator.Call(address(nft), CAP, 702, abi.encodeCall(nft.mint, (bob)));
        vm.recordLogs();
        vm.prank(executor);
        IOperator.Result[] memory results = operator.execute(EPOCH, calls);
        Vm.Log[] memory events = executions(vm.getRecordedLogs());
        equal(results.length, 3, "one result for each call");
        for (uint64 i; i < 3; ++i) {
            isTrue(results[i].ok && results[i].gasUsed > 20_000, "all succeed and tell their gas");
            isTrue(operator.intentDone(idOf(EPOCH, 700 + i)), "all are marked");
            equal(uint256(events[i].topics[1]), idOf(EPOCH, 700 + i), "each event names epoch and number");
            (uint256 keyAndGas, uint256 result) = abi.decode(events[i].data, (uint256, uint256));
            equal(keyAndGas, results[i].gasUsed, "and the gas, below a key of zero");
            equal(
                result,
                i == 1
                    ? 0
                    : i == 0
                        ? 1
                        : 2,
                "and what was returned"
            );
        }
        equal(abi.decode(results[2].returnData, (uint256)), 2, "return data comes through");
        equal(results[1].returnData.length, 0, "nothing returned is nothing");
        equal(nft.ownerOf(2), bob, "the effect is there");
    }

    function test_answersAnEmptyBatch() public {
        vm.prank(executor);
        equal(operator.execute(EPOCH, new IOperator.Call[](0)).length, 0, "no calls, no results");
    }

    function test_runsTwiceInOneTransaction() public {
        mintNft(nft, alice);
        equal(mintNft(nft, alice), 2, "the guard is lifted again");
    }

    function test_aFailedCallChangesNothingAndHidesNothing() public {
        IOperator.Call[] memory calls = new IOperator.Call[](3);
        calls[0] = IOperator.Call(address(target), CAP, 1000, abi.encodeCall(target.fail, (42)));
        calls[1] = IOperator.Call(address(target), CAP, 1001, abi.encodeCall(target.poke, ()));
        calls[2] = IOperator.Call(address(nft), CAP, 1002, abi.encodeCall(nft.mint, (address(0))));
        bytes memory refused = abi.encodeWithSelector(Target.Refused.selector, 42);
        vm.recordLogs();
        vm.prank(executor);
        IOperator.Result[] memory results = operator.execute(EPOCH, calls);
        isTrue(!results[0].ok && results[1].ok && !results[2].ok, "each for itself");
        equal(results[0].returnData, refused, "the reason is answered");
        equal(target.calls(), 1, "the failed call left no trace");
        isTrue(
            !operator.intentDone(idOf(EPOCH, 1000)) && operator.intentDone(idOf(EPOCH, 1001)),
            "only what succeeded is marked"
        );
        (uint256 gasUsed, bytes memory reason) = abi.decode(vm.getRecordedLogs()[0].data, (uint256, bytes));
        equal(reason, refused, "the reason is in the event");
        equal(gasUsed, results[0].gasUsed, "and the gas");
    }

    function test_doesAnIntentOnce() public {
        IOperator.Call[] memory calls = new IOperator.Call[](2);
        calls[0] = IOperator.Call(address(target), CAP, 9, abi.encodeCall(target.poke, ()));
        calls[1] = calls[0];
        vm.startPrank(executor);
        IOperator.Result[] memory results = operator.execute(EPOCH, calls);
        isTrue(results[0].ok && !results[1].ok, "not twice in one batch");
        results = operator.execute(EPOCH, calls);
        vm.stopPrank();
        isTrue(!results[0].ok, "nor in another");
        equal(
            results[0].returnData,
            error1(IOperator.IntentAlreadyDone.selector, idOf(EPOCH, 9)),
            "and it says so"
        );
        equal(results[0].gasUsed, 0, "without making the call");
        equal(target.calls(), 1, "one effect");
    }

    function test_marksIntentsInTheirWord(uint64 number) public {
        IOperator.Call[] memory calls = new IOperator.Call[](1);
        calls[0] = IOperator.Call(address(target), CAP, number, abi.encodeCall(target.poke, ()));
        uint256 intent = idOf(EPOCH, number);
        vm.prank(executor);
        operator.execute(EPOCH, calls);
        equal(operator.intentWord(intent / 256), 1 << (intent % 256), "the bit and no other");
        isTrue(operator.intentDone(intent), "done");
        unchecked {
            isTrue(
                !operator.intentDone(intent + 1) && !operator.intentDone(intent - 1),
                "the neighbours are not"
            );
        }
    }

    function test_aFailedIntentMayBeTriedAgain() public {
        IOperator.Call[] memory calls = new IOperator.Call[](1);
        calls[0] = IOperator.Call(address(target), CAP, 5, abi.encodeCall(target.fail, (1)));
        vm.startPrank(executor);
        operator.execute(EPOCH, calls);
        calls[0].data = abi.encodeCall(target.poke, ());
        isTrue(operator.execute(EPOCH, calls)[0].ok, "it had no effect before");
        vm.stopPrank();
    }

    function test_refusesATargetWithoutCode(address nobody) public {
        vm.assume(nobody.code.length == 0);
        IOperator.Result memory result = attempt(nobody, abi.encodeCall(target.poke, ()));
        isTrue(!result.ok, "refused");
        equal(result.returnData, error1(IOperator.TargetWithoutCode.selector, nobody), "and it says so");
    }

    function test_refusesEveryPrecompile() public {
        for (uint160 i; i < 0x20; ++i) {
            isTrue(
                !attempt(address(i), abi.encodeCall(target.returnBytes, (32))).ok,
                "a precompile is no contract"
            );
        }
        isTrue(!attempt(address(0x100), abi.encodeCall(target.poke, ())).ok, "nor is P256VERIFY");
    }

    function test_refusesFunctionsThatAreNotAllowed(bytes4 selector) public {
        vm.assume(!operator.isSelectorAllowed(selector));
        IOperator.Result memory result = attempt(address(target), abi.encodeWithSelector(selector));
        isTrue(!result.ok, "refused");
        equal(
            result.returnData,
            abi.encodeWithSelector(IOperator.SelectorNotAllowed.selector, selector),
            "says so"
        );
    }

    function test_refusesCalldataWithoutASelector() public {
        isTrue(!attempt(address(target), "").ok, "empty");
        isTrue(!attempt(address(target), hex"6a6278").ok, "too short");
    }

    function test_refusesAGasCapOfZeroOrBeyondReason(uint64 cap) public {
        if (cap <= 1 << 31) cap = 0;
        IOperator.Call[] memory calls = new IOperator.Call[](1);
        calls[0] = IOperator.Call(address(target), cap, 5, abi.encodeCall(target.poke, ()));
        vm.prank(executor);
        IOperator.Result memory result = operator.execute(EPOCH, calls)[0];
        isTrue(!result.ok, "refused");
        equal(result.returnData, error1(IOperator.InvalidGasCap.selector, uint256(cap)), "and it says so");
    }

    function test_onlyExecutorsExecute(address caller) public {
        vm.assume(caller != executor);
        bytes32 role = operator.EXECUTOR_ROLE();
        vm.prank(caller);
        vm.expectRevert(
            abi.encodeWithSelector(IAccessControl.AccessControlUnauthorizedAccount.selector, caller, role)
        );
        operator.execute(EPOCH, new IOperator.Call[](0));
    }

    function test_aRevokedExecutorIsOut() public {
        revoke(operator.EXECUTOR_ROLE(), executor);
        vm.prank(executor);
        vm.expectRevert();
        operator.execute(EPOCH, new IOperator.Call[](0));
    }

    /// @dev With any gas, either the whole batch reverts or the call had its full cap and succeeds.
    function test_neverReportsAStarvedCallAsFailed(uint256 gasGiven) public {
        gasGiven = 30_000 + (gasGiven % 700_000);
        IOperator.Call[] memory calls = new IOperator.Call[](2);
        calls[0] = IOperator.Call(address(target), 230_000, 1, abi.encodeCall(target.need, (200_000)));
        calls[1] = IOperator.Call(address(nft), 230_000, 2, abi.encodeCall(nft.mint, (alice)));
        vm.prank(executor);
        try operator.execute{gas: gasGiven}(EPOCH, calls) returns (IOperator.Result[] memory results) {
            isTrue(results[0].ok && results[1].ok, "what could not get its gas was not made");
        } catch {
            isTrue(
                !operator.intentDone(idOf(EPOCH, 1)) && !operator.intentDone(idOf(EPOCH, 2)),
                "nothing half done"
            );
            equal(target.calls(), 0, "no trace");
        }
    }

    function test_saysThatTheGasDoesNotSuffice() public {
        IOperator.Call[] memory calls = new IOperator.Call[](1);
        calls[0] = IOperator.Call(address(target), 1_000_000, 1, abi.encodeCall(target.poke, ()));
        vm.prank(executor);
        vm.expectRevert(error0(IOperator.InsufficientGas.selector));
        operator.execute{gas: 1_000_000}(EPOCH, calls);
    }

    function test_givesACallNoMoreThanItsCap() public {
        IOperator.Call[] memory calls = new IOperator.Call[](2);
        calls[0] = IOperator.Call(address(target), 100_000, 1, abi.encodeCall(target.burnGas, ()));
        calls[1] = IOperator.Call(address(target), 100_000, 2, abi.encodeCall(target.poke, ()));
        vm.prank(executor);
        IOperator.Result[] memory results = operator.execute(EPOCH, calls);
        isTrue(!results[0].ok && results[0].returnData.length == 0, "out of gas");
        isTrue(results[0].gasUsed >= 100_000 && results[0].gasUsed < 103_000, "its cap and no more");
        isTrue(results[1].ok, "the next one is not disturbed");
    }

    function test_copiesAtMost1024Bytes(uint256 size) public {
        size %= 100_000;
        IOperator.Result memory result = attempt(address(target), abi.encodeCall(target.returnBytes, (size)));
        isTrue(result.ok, "returned");
        equal(result.returnData.length, size < 1024 ? size : 1024, "capped");
        result = attempt(address(target), abi.encodeCall(target.revertBytes, (size)));
        isTrue(!result.ok, "reverted");
        equal(result.returnData.length, size < 1024 ? size : 1024, "capped too");
    }

    function test_hostileReceiversDoNotDisturbTheOthers() public {
        address[5] memory hostile = [
            address(new BurningReceiver()),
            address(new LongWindedReceiver(300_000, false)),
            address(new LongWindedReceiver(400_000, true)),
            address(new LongWindedReceiver(4_000_000, true)),
            address(new RevertingReceiver())
        ];
        IOperator.Call[] memory calls = new IOperator.Call[](10);
        for (uint64 i; i < 5; ++i) {
            calls[2 * i] = IOperator.Call(
                address(nft),
                900_000,
                100 + i,
                abi.encodeCall(nft.mint, (hostile[i]))
            );
            calls[2 * i + 1] = IOperator.Call(
                address(nft),
                900_000,
                200 + i,
                abi.encodeCall(nft.mint, (alice))
            );
        }
        vm.prank(executor);
        uint256 before = gasleft();
        IOperator.Result[] memory results = operator.execute(EPOCH, calls);
        isTrue(before - gasleft() < 6_000_000, "nobody pays more than the caps");
        for (uint256 i; i < 5; ++i) {
            isTrue(results[2 * i + 1].ok, "honest mints go through");
            if (i != 1) isTrue(!results[2 * i].ok, "hostile ones fail");
        }
        isTrue(results[2].ok, "many bytes behind the right answer are no crime");
        equal(nft.totalSupply(), 6, "and only what succeeded is there");
        equal(
            results[8].returnData,
            abi.encodeWithSelector(
                IManagedERC721.ReceiverRefused.selector,
                hostile[4],
                error0(RevertingReceiver.NotToday.selector)
            ),
            "with its own reason"
        );
    }

    function test_isNotReentrant() public {
        ReenteringReceiver receiver = new ReenteringReceiver();
        grant(operator.EXECUTOR_ROLE(), address(receiver));
        makeAdmin(address(receiver));
        receiver.plan(address(operator), abi.encodeCall(operator.execute, (EPOCH, new IOperator.Call[](0))));
        receiver.plan(
            address(operator),
            abi.encodeCall(operator.adminExecute, (address(nft), abi.encodeCall(nft.pause, ())))
        );
        mintNft(nft, address(receiver));
        isTrue(!receiver.outcomes(0) && !receiver.outcomes(1), "neither way in, not even with the roles");
        isTrue(!nft.paused(), "and without effect");
    }

    function test_adminExecuteIsGuardedToo() public {
        ReenteringReceiver receiver = new ReenteringReceiver();
        grant(operator.EXECUTOR_ROLE(), address(receiver));
        receiver.plan(address(operator), abi.encodeCall(operator.execute, (EPOCH, new IOperator.Call[](0))));
        operator.adminExecute(address(nft), abi.encodeCall(nft.mint, (address(receiver))));
        isTrue(!receiver.outcomes(0), "no way in");
    }

    function test_theAdminCallsAnything() public {
        vm.expectEmit(true, true, true, true, address(operator));
        emit IOperator.AdminExecuted(address(nft), 0, abi.encodeCall(nft.transferOwnership, (wallet)));
        operator.adminExecute(address(nft), abi.encodeCall(nft.transferOwnership, (wallet)));
        vm.prank(wallet);
        nft.acceptOwnership(address(operator));
        equal(nft.owner(), wallet, "ownership is handed over");
        bytes memory answer = operator.adminExecute(address(target), abi.encodeCall(target.poke, ()));
        equal(abi.decode(answer, (uint256)), 1, "the answer comes back");
    }

    function test_theAdminSeesWhyACallFailed() public {
        vm.expectRevert(abi.encodeWithSelector(Target.Refused.selector, 7));
        operator.adminExecute(address(target), abi.encodeCall(target.fail, (7)));
        vm.expectRevert(error1(IOperator.TargetWithoutCode.selector, alice));
        operator.adminExecute(alice, "");
    }

    function test_adminExecuteSendsValueAlong() public {
        Vault vault = new Vault();
        vm.deal(address(this), 3);
        operator.adminExecute{value: 3}(address(vault), abi.encodeCall(vault.put, ()));
        equal(address(vault).balance, 3, "all of it arrived");
    }

    function test_onlyTheAdminIsAdmin(address caller) public {
        vm.assume(caller != address(this));
        vm.startPrank(caller);
        vm.expectRevert();
        operator.adminExecute(address(nft), abi.encodeCall(nft.pause, ()));
        vm.expectRevert();
        allow(0x12345678);
        vm.stopPrank();
    }

    function test_executorsCannotTakeAContract() public {
        bytes[3] memory takes = [
            abi.encodeCall(nft.transferOwnership, (executor)),
            abi.encodeCall(nft.setOperator, (executor)),
            abi.encodeCall(tokenFactory.pauseCreation, ())
        ];
        for (uint256 i; i < takes.length; ++i) {
            isTrue(!attempt(address(nft), takes[i]).ok, "not on a token");
            isTrue(!attempt(address(operator), takes[i]).ok, "not on the operator");
            vm.expectRevert(abi.encodeWithSelector(IOperator.SelectorDenied.selector, bytes4(takes[i])));
            allow(bytes4(takes[i]));
        }
        vm.expectRevert(
            abi.encodeWithSelector(IOperator.SelectorDenied.selector, ICloneFactory.resumeCreation.selector)
        );
        allow(ICloneFactory.resumeCreation.selector);
        equal(nft.owner(), address(operator), "the owner stays");
        equal(nft.operator(), address(operator), "the operator stays");
    }

    /// @dev Not even with the functions allowed: the operator does not call itself for them.
    function test_executorsCannotTakeTheOperator() public {
        bytes32 role = operator.EXECUTOR_ROLE();
        bytes[10] memory takes = [
            abi.encodeCall(operator.grantRole, (role, alice)),
            abi.encodeCall(operator.revokeRole, (role, executor)),
            abi.encodeCall(operator.renounceRole, (role, address(operator))),
            abi.encodeCall(operator.adminExecute, (address(nft), "")),
            abi.encodeCall(operator.setSelectorAllowed, (bytes4(0), true)),
            abi.encodeCall(operator.execute, (EPOCH, new IOperator.Call[](0))),
            abi.encodeCall(operator.raiseEpoch, (EPOCH, bytes32(0))),
            abi.encodeCall(operator.schedule, (address(nft), "")),
            abi.encodeCall(operator.stopExecution, ()),
            abi.encodeCall(operator.startExecution, ())
        ];
        for (uint256 i; i < takes.length; ++i) {
            isTrue(!attempt(address(operator), takes[i]).ok, "not allowed");
            allow(bytes4(takes[i]));
            isTrue(!attempt(address(operator), takes[i]).ok, "nor when it is");
        }
        isTrue(operator.hasRole(role, executor) && !operator.hasRole(role, alice), "the roles stay");
        isTrue(operator.epoch() == EPOCH && !operator.stopped(), "nothing is stopped");
        isTrue(!operator.isSelectorAllowed(bytes4(0)), "nothing is allowed");
    }

    /// @dev 64 bits above the number, which the event repeats above the gas.
    function test_repeatsTheClientsKeyAndDependsOnItInNothing(uint64 key, uint64 number) public {
        IOperator.Call[] memory calls = new IOperator.Call[](2);
        calls[0] = IOperator.Call(
            address(target),
            CAP,
            (uint256(key) << 64) | number,
            abi.encodeCall(target.poke, ())
        );
        calls[1] = IOperator.Call(
            address(target),
            CAP,
            (uint256(~key) << 64) | number,
            abi.encodeCall(target.poke, ())
        );
        vm.recordLogs();
        vm.prank(executor);
        IOperator.Result[] memory results = operator.execute(EPOCH, calls);
        Vm.Log[] memory logs = vm.getRecordedLogs();
        Vm.Log memory event_ = executions(logs)[0];
        equal(uint256(event_.topics[1]), idOf(EPOCH, number), "the intent is named without it");
        (uint256 keyAndGas, uint256 result) = abi.decode(event_.data, (uint256, uint256));
        equal(keyAndGas, (uint256(key) << 64) | results[0].gasUsed, "and told with it");
        equal(result, 1, "with the result");
        equal(
            results[1].returnData,
            error1(IOperator.IntentAlreadyDone.selector, idOf(EPOCH, number)),
            "another key makes no other intent"
        );
        equal(
            uint256(logs[logs.length - 1].topics[1]),
            idOf(EPOCH, number),
            "and what is refused is named so too"
        );
        uint256 intent = idOf(EPOCH, number);
        equal(operator.intentWord(intent / 256), 1 << (intent % 256), "one mark");
    }

    function test_theAdminAllowsAndForbidsFurtherFunctions() public {
        isTrue(operator.isSelectorAllowed(Target.poke.selector), "allowed in setUp");
        vm.expectEmit(true, true, true, true, address(operator));
        emit IOperator.SelectorAllowanceChanged(Target.poke.selector, false);
        forbid(Target.poke.selector);
        isTrue(!attempt(address(target), abi.encodeCall(target.poke, ())).ok, "forbidden again");
    }

    function test_allTokenFunctionsAreAllowedFromTheStart() public view {
        bytes4[16] memory builtIn = [
            IManagedERC721.mint.selector,
            IManagedERC20.mint.selector,
            IManagedERC721.mintWithMetadata.selector,
            IManagedERC721.mintBatch.selector,
            IManagedERC721.setMetadata.selector,
            nft.setContractMetadata.selector,
            collectionFactory.createCollection.selector,
            tokenFactory.createToken.selector,
            IManagedToken.approveAccount.selector,
            IManagedToken.unapproveAccount.selector,
            IManagedToken.freeze.selector,
            IManagedToken.unfreeze.selector,
            IManagedToken.pause.selector,
            IManagedToken.unpause.selector,
            IManagedToken.lockTransfers.selector,
            IManagedToken.unlockTransfers.selector
        ];
        for (uint256 i; i < builtIn.length; ++i) isTrue(operator.isSelectorAllowed(builtIn[i]), "built in");
    }

    function test_creationIsPausedByTheAdminAlone() public {
        operator.adminExecute(address(tokenFactory), abi.encodeCall(tokenFactory.pauseCreation, ()));
        isTrue(tokenFactory.creationPaused(), "paused");
    }

    /// @dev The events of calls that succeeded.
    function executions(Vm.Log[] memory logs) private pure returns (Vm.Log[] memory found) {
        found = new Vm.Log[](logs.length);
        uint256 count;
        for (uint256 i; i < logs.length; ++i) {
            if (logs[i].topics[0] == IOperator.CallExecuted.selector) found[count++] = logs[i];
        }
    }
}

contract Vault {
    function put() external payable {}
}
