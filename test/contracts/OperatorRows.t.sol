// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IAccessControl} from "@openzeppelin/contracts/access/IAccessControl.sol";
import {ManagedERC721} from "../../contracts/ManagedERC721.sol";
import {IManagedERC20} from "../../contracts/interfaces/IManagedERC20.sol";
import {IManagedERC721} from "../../contracts/interfaces/IManagedERC721.sol";
import {IManagedToken} from "../../contracts/interfaces/IManagedToken.sol";
import {IOperator} from "../../contracts/interfaces/IOperator.sol";
import {GoodReceiver} from "./Receivers.sol";
import {MintTarget, Setup, mintsOf} from "./Setup.sol";
import {Vm} from "./Vm.sol";

/// @notice A chunk of rows in one call of the operator.
contract OperatorRowsTest is Setup {
    uint256 private constant FIRST = 1_024;
    uint64 private constant KEY = 0xc0ffee;

    function test_mintsTheWantedRowsAndTellsThemInOneEvent() public {
        vm.recordLogs();
        IOperator.Result memory result = mint(nftRows(0xb, 4));
        Vm.Log[] memory logs = vm.getRecordedLogs();
        Vm.Log memory told = logs[logs.length - 1];
        equal(logs.length, 4, "three transfers and one event");
        isTrue(told.topics[0] == IOperator.RowsExecuted.selector, "of rows");
        equal(uint256(told.topics[1]), word(), "of the word");
        equal(told.data, abi.encode(0xb, result.gasUsed, 1, KEY), "rows, gas, first id and the client's key");
        isTrue(result.ok && result.gasUsed > 20_000, "it succeeds and tells its gas");
        equal(result.returnData, abi.encode(0xb, 1), "and what the token answered");
        isTrue(nft.ownerOf(1) == to(0) && nft.ownerOf(2) == to(1) && nft.ownerOf(3) == to(3), "in order");
        equal(operator.intentWord(word()), 0xb, "they are marked, and no other");
        isTrue(!operator.intentDone(idOf(EPOCH, FIRST + 2)), "what was not wanted is not");
    }

    function test_mintsAmountsOfAsManyBytesAsItSays(uint8 amountBytes, uint256 amount) public {
        amountBytes = 1 + (amountBytes % 26);
        amount = amount % (1 << (8 * amountBytes));
        if (amount > type(uint200).max) amount = type(uint200).max;
        bytes memory packed;
        for (uint256 i; i < 3; ++i) packed = bytes.concat(packed, coinRow(to(i), amount, amountBytes));
        IOperator.Rows memory rows = chunk(address(coin), 7, packed);
        rows.amountBytes = amountBytes;
        vm.expectEmit(true, false, false, false, address(operator));
        emit IOperator.RowsExecuted(word(), 7, 0, 0, KEY);
        isTrue(mint(rows).ok, "it succeeds");
        for (uint256 i; i < 3; ++i) equal(coin.balanceOf(to(i)), amount, "to each");
        equal(operator.intentWord(word()), 7, "marked");
    }

    function test_leavesOutRowsThatCannotReceive() public {
        nft = newNft(address(operator), "", true);
        for (uint256 i; i < 6; ++i)
            if (i != 2) run(address(nft), abi.encodeCall(nft.approveAccount, (to(i))));
        run(address(nft), abi.encodeCall(nft.freeze, (to(1))));
        GoodReceiver receiver = new GoodReceiver();
        run(address(nft), abi.encodeCall(nft.approveAccount, (address(receiver))));
        bytes memory packed = abi.encodePacked(to(0), to(1), to(2), address(0), address(receiver), to(5));
        IOperator.Result memory result = mint(chunk(address(nft), type(uint256).max, packed));
        equal(result.returnData, abi.encode(0x21, 1), "frozen, not approved, nobody, a contract");
        equal(operator.intentWord(word()), 0x21, "none of them is marked");
        isTrue(nft.ownerOf(1) == to(0) && nft.ownerOf(2) == to(5), "the others are minted");
        run(address(nft), abi.encodeCall(nft.unfreeze, (to(1))));
        result = mint(chunk(address(nft), type(uint256).max, packed));
        equal(result.returnData, abi.encode(2, 3), "and one may go later");
    }

    /// @dev In whatever parts they are asked for, and with whatever is repeated.
    function test_doesARowOnce(uint8[6] memory masks) public {
        uint256 done;
        for (uint256 i; i < 6; ++i) {
            uint256 fresh = masks[i] & ~done;
            IOperator.Result memory result = mint(nftRows(masks[i], 8));
            isTrue(result.ok, "it runs");
            (uint256 mask, ) = abi.decode(result.returnData, (uint256, uint256));
            equal(mask, fresh, "what was not done before");
            done |= masks[i];
            equal(operator.intentWord(word()), done, "marked");
        }
        for (uint256 i; i < 8; ++i) equal(nft.balanceOf(to(i)), (done >> i) & 1, "once each");
    }

    function test_sharesItsMarksWithTheOtherWays() public {
        IOperator.Call[] memory calls = new IOperator.Call[](1);
        calls[0] = IOperator.Call(address(nft), CAP, FIRST + 1, abi.encodeCall(nft.mint, (to(1))));
        vm.prank(executor);
        operator.execute(EPOCH, calls);
        mintList(nft, abi.encodePacked(uint8(0), uint16(2), KEY, to(2)), 1);
        mint(nftRows(0xf, 4));
        equal(nft.totalSupply(), 4, "rows that were calls before are left out");
        calls[0].number = FIRST + 3;
        vm.prank(executor);
        IOperator.Result memory result = operator.execute(EPOCH, calls)[0];
        equal(
            result.returnData,
            error1(IOperator.IntentAlreadyDone.selector, idOf(EPOCH, FIRST + 3)),
            "and calls that were rows"
        );
        isTrue(!mintList(nft, abi.encodePacked(uint8(0), uint16(0), KEY, to(0)), 1)[0].ok, "in a list too");
        equal(nft.totalSupply(), 4, "one effect each");
    }

    /// @dev To anybody, some of them twice: owners, ids, balances and marks are those of a list.
    function test_hasTheEffectsOfAList(uint256 seed) public {
        ManagedERC721 other = newNft(address(operator), "", false);
        bytes memory packed;
        bytes memory list;
        uint256 wanted = uint256(keccak256(abi.encode(seed))) & 0xffff;
        uint16 count;
        for (uint16 i; i < 16; ++i) {
            address recipient = to(uint256(keccak256(abi.encode(seed, i))) % 6);
            packed = abi.encodePacked(packed, recipient);
            if ((wanted >> i) & 1 == 0) continue;
            list = bytes.concat(list, abi.encodePacked(uint8(0), uint16(256 + i), KEY, recipient));
            ++count;
        }
        mint(chunk(address(nft), wanted, packed));
        mintList(other, list, count);
        equal(nft.totalSupply(), other.totalSupply(), "as many");
        for (uint256 id = 1; id <= count; ++id) equal(nft.ownerOf(id), other.ownerOf(id), "the same ids");
        for (uint256 i; i < 6; ++i) equal(nft.balanceOf(to(i)), other.balanceOf(to(i)), "the same balances");
        equal(operator.intentWord(word()), operator.intentWord(word() + 1), "and the same marks");
    }

    function test_mintsAFullChunk() public {
        bytes memory packed;
        for (uint256 i; i < 256; ++i) packed = bytes.concat(packed, coinRow(to(i), 1 + i, 2));
        IOperator.Rows memory rows = chunk(address(coin), type(uint256).max, packed);
        rows.amountBytes = 2;
        rows.gasCap = 20_000_000;
        isTrue(mint(rows).ok, "it runs");
        equal(operator.intentWord(word()), type(uint256).max, "all of them");
        isTrue(coin.balanceOf(to(0)) == 1 && coin.balanceOf(to(255)) == 256, "to the last");
        packed = abi.encodePacked(packed, packed);
        rows = chunk(address(coin), type(uint256).max, packed);
        rows.amountBytes = 2;
        rows.firstNumber += 256;
        isTrue(!mint(rows).ok, "and no more at a time");
        equal(operator.intentWord(word() + 1), 0, "nothing is marked");
    }

    function test_doesNothingWithoutRows() public {
        isTrue(mint(chunk(address(nft), type(uint256).max, "")).ok, "no rows");
        isTrue(mint(nftRows(0, 4)).ok, "none wanted");
        equal(operator.intentWord(word()), 0, "no marks");
        equal(nft.totalSupply(), 0, "no effect");
    }

    /// @dev Whatever it says, only what was asked for and not done before can be marked, and in this word alone.
    function test_aTokenThatLiesMarksNoMoreThanWasAsked(
        uint256 before,
        uint256 wanted,
        uint256 said,
        uint256 first
    ) public {
        Answering token = new Answering();
        token.set(abi.encode(before, 0), false);
        mint(chunk(address(token), before, abi.encodePacked(to(0))));
        token.set(abi.encode(said, first), false);
        vm.recordLogs();
        isTrue(mint(chunk(address(token), wanted, abi.encodePacked(to(0)))).ok, "it answered");
        equal(
            token.asked(),
            abi.encodeCall(IManagedERC721.mintRows, (wanted & ~before, abi.encodePacked(to(0)))),
            "asked for what is not done"
        );
        uint256 fresh = said & wanted & ~before;
        equal(operator.intentWord(word()), before | fresh, "marked");
        isTrue(operator.intentWord(word() + 1) == 0 && operator.intentWord(word() - 1) == 0, "here alone");
        (uint256 done, , uint256 id, ) = abi.decode(
            vm.getRecordedLogs()[0].data,
            (uint256, uint256, uint256, uint64)
        );
        isTrue(done == fresh && id == first, "told");
    }

    /// @dev Without two words there is no telling what was done: nothing is, for all of it is taken back.
    function test_anAnswerThatIsTooShortHasNoEffect(uint256 size) public {
        Answering token = new Answering();
        token.set(new bytes(size % 64), false);
        IOperator.Rows memory rows = chunk(address(token), 1, abi.encodePacked(to(0)));
        vm.prank(executor);
        vm.expectRevert(error1(IOperator.InvalidAnswer.selector, address(token)));
        operator.executeRows(EPOCH, rows);
        isTrue(token.asked().length == 0 && operator.intentWord(word()) == 0, "without a trace");
    }

    function test_anAnswerThatIsTooLongIsCutOff(uint256 size, bytes32 garbage) public {
        Answering token = new Answering();
        bytes memory answer = abi.encodePacked(uint256(1), garbage, new bytes(size % 5_000));
        token.set(answer, false);
        IOperator.Result memory result = mint(chunk(address(token), 3, abi.encodePacked(to(0))));
        equal(result.returnData.length, answer.length < 1_024 ? answer.length : 1_024, "as of any call");
        equal(operator.intentWord(word()), 1, "its first word counts");
    }

    function test_aTokenThatRevertsIsTold(uint256 size) public {
        Answering token = new Answering();
        bytes memory reason = abi.encodePacked(bytes4(0xdeadbeef), new bytes(size % 5_000));
        token.set(reason, true);
        vm.recordLogs();
        IOperator.Result memory result = mint(chunk(address(token), 3, abi.encodePacked(to(0))));
        Vm.Log memory told = vm.getRecordedLogs()[0];
        isTrue(!result.ok && result.gasUsed > 0, "it failed");
        equal(result.returnData.length, reason.length < 1_024 ? reason.length : 1_024, "with its reason");
        isTrue(told.topics[0] == IOperator.CallFailed.selector, "in the event");
        equal(uint256(told.topics[1]), idOf(EPOCH, FIRST), "of the first row");
        equal(told.data, abi.encode(result.gasUsed, result.returnData), "with gas and reason");
        equal(operator.intentWord(word()), 0, "and may be tried again");
        token.set(abi.encode(3, 1), false);
        isTrue(mint(chunk(address(token), 3, abi.encodePacked(to(0)))).ok, "as here");
    }

    function test_whatATokenRevertsForIsTold() public {
        run(address(nft), abi.encodeCall(nft.pause, ()));
        IOperator.Result memory result = mint(nftRows(3, 2));
        equal(result.returnData, error0(IManagedToken.TokenPaused.selector), "all or nothing");
        equal(operator.intentWord(word()), 0, "nothing");
        run(address(nft), abi.encodeCall(nft.unpause, ()));
        run(address(nft), abi.encodeCall(nft.lowerMintLimit, (1)));
        result = mint(nftRows(3, 2));
        equal(
            result.returnData,
            abi.encodeWithSelector(IManagedToken.MintLimitExceeded.selector, 2, 1),
            "of the bounds too"
        );
        isTrue(mint(nftRows(1, 2)).ok, "what fits goes");
    }

    function test_givesNoMoreThanItsCap() public {
        address token = address(new Burning());
        IOperator.Rows memory rows = chunk(token, 3, abi.encodePacked(to(0)));
        rows.gasCap = 100_000;
        IOperator.Result memory result = mint(rows);
        isTrue(!result.ok && result.returnData.length == 0, "out of gas");
        isTrue(result.gasUsed >= 100_000 && result.gasUsed < 103_000, "its cap and no more");
    }

    /// @dev With any gas, either all of it reverts or the call had its full cap, and its mark and event were paid.
    function test_neverReportsAStarvedCallAsFailed(uint256 more) public {
        IOperator.Rows memory rows = nftRows(type(uint256).max, 8);
        rows.gasCap = uint64(mint(rows).gasUsed);
        rows.firstNumber += 256;
        vm.prank(executor);
        try operator.executeRows{gas: 30_000 + (more % (rows.gasCap + 150_000))}(EPOCH, rows) returns (
            IOperator.Result memory result
        ) {
            isTrue(result.ok, "what could not get its gas was not made");
            equal(operator.intentWord(word() + 1), 0xff, "and it is marked");
        } catch (bytes memory reason) {
            isTrue(
                reason.length == 0 || bytes4(reason) == IOperator.InsufficientGas.selector,
                "it knew before"
            );
            isTrue(operator.intentWord(word() + 1) == 0 && nft.totalSupply() == 8, "nothing half done");
        }
    }

    /// @dev With all of its cap used, the most that there can be to mark and to tell.
    function test_theReserveIsLargeEnough(uint256 more) public {
        Answering token = new Answering();
        for (uint256 i; i < 2; ++i) {
            token.set(i == 0 ? abi.encodePacked(uint256(3), new bytes(1_000)) : new bytes(1_024), i == 1);
            IOperator.Rows memory rows = chunk(address(token), 3, abi.encodePacked(to(0)));
            rows.firstNumber = FIRST + 256 * i;
            rows.gasCap = 1_500_000;
            uint256 gasUsed = mint(rows).gasUsed;
            // Where the answer was written first, it is dearer; here it has what it needs, and not much more.
            rows.gasCap = uint64(gasUsed);
            rows.firstNumber += 1 << 20;
            vm.prank(executor);
            try
                operator.executeRows{gas: gasUsed + gasUsed / 63 + 30_000 + (more % 60_000)}(EPOCH, rows)
            returns (IOperator.Result memory) {} catch (bytes memory reason) {
                equal(reason, error0(IOperator.InsufficientGas.selector), "it knew before");
            }
        }
    }

    function test_dependsOnTheClientsKeyInNothing(uint64 key, uint64 other) public {
        IOperator.Rows memory rows = nftRows(3, 2);
        rows.key = key;
        vm.recordLogs();
        mint(rows);
        Vm.Log[] memory logs = vm.getRecordedLogs();
        (, , , uint64 told) = abi.decode(logs[logs.length - 1].data, (uint256, uint256, uint256, uint64));
        isTrue(told == key, "repeated");
        rows.key = other;
        isTrue(mint(rows).ok, "runs again");
        equal(nft.totalSupply(), 2, "without an effect");
    }

    function test_aDenialHoldsHereToo() public {
        forbid(IManagedERC721.mintRows.selector);
        refuses(nftRows(1, 1), selectorRefused(IManagedERC721.mintRows.selector));
        IOperator.Rows memory rows = chunk(address(coin), 1, coinRow(to(0), 5, 1));
        rows.amountBytes = 1;
        isTrue(mint(rows).ok, "coins go");
        allow(IManagedERC721.mintRows.selector);
        forbid(IManagedERC20.mintRows.selector);
        rows.firstNumber += 256;
        refuses(rows, selectorRefused(IManagedERC20.mintRows.selector));
        isTrue(mint(nftRows(2, 2)).ok, "and the other way round");
    }

    function test_refusesATargetWithoutCode(address nobody) public {
        vm.assume(nobody.code.length == 0);
        bytes memory packed = abi.encodePacked(to(0));
        refuses(chunk(nobody, 1, packed), error1(IOperator.TargetWithoutCode.selector, nobody));
        for (uint160 i = 1; i < 0x12; ++i)
            refuses(chunk(address(i), 1, packed), error1(IOperator.TargetWithoutCode.selector, address(i)));
    }

    function test_refusesItself() public {
        refuses(
            chunk(address(operator), 1, abi.encodePacked(to(0))),
            selectorRefused(IManagedERC721.mintRows.selector)
        );
    }

    function test_refusesAGasCapOfZeroOrBeyondReason(uint64 cap) public {
        if (cap <= 1 << 31) cap = 0;
        IOperator.Rows memory rows = nftRows(1, 1);
        rows.gasCap = cap;
        refuses(rows, error1(IOperator.InvalidGasCap.selector, uint256(cap)));
    }

    function test_refusesNumbersThatAreNoneOfAWord(uint256 number) public {
        IOperator.Rows memory rows = nftRows(1, 1);
        if (number >> 64 == 0 && number % 256 == 0) ++number;
        rows.firstNumber = number;
        refuses(rows, error1(IOperator.InvalidNumber.selector, number));
        for (uint256 bit = 64; bit < 256; ++bit) {
            rows.firstNumber = FIRST | (1 << bit);
            refuses(rows, error1(IOperator.InvalidNumber.selector, rows.firstNumber));
        }
        rows.firstNumber = type(uint64).max - 255;
        rows.wanted = 1 << 255;
        isTrue(mint(rows).ok, "the last word");
    }

    function test_onlyForExecutorsInTheEpochWhileNotStopped(address caller) public {
        vm.assume(caller != executor);
        IOperator.Rows memory rows = nftRows(1, 1);
        bytes32 role = operator.EXECUTOR_ROLE();
        vm.prank(caller);
        vm.expectRevert(
            abi.encodeWithSelector(IAccessControl.AccessControlUnauthorizedAccount.selector, caller, role)
        );
        operator.executeRows(EPOCH, rows);
        vm.prank(executor);
        vm.expectRevert(error1(IOperator.WrongEpoch.selector, EPOCH));
        operator.executeRows(EPOCH + 1, rows);
        operator.stopExecution();
        refuses(rows, error0(IOperator.ExecutionStopped.selector));
    }

    function test_isNotReentrant() public {
        Reentering token = new Reentering();
        grant(operator.EXECUTOR_ROLE(), address(token));
        token.plan(address(operator), abi.encodeCall(operator.executeRows, (EPOCH, nftRows(1, 1))));
        isTrue(mint(chunk(address(token), 1, abi.encodePacked(to(0)))).ok, "it runs");
        equal(token.answer(), error0(IOperator.ReentrantCall.selector), "no way in");
        isTrue(mint(nftRows(2, 2)).ok, "the guard is lifted again");
    }

    function mint(IOperator.Rows memory rows) private returns (IOperator.Result memory) {
        vm.prank(executor);
        return operator.executeRows(EPOCH, rows);
    }

    function refuses(IOperator.Rows memory rows, bytes memory reason) private {
        vm.prank(executor);
        vm.expectRevert(reason);
        operator.executeRows(EPOCH, rows);
    }

    function mintList(
        ManagedERC721 token,
        bytes memory list,
        uint256 count
    ) private returns (IOperator.Result[] memory) {
        MintTarget[] memory targets = new MintTarget[](1);
        targets[0] = MintTarget(address(token), 600_000, 0);
        vm.prank(executor);
        return operator.executeMints(EPOCH, uint64(FIRST), count, mintsOf(targets, list));
    }

    function nftRows(uint256 wanted, uint256 count) private view returns (IOperator.Rows memory) {
        bytes memory packed;
        for (uint256 i; i < count; ++i) packed = abi.encodePacked(packed, to(i));
        return chunk(address(nft), wanted, packed);
    }

    function chunk(
        address token,
        uint256 wanted,
        bytes memory packed
    ) private pure returns (IOperator.Rows memory) {
        return IOperator.Rows(token, CAP, FIRST, wanted, KEY, 0, packed);
    }

    function coinRow(
        address recipient,
        uint256 amount,
        uint256 size
    ) private pure returns (bytes memory row) {
        row = abi.encodePacked(recipient, new bytes(size));
        for (uint256 i; i < size; ++i) row[19 + size - i] = bytes1(uint8(amount >> (8 * i)));
    }

    function to(uint256 index) private pure returns (address) {
        return address(uint160(0xabc0000 + index));
    }

    function word() private pure returns (uint256) {
        return idOf(EPOCH, FIRST) >> 8;
    }

    function selectorRefused(bytes4 selector) private pure returns (bytes memory) {
        return abi.encodeWithSelector(IOperator.SelectorNotAllowed.selector, selector);
    }
}

/// @notice Answers anything with what it was told to, and keeps what it was asked.
contract Answering {
    bytes private given;
    bytes private question;
    bool private reverts;

    function set(bytes calldata answer, bool reverting) external {
        (given, reverts) = (answer, reverting);
    }

    function asked() external view returns (bytes memory) {
        return question;
    }

    fallback() external {
        question = msg.data;
        bytes memory answer = given;
        bool ends = reverts;
        assembly ("memory-safe") {
            if ends {
                revert(add(answer, 0x20), mload(answer))
            }
            return(add(answer, 0x20), mload(answer))
        }
    }
}

/// @notice Uses up all the gas that it gets.
contract Burning {
    uint256 private sink;

    fallback() external {
        for (;;) sink += 1;
    }
}

/// @notice Calls back, keeps what that came to, and says that the first row was done.
contract Reentering {
    address private target;
    bytes private data;
    bytes public answer;

    function plan(address target_, bytes calldata data_) external {
        (target, data) = (target_, data_);
    }

    function mintRows(uint256, bytes calldata) external returns (uint256, uint256) {
        (, answer) = target.call(data);
        return (1, 1);
    }
}
