// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IAccessControl} from "@openzeppelin/contracts/access/IAccessControl.sol";
import {ManagedERC721} from "../../contracts/ManagedERC721.sol";
import {IManagedERC20} from "../../contracts/interfaces/IManagedERC20.sol";
import {IManagedERC721} from "../../contracts/interfaces/IManagedERC721.sol";
import {IOperator} from "../../contracts/interfaces/IOperator.sol";
import {BurningReceiver, ReenteringReceiver, RevertingReceiver} from "./Receivers.sol";
import {MintTarget, Setup, mintsOf} from "./Setup.sol";
import {Vm} from "./Vm.sol";

/// @notice Several mints in one call of the operator: what `execute` does with them, for less.
contract OperatorMintsTest is Setup {
    uint64 private constant FIRST = 1_000;
    uint32 private constant MINT_CAP = 600_000;

    function test_mintsAndTellsItInOneEventOfTheWord() public {
        // 1,000 to 1,023 are of one word of the bitmap.
        bytes memory list = bytes.concat(item(0, 0, alice), item(0, 3, bob), item(0, 7, carol));
        vm.recordLogs();
        IOperator.Result[] memory results = mint(3, ofNft(), list);
        Vm.Log[] memory events = told(vm.getRecordedLogs());
        equal(events.length, 1, "one event");
        equal(uint256(events[0].topics[1]), idOf(EPOCH, FIRST) >> 8, "of the word");
        (uint256 mask, bytes memory packed) = abi.decode(events[0].data, (uint256, bytes));
        uint256 low = FIRST & 0xff;
        equal(mask, (1 << low) | (1 << (low + 3)) | (1 << (low + 7)), "with the intents");
        equal(packed.length, 60, "and 20 bytes for each");
        for (uint256 i; i < 3; ++i) {
            isTrue(results[i].ok, "each succeeds");
            equal(abi.decode(results[i].returnData, (uint256)), i + 1, "and answers its id");
            equal(gasIn(packed, i), results[i].gasUsed, "the event has the gas");
            equal(wordIn(packed, i), i + 1, "and the id");
            equal(keyIn(packed, i), 0xc0ffee, "and the client's key");
        }
        equal(operator.intentWord(idOf(EPOCH, FIRST) >> 8), mask, "they are marked, and no other");
        isTrue(nft.ownerOf(1) == alice && nft.ownerOf(2) == bob && nft.ownerOf(3) == carol, "who was meant");
    }

    function test_mintsAmountsOfAsManyBytesAsTheTargetSays() public {
        MintTarget[] memory targets = new MintTarget[](3);
        targets[0] = MintTarget(address(coin), MINT_CAP, 2);
        targets[1] = MintTarget(address(nft), MINT_CAP, 0);
        targets[2] = MintTarget(address(newCoin(address(operator), false)), MINT_CAP, 26);
        bytes memory list = bytes.concat(
            bytes.concat(item(0, 0, alice), bytes2(uint16(0x1234))),
            item(1, 1, bob),
            bytes.concat(item(2, 2, carol), bytes26(uint208(1 << 207))),
            bytes.concat(item(0, 3, bob), bytes2(uint16(5)))
        );
        vm.recordLogs();
        IOperator.Result[] memory results = mint(4, targets, list);
        (, bytes memory packed) = abi.decode(told(vm.getRecordedLogs())[0].data, (uint256, bytes));
        for (uint256 i; i < 4; ++i) isTrue(results[i].ok, "each succeeds");
        isTrue(coin.balanceOf(alice) == 0x1234 && coin.balanceOf(bob) == 5, "amounts of two bytes");
        equal(IERC20Like(targets[2].token).balanceOf(carol), 1 << 207, "and of 26");
        equal(nft.ownerOf(1), bob, "an NFT between them");
        isTrue(
            wordIn(packed, 0) == 0 && wordIn(packed, 1) == 1 && wordIn(packed, 3) == 0,
            "what was returned"
        );
        equal(results[0].returnData.length, 0, "a coin returns nothing");
    }

    function test_doesAnIntentOnce() public {
        mint(2, ofNft(), bytes.concat(item(0, 0, alice), item(0, 1, alice)));
        IOperator.Result[] memory results = mint(
            3,
            ofNft(),
            bytes.concat(item(0, 1, bob), item(0, 2, bob), item(0, 2, carol))
        );
        equal(results[0].returnData, done(FIRST + 1), "not again in another batch");
        isTrue(results[1].ok, "others go on");
        equal(results[2].returnData, done(FIRST + 2), "nor twice in one");
        isTrue(results[0].gasUsed == 0 && results[2].gasUsed == 0, "without a call");
        equal(nft.totalSupply(), 3, "one effect each");
    }

    function test_sharesItsMarksWithExecute() public {
        IOperator.Call[] memory calls = new IOperator.Call[](1);
        calls[0] = IOperator.Call(address(nft), CAP, FIRST + 1, abi.encodeCall(nft.mint, (alice)));
        vm.prank(executor);
        operator.execute(EPOCH, calls);
        IOperator.Result[] memory results = mint(2, ofNft(), bytes.concat(item(0, 0, bob), item(0, 1, bob)));
        isTrue(results[0].ok, "what was not done is done");
        equal(results[1].returnData, done(FIRST + 1), "and what was done is not");
        calls[0].number = FIRST;
        vm.prank(executor);
        equal(operator.execute(EPOCH, calls)[0].returnData, done(FIRST), "the other way round too");
        equal(nft.totalSupply(), 2, "one effect each");
    }

    /// @dev In whatever order, over whatever words: each has its mark, and each event only what it says.
    function test_marksEachIntentInItsWord(uint256 seed) public {
        uint256 count = 1 + (seed % 12);
        bytes memory list;
        uint16[] memory offsets = new uint16[](count);
        for (uint256 i; i < count; ++i) {
            uint256 draw = uint256(keccak256(abi.encode(seed, i)));
            // Few, so that some come twice and some are neighbours.
            offsets[i] = uint16((draw % 3) * 250 + ((draw >> 8) % 12));
            list = bytes.concat(list, item(0, offsets[i], alice));
        }
        vm.recordLogs();
        IOperator.Result[] memory results = mint(uint16(count), ofNft(), list);
        Vm.Log[] memory events = told(vm.getRecordedLogs());
        uint256 successes;
        for (uint256 i; i < count; ++i) {
            bool wasBefore;
            for (uint256 j; j < i; ++j) if (offsets[j] == offsets[i]) wasBefore = true;
            isTrue(results[i].ok != wasBefore, "the first one alone");
            if (results[i].ok) ++successes;
            isTrue(operator.intentDone(idOf(EPOCH, FIRST + offsets[i])), "marked");
            isTrue(!operator.intentDone(idOf(EPOCH, FIRST + offsets[i] + 12)), "and no other");
        }
        uint256 heard;
        for (uint256 i; i < events.length; ++i) {
            (uint256 mask, bytes memory packed) = abi.decode(events[i].data, (uint256, bytes));
            uint256 place;
            for (uint256 bit; bit < 256; ++bit) {
                if (mask & (1 << bit) == 0) continue;
                isTrue(
                    operator.intentDone((uint256(events[i].topics[1]) << 8) | bit),
                    "what is told is done"
                );
                uint256 number = uint64((uint256(events[i].topics[1]) << 8) | bit);
                for (uint256 j; j < count; ++j) {
                    if (!results[j].ok || FIRST + offsets[j] != number) continue;
                    uint256 id = abi.decode(results[j].returnData, (uint256));
                    equal(wordIn(packed, place), id, "results in the order of the bits");
                    ++heard;
                }
                ++place;
            }
            equal(packed.length, 20 * place, "a result for each bit");
        }
        equal(heard, successes, "every success is told once");
    }

    function test_aFailedMintIsToldAloneAndHidesNothing() public {
        address reverting = address(new RevertingReceiver());
        bytes memory list = bytes.concat(item(0, 0, alice), item(0, 1, reverting), item(0, 2, bob));
        vm.recordLogs();
        IOperator.Result[] memory results = mint(3, ofNft(), list);
        Vm.Log[] memory logs = vm.getRecordedLogs();
        isTrue(results[0].ok && !results[1].ok && results[2].ok, "each for itself");
        equal(
            results[1].returnData,
            abi.encodeWithSelector(
                IManagedERC721.ReceiverRefused.selector,
                reverting,
                error0(RevertingReceiver.NotToday.selector)
            ),
            "with its own reason"
        );
        isTrue(!operator.intentDone(idOf(EPOCH, FIRST + 1)), "and may be tried again");
        uint256 failures;
        for (uint256 i; i < logs.length; ++i) {
            if (logs[i].topics[0] != IOperator.CallFailed.selector) continue;
            ++failures;
            equal(uint256(logs[i].topics[1]), idOf(EPOCH, FIRST + 1), "the event names it");
            (uint256 gasUsed, bytes memory reason) = abi.decode(logs[i].data, (uint256, bytes));
            isTrue(gasUsed == results[1].gasUsed && gasUsed > 0, "with its gas");
            equal(reason, results[1].returnData, "and its reason");
        }
        equal(failures, 1, "one event");
        equal(nft.totalSupply(), 2, "the others are there");
    }

    function test_givesAMintNoMoreThanItsCap() public {
        address burning = address(new BurningReceiver());
        IOperator.Result[] memory results = mint(
            2,
            ofNft(),
            bytes.concat(item(0, 0, burning), item(0, 1, alice))
        );
        isTrue(!results[0].ok && results[1].ok, "the next one is not disturbed");
        isTrue(results[0].gasUsed <= MINT_CAP + 3_000, "its cap and no more");
    }

    function test_refusesAGasCapOfZeroOrBeyondReason(uint32 cap) public {
        if (cap <= 1 << 31) cap = 0;
        MintTarget[] memory targets = ofNft();
        targets[0].gasCap = cap;
        IOperator.Result[] memory results = mint(1, targets, item(0, 0, alice));
        equal(
            results[0].returnData,
            error1(IOperator.InvalidGasCap.selector, uint256(cap)),
            "and it says so"
        );
    }

    function test_refusesATargetWithoutCode() public {
        MintTarget[] memory targets = new MintTarget[](3);
        targets[0] = MintTarget(bob, MINT_CAP, 0);
        targets[1] = MintTarget(bob, MINT_CAP, 1);
        targets[2] = MintTarget(address(4), MINT_CAP, 0);
        IOperator.Result[] memory results = mint(
            3,
            targets,
            bytes.concat(item(0, 0, alice), item(1, 1, alice), hex"05", item(2, 2, alice))
        );
        equal(results[0].returnData, error1(IOperator.TargetWithoutCode.selector, bob), "nobody");
        equal(results[1].returnData, error1(IOperator.TargetWithoutCode.selector, bob), "nobody's coin");
        equal(
            results[2].returnData,
            error1(IOperator.TargetWithoutCode.selector, address(4)),
            "a precompile"
        );
        isTrue(!operator.intentDone(idOf(EPOCH, FIRST + 2)), "and it is not done");
    }

    function test_refusesATokenThatIsNotAmongTheTargets() public {
        vm.prank(executor);
        vm.expectRevert(error1(IOperator.InvalidTarget.selector, uint256(1)));
        operator.executeMints(
            EPOCH,
            FIRST,
            2,
            mintsOf(ofNft(), bytes.concat(item(0, 0, alice), item(1, 1, alice)))
        );
    }

    function test_refusesNumbersThatEndBeyond64Bits(uint64 first) public {
        if (first <= type(uint64).max - type(uint16).max)
            first = type(uint64).max - (first % type(uint16).max);
        vm.prank(executor);
        vm.expectRevert(error1(IOperator.InvalidNumber.selector, uint256(first)));
        operator.executeMints(EPOCH, first, 1, mintsOf(ofNft(), item(0, 0, alice)));
    }

    function test_takesTheLastNumbersThatFit() public {
        uint64 first = type(uint64).max - type(uint16).max;
        vm.prank(executor);
        operator.executeMints(EPOCH, first, 1, mintsOf(ofNft(), item(0, type(uint16).max, alice)));
        isTrue(operator.intentDone(idOf(EPOCH, type(uint64).max)), "the very last one");
    }

    function test_aDenialHoldsHereToo() public {
        forbid(IManagedERC721.mintNext.selector);
        MintTarget[] memory targets = new MintTarget[](2);
        targets[0] = MintTarget(address(nft), MINT_CAP, 0);
        targets[1] = MintTarget(address(coin), MINT_CAP, 1);
        bytes memory list = bytes.concat(item(0, 0, alice), item(1, 1, alice), hex"05");
        IOperator.Result[] memory results = mint(2, targets, list);
        bytes4 refusal = IOperator.SelectorNotAllowed.selector;
        equal(
            results[0].returnData,
            abi.encodeWithSelector(refusal, IManagedERC721.mintNext.selector),
            "no NFT is minted"
        );
        isTrue(results[1].ok, "coins are");
        isTrue(
            operator.isSelectorAllowed(IManagedERC721.mint.selector),
            "its other name is another function"
        );
        allow(IManagedERC721.mintNext.selector);
        forbid(IManagedERC721.mint.selector);
        forbid(IManagedERC20.mint.selector);
        list = bytes.concat(item(0, 2, alice), item(1, 3, alice), hex"05");
        results = mint(2, targets, list);
        isTrue(results[0].ok && !results[1].ok, "and the other way round");
    }

    function test_onlyForExecutorsInTheEpochWhileNotStopped() public {
        bytes32 role = operator.EXECUTOR_ROLE();
        vm.expectRevert(
            abi.encodeWithSelector(
                IAccessControl.AccessControlUnauthorizedAccount.selector,
                address(this),
                role
            )
        );
        operator.executeMints(EPOCH, FIRST, 1, mintsOf(ofNft(), item(0, 0, alice)));
        vm.prank(executor);
        vm.expectRevert(error1(IOperator.WrongEpoch.selector, EPOCH));
        operator.executeMints(EPOCH + 1, FIRST, 1, mintsOf(ofNft(), item(0, 0, alice)));
        operator.stopExecution();
        vm.prank(executor);
        vm.expectRevert(error0(IOperator.ExecutionStopped.selector));
        operator.executeMints(EPOCH, FIRST, 1, mintsOf(ofNft(), item(0, 0, alice)));
    }

    function test_isNotReentrant() public {
        ReenteringReceiver receiver = new ReenteringReceiver();
        grant(operator.EXECUTOR_ROLE(), address(receiver));
        receiver.plan(
            address(operator),
            abi.encodeCall(operator.executeMints, (EPOCH, FIRST + 5, 1, mintsOf(ofNft(), item(0, 0, alice))))
        );
        receiver.plan(address(operator), abi.encodeCall(operator.execute, (EPOCH, new IOperator.Call[](0))));
        mint(2, ofNft(), bytes.concat(item(0, 0, address(receiver)), item(0, 1, alice)));
        isTrue(!receiver.outcomes(0) && !receiver.outcomes(1), "no way in");
        equal(nft.totalSupply(), 2, "what was asked is there");
        mint(1, ofNft(), item(0, 2, alice));
    }

    function test_answersAnEmptyBatch() public {
        equal(mint(0, new MintTarget[](0), "").length, 0, "no mints, no results");
    }

    /// @dev With any gas, either the whole batch reverts or every mint had its full cap.
    function test_neverReportsAStarvedMintAsFailed(uint256 gasGiven) public {
        gasGiven = 60_000 + (gasGiven % 900_000);
        MintTarget[] memory targets = ofNft();
        targets[0].gasCap = 150_000;
        bytes memory list;
        for (uint16 i; i < 6; ++i) list = bytes.concat(list, item(0, 60 * i, vm.addr(100 + i)));
        vm.prank(executor);
        try operator.executeMints{gas: gasGiven}(EPOCH, FIRST, 6, mintsOf(targets, list)) returns (
            IOperator.Result[] memory results
        ) {
            for (uint256 i; i < 6; ++i) isTrue(results[i].ok, "what could not get its gas was not made");
        } catch {
            equal(nft.totalSupply(), 0, "nothing half done");
        }
    }

    /// @dev With nothing left of its cap, the mark and the event still have to be paid.
    function test_reservesTheGasOfItsMarksAndItsEvent(uint256 more) public {
        mint(1, ofNft(), item(0, 700, alice));
        MintTarget[] memory targets = ofNft();
        targets[0].gasCap = 56_000;
        bytes memory list;
        for (uint16 i; i < 4; ++i) list = bytes.concat(list, item(0, i, vm.addr(100 + i)));
        vm.prank(executor);
        try
            operator.executeMints{gas: 100_000 + (more % 250_000)}(EPOCH, FIRST, 4, mintsOf(targets, list))
        returns (IOperator.Result[] memory results) {
            isTrue(results[3].ok, "all of them");
        } catch (bytes memory reason) {
            equal(reason, error0(IOperator.InsufficientGas.selector), "it knew before");
        }
    }

    function test_saysThatTheGasDoesNotSuffice() public {
        vm.prank(executor);
        vm.expectRevert(error0(IOperator.InsufficientGas.selector));
        operator.executeMints{gas: 500_000}(EPOCH, FIRST, 1, mintsOf(ofNft(), item(0, 0, alice)));
    }

    /// @dev No token id is that large: it is told as the largest word that the event has room for.
    function test_tellsAResultThatDoesNotFitAsTheLargest() public {
        Sprawling token = new Sprawling();
        MintTarget[] memory targets = new MintTarget[](2);
        targets[0] = MintTarget(address(nft), MINT_CAP, 0);
        targets[1] = MintTarget(address(token), MINT_CAP, 0);
        bytes memory list = bytes.concat(
            keyed(0, 0, 5, alice),
            keyed(1, 1, 6, alice),
            keyed(1, 2, 7, alice),
            keyed(1, 3, 8, alice)
        );
        vm.recordLogs();
        IOperator.Result[] memory results = mint(4, targets, list);
        Vm.Log[] memory logs = vm.getRecordedLogs();
        Vm.Log[] memory events = told(logs);
        equal(events.length, 1, "one event");
        (uint256 mask, bytes memory packed) = abi.decode(events[0].data, (uint256, bytes));
        equal(mask, 15 << (FIRST & 0xff), "with all of them");
        equal(wordIn(packed, 1), type(uint64).max, "the smallest that does not fit");
        equal(wordIn(packed, 2), type(uint64).max, "the largest that does");
        equal(wordIn(packed, 3), type(uint64).max - 1, "and the one before");
        for (uint256 i; i < 4; ++i) {
            equal(gasIn(packed, i), results[i].gasUsed, "no word reaches the gas");
            equal(keyIn(packed, i), 5 + i, "nor the key");
        }
        equal(
            abi.decode(results[1].returnData, (uint256)),
            uint256(type(uint64).max) + 1,
            "the answer has it whole"
        );
        for (uint256 i; i < logs.length; ++i)
            isTrue(logs[i].topics[0] != IOperator.CallExecuted.selector, "and there is no third event");
    }

    /// @dev In any order, with any keys, repeated ones and zero too.
    function test_repeatsTheClientsKeyAndDependsOnItInNothing(uint64[6] memory keys, uint256 seed) public {
        bytes memory list;
        bytes memory plain;
        for (uint256 i; i < 6; ++i) {
            // Some offsets come twice: the second one is refused, whatever its key.
            uint16 offset = uint16(uint256(keccak256(abi.encode(seed, i))) % 8);
            address to = vm.addr(100 + i);
            list = bytes.concat(list, keyed(0, offset, keys[i], to));
            plain = bytes.concat(plain, keyed(0, offset + 256, 0, to));
        }
        vm.recordLogs();
        IOperator.Result[] memory results = mint(6, ofNft(), list);
        Vm.Log[] memory events = told(vm.getRecordedLogs());
        IOperator.Result[] memory others = mint(6, ofNft(), plain);
        uint256 minted = nft.totalSupply() / 2;
        for (uint256 i; i < 6; ++i) {
            isTrue(results[i].ok == others[i].ok, "the same as without");
            if (!results[i].ok) continue;
            uint256 id = abi.decode(results[i].returnData, (uint256));
            equal(abi.decode(others[i].returnData, (uint256)), minted + id, "in effect too");
            equal(nft.ownerOf(id), vm.addr(100 + i), "for who was meant");
            equal(keyOfId(events, id), keys[i], "told with its key");
        }
        uint256 word = idOf(EPOCH, FIRST) >> 8;
        equal(operator.intentWord(word + 1), operator.intentWord(word), "and marked the same");
    }

    function keyOfId(Vm.Log[] memory events, uint256 id) private pure returns (uint256) {
        for (uint256 i; i < events.length; ++i) {
            (, bytes memory packed) = abi.decode(events[i].data, (uint256, bytes));
            for (uint256 j; j < packed.length / 20; ++j) if (wordIn(packed, j) == id) return keyIn(packed, j);
        }
        revert AssertionFailed("it is told");
    }

    function test_mintsForThreeHundred() public {
        bytes memory list;
        for (uint16 i; i < 300; ++i) list = bytes.concat(list, item(0, i, vm.addr(1_000 + i)));
        vm.recordLogs();
        IOperator.Result[] memory results = mint(300, ofNft(), list);
        Vm.Log[] memory events = told(vm.getRecordedLogs());
        equal(events.length, 3, "an event a word");
        for (uint256 i; i < 300; ++i) equal(abi.decode(results[i].returnData, (uint256)), i + 1, "in order");
        equal(nft.ownerOf(300), vm.addr(1_299), "to the last");
    }

    function mint(
        uint16 count,
        MintTarget[] memory targets,
        bytes memory list
    ) private returns (IOperator.Result[] memory) {
        vm.prank(executor);
        return operator.executeMints(EPOCH, FIRST, count, mintsOf(targets, list));
    }

    function ofNft() private view returns (MintTarget[] memory targets) {
        targets = new MintTarget[](1);
        targets[0] = MintTarget(address(nft), MINT_CAP, 0);
    }

    function item(uint8 index, uint16 offset, address to) private pure returns (bytes memory) {
        return keyed(index, offset, 0xc0ffee, to);
    }

    function keyed(uint8 index, uint16 offset, uint64 key, address to) private pure returns (bytes memory) {
        return abi.encodePacked(index, offset, key, to);
    }

    function done(uint64 number) private pure returns (bytes memory) {
        return error1(IOperator.IntentAlreadyDone.selector, idOf(EPOCH, number));
    }

    /// @dev The events of several mints.
    function told(Vm.Log[] memory logs) private pure returns (Vm.Log[] memory found) {
        uint256 count;
        for (uint256 i; i < logs.length; ++i) {
            if (logs[i].topics[0] == IOperator.MintsExecuted.selector) ++count;
        }
        found = new Vm.Log[](count);
        count = 0;
        for (uint256 i; i < logs.length; ++i) {
            if (logs[i].topics[0] == IOperator.MintsExecuted.selector) found[count++] = logs[i];
        }
    }

    function gasIn(bytes memory packed, uint256 place) private pure returns (uint256 value) {
        for (uint256 i; i < 4; ++i) value = (value << 8) | uint8(packed[20 * place + i]);
    }

    function wordIn(bytes memory packed, uint256 place) private pure returns (uint256 value) {
        for (uint256 i = 4; i < 12; ++i) value = (value << 8) | uint8(packed[20 * place + i]);
    }

    function keyIn(bytes memory packed, uint256 place) private pure returns (uint256 value) {
        for (uint256 i = 12; i < 20; ++i) value = (value << 8) | uint8(packed[20 * place + i]);
    }
}

interface IERC20Like {
    function balanceOf(address account) external view returns (uint256);
}

/// @notice Its first id has no room in the event of several mints, the next ones have.
contract Sprawling {
    uint256 private minted;

    function mintNext(address) external returns (uint256) {
        return uint256(type(uint64).max) + 1 - minted++;
    }
}
