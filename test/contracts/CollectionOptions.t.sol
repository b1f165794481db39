// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IERC2981} from "@openzeppelin/contracts/interfaces/IERC2981.sol";
import {IERC721Errors} from "@openzeppelin/contracts/interfaces/draft-IERC6093.sol";
import {IERC721} from "@openzeppelin/contracts/token/ERC721/IERC721.sol";
import {ManagedERC721} from "../../contracts/ManagedERC721.sol";
import {ICollectionFactory} from "../../contracts/interfaces/ICollectionFactory.sol";
import {Entry} from "../../contracts/interfaces/IKeyedMetadata.sol";
import {IManagedERC721} from "../../contracts/interfaces/IManagedERC721.sol";
import {IManagedToken} from "../../contracts/interfaces/IManagedToken.sol";
import {GoodReceiver, NoReceiver} from "./Receivers.sol";
import {Setup} from "./Setup.sol";
import {Vm} from "./Vm.sol";

/// @notice Royalties, frozen metadata of tokens, runs, and what else only collections have.
contract CollectionOptionsTest is Setup {
    function test_paysTheRoyaltyOfItsArguments() public {
        ICollectionFactory.CollectionArgs memory args = nftArgs();
        (args.royaltyReceiver, args.royaltyBasisPoints) = (carol, 750);
        nft = newNft(args);
        (address receiver, uint256 amount) = nft.royaltyInfo(1, 10_001);
        equal(receiver, carol, "receiver");
        equal(amount, 750, "rounded down");
        (, amount) = nft.royaltyInfo(1, type(uint256).max);
        equal(
            amount,
            8684406692798714656767823875651593088995248849923042302959318800593484722995,
            "any price"
        );
        IManagedToken.TokenLimits memory limits = nft.tokenLimits();
        equal(limits.royaltyReceiver, carol, "told");
        equal(limits.royaltyBasisPoints, 750, "told");
        isTrue(nft.supportsInterface(type(IERC2981).interfaceId), "ERC-2981");
        isTrue(nft.supportsInterface(0x2a55205a), "by its number");
    }

    function test_changesTheRoyalty() public {
        (address receiver, uint256 amount) = nft.royaltyInfo(1, 10_000);
        isTrue(receiver == address(0) && amount == 0, "none");
        vm.expectEmit(true, true, true, true, address(nft));
        emit IManagedERC721.RoyaltyChanged(bob, 1_000);
        vm.startPrank(address(operator));
        nft.setRoyalty(bob, 1_000);
        (receiver, amount) = nft.royaltyInfo(9, 10_000);
        isTrue(receiver == bob && amount == 1_000, "as set");
        vm.recordLogs();
        nft.setRoyalty(bob, 1_000);
        equal(vm.getRecordedLogs().length, 0, "once");
        nft.setRoyalty(bob, 0);
        nft.setRoyalty(address(0), 0);
        equal(nft.tokenLimits().royaltyReceiver, address(0), "none again");
        vm.expectRevert(abi.encodeWithSelector(IManagedERC721.InvalidRoyalty.selector, bob, 1_001));
        nft.setRoyalty(bob, 1_001);
        vm.expectRevert(abi.encodeWithSelector(IManagedERC721.InvalidRoyalty.selector, address(0), 1));
        nft.setRoyalty(address(0), 1);
        vm.stopPrank();
        vm.prank(alice);
        vm.expectRevert(error1(IManagedToken.NotOwnerOrOperator.selector, alice));
        nft.setRoyalty(alice, 1);
    }

    function test_aRoyaltyOfTheArgumentsCanBeEnded() public {
        ICollectionFactory.CollectionArgs memory args = nftArgs();
        (args.royaltyReceiver, args.royaltyBasisPoints) = (carol, 10);
        nft = newNft(args);
        vm.prank(address(operator));
        nft.setRoyalty(address(0), 0);
        (address receiver, uint256 amount) = nft.royaltyInfo(1, 10_000);
        isTrue(receiver == address(0) && amount == 0, "none");
    }

    function test_freezesTheMetadataOfOneToken() public {
        mintNft(nft, alice);
        mintNft(nft, alice);
        vm.startPrank(address(operator));
        nft.setMetadata(1, entries("name", "Final"));
        isTrue(!nft.isMetadataFrozen(1), "not yet");
        vm.expectEmit(true, true, true, true, address(nft));
        emit IManagedERC721.TokenMetadataFrozen(1, block.timestamp + REVOCABLE_SECONDS);
        nft.freezeMetadata(1);
        isTrue(nft.isMetadataFrozen(1) && !nft.isMetadataFrozen(2), "one");
        vm.recordLogs();
        nft.freezeMetadata(1);
        equal(vm.getRecordedLogs().length, 0, "once");
        vm.expectRevert(error0(IManagedToken.MetadataFrozen.selector));
        nft.setMetadata(1, entries("name", "Other"));
        nft.setMetadata(2, entries("name", "Other"));
        nft.setContractMetadata(entries("name", "Other"));
        vm.expectRevert(error1(IERC721Errors.ERC721NonexistentToken.selector, 3));
        nft.freezeMetadata(3);
        vm.stopPrank();
        vm.expectRevert(error1(IManagedToken.NotOwnerOrOperator.selector, address(this)));
        nft.freezeMetadata(2);
        vm.prank(alice);
        nft.transferFrom(alice, bob, 1);
        isTrue(nft.isMetadataFrozen(1), "after a transfer too");
        equal(nft.metadata(1, "name"), "Final", "as it was");
        equal(nft.ownerOf(1), bob, "with its new owner");
    }

    function test_freezesTheMetadataOfAllTokens() public {
        mintNft(nft, alice);
        vm.startPrank(address(operator));
        nft.freezeMetadata();
        isTrue(nft.isMetadataFrozen(1), "each");
        vm.expectRevert(error0(IManagedToken.MetadataFrozen.selector));
        nft.setMetadata(1, entries("name", "Other"));
        uint256 tokenId = nft.mintWithMetadata(alice, entries("name", "Born so"));
        vm.stopPrank();
        equal(nft.metadata(tokenId, "name"), "Born so", "a mint still brings metadata");
        vm.expectRevert(error1(IERC721Errors.ERC721NonexistentToken.selector, 3));
        nft.isMetadataFrozen(3);
    }

    function test_mintsARun() public {
        mintNft(nft, bob);
        vm.recordLogs();
        vm.prank(address(operator));
        uint256 first = nft.mintRun(alice, 100);
        Vm.Log[] memory logs = vm.getRecordedLogs();
        equal(first, 2, "after the newest");
        equal(logs.length, 100, "an event for each");
        for (uint256 i; i < 100; ++i) {
            equal(uint256(logs[i].topics[3]), 2 + i, "in order");
            equal(address(uint160(uint256(logs[i].topics[2]))), alice, "to the holder");
            equal(uint256(logs[i].topics[1]), 0, "from nobody");
            isTrue(logs[i].topics[0] == IERC721.Transfer.selector, "Transfer");
        }
        equal(nft.balanceOf(alice), 100, "balance");
        equal(nft.totalSupply(), 101, "supply");
        equal(nft.ownerOf(2), alice, "first");
        equal(nft.ownerOf(101), alice, "last");
        vm.expectRevert(error1(IERC721Errors.ERC721NonexistentToken.selector, 102));
        nft.ownerOf(102);
        equal(mintNft(nft, bob), 102, "the next one");
        equal(nft.ownerOf(102), bob, "is another's");
        equal(nft.ownerOf(1), bob, "and that before too");
    }

    /// @dev Against a list of owners, with lone mints, transfers and burns between runs of any length.
    function test_everyTokenOfAnyRunsHasItsOwner(uint256 seed) public {
        address[] memory owners = new address[](1_700);
        uint256 newest;
        vm.startPrank(address(operator));
        for (uint256 i; i < 6; ++i) {
            uint256 draw = uint256(keccak256(abi.encode(seed, i)));
            address holder = i % 2 == 0 ? alice : bob;
            uint256 count = draw % 3 == 0 ? 256 : 1 + ((draw >> 8) % 200);
            nft.mintRun(holder, count);
            for (uint256 j; j < count; ++j) owners[++newest] = holder;
            if ((draw >> 16) % 2 == 0) {
                nft.mint(carol);
                owners[++newest] = carol;
            }
        }
        vm.stopPrank();
        for (uint256 i; i < 40; ++i) {
            uint256 draw = uint256(keccak256(abi.encode(seed, "move", i)));
            uint256 tokenId = 1 + (draw % newest);
            address holder = owners[tokenId];
            if (holder == address(0)) continue;
            vm.prank(holder);
            if ((draw >> 128) % 3 == 0) {
                nft.burn(tokenId);
                owners[tokenId] = address(0);
            } else {
                nft.transferFrom(holder, carol, tokenId);
                owners[tokenId] = carol;
            }
        }
        uint256[3] memory held;
        for (uint256 id = 1; id <= newest; ++id) {
            address holder = ownerOrNobody(id);
            equal(holder, owners[id], "the owner of each");
            if (holder == alice) ++held[0];
            else if (holder == bob) ++held[1];
            else if (holder == carol) ++held[2];
        }
        equal(nft.balanceOf(alice), held[0], "balances");
        equal(nft.balanceOf(bob), held[1], "balances");
        equal(nft.balanceOf(carol), held[2], "balances");
        equal(nft.totalSupply(), held[0] + held[1] + held[2], "supply");
        equal(ownerOrNobody(newest + 1), address(0), "and nobody's beyond");
    }

    function test_aTokenOfARunIsLikeAnyOther() public {
        vm.startPrank(address(operator));
        nft.mintRun(alice, 5);
        nft.setMetadata(3, entries("name", "Third"));
        nft.freezeMetadata(4);
        vm.stopPrank();
        equal(nft.ownerOf(3), alice, "metadata leaves the owner");
        equal(nft.ownerOf(4), alice, "freezing too");
        equal(nft.metadata(3, "name"), "Third", "metadata");
        equal(nft.metadata(2, "name"), "", "of one token");
        isTrue(nft.isMetadataFrozen(4) && !nft.isMetadataFrozen(5), "one is frozen");
        vm.startPrank(alice);
        nft.approve(bob, 2);
        nft.burn(3);
        vm.stopPrank();
        equal(ownerOrNobody(3), address(0), "burned for good");
        equal(nft.metadata(3, "name"), "", "with its metadata");
        vm.prank(bob);
        nft.transferFrom(alice, carol, 2);
        equal(nft.ownerOf(2), carol, "transferred");
        equal(nft.ownerOf(1), alice, "not its neighbour");
        vm.prank(carol);
        nft.burn(2);
        equal(ownerOrNobody(2), address(0), "burned by its new owner");
        equal(nft.totalSupply(), 3, "three are left");
    }

    function test_refusesRunsOfAnyOtherLength() public {
        vm.startPrank(address(operator));
        vm.expectRevert(error1(IManagedERC721.InvalidRunLength.selector, 0));
        nft.mintRun(alice, 0);
        vm.expectRevert(error1(IManagedERC721.InvalidRunLength.selector, 257));
        nft.mintRun(alice, 257);
        vm.expectRevert(error1(IERC721Errors.ERC721InvalidReceiver.selector, address(0)));
        nft.mintRun(address(0), 1);
        nft.freeze(alice);
        vm.expectRevert(error1(IManagedToken.AccountFrozen.selector, alice));
        nft.mintRun(alice, 1);
        nft.pause();
        vm.expectRevert(error0(IManagedToken.TokenPaused.selector));
        nft.mintRun(bob, 1);
        vm.stopPrank();
        vm.expectRevert(error1(IManagedToken.NotOwnerOrOperator.selector, address(this)));
        nft.mintRun(bob, 1);
        nft = newNft(address(operator), "", true);
        vm.prank(address(operator));
        vm.expectRevert(error1(IManagedToken.AccountNotApproved.selector, bob));
        nft.mintRun(bob, 1);
    }

    function test_asksAContractForEachTokenOfARun() public {
        GoodReceiver receiver = new GoodReceiver();
        vm.prank(address(operator));
        nft.mintRun(address(receiver), 3);
        equal(receiver.received(), 3, "three times");
        address other = address(new NoReceiver());
        vm.prank(address(operator));
        vm.expectRevert(abi.encodeWithSelector(IManagedERC721.ReceiverRefused.selector, other, ""));
        nft.mintRun(other, 3);
    }

    /// @dev Otherwise an accomplice could take what the frozen account may not, or it could take from the holder's others what the
    /// holder gave them.
    function test_aFrozenOperatorOfAHolderMayNotTouchItsApprovals() public {
        mintNft(nft, alice);
        vm.prank(alice);
        nft.setApprovalForAll(bob, true);
        vm.prank(address(operator));
        nft.freeze(bob);
        vm.prank(bob);
        vm.expectRevert(error1(IManagedToken.AccountFrozen.selector, bob));
        nft.approve(carol, 1);
        vm.prank(alice);
        nft.approve(carol, 1);
        vm.prank(bob);
        vm.expectRevert(error1(IManagedToken.AccountFrozen.selector, bob));
        nft.approve(address(0), 1);
        equal(nft.getApproved(1), carol, "as the holder left it");
        vm.prank(address(operator));
        nft.unfreeze(bob);
        vm.prank(bob);
        nft.approve(address(0), 1);
        equal(nft.getApproved(1), address(0), "once it is free");
    }

    function test_aFrozenHolderMayTakeItsApprovalsBack() public {
        mintNft(nft, alice);
        vm.startPrank(alice);
        nft.approve(carol, 1);
        nft.setApprovalForAll(bob, true);
        vm.stopPrank();
        vm.prank(address(operator));
        nft.freeze(alice);
        vm.startPrank(alice);
        vm.expectRevert(error1(IManagedToken.AccountFrozen.selector, alice));
        nft.approve(bob, 1);
        nft.approve(address(0), 1);
        nft.setApprovalForAll(bob, false);
        vm.stopPrank();
        isTrue(nft.getApproved(1) == address(0) && !nft.isApprovedForAll(alice, bob), "none is left");
    }

    /// @dev A text of ERC-6454 is: what is not transferable is not moved by anybody.
    function test_doesNotClaimERC6454WhereHoldingsAreMovedByForce() public {
        isTrue(nft.supportsInterface(0x91a6262f), "claimed");
        ICollectionFactory.CollectionArgs memory args = nftArgs();
        args.recoverable = true;
        isTrue(!newNft(args).supportsInterface(0x91a6262f), "not claimed");
    }

    function test_isTransferableAnswersInGeneral() public {
        mintNft(nft, alice);
        isTrue(nft.isTransferable(1, address(0), address(0)), "in general");
        vm.expectRevert(error1(IERC721Errors.ERC721NonexistentToken.selector, 2));
        nft.isTransferable(2, address(0), address(0));
        isTrue(nft.isTransferable(2, address(0), bob), "a mint needs no token");
        vm.startPrank(address(operator));
        nft.lockTransfers();
        isTrue(!nft.isTransferable(1, address(0), address(0)), "locked");
        nft.unlockTransfers();
        nft.freeze(alice);
        isTrue(!nft.isTransferable(1, address(0), address(0)), "of a frozen holder");
        nft.unfreeze(alice);
        nft.pause();
        isTrue(!nft.isTransferable(1, address(0), address(0)), "paused");
        vm.stopPrank();
    }

    function ownerOrNobody(uint256 tokenId) private view returns (address) {
        try nft.ownerOf(tokenId) returns (address holder) {
            return holder;
        } catch {
            return address(0);
        }
    }
}
