// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IERC721Errors} from "@openzeppelin/contracts/interfaces/draft-IERC6093.sol";
import {IERC721Receiver} from "@openzeppelin/contracts/token/ERC721/IERC721Receiver.sol";
import {IManagedERC721, MintItem} from "../../contracts/interfaces/IManagedERC721.sol";
import {IManagedToken} from "../../contracts/interfaces/IManagedToken.sol";
import {
    BurningReceiver,
    GoodReceiver,
    LongWindedReceiver,
    NoReceiver,
    RevertingReceiver,
    WrongReceiver
} from "./Receivers.sol";
import {Setup} from "./Setup.sol";

/// @notice Answers or reverts with what it is told, byte by byte.
contract SayingReceiver is IERC721Receiver {
    bytes private words;
    bool private reverts;

    function say(bytes calldata words_, bool reverts_) external {
        (words, reverts) = (words_, reverts_);
    }

    function onERC721Received(address, address, uint256, bytes calldata) external view returns (bytes4) {
        bytes memory said = words;
        if (reverts) {
            assembly ("memory-safe") {
                revert(add(said, 0x20), mload(said))
            }
        }
        assembly ("memory-safe") {
            return(add(said, 0x20), mload(said))
        }
    }
}

/// @notice Uses up nearly all of its gas, then refuses at length.
contract TiringReceiver is IERC721Receiver {
    function onERC721Received(address, address, uint256, bytes calldata) external view returns (bytes4) {
        while (gasleft() > 1_000) {}
        assembly ("memory-safe") {
            revert(0x80, 0x100)
        }
    }
}

/// @notice How contracts that receive a minted token are asked: with how much gas, whom, and what becomes of the answer.
contract ReceiverRulesTest is Setup {
    /// @dev GAS at the very start, where 2 of the hook's gas are spent: other than 249,998 is its revert reason, else it accepts.
    bytes private constant EXACT_GAS =
        hex"5a6203d08e8114601057" // if gas == 249998, go on at 0x10
        hex"5f5260205ffd" // else revert with it
        hex"5b63150b7a0260e01b5f5260205ff3";

    function test_theHookHasExactlyItsGasWhateverIsLeft() public {
        address receiver = exactReceiver();
        vm.startPrank(address(operator));
        // With all that there is, and with the least.
        nft.mint(receiver);
        uint256 least = leastGasFor(receiver);
        for (uint256 more; more < 20_000; more += 333) {
            isTrue(tryMint(receiver, least + more).length == 32, "minted");
        }
        vm.stopPrank();
    }

    /// @dev Nobody can have a receiver refuse by giving it less: with less, nothing is asked.
    function test_aHookIsNeverStarved() public {
        address receiver = exactReceiver();
        vm.startPrank(address(operator));
        uint256 least = leastGasFor(receiver);
        bytes memory tooLittle = error0(IManagedERC721.InsufficientReceiverGas.selector);
        equal(tryMint(receiver, least - 1), tooLittle, "one less");
        for (uint256 less = 1; less < 180_000; less += 2_777) {
            equal(tryMint(receiver, least - less), tooLittle, "told");
        }
        for (uint256 gasGiven = 1_000; gasGiven < least; gasGiven += 2_777) {
            bytes memory answer = tryMint(receiver, gasGiven);
            isTrue(answer.length == 0 || keccak256(answer) == keccak256(tooLittle), "out of gas, or told");
        }
        vm.stopPrank();
    }

    /// @dev With the least gas that lets it be asked, there is enough left to tell what it said.
    function test_aRefusalIsToldWhateverIsLeft() public {
        address receiver = address(new TiringReceiver());
        bytes memory tooLittle = error0(IManagedERC721.InsufficientReceiverGas.selector);
        bytes memory refused = refusal(receiver, new bytes(256));
        vm.startPrank(address(operator));
        nft.mint(alice);
        (uint256 least, uint256 most) = (250_000, 1_000_000);
        while (most - least > 1) {
            uint256 middle = (least + most) / 2;
            if (keccak256(tryMint(receiver, middle)) == keccak256(tooLittle)) least = middle;
            else most = middle;
        }
        for (uint256 more; more < 20; ++more) equal(tryMint(receiver, most + more), refused, "told");
        for (uint256 more; more < 20_000; more += 777) equal(tryMint(receiver, most + more), refused, "told");
        vm.stopPrank();
    }

    function test_eachOfABatchHasItsGas() public {
        address receiver = exactReceiver();
        MintItem[] memory items = new MintItem[](3);
        for (uint256 i; i < 3; ++i) items[i].to = receiver;
        bytes memory tooLittle = error0(IManagedERC721.InsufficientReceiverGas.selector);
        vm.startPrank(address(operator));
        nft.mintBatch(items);
        nft.mintRun(receiver, 3);
        bool minted;
        for (uint256 gasGiven = 300_000; gasGiven < 1_500_000; gasGiven += 7_001) {
            (bool ok, bytes memory answer) = address(nft).call{gas: gasGiven}(
                abi.encodeCall(nft.mintBatch, (items))
            );
            if (ok) minted = true;
            else
                isTrue(
                    answer.length == 0 || keccak256(answer) == keccak256(tooLittle),
                    "never a starved one"
                );
        }
        vm.stopPrank();
        isTrue(minted, "and it went through");
    }

    function test_aHookThatBurnsItsGasCostsNoMore() public {
        address receiver = address(new BurningReceiver());
        bytes memory data = abi.encodeCall(nft.mint, (receiver));
        vm.prank(address(operator));
        uint256 before = gasleft();
        (bool ok, bytes memory reason) = address(nft).call{gas: 3_000_000}(data);
        uint256 used = before - gasleft();
        isTrue(!ok && used > 250_000 && used < 500_000, "its own gas and no more");
        equal(reason, refusal(receiver, ""), "which is a refusal");
    }

    /// @dev What says so is the contract that receives, and not the token: nobody takes it for paused or closed.
    function test_wrapsWhatAReceiverRevertsWith() public {
        SayingReceiver receiver = new SayingReceiver();
        bytes[7] memory feigned = [
            error0(IManagedToken.MintClosed.selector),
            error0(IManagedToken.TokenPaused.selector),
            abi.encodeWithSelector(IManagedToken.MintLimitExceeded.selector, 1, 0),
            error1(IManagedToken.AccountFrozen.selector, alice),
            error0(IManagedERC721.InsufficientReceiverGas.selector),
            error1(IERC721Errors.ERC721InvalidReceiver.selector, alice),
            abi.encodeWithSelector(IManagedERC721.ReceiverRefused.selector, alice, bytes("x"))
        ];
        for (uint256 i; i < feigned.length; ++i) {
            receiver.say(feigned[i], true);
            refusedByAllMints(address(receiver), refusal(address(receiver), feigned[i]));
        }
        equal(nft.totalSupply(), 0, "nothing was minted");
    }

    function test_wrapsEveryOtherAnswer() public {
        SayingReceiver receiver = new SayingReceiver();
        bytes4 good = IERC721Receiver.onERC721Received.selector;
        bytes[5] memory wrong = [
            bytes(""),
            bytes.concat(good),
            abi.encodePacked(good, new bytes(27)),
            abi.encodePacked(good, new bytes(27), bytes1(0x01)),
            abi.encode(uint256(uint32(good)))
        ];
        for (uint256 i; i < wrong.length; ++i) {
            receiver.say(wrong[i], false);
            refusedByAllMints(address(receiver), refusal(address(receiver), wrong[i]));
        }
        receiver.say(abi.encode(good), true);
        refusedByAllMints(address(receiver), refusal(address(receiver), abi.encode(good)));
        receiver.say(abi.encode(good, uint256(7)), false);
        equal(mintNft(nft, address(receiver)), 1, "more after the right answer does not matter");
        address none = address(new NoReceiver());
        refusedByAllMints(none, refusal(none, ""));
        address says = address(new RevertingReceiver());
        refusedByAllMints(says, refusal(says, error0(RevertingReceiver.NotToday.selector)));
        address other = address(new WrongReceiver());
        refusedByAllMints(other, refusal(other, abi.encode(bytes4(0xdeadbeef))));
    }

    function test_cutsReasonsAt256Bytes() public {
        uint256[9] memory sizes = [uint256(0), 1, 31, 32, 33, 255, 256, 257, 100_000];
        for (uint256 i; i < sizes.length; ++i) {
            address receiver = address(new LongWindedReceiver(sizes[i], true));
            bytes memory reason = new bytes(sizes[i] < 256 ? sizes[i] : 256);
            // What it reverts with is its memory, where Solidity keeps a pointer.
            if (reason.length > 0x5f) reason[0x5f] = 0x80;
            vm.prank(address(operator));
            vm.expectRevert(refusal(receiver, reason));
            nft.mint(receiver);
            receiver = address(new LongWindedReceiver(sizes[i], false));
            vm.prank(address(operator));
            if (sizes[i] < 32) {
                reason = cut(abi.encode(IERC721Receiver.onERC721Received.selector), sizes[i]);
                vm.expectRevert(refusal(receiver, reason));
            }
            nft.mint(receiver);
        }
        equal(nft.totalSupply(), 6, "those that answered");
    }

    /// @dev A wallet whose delegate has no hook, or one that refuses (EIP-7702).
    function test_doesNotAskAWalletWithADelegation() public {
        address[2] memory delegates = [address(new NoReceiver()), address(new RevertingReceiver())];
        for (uint256 i; i < 2; ++i) {
            address account = vm.addr(0x7702 + i);
            vm.etch(account, abi.encodePacked(hex"ef0100", delegates[i]));
            equal(account.code.length, 23, "as EIP-7702 has it");
            MintItem[] memory items = new MintItem[](2);
            items[0].to = account;
            items[1] = MintItem(account, entries("name", "x"));
            vm.startPrank(address(operator));
            nft.mint(account);
            nft.mintWithMetadata(account, entries("name", "x"));
            nft.mintBatch(items);
            nft.mintRun(account, 2);
            vm.stopPrank();
            equal(nft.balanceOf(account), 6, "all of them");
            uint256 newest = nft.tokenState().supply;
            vm.prank(account);
            nft.transferFrom(account, alice, newest);
            equal(nft.balanceOf(account), 5, "which its key moves");
        }
    }

    /// @dev Rows are for accounts without code: who delegates is left out, and told so by the mask.
    function test_rowsLeaveOutAWalletWithADelegation() public {
        address account = vm.addr(0x7702);
        vm.etch(account, abi.encodePacked(hex"ef0100", address(new NoReceiver())));
        vm.prank(address(operator));
        (uint256 done, ) = nft.mintRows(3, abi.encodePacked(account, alice));
        equal(done, 2, "the other");
        vm.prank(address(operator));
        (done, ) = coin.mintRows(3, 1, abi.encodePacked(account, uint8(1), alice, uint8(1)));
        equal(done, 3, "of an ERC-20 nobody is asked");
    }

    function test_asksCodeOfTheSameLengthThatIsNone() public {
        address account = vm.addr(0x1234);
        // Reverts with nothing.
        vm.etch(account, abi.encodePacked(hex"5f5ffd", new bytes(20)));
        equal(account.code.length, 23, "as long");
        refusedByAllMints(account, refusal(account, ""));
        // Accepts.
        vm.etch(account, abi.encodePacked(hex"63150b7a0260e01b5f5260205ff3", new bytes(9)));
        equal(account.code.length, 23, "as long");
        equal(mintNft(nft, account), 1, "asked");
    }

    function test_aTransferAsksAsOpenZeppelinDoes() public {
        mintNft(nft, alice);
        GoodReceiver good = new GoodReceiver();
        address bad = address(new RevertingReceiver());
        vm.startPrank(alice);
        vm.expectRevert(error0(RevertingReceiver.NotToday.selector));
        nft.safeTransferFrom(alice, bad, 1);
        nft.safeTransferFrom(alice, address(good), 1);
        vm.stopPrank();
        equal(good.received(), 1, "asked");
    }

    function refusedByAllMints(address to, bytes memory reason) private {
        MintItem[] memory items = new MintItem[](2);
        items[0].to = alice;
        items[1].to = to;
        bytes[5] memory mints = [
            abi.encodeCall(nft.mint, (to)),
            abi.encodeCall(nft.mintNext, (to)),
            abi.encodeCall(nft.mintWithMetadata, (to, entries("name", "x"))),
            abi.encodeCall(nft.mintBatch, (items)),
            abi.encodeCall(nft.mintRun, (to, 2))
        ];
        for (uint256 i; i < mints.length; ++i) {
            vm.prank(address(operator));
            (bool ok, bytes memory answer) = address(nft).call(mints[i]);
            isTrue(!ok, "refused");
            equal(answer, reason, "by the receiver");
        }
    }

    /// @dev The least gas of a call with which a mint goes through.
    function leastGasFor(address receiver) private returns (uint256 least) {
        uint256 most = 1_000_000;
        while (most - least > 1) {
            uint256 middle = (least + most) / 2;
            if (tryMint(receiver, middle).length == 32) most = middle;
            else least = middle;
        }
        return most;
    }

    /// @dev By the sender that is pranked. The id, or the reason.
    function tryMint(address to, uint256 gasGiven) private returns (bytes memory answer) {
        (, answer) = address(nft).call{gas: gasGiven}(abi.encodeCall(nft.mint, (to)));
    }

    function exactReceiver() private returns (address receiver) {
        receiver = vm.addr(0xe4ac7);
        vm.etch(receiver, EXACT_GAS);
    }

    function refusal(address to, bytes memory reason) private pure returns (bytes memory) {
        return abi.encodeWithSelector(IManagedERC721.ReceiverRefused.selector, to, reason);
    }

    function cut(bytes memory text, uint256 length) private pure returns (bytes memory part) {
        part = new bytes(length);
        for (uint256 i; i < length; ++i) part[i] = text[i];
    }
}
