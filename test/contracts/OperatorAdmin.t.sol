// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IAccessControl} from "@openzeppelin/contracts/access/IAccessControl.sol";
import {IAccessControlDefaultAdminRules as IAdminRules} from "@openzeppelin/contracts/access/extensions/IAccessControlDefaultAdminRules.sol";
import {Operator} from "../../contracts/Operator.sol";
import {IManagedERC721} from "../../contracts/interfaces/IManagedERC721.sol";
import {IManagedToken} from "../../contracts/interfaces/IManagedToken.sol";
import {IOperator} from "../../contracts/interfaces/IOperator.sol";
import {Target} from "./Receivers.sol";
import {Setup} from "./Setup.sol";

/// @notice What executors may call, who says so, and how another admin takes over.
contract OperatorAdminTest is Setup {
    uint48 private constant DELAY = 2 days;

    /// @dev Written out, so that the list of the contract is compared with something.
    string[29] private builtIn = [
        "mint(address)",
        "mint(address,uint256)",
        "mintWithMetadata(address,(string,bytes,uint8)[])",
        "mintBatch((address,(string,bytes,uint8)[])[])",
        "setMetadata(uint256,(string,bytes,uint8)[])",
        "setContractMetadata((string,bytes,uint8)[])",
        "approveAccount(address)",
        "unapproveAccount(address)",
        "freeze(address)",
        "unfreeze(address)",
        "pause()",
        "unpause()",
        "lockTransfers()",
        "unlockTransfers()",
        "mintRun(address,uint256)",
        "mintRows(uint256,bytes)",
        "mintRows(uint256,uint256,bytes)",
        "reopenMint()",
        "unfreezeMetadata()",
        "unfreezeMetadata(uint256)",
        "renounceControls()",
        "restoreControls()",
        "closeMint()",
        "lowerMintLimit(uint256)",
        "freezeMetadata()",
        "freezeMetadata(uint256)",
        "setRoyalty(address,uint96)",
        "forcedTransfer(address,address,uint256)",
        "forcedBurn(address,uint256)"
    ];

    /// @dev Of owners, of holders and spenders.
    string[12] private denied = [
        "transferOwnership(address)",
        "acceptOwnership(address)",
        "setOperator(address)",
        "raiseMintLimit(uint256)",
        "pauseCreation()",
        "resumeCreation()",
        "transfer(address,uint256)",
        "transferFrom(address,address,uint256)",
        "safeTransferFrom(address,address,uint256)",
        "safeTransferFrom(address,address,uint256,bytes)",
        "approve(address,uint256)",
        "setApprovalForAll(address,bool)"
    ];

    /// @dev Of the operator, which executors never reach through it.
    string[21] private own = [
        "grantRole(bytes32,address)",
        "revokeRole(bytes32,address)",
        "renounceRole(bytes32,address)",
        "beginDefaultAdminTransfer(address)",
        "cancelDefaultAdminTransfer()",
        "acceptDefaultAdminTransfer()",
        "changeDefaultAdminDelay(uint48)",
        "rollbackDefaultAdminDelay()",
        "execute(uint48,(address,uint64,uint256,bytes)[])",
        "executeMints(uint48,uint64,uint256,bytes)",
        "executeRows(uint48,(address,uint64,uint256,uint256,uint64,uint256,bytes))",
        "schedule(address,bytes)",
        "cancel(bytes32)",
        "takeBack(address,bytes)",
        "adminExecute(address,bytes)",
        "setSelectorAllowed(bytes4,bool)",
        "raiseEpoch(uint48,bytes32)",
        "stopExecution()",
        "startExecution()",
        "pause()",
        "mint(address)"
    ];

    function test_eachBuiltInFunctionIsForbiddenAndAllowedAlone() public {
        bytes4[] memory selectors = allowedOnes();
        for (uint256 i; i < selectors.length; ++i)
            isTrue(operator.isSelectorAllowed(selectors[i]), "built in");
        for (uint256 i; i < selectors.length; ++i) {
            vm.expectEmit(true, true, true, true, address(operator));
            emit IOperator.SelectorAllowanceChanged(selectors[i], false);
            forbid(selectors[i]);
            for (uint256 j; j < selectors.length; ++j) {
                isTrue(operator.isSelectorAllowed(selectors[j]) == (i != j), "it alone is forbidden");
            }
            forbid(selectors[i]);
            isTrue(!operator.isSelectorAllowed(selectors[i]), "twice is forbidden too");
            allow(selectors[i]);
            isTrue(operator.isSelectorAllowed(selectors[i]), "and allowed again");
        }
    }

    function test_allowingOneFunctionAgainAllowsNoOther() public {
        forbid(IManagedToken.pause.selector);
        forbid(IManagedToken.unpause.selector);
        allow(IManagedToken.pause.selector);
        isTrue(operator.isSelectorAllowed(IManagedToken.pause.selector), "it");
        isTrue(!operator.isSelectorAllowed(IManagedToken.unpause.selector), "and not the other");
    }

    function test_aDenialKeepsExecutorsOut() public {
        forbid(IManagedToken.pause.selector);
        IOperator.Result memory result = attempt(address(nft), abi.encodeCall(nft.pause, ()));
        equal(
            result.returnData,
            abi.encodeWithSelector(IOperator.SelectorNotAllowed.selector, IManagedToken.pause.selector),
            "refused"
        );
        isTrue(!nft.paused(), "without an effect");
        operator.adminExecute(address(nft), abi.encodeCall(nft.pause, ()));
        isTrue(nft.paused(), "the admin still may");
        isTrue(attempt(address(nft), abi.encodeCall(nft.unpause, ())).ok, "and others are as before");
    }

    function test_aDenialLeavesEpochStopAndExecutorAsTheyAre() public {
        raiseEpoch();
        operator.stopExecution();
        forbid(IManagedERC721.mint.selector);
        isTrue(operator.epoch() == 2 && operator.stopped(), "they share its word");
        operator.startExecution();
        raiseEpoch();
        grant(operator.EXECUTOR_ROLE(), alice);
        isTrue(!operator.isSelectorAllowed(IManagedERC721.mint.selector), "and leave it as it is");
        isTrue(operator.epoch() == 3 && !operator.stopped(), "each its own part");
        vm.prank(executor);
        operator.execute(3, new IOperator.Call[](0));
    }

    function test_whatGivesThingsAwayCanNeverBeAllowed() public {
        for (uint256 i; i < denied.length; ++i) {
            bytes4 selector = bytes4(keccak256(bytes(denied[i])));
            isTrue(!operator.isSelectorAllowed(selector), denied[i]);
            IOperator.Result memory result = attempt(
                address(nft),
                abi.encodePacked(selector, new bytes(128))
            );
            equal(
                result.returnData,
                abi.encodeWithSelector(IOperator.SelectorNotAllowed.selector, selector),
                denied[i]
            );
            vm.expectRevert(abi.encodeWithSelector(IOperator.SelectorDenied.selector, selector));
            allow(selector);
            vm.expectRevert(abi.encodeWithSelector(IOperator.SelectorDenied.selector, selector));
            forbid(selector);
            uint256[4] memory words = verbs();
            words[i % 4] = (words[i % 4] & ~uint256(type(uint32).max)) | uint32(selector);
            vm.expectRevert(abi.encodeWithSelector(IOperator.SelectorDenied.selector, selector));
            new Operator(address(this), 0, words);
        }
    }

    /// @dev Data of fewer than four bytes would be a call of it, so of whatever a contract does when it is sent coins.
    function test_noFunctionIsNone() public {
        bytes memory refused = abi.encodeWithSelector(IOperator.SelectorDenied.selector, bytes4(0));
        for (uint256 lane; lane < 32; ++lane) {
            uint256[4] memory words = verbs();
            words[lane / 8] &= ~(uint256(type(uint32).max) << (32 * (lane % 8)));
            vm.expectRevert(refused);
            new Operator(address(this), 0, words);
        }
        vm.expectRevert(refused);
        new Operator(address(this), 0, [uint256(0), 0, 0, 0]);
        vm.expectRevert(refused);
        allow(bytes4(0));
    }

    /// @dev Whether each call of what is allowed from the start looks for a denial, which costs a word.
    function test_onlyADenialOfWhatIsAllowedFromTheStartIsLookedFor() public {
        bytes4 selector = IManagedToken.pause.selector;
        operator.isSelectorAllowed(selector);
        uint256 without = gasToAsk(selector);
        allow(Target.poke.selector);
        forbid(Target.poke.selector);
        forbid(Target.fail.selector);
        isTrue(!operator.isSelectorAllowed(Target.poke.selector), "it is none of them");
        isTrue(gasToAsk(selector) < without + 200, "and costs the others nothing");
        forbid(IManagedToken.unpause.selector);
        isTrue(gasToAsk(selector) > without + 1_900, "one of them does");
    }

    function gasToAsk(bytes4 selector) private view returns (uint256 used) {
        used = gasleft();
        operator.isSelectorAllowed(selector);
        used -= gasleft();
    }

    function test_theOperatorNeverCallsItselfForAnExecutor() public {
        for (uint256 i; i < own.length; ++i) {
            bytes4 selector = bytes4(keccak256(bytes(own[i])));
            allow(selector);
            IOperator.Result memory result = attempt(
                address(operator),
                abi.encodePacked(selector, new bytes(128))
            );
            equal(
                result.returnData,
                abi.encodeWithSelector(IOperator.SelectorNotAllowed.selector, selector),
                own[i]
            );
        }
    }

    function test_theOperatorOpensNoWayToWhatItMayMove() public {
        mintNft(nft, alice);
        mintCoin(coin, alice, 5);
        vm.startPrank(alice);
        nft.setApprovalForAll(address(operator), true);
        coin.approve(address(operator), 5);
        vm.stopPrank();
        isTrue(!attempt(address(nft), abi.encodeCall(nft.transferFrom, (alice, bob, 1))).ok, "no NFT moves");
        isTrue(
            !attempt(address(coin), abi.encodeCall(coin.transferFrom, (alice, bob, 5))).ok,
            "no coin moves"
        );
        isTrue(nft.ownerOf(1) == alice && coin.balanceOf(alice) == 5, "all is where it was");
    }

    function test_theOperatorOfATokenIsNotChangedByExecutors() public {
        isTrue(!attempt(address(nft), abi.encodeCall(nft.setOperator, (executor))).ok, "refused");
        equal(nft.operator(), address(operator), "it stays");
    }

    function test_theEpochAndTheWordAreThereFromTheStart() public {
        Operator other = new Operator(alice, DELAY, verbs());
        isTrue(other.epoch() == 1 && !other.stopped(), "first epoch, running");
        equal(other.defaultAdmin(), alice, "the admin");
        isTrue(other.defaultAdminDelay() == DELAY, "and the delay");
        isTrue(other.hasRole(other.DEFAULT_ADMIN_ROLE(), alice), "with its role");
    }

    function test_anOperatorNeedsAnAdmin() public {
        vm.expectRevert(error1(IAdminRules.AccessControlInvalidDefaultAdmin.selector, address(0)));
        new Operator(address(0), 0, verbs());
    }

    function test_anotherAdminTakesOverAfterTheDelay() public {
        Operator other = new Operator(address(this), DELAY, verbs());
        other.beginDefaultAdminTransfer(alice);
        uint48 schedule = uint48(block.timestamp) + DELAY;
        vm.warp(schedule);
        vm.prank(alice);
        vm.expectRevert(error1(IAdminRules.AccessControlEnforcedDefaultAdminDelay.selector, schedule));
        other.acceptDefaultAdminTransfer();
        vm.warp(uint256(schedule) + 1);
        vm.prank(bob);
        vm.expectRevert(error1(IAdminRules.AccessControlInvalidDefaultAdmin.selector, bob));
        other.acceptDefaultAdminTransfer();
        vm.prank(alice);
        other.acceptDefaultAdminTransfer();
        equal(other.defaultAdmin(), alice, "she is the admin");
        vm.expectRevert();
        other.stopExecution();
        vm.prank(alice);
        other.stopExecution();
    }

    function test_aTransferIsCancelled() public {
        Operator other = new Operator(address(this), DELAY, verbs());
        other.beginDefaultAdminTransfer(alice);
        other.cancelDefaultAdminTransfer();
        vm.warp(block.timestamp + 2 * DELAY);
        vm.prank(alice);
        vm.expectRevert();
        other.acceptDefaultAdminTransfer();
    }

    function test_thereIsOneAdminAndNoShortCut() public {
        bytes32 role = operator.DEFAULT_ADMIN_ROLE();
        vm.expectRevert(error0(IAdminRules.AccessControlEnforcedDefaultAdminRules.selector));
        operator.grantRole(role, alice);
        vm.expectRevert(error0(IAdminRules.AccessControlEnforcedDefaultAdminRules.selector));
        operator.revokeRole(role, address(this));
        vm.expectRevert();
        operator.renounceRole(role, address(this));
    }

    function test_executorsAndGuardiansGrantNothing() public {
        bytes32 role = operator.EXECUTOR_ROLE();
        bytes32 admin = operator.DEFAULT_ADMIN_ROLE();
        grant(operator.GUARDIAN_ROLE(), bob);
        address[2] memory callers = [executor, bob];
        for (uint256 i; i < 2; ++i) {
            vm.startPrank(callers[i]);
            vm.expectRevert(unauthorized(callers[i], keccak256("SELF_ROLE")));
            operator.grantRole(role, alice);
            vm.expectRevert(unauthorized(callers[i], admin));
            operator.beginDefaultAdminTransfer(alice);
            vm.stopPrank();
        }
    }

    function unauthorized(address caller, bytes32 role) private pure returns (bytes memory) {
        return abi.encodeWithSelector(IAccessControl.AccessControlUnauthorizedAccount.selector, caller, role);
    }

    function allowedOnes() private view returns (bytes4[] memory selectors) {
        selectors = new bytes4[](31);
        for (uint256 i; i < 29; ++i) selectors[i] = bytes4(keccak256(bytes(builtIn[i])));
        selectors[29] = collectionFactory.createCollection.selector;
        selectors[30] = tokenFactory.createToken.selector;
    }
}

/// @notice The gas that calls get, and the bytes that come back.
contract OperatorCallsTest is Setup {
    Target private target;

    function setUp() public override {
        super.setUp();
        target = new Target();
        allow(Target.poke.selector);
        allow(Target.need.selector);
        allow(Target.returnBytes.selector);
        allow(Target.revertBytes.selector);
    }

    /// @dev The EVM keeps 1/64 of the gas from a call: with a large cap, that is more than the reserve.
    function test_aLargeCapIsGivenWhole(uint256 more) public {
        uint64 cap = 9_450_000;
        uint256 gasGiven = cap + 45_000 + (more % 250_000);
        vm.prank(executor);
        try
            operator.execute{gas: gasGiven}(EPOCH, one(cap, abi.encodeCall(target.need, (9_400_000))))
        returns (IOperator.Result[] memory results) {
            isTrue(results[0].ok, "what could not get its gas was not made");
        } catch (bytes memory reason) {
            equal(reason, error0(IOperator.InsufficientGas.selector), "and it says so");
        }
    }

    /// @dev With all of its cap used, a new word to mark and 1,024 bytes to tell.
    function test_theReserveIsLargeEnough(uint256 more) public {
        uint64 cap = 60_000;
        uint256 gasGiven = cap + 8_000 + (more % 80_000);
        bytes[2] memory data = [
            abi.encodeCall(target.need, (50_000)),
            abi.encodeCall(target.revertBytes, (1_024))
        ];
        for (uint256 i; i < 2; ++i) {
            vm.prank(executor);
            try operator.execute{gas: gasGiven}(EPOCH, one(cap, data[i])) returns (
                IOperator.Result[] memory results
            ) {
                isTrue(results[0].ok == (i == 0), "as it is by itself");
            } catch (bytes memory reason) {
                equal(reason, error0(IOperator.InsufficientGas.selector), "it knew before");
            }
        }
    }

    function test_theReserveIsNoLargerThanItMustBe() public {
        vm.prank(executor);
        IOperator.Result[] memory results = operator.execute{gas: 2_016_000 / 63 + 2_000_000 + 64_000}(
            EPOCH,
            one(2_000_000, abi.encodeCall(target.poke, ()))
        );
        isTrue(results[0].ok, "a cap, what the EVM keeps of it, and 45,000 are enough");
    }

    function test_theLargestCapIsTaken() public {
        vm.prank(executor);
        vm.expectRevert(error0(IOperator.InsufficientGas.selector));
        operator.execute{gas: 10_000_000}(EPOCH, one(1 << 31, abi.encodeCall(target.poke, ())));
    }

    function test_everyRefusalIsTold() public {
        vm.expectEmit(true, true, true, true, address(operator));
        emit IOperator.CallFailed(
            idOf(EPOCH, 1),
            0,
            abi.encodeWithSelector(IOperator.SelectorNotAllowed.selector, nft.setOperator.selector)
        );
        vm.prank(executor);
        operator.execute(EPOCH, one(CAP, abi.encodeCall(nft.setOperator, (alice))));
        vm.expectEmit(true, true, true, true, address(operator));
        emit IOperator.CallFailed(idOf(EPOCH, 1), 0, error1(IOperator.InvalidGasCap.selector, uint256(0)));
        vm.prank(executor);
        operator.execute(EPOCH, one(0, abi.encodeCall(target.poke, ())));
    }

    /// @dev The encoder of Solidity fills with zeros; so must this one, over whatever was in memory before.
    function test_answersAreEncodedToTheLastByte(uint256 size) public {
        size %= 200;
        IOperator.Call[] memory calls = new IOperator.Call[](3);
        bytes memory dirt = abi.encodePacked(abi.encodeCall(target.poke, ()), ones(1_000));
        calls[0] = IOperator.Call(address(target), CAP, 1, dirt);
        calls[1] = IOperator.Call(address(target), CAP, 2, abi.encodeCall(target.returnBytes, (size)));
        calls[2] = IOperator.Call(address(target), CAP, 2, dirt);
        vm.prank(executor);
        (bool ok, bytes memory answer) = address(operator).call(
            abi.encodeCall(operator.execute, (EPOCH, calls))
        );
        isTrue(ok, "it ran");
        equal(answer, abi.encode(abi.decode(answer, (IOperator.Result[]))), "as the ABI says");
    }

    function test_fewerThanFourBytesAreNoSelectorWhateverWasInMemory() public {
        IOperator.Call[] memory calls = new IOperator.Call[](2);
        bytes memory poke = abi.encodeCall(target.poke, ());
        // Left in memory behind the result of the first call.
        // With one byte returned, what is behind its word is left as it was.
        bytes memory data = bytes.concat(abi.encodeCall(target.returnBytes, (1)), repeated(poke, 200));
        calls[0] = IOperator.Call(address(target), CAP, 1, data);
        calls[1] = IOperator.Call(address(target), CAP, 2, abi.encodePacked(bytes3(bytes4(poke))));
        vm.prank(executor);
        IOperator.Result[] memory results = operator.execute(EPOCH, calls);
        equal(
            results[1].returnData,
            abi.encodeWithSelector(IOperator.SelectorNotAllowed.selector, bytes4(bytes3(bytes4(poke)))),
            "refused"
        );
        equal(target.calls(), 0, "without a call");
    }

    /// @dev Only 20 bytes of a target count, in what is called and in what is refused.
    function test_aTargetIsAnAddressWhateverIsAboveIt() public {
        bytes memory data = abi.encodeCall(
            operator.execute,
            (EPOCH, one(CAP, abi.encodeCall(target.poke, ())))
        );
        dirtyTarget(data, address(target));
        vm.prank(executor);
        (, bytes memory answer) = address(operator).call(data);
        isTrue(abi.decode(answer, (IOperator.Result[]))[0].ok, "it is called");
        data = abi.encodeCall(operator.execute, (EPOCH, one(CAP, abi.encodeCall(target.returnBytes, (32)))));
        dirtyTarget(data, address(2));
        vm.prank(executor);
        (, answer) = address(operator).call(data);
        equal(
            abi.decode(answer, (IOperator.Result[]))[0].returnData,
            error1(IOperator.IntentAlreadyDone.selector, idOf(EPOCH, 1)),
            "done before"
        );
        bytes memory other = abi.encodeCall(
            operator.execute,
            (EPOCH, numbered(2, CAP, abi.encodeCall(target.returnBytes, (32))))
        );
        dirtyTarget(other, address(2));
        vm.prank(executor);
        (, answer) = address(operator).call(other);
        equal(
            abi.decode(answer, (IOperator.Result[]))[0].returnData,
            error1(IOperator.TargetWithoutCode.selector, address(2)),
            "a precompile is none"
        );
    }

    /// @dev Behind length and selector: epoch, offset, length, offset, target.
    function dirtyTarget(bytes memory data, address clean) private pure {
        assembly ("memory-safe") {
            mstore(add(data, add(0x24, 0x80)), or(clean, shl(160, 0xbadbad)))
        }
    }

    function one(uint64 cap, bytes memory data) private view returns (IOperator.Call[] memory) {
        return numbered(1, cap, data);
    }

    function numbered(
        uint64 number,
        uint64 cap,
        bytes memory data
    ) private view returns (IOperator.Call[] memory calls) {
        calls = new IOperator.Call[](1);
        calls[0] = IOperator.Call(address(target), cap, number, data);
    }

    function ones(uint256 size) private pure returns (bytes memory list) {
        list = new bytes(size);
        for (uint256 i; i < size; ++i) list[i] = 0xff;
    }

    function repeated(bytes memory part, uint256 times) private pure returns (bytes memory list) {
        for (uint256 i; i < times; ++i) list = bytes.concat(list, part);
    }
}
