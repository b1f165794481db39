// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IERC721Errors} from "@openzeppelin/contracts/interfaces/draft-IERC6093.sol";
import {IERC721} from "@openzeppelin/contracts/token/ERC721/IERC721.sol";
import {ManagedERC721} from "../../contracts/ManagedERC721.sol";
import {Entry} from "../../contracts/interfaces/IKeyedMetadata.sol";
import {ICollectionFactory} from "../../contracts/interfaces/ICollectionFactory.sol";
import {IManagedERC721, MintItem} from "../../contracts/interfaces/IManagedERC721.sol";
import {IManagedToken} from "../../contracts/interfaces/IManagedToken.sol";
import {
    GoodReceiver,
    NoReceiver,
    ReenteringReceiver,
    RevertingReceiver,
    WrongReceiver
} from "./Receivers.sol";
import {Setup} from "./Setup.sol";

/// @notice The behaviour of ERC-721, ERC-165 and the receiver rules, on a clone.
contract ERC721BehaviourTest is Setup {
    function setUp() public override {
        super.setUp();
        mintNft(nft, alice);
        mintNft(nft, alice);
    }

    function test_tellsWhatItIs() public view {
        equal(nft.name(), "Night Cats", "name");
        equal(nft.symbol(), "CAT", "symbol");
        equal(nft.totalSupply(), 2, "supply");
        equal(nft.balanceOf(alice), 2, "balance");
        equal(nft.ownerOf(1), alice, "owner");
    }

    function test_supportsItsInterfaces() public view {
        isTrue(nft.supportsInterface(0x01ffc9a7), "ERC-165");
        isTrue(nft.supportsInterface(0x80ac58cd), "ERC-721");
        isTrue(nft.supportsInterface(0x5b5e139f), "ERC-721 with metadata");
        isTrue(nft.supportsInterface(0xdf670be1), "ERC-8048");
        isTrue(nft.supportsInterface(0x8ec3f882), "ERC-8049");
        isTrue(nft.supportsInterface(0x49064906), "ERC-4906");
        isTrue(nft.supportsInterface(0xe8a3d485), "ERC-7572");
        isTrue(nft.supportsInterface(0x91a6262f), "ERC-6454");
        isTrue(!nft.supportsInterface(0xffffffff), "never this one");
        isTrue(!nft.supportsInterface(0xcb4799f2), "not the older ERC-8048");
    }

    function test_refusesQuestionsAboutNothing() public {
        vm.expectRevert(error1(IERC721Errors.ERC721InvalidOwner.selector, address(0)));
        nft.balanceOf(address(0));
        vm.expectRevert(error1(IERC721Errors.ERC721NonexistentToken.selector, 3));
        nft.ownerOf(3);
        vm.expectRevert(error1(IERC721Errors.ERC721NonexistentToken.selector, 3));
        nft.getApproved(3);
        vm.expectRevert(error1(IERC721Errors.ERC721NonexistentToken.selector, 3));
        nft.tokenURI(3);
        vm.expectRevert(error1(IERC721Errors.ERC721NonexistentToken.selector, 0));
        nft.ownerOf(0);
    }

    function test_transfersByOwnerApprovedAndOperator() public {
        vm.startPrank(alice);
        vm.expectEmit(true, true, true, true, address(nft));
        emit IERC721.Transfer(alice, bob, 1);
        nft.transferFrom(alice, bob, 1);
        vm.expectEmit(true, true, true, true, address(nft));
        emit IERC721.Approval(alice, bob, 2);
        nft.approve(bob, 2);
        vm.stopPrank();
        equal(nft.getApproved(2), bob, "approved");
        vm.prank(bob);
        nft.transferFrom(alice, carol, 2);
        equal(nft.getApproved(2), address(0), "the approval ends with the transfer");
        vm.expectEmit(true, true, true, true, address(nft));
        emit IERC721.ApprovalForAll(carol, bob, true);
        vm.prank(carol);
        nft.setApprovalForAll(bob, true);
        isTrue(nft.isApprovedForAll(carol, bob), "approved for all");
        vm.prank(bob);
        nft.transferFrom(carol, alice, 2);
        equal(nft.balanceOf(alice), 1, "alice has one");
        equal(nft.balanceOf(bob), 1, "bob has one");
        equal(nft.balanceOf(carol), 0, "carol has none");
        equal(nft.totalSupply(), 2, "nothing made");
    }

    function test_transfersToItself() public {
        vm.prank(alice);
        nft.transferFrom(alice, alice, 1);
        equal(nft.balanceOf(alice), 2, "neither more nor less");
        equal(nft.ownerOf(1), alice, "still hers");
    }

    function test_doesNotTransferForStrangers(address stranger) public {
        vm.assume(stranger != alice && stranger != address(0));
        vm.prank(stranger);
        vm.expectRevert(
            abi.encodeWithSelector(IERC721Errors.ERC721InsufficientApproval.selector, stranger, 1)
        );
        nft.transferFrom(alice, stranger, 1);
    }

    function test_doesNotTransferWrongly() public {
        vm.startPrank(alice);
        vm.expectRevert(abi.encodeWithSelector(IERC721Errors.ERC721IncorrectOwner.selector, bob, 1, alice));
        nft.transferFrom(bob, carol, 1);
        vm.expectRevert(error1(IERC721Errors.ERC721InvalidReceiver.selector, address(0)));
        nft.transferFrom(alice, address(0), 1);
        vm.expectRevert(error1(IERC721Errors.ERC721NonexistentToken.selector, 9));
        nft.transferFrom(alice, bob, 9);
        vm.stopPrank();
    }

    function test_approvalsAreForThoseWhoMay() public {
        vm.startPrank(bob);
        vm.expectRevert(error1(IERC721Errors.ERC721InvalidApprover.selector, bob));
        nft.approve(bob, 1);
        vm.expectRevert(error1(IERC721Errors.ERC721NonexistentToken.selector, 9));
        nft.approve(bob, 9);
        vm.expectRevert(error1(IERC721Errors.ERC721InvalidOperator.selector, address(0)));
        nft.setApprovalForAll(address(0), true);
        vm.stopPrank();
    }

    function test_asksReceivers() public {
        GoodReceiver good = new GoodReceiver();
        vm.startPrank(alice);
        nft.safeTransferFrom(alice, address(good), 1);
        equal(good.received(), 1, "asked");
        address[3] memory bad = [
            address(new NoReceiver()),
            address(new WrongReceiver()),
            address(new RevertingReceiver())
        ];
        for (uint256 i; i < 3; ++i) {
            bytes memory reason =
                i == 2
                    ? error0(RevertingReceiver.NotToday.selector)
                    : error1(IERC721Errors.ERC721InvalidReceiver.selector, bad[i]);
            vm.expectRevert(reason);
            nft.safeTransferFrom(alice, bad[i], 2);
            vm.expectRevert(reason);
            nft.safeTransferFrom(alice, bad[i], 2, "data");
        }
        nft.transferFrom(alice, bad[0], 2);
        vm.stopPrank();
        bytes[3] memory answers = [
            bytes(""),
            abi.encode(bytes4(0xdeadbeef)),
            error0(RevertingReceiver.NotToday.selector)
        ];
        for (uint256 i; i < 3; ++i) {
            equal(
                attempt(address(nft), abi.encodeCall(nft.mint, (bad[i]))).returnData,
                abi.encodeWithSelector(IManagedERC721.ReceiverRefused.selector, bad[i], answers[i]),
                "nor are they given a new one"
            );
        }
        equal(mintNft(nft, address(good)), 3, "who takes it gets the next");
        equal(good.received(), 2, "and is asked");
    }

    function test_mintsInSequence(address to) public {
        vm.assume(to != address(0) && to.code.length == 0);
        vm.expectEmit(true, true, true, true, address(nft));
        emit IERC721.Transfer(address(0), to, 3);
        equal(mintNft(nft, to), 3, "the next id");
        equal(nft.ownerOf(3), to, "is theirs");
        vm.prank(to);
        nft.burn(3);
        equal(mintNft(nft, alice), 4, "a burned id does not come again");
        equal(nft.tokenState().supply, 4, "minted ever");
        equal(nft.totalSupply(), 3, "and still there");
    }

    function test_burnsByOwnerAndApproved() public {
        vm.prank(bob);
        vm.expectRevert(abi.encodeWithSelector(IERC721Errors.ERC721InsufficientApproval.selector, bob, 1));
        nft.burn(1);
        vm.prank(alice);
        nft.approve(bob, 1);
        vm.expectEmit(true, true, true, true, address(nft));
        emit IERC721.Transfer(alice, address(0), 1);
        vm.prank(bob);
        nft.burn(1);
        vm.prank(alice);
        nft.burn(2);
        equal(nft.balanceOf(alice), 0, "none left");
        equal(nft.totalSupply(), 0, "none at all");
        vm.prank(alice);
        vm.expectRevert(error1(IERC721Errors.ERC721NonexistentToken.selector, 1));
        nft.burn(1);
    }

    function test_onlyOwnerAndOperatorMint(address caller) public {
        vm.assume(caller != address(operator));
        bytes memory refused = error1(IManagedToken.NotOwnerOrOperator.selector, caller);
        vm.startPrank(caller);
        vm.expectRevert(refused);
        nft.mint(caller);
        vm.expectRevert(refused);
        nft.mintWithMetadata(caller, entries("a", "b"));
        vm.expectRevert(refused);
        nft.mintBatch(new MintItem[](1));
        vm.expectRevert(refused);
        nft.setMetadata(1, entries("a", "b"));
        vm.stopPrank();
    }

    function test_mintsABatchAllOrNone() public {
        MintItem[] memory items = new MintItem[](3);
        items[0].to = bob;
        items[1] = MintItem(carol, entries("colour", "red"));
        items[2].to = bob;
        equal(
            abi.decode(run(address(nft), abi.encodeCall(nft.mintBatch, (items))), (uint256)),
            3,
            "first id"
        );
        equal(nft.ownerOf(3), bob, "first");
        equal(nft.ownerOf(4), carol, "second");
        equal(nft.balanceOf(bob), 2, "third");
        equal(nft.metadata(4, "colour"), "red", "with its metadata");
        equal(nft.metadata(3, "colour"), "", "and no other");
        items[2].to = address(new NoReceiver());
        isTrue(!attempt(address(nft), abi.encodeCall(nft.mintBatch, (items))).ok, "one does not take it");
        items[2].to = address(0);
        isTrue(!attempt(address(nft), abi.encodeCall(nft.mintBatch, (items))).ok, "or is nobody");
        equal(nft.totalSupply(), 5, "so none is made");
    }

    function test_mintsAHundredInOneTransaction() public {
        MintItem[] memory items = new MintItem[](100);
        for (uint256 i; i < 100; ++i) items[i].to = vm.addr(1_000 + i);
        vm.prank(address(operator));
        uint256 before = gasleft();
        nft.mintBatch(items);
        isTrue(before - gasleft() < 14_000_000, "within the limit of the service");
        equal(nft.totalSupply(), 102, "all there");
    }

    function test_mintsToApprovedAccountsOnlyWhenPermissioned() public {
        nft = newNft(address(operator), "", true);
        bytes memory refused = error1(IManagedToken.AccountNotApproved.selector, alice);
        MintItem[] memory items = new MintItem[](1);
        items[0].to = alice;
        bytes[3] memory mints = [
            abi.encodeCall(nft.mint, (alice)),
            abi.encodeCall(nft.mintWithMetadata, (alice, entries("a", "b"))),
            abi.encodeCall(nft.mintBatch, (items))
        ];
        for (uint256 i; i < 3; ++i) equal(attempt(address(nft), mints[i]).returnData, refused, "not yet");
        isTrue(!nft.isTransferable(1, address(0), alice), "and ERC-6454 says so");
        run(address(nft), abi.encodeCall(nft.approveAccount, (alice)));
        isTrue(nft.isTransferable(1, address(0), alice), "now it may");
        for (uint256 i; i < 3; ++i) run(address(nft), mints[i]);
        vm.prank(alice);
        nft.transferFrom(alice, bob, 1);
        equal(nft.ownerOf(1), bob, "transfers need no approval");
    }

    function test_pauseHaltsEverything() public {
        run(address(nft), abi.encodeCall(nft.pause, ()));
        bytes memory paused = error0(IManagedToken.TokenPaused.selector);
        MintItem[] memory items = new MintItem[](1);
        items[0].to = bob;
        bytes[5] memory calls = [
            abi.encodeCall(nft.mint, (bob)),
            abi.encodeCall(nft.mintWithMetadata, (bob, entries("a", "b"))),
            abi.encodeCall(nft.mintBatch, (items)),
            abi.encodeCall(nft.setMetadata, (1, entries("a", "b"))),
            abi.encodeCall(nft.setContractMetadata, (entries("a", "b")))
        ];
        for (uint256 i; i < calls.length; ++i)
            equal(attempt(address(nft), calls[i]).returnData, paused, "halted");
        vm.startPrank(alice);
        vm.expectRevert(paused);
        nft.transferFrom(alice, bob, 1);
        vm.expectRevert(paused);
        nft.safeTransferFrom(alice, bob, 1);
        vm.expectRevert(paused);
        nft.burn(1);
        vm.expectRevert(paused);
        nft.approve(bob, 1);
        vm.expectRevert(paused);
        nft.setApprovalForAll(bob, true);
        vm.stopPrank();
        isTrue(
            !nft.isTransferable(1, alice, bob) && !nft.isTransferable(1, alice, address(0)),
            "and says so"
        );
        run(address(nft), abi.encodeCall(nft.unpause, ()));
        vm.prank(alice);
        nft.transferFrom(alice, bob, 1);
    }

    function test_theLockHaltsTransfersAndApprovalsOnly() public {
        vm.prank(alice);
        nft.approve(bob, 2);
        run(address(nft), abi.encodeCall(nft.lockTransfers, ()));
        bytes memory locked = error0(IManagedToken.TransfersLocked.selector);
        vm.startPrank(alice);
        vm.expectRevert(locked);
        nft.transferFrom(alice, bob, 1);
        vm.expectRevert(locked);
        nft.approve(bob, 1);
        vm.expectRevert(locked);
        nft.setApprovalForAll(bob, true);
        vm.stopPrank();
        isTrue(!nft.isTransferable(1, alice, bob) && !nft.canTransfer(alice, bob, 1), "and says so");
        isTrue(nft.isTransferable(1, alice, address(0)), "a burn may");
        isTrue(nft.isTransferable(3, address(0), alice), "and a mint");
        mintNft(nft, bob);
        run(address(nft), abi.encodeCall(nft.setMetadata, (1, entries("a", "b"))));
        vm.prank(alice);
        nft.burn(1);
        vm.prank(bob);
        nft.burn(2);
        equal(nft.totalSupply(), 1, "mint, burn and metadata go on");
    }

    /// @dev That grants nothing and moves nothing.
    function test_approvalsAreTakenBackUnderPauseAndLock() public {
        for (uint256 i; i < 2; ++i) {
            vm.startPrank(alice);
            nft.approve(bob, 1);
            nft.setApprovalForAll(carol, true);
            vm.stopPrank();
            run(address(nft), abi.encodeCall(nft.lockTransfers, ()));
            if (i == 1) run(address(nft), abi.encodeCall(nft.pause, ()));
            vm.prank(bob);
            vm.expectRevert(error1(IERC721Errors.ERC721InvalidApprover.selector, bob));
            nft.approve(address(0), 1);
            vm.startPrank(alice);
            nft.approve(address(0), 1);
            nft.setApprovalForAll(carol, false);
            vm.stopPrank();
            equal(nft.getApproved(1), address(0), "of one token");
            isTrue(!nft.isApprovedForAll(alice, carol), "of all");
            run(address(nft), abi.encodeCall(nft.unlockTransfers, ()));
        }
    }

    function test_freezeHaltsFromToAndSpender() public {
        vm.startPrank(alice);
        nft.setApprovalForAll(bob, true);
        nft.transferFrom(alice, bob, 2);
        vm.stopPrank();
        run(address(nft), abi.encodeCall(nft.freeze, (bob)));
        bytes memory frozen = error1(IManagedToken.AccountFrozen.selector, bob);
        vm.startPrank(bob);
        vm.expectRevert(frozen);
        nft.transferFrom(alice, carol, 1);
        vm.expectRevert(frozen);
        nft.transferFrom(bob, carol, 2);
        vm.expectRevert(frozen);
        nft.burn(1);
        vm.expectRevert(frozen);
        nft.burn(2);
        vm.stopPrank();
        vm.prank(alice);
        vm.expectRevert(frozen);
        nft.transferFrom(alice, bob, 1);
        equal(attempt(address(nft), abi.encodeCall(nft.mint, (bob))).returnData, frozen, "mint");
        isTrue(!nft.isTransferable(1, alice, bob) && !nft.isTransferable(2, bob, alice), "and says so");
        isTrue(!nft.canTransfer(alice, bob, 1) && !nft.canTransfer(bob, alice, 2), "twice");
        run(address(nft), abi.encodeCall(nft.unfreeze, (bob)));
        isTrue(nft.canTransfer(alice, bob, 1), "a rule no longer bars it");
        isTrue(nft.canTransfer(carol, bob, 1) && nft.canTransfer(carol, bob, 99), "whose it is is no rule");
        vm.prank(bob);
        nft.transferFrom(alice, carol, 1);
        equal(nft.ownerOf(1), carol, "and all is well again");
    }

    function test_isTransferableKnowsOnlyTokensThatExist() public {
        isTrue(nft.isTransferable(1, alice, bob), "this one does");
        vm.expectRevert(error1(IERC721Errors.ERC721NonexistentToken.selector, 9));
        nft.isTransferable(9, alice, bob);
    }

    function test_isTransferableKnowsWhichTokenTheNextMintMakes() public {
        uint256 next = nft.tokenState().supply + 1;
        isTrue(nft.isTransferable(next, address(0), alice), "the next one");
        isTrue(!nft.isTransferable(next + 1, address(0), alice), "not the one after it");
        isTrue(!nft.isTransferable(1, address(0), alice), "nor one that was minted before");
        isTrue(!nft.isTransferable(0, address(0), alice), "nor one that can never be");
        run(address(nft), abi.encodeCall(nft.closeMint, ()));
        isTrue(!nft.isTransferable(next, address(0), alice), "none once minting is closed");
        ICollectionFactory.CollectionArgs memory args = nftArgs();
        args.maxSupply = 1;
        nft = newNft(args);
        isTrue(nft.isTransferable(1, address(0), alice), "the last one under a cap");
        mintNft(nft, alice);
        isTrue(!nft.isTransferable(2, address(0), alice), "and none beyond it");
    }

    /// @dev Its body is that of `mint`: the other tests of a mint go for it as well.
    function test_mintNextIsMintUnderTheLowestSelector() public {
        uint256 next = nft.tokenState().supply + 1;
        isTrue(uint32(nft.mintNext.selector) < uint32(nft.supportsInterface.selector), "compared first");
        vm.prank(alice);
        vm.expectRevert(error1(IManagedToken.NotOwnerOrOperator.selector, alice));
        nft.mintNext(alice);
        equal(abi.decode(run(address(nft), abi.encodeCall(nft.mintNext, (bob))), (uint256)), next, "its id");
        equal(nft.ownerOf(next), bob, "whose it is");
        equal(
            abi.decode(run(address(nft), abi.encodeCall(nft.mint, (bob))), (uint256)),
            next + 1,
            "one count"
        );
    }

    function test_aReceiverMayMoveAndBurnWhileItIsCalled() public {
        ReenteringReceiver receiver = new ReenteringReceiver();
        receiver.plan(address(nft), abi.encodeCall(nft.transferFrom, (address(receiver), bob, 3)));
        receiver.plan(address(nft), abi.encodeCall(nft.mint, (address(receiver))));
        receiver.plan(address(nft), abi.encodeCall(nft.burn, (5)));
        MintItem[] memory items = new MintItem[](3);
        items[0].to = address(receiver);
        items[1].to = bob;
        items[2].to = address(receiver);
        run(address(nft), abi.encodeCall(nft.mintBatch, (items)));
        isTrue(receiver.outcomes(0), "it moved its first token");
        isTrue(!receiver.outcomes(1), "it could not mint");
        isTrue(receiver.outcomes(2), "it burned one that came later in the batch");
        equal(nft.ownerOf(3), bob, "moved");
        equal(nft.balanceOf(address(receiver)), 0, "none left");
        equal(nft.totalSupply(), 4, "the count is right");
        equal(mintNft(nft, alice), 6, "and the ids go on");
    }

    function test_anOwnerMayMintFromWithinAReceiver() public {
        ReenteringReceiver receiver = new ReenteringReceiver();
        nft = newNft(address(receiver), "", false);
        receiver.plan(address(nft), abi.encodeCall(nft.mint, (alice)));
        equal(mintNft(nft, address(receiver)), 1, "the outer mint");
        equal(nft.ownerOf(2), alice, "the inner one got its own id");
        equal(nft.totalSupply(), 2, "two");
    }
}
