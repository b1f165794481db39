// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {ManagedToken} from "../../contracts/ManagedToken.sol";
import {Entry} from "../../contracts/interfaces/IKeyedMetadata.sol";
import {IManagedToken} from "../../contracts/interfaces/IManagedToken.sol";
import {Setup} from "./Setup.sol";
import {Vm} from "./Vm.sol";

/// @notice What can be given up for ever, each power under the same rules: minting, all metadata, the controls, and where the
/// token has it the metadata of one token.
abstract contract GivenUpSuite is Setup {
    /// @dev How to give it up and to take it back, and the events of both.
    struct Power {
        bytes give;
        bytes takeBack;
        bytes32 given;
        bytes32 takenBack;
    }

    uint256 internal constant START = 20_000 days + 5 hours;

    /// @dev Belongs to a wallet.
    ManagedToken internal token;

    function create(address owner) internal virtual returns (ManagedToken);

    /// @dev Of its implementation.
    function creationCode() internal pure virtual returns (bytes memory);

    /// @dev A token of another implementation, that belongs to the wallet.
    function createOf(address implementation) internal virtual returns (ManagedToken);

    /// @dev How many powers the token has; the first three are of all tokens.
    function powers() internal pure virtual returns (uint256);

    /// @dev From when on it is for good; 0 when it is not given up. Also whether it is given up.
    function stateOf(uint256 which) internal view virtual returns (bool given, uint256 forGoodAt) {
        IManagedToken.TokenLimits memory limits = token.tokenLimits();
        if (which == 0) return (limits.mintClosed, limits.mintClosedForGoodAt);
        if (which == 1) return (limits.metadataFrozen, limits.metadataFrozenForGoodAt);
        return (limits.controlsRenounced, limits.controlsRenouncedForGoodAt);
    }

    function powerOf(uint256 which) internal pure virtual returns (Power memory) {
        if (which == 0)
            return power("closeMint()", "reopenMint()", "MintingClosed(uint256)", "MintingReopened()");
        if (which == 1) {
            string memory given = "AllMetadataFrozen(uint256)";
            return power("freezeMetadata()", "unfreezeMetadata()", given, "AllMetadataUnfrozen()");
        }
        return
            power(
                "renounceControls()",
                "restoreControls()",
                "AllControlsRenounced(uint256)",
                "ControlsRestored()"
            );
    }

    function setUp() public virtual override {
        super.setUp();
        vm.warp(START);
        token = create(wallet);
    }

    /// @dev As on local chains.
    function test_withoutADelayEverythingIsForGoodAtOnce() public {
        token = createOf(implement(0));
        for (uint256 i; i < powers(); ++i) {
            gives(i, address(operator), block.timestamp);
            isForGood(i, block.timestamp);
        }
    }

    /// @dev The times share a word: one that is too large would be another's.
    function test_noDelayIsTooLongForItsTime() public {
        uint256 longest = (1 << 40) - 1;
        equal(implement(longest + 1), address(0), "a longer one is refused");
        token = createOf(implement(longest));
        vm.warp((1 << 40) - 1);
        for (uint256 i; i < powers(); ++i) gives(i, address(operator), 2 * longest);
        for (uint256 i; i < powers(); ++i) isGiven(i, 2 * longest);
        for (uint256 i; i < powers(); ++i) takesBack(i, address(operator));
    }

    /// @dev Its address, or zero when it cannot be deployed with that delay.
    function implement(uint256 revocableSeconds) private returns (address implementation) {
        bytes memory code = bytes.concat(
            creationCode(),
            abi.encode(address(operator), descriptor, revocableSeconds)
        );
        assembly ("memory-safe") {
            implementation := create(0, add(code, 0x20), mload(code))
        }
    }

    function test_theOperatorCanTakeBackUntilTheDelayIsOver() public {
        for (uint256 i; i < powers(); ++i) {
            uint256 end = block.timestamp + REVOCABLE_SECONDS;
            gives(i, address(operator), end);
            isGiven(i, end);
            vm.warp(end - 1);
            takesBack(i, address(operator));
            gives(i, address(operator), end - 1 + REVOCABLE_SECONDS);
            takesBack(i, wallet);
            gives(i, address(operator), end - 1 + REVOCABLE_SECONDS);
            vm.warp(end - 1 + REVOCABLE_SECONDS);
            isForGood(i, block.timestamp);
            vm.warp(block.timestamp + 400 days);
            isForGood(i, end - 1 + REVOCABLE_SECONDS);
        }
    }

    function test_anOwnerWhoIsNotTheOperatorGivesUpForGoodAtOnce() public {
        for (uint256 i; i < powers(); ++i) {
            gives(i, wallet, block.timestamp);
            isForGood(i, block.timestamp);
            // Nobody gets the time back by asking again.
            changesNothing(powerOf(i).give, address(operator));
            changesNothing(powerOf(i).give, wallet);
            isForGood(i, block.timestamp);
        }
    }

    function test_anOwnerSealsWhatTheOperatorAsked() public {
        for (uint256 i; i < powers(); ++i) {
            gives(i, address(operator), block.timestamp + REVOCABLE_SECONDS);
            vm.warp(block.timestamp + 100);
            gives(i, wallet, block.timestamp);
            isForGood(i, block.timestamp);
        }
    }

    function test_askedAgainItIsForGoodNoLater() public {
        for (uint256 i; i < powers(); ++i) {
            uint256 end = block.timestamp + REVOCABLE_SECONDS;
            gives(i, address(operator), end);
            changesNothing(powerOf(i).give, address(operator));
            vm.warp(end - 1);
            changesNothing(powerOf(i).give, address(operator));
            isGiven(i, end);
            vm.warp(end + 5);
            changesNothing(powerOf(i).give, address(operator));
            changesNothing(powerOf(i).give, wallet);
            isForGood(i, end);
        }
    }

    /// @dev Hot keys act through the Operator contract, also where it owns the token, and whoever operates it.
    function test_theFirstOperatorIsNoOtherOwner() public {
        token = create(address(operator));
        for (uint256 i; i < powers(); ++i) {
            gives(i, address(operator), block.timestamp + REVOCABLE_SECONDS);
            takesBack(i, address(operator));
        }
        vm.prank(address(operator));
        token.setOperator(bob);
        for (uint256 i; i < powers(); ++i) {
            gives(i, address(operator), block.timestamp + REVOCABLE_SECONDS);
            takesBack(i, bob);
            gives(i, bob, block.timestamp + REVOCABLE_SECONDS);
            takesBack(i, address(operator));
        }
    }

    function test_thePresentOperatorIsOneToo() public {
        vm.prank(wallet);
        token.setOperator(bob);
        for (uint256 i; i < powers(); ++i) {
            gives(i, bob, block.timestamp + REVOCABLE_SECONDS);
            refused(powerOf(i).takeBack, address(operator), notManager(address(operator)));
            takesBack(i, wallet);
        }
        vm.prank(wallet);
        token.setOperator(wallet);
        for (uint256 i; i < powers(); ++i) {
            gives(i, wallet, block.timestamp + REVOCABLE_SECONDS);
            takesBack(i, wallet);
        }
        // An owner who stops to operate gives up as owners do.
        vm.prank(wallet);
        token.setOperator(address(0));
        for (uint256 i; i < powers(); ++i) {
            gives(i, wallet, block.timestamp);
            refused(powerOf(i).takeBack, wallet, error1(IManagedToken.Irrevocable.selector, block.timestamp));
        }
    }

    function test_noStrangerGivesUpOrTakesBack(address caller) public {
        vm.assume(caller != wallet && caller != address(operator));
        for (uint256 i; i < powers(); ++i) {
            refused(powerOf(i).give, caller, notManager(caller));
            gives(i, address(operator), START + REVOCABLE_SECONDS);
            refused(powerOf(i).takeBack, caller, notManager(caller));
            isGiven(i, START + REVOCABLE_SECONDS);
        }
    }

    function test_nothingIsTakenBackThatWasNotGivenUp() public {
        for (uint256 i; i < powers(); ++i) {
            changesNothing(powerOf(i).takeBack, address(operator));
            changesNothing(powerOf(i).takeBack, wallet);
            gives(i, address(operator), START + REVOCABLE_SECONDS);
            takesBack(i, address(operator));
            changesNothing(powerOf(i).takeBack, address(operator));
        }
    }

    /// @dev Any order of acts of both on all powers: each does to its own what it does alone, and nothing to the others.
    function test_eachPowerHasItsOwnTime(uint256 seed) public {
        uint256[4] memory ends;
        for (uint256 step; step < 40; ++step) {
            uint256 draw = uint256(keccak256(abi.encode(seed, step)));
            uint256 i = draw % powers();
            bool byOwner = (draw >> 8) % 8 == 0;
            bool taken = (draw >> 16) % 3 == 0;
            bytes memory data = taken ? powerOf(i).takeBack : powerOf(i).give;
            vm.prank(byOwner ? wallet : address(operator));
            (bool ok, ) = address(token).call(data);
            if (!taken) {
                isTrue(ok, "giving up always goes through");
                uint256 end = block.timestamp + (byOwner ? 0 : REVOCABLE_SECONDS);
                if (ends[i] == 0 || end < ends[i]) ends[i] = end;
            } else {
                isTrue(ok == (ends[i] == 0 || block.timestamp < ends[i]), "taken back in time only");
                if (ok) ends[i] = 0;
            }
            for (uint256 j; j < powers(); ++j) {
                (bool given, uint256 forGoodAt) = stateOf(j);
                equal(forGoodAt, ends[j], "its own time");
                isTrue(given == (ends[j] != 0), "and state");
            }
            vm.warp(block.timestamp + ((draw >> 24) % 9 hours));
        }
        isTrue(!token.paused() && !token.transfersLocked(), "no other flag");
        equal(token.owner(), wallet, "nor the owner");
        equal(token.operator(), address(operator), "nor the operator");
    }

    function test_goesOnWhilePausedAndLocked() public {
        vm.startPrank(address(operator));
        token.pause();
        token.lockTransfers();
        vm.stopPrank();
        for (uint256 i; i < powers(); ++i) {
            gives(i, address(operator), START + REVOCABLE_SECONDS);
            takesBack(i, address(operator));
        }
        isTrue(token.paused() && token.transfersLocked(), "as before");
    }

    function test_renouncedControlsAreNobodys() public {
        bytes[6] memory controls = [
            abi.encodeCall(token.pause, ()),
            abi.encodeCall(token.lockTransfers, ()),
            abi.encodeCall(token.freeze, (alice)),
            forcedTransferData(),
            forcedBurnData(),
            abi.encodeCall(token.freeze, (bob))
        ];
        gives(2, address(operator), START + REVOCABLE_SECONDS);
        for (uint256 i; i < controls.length; ++i) {
            refused(controls[i], address(operator), error0(IManagedToken.ControlsRenounced.selector));
            refused(controls[i], wallet, error0(IManagedToken.ControlsRenounced.selector));
        }
        vm.startPrank(address(operator));
        token.approveAccount(carol);
        token.unapproveAccount(carol);
        token.setContractMetadata(entries("name", "Goes on"));
        token.restoreControls();
        vm.stopPrank();
        for (uint256 i = 2; i < controls.length; ++i) succeeds(controls[i], address(operator));
        succeeds(controls[1], wallet);
        succeeds(controls[0], wallet);
    }

    function test_renouncedControlsStillRelease() public {
        vm.startPrank(address(operator));
        token.freeze(alice);
        token.lockTransfers();
        token.pause();
        vm.stopPrank();
        gives(2, wallet, START);
        vm.startPrank(address(operator));
        token.unpause();
        token.unlockTransfers();
        token.unfreeze(alice);
        vm.stopPrank();
        isTrue(!token.paused() && !token.transfersLocked() && !token.isFrozen(alice), "free");
        refused(abi.encodeCall(token.pause, ()), wallet, error0(IManagedToken.ControlsRenounced.selector));
        isTrue(token.canSend(alice) && token.canReceive(alice), "for ever");
    }

    function test_aClosedMintReopens() public {
        gives(0, address(operator), START + REVOCABLE_SECONDS);
        refused(mintData(), address(operator), error0(IManagedToken.MintClosed.selector));
        refused(mintData(), wallet, error0(IManagedToken.MintClosed.selector));
        takesBack(0, address(operator));
        succeeds(mintData(), address(operator));
    }

    function test_metadataUnfreezes() public {
        gives(1, address(operator), START + REVOCABLE_SECONDS);
        bytes memory data = abi.encodeCall(token.setContractMetadata, (entries("name", "New")));
        refused(data, address(operator), error0(IManagedToken.MetadataFrozen.selector));
        takesBack(1, wallet);
        succeeds(data, address(operator));
        equal(token.contractMetadata("name"), "New", "written");
    }

    function test_frozenMetadataOfTheContractStaysAsItIs() public {
        vm.startPrank(address(operator));
        token.setContractMetadata(entries("name", "Final"));
        vm.expectEmit(true, true, true, true, address(token));
        emit IManagedToken.AllMetadataFrozen(block.timestamp + REVOCABLE_SECONDS);
        token.freezeMetadata();
        vm.recordLogs();
        token.freezeMetadata();
        equal(vm.getRecordedLogs().length, 0, "once");
        vm.expectRevert(error0(IManagedToken.MetadataFrozen.selector));
        token.setContractMetadata(entries("name", "Other"));
        vm.stopPrank();
        vm.prank(wallet);
        vm.expectRevert(error0(IManagedToken.MetadataFrozen.selector));
        token.setContractMetadata(new Entry[](0));
        equal(token.contractMetadata("name"), "Final", "as it was");
        isTrue(token.metadataFrozen() && token.tokenLimits().metadataFrozen, "told");
        vm.prank(alice);
        vm.expectRevert(error1(IManagedToken.NotOwnerOrOperator.selector, alice));
        token.freezeMetadata();
    }

    function mintData() internal view virtual returns (bytes memory);

    /// @dev What moves or burns by force something of alice's, on a token that is recoverable.
    function forcedTransferData() internal view virtual returns (bytes memory);

    function forcedBurnData() internal view virtual returns (bytes memory);

    function power(
        string memory give,
        string memory takeBack,
        string memory given,
        string memory takenBack
    ) internal pure returns (Power memory) {
        return
            Power(
                abi.encodeWithSignature(give),
                abi.encodeWithSignature(takeBack),
                keccak256(bytes(given)),
                keccak256(bytes(takenBack))
            );
    }

    function gives(uint256 which, address by, uint256 forGoodAt) internal {
        Power memory asked = powerOf(which);
        vm.recordLogs();
        succeeds(asked.give, by);
        Vm.Log[] memory logs = vm.getRecordedLogs();
        equal(logs.length, 1, "one event");
        isTrue(logs[0].topics[0] == asked.given, "that it is given up");
        equal(logs[0].data, abi.encode(forGoodAt), "from when on for good");
        isGiven(which, forGoodAt);
    }

    function takesBack(uint256 which, address by) internal {
        Power memory asked = powerOf(which);
        vm.recordLogs();
        succeeds(asked.takeBack, by);
        Vm.Log[] memory logs = vm.getRecordedLogs();
        equal(logs.length, 1, "one event");
        isTrue(logs[0].topics[0] == asked.takenBack, "that it is taken back");
        (bool given, uint256 forGoodAt) = stateOf(which);
        isTrue(!given && forGoodAt == 0, "as if it was never given up");
    }

    function isGiven(uint256 which, uint256 expected) internal view {
        (bool given, uint256 forGoodAt) = stateOf(which);
        isTrue(given, "given up");
        equal(forGoodAt, expected, "since or until when");
    }

    function isForGood(uint256 which, uint256 since) internal {
        bytes memory reason = error1(IManagedToken.Irrevocable.selector, since);
        refused(powerOf(which).takeBack, address(operator), reason);
        refused(powerOf(which).takeBack, wallet, reason);
        isGiven(which, since);
    }

    function changesNothing(bytes memory data, address by) internal {
        vm.recordLogs();
        succeeds(data, by);
        equal(vm.getRecordedLogs().length, 0, "nothing to tell");
    }

    function succeeds(bytes memory data, address by) internal {
        vm.prank(by);
        (bool ok, ) = address(token).call(data);
        isTrue(ok, "goes through");
    }

    function refused(bytes memory data, address by, bytes memory reason) internal {
        vm.prank(by);
        (bool ok, bytes memory answer) = address(token).call(data);
        isTrue(!ok, "refused");
        equal(answer, reason, "and why");
    }

    function notManager(address caller) internal pure returns (bytes memory) {
        return error1(IManagedToken.NotOwnerOrOperator.selector, caller);
    }
}
