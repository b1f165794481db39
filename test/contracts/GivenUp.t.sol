// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IERC721Errors} from "@openzeppelin/contracts/interfaces/draft-IERC6093.sol";
import {ManagedERC20} from "../../contracts/ManagedERC20.sol";
import {ManagedERC721} from "../../contracts/ManagedERC721.sol";
import {ManagedToken} from "../../contracts/ManagedToken.sol";
import {CollectionFactory} from "../../contracts/CollectionFactory.sol";
import {TokenFactory} from "../../contracts/TokenFactory.sol";
import {ICollectionFactory} from "../../contracts/interfaces/ICollectionFactory.sol";
import {IManagedERC721} from "../../contracts/interfaces/IManagedERC721.sol";
import {IManagedToken} from "../../contracts/interfaces/IManagedToken.sol";
import {ITokenFactory} from "../../contracts/interfaces/ITokenFactory.sol";
import {GivenUpSuite} from "./GivenUpSuite.sol";

contract GivenUpOfERC20Test is GivenUpSuite {
    function create(address owner) internal override returns (ManagedToken) {
        ITokenFactory.TokenArgs memory args = coinArgs();
        (args.owner, args.recoverable) = (owner, true);
        coin = newCoin(args);
        vm.prank(owner);
        coin.mint(alice, 10);
        return coin;
    }

    function powers() internal pure override returns (uint256) {
        return 3;
    }

    function mintData() internal view override returns (bytes memory) {
        return abi.encodeCall(coin.mint, (alice, 1));
    }

    function forcedTransferData() internal view override returns (bytes memory) {
        return abi.encodeCall(coin.forcedTransfer, (alice, carol, 1));
    }

    function forcedBurnData() internal view override returns (bytes memory) {
        return abi.encodeCall(coin.forcedBurn, (alice, 1));
    }

    function creationCode() internal pure override returns (bytes memory) {
        return type(ManagedERC20).creationCode;
    }

    function createOf(address implementation) internal override returns (ManagedToken) {
        tokenFactory = new TokenFactory(ManagedERC20(implementation));
        return create(wallet);
    }
}

contract GivenUpOfERC721Test is GivenUpSuite {
    uint256 private constant ITS_METADATA = 3;

    function create(address owner) internal override returns (ManagedToken) {
        ICollectionFactory.CollectionArgs memory args = nftArgs();
        (args.owner, args.recoverable) = (owner, true);
        nft = newNft(args);
        vm.startPrank(owner);
        nft.mint(alice);
        nft.mintRun(alice, 2);
        vm.stopPrank();
        return nft;
    }

    function powers() internal pure override returns (uint256) {
        return 4;
    }

    function stateOf(uint256 which) internal view override returns (bool given, uint256 forGoodAt) {
        if (which != ITS_METADATA) return super.stateOf(which);
        // Its word, from where the collection stores it: nothing else tells the time.
        uint256 word = wordOf(1);
        return (word >> 255 != 0, uint48(word >> 200));
    }

    function powerOf(uint256 which) internal pure override returns (Power memory) {
        if (which != ITS_METADATA) return super.powerOf(which);
        return
            Power(
                abi.encodeWithSignature("freezeMetadata(uint256)", 1),
                abi.encodeWithSignature("unfreezeMetadata(uint256)", 1),
                IManagedERC721.TokenMetadataFrozen.selector,
                IManagedERC721.TokenMetadataUnfrozen.selector
            );
    }

    function mintData() internal view override returns (bytes memory) {
        return abi.encodeCall(nft.mint, (alice));
    }

    function forcedTransferData() internal view override returns (bytes memory) {
        return abi.encodeCall(nft.forcedTransfer, (alice, carol, 1));
    }

    function forcedBurnData() internal view override returns (bytes memory) {
        return abi.encodeCall(nft.forcedBurn, (alice, 2));
    }

    function creationCode() internal pure override returns (bytes memory) {
        return type(ManagedERC721).creationCode;
    }

    function createOf(address implementation) internal override returns (ManagedToken) {
        collectionFactory = new CollectionFactory(ManagedERC721(implementation));
        return create(wallet);
    }

    function test_metadataOfOneTokenUnfreezes() public {
        vm.startPrank(address(operator));
        nft.setMetadata(1, entries("name", "Old"));
        nft.freezeMetadata(1);
        vm.expectRevert(error0(IManagedToken.MetadataFrozen.selector));
        nft.setMetadata(1, entries("name", "New"));
        nft.unfreezeMetadata(1);
        isTrue(!nft.isMetadataFrozen(1), "free");
        equal(nft.metadata(1, "name"), "Old", "as it was");
        nft.setMetadata(1, entries("name", "New"));
        equal(nft.metadata(1, "name"), "New", "as it is");
        equal(nft.ownerOf(1), alice, "still hers");
        vm.expectRevert(error1(IERC721Errors.ERC721NonexistentToken.selector, 9));
        nft.unfreezeMetadata(9);
        vm.stopPrank();
    }

    function test_aTransferLeavesTheTimeAndABurnEndsIt() public {
        gives(ITS_METADATA, address(operator), START + REVOCABLE_SECONDS);
        vm.prank(alice);
        nft.transferFrom(alice, bob, 1);
        isGiven(ITS_METADATA, START + REVOCABLE_SECONDS);
        vm.prank(address(operator));
        nft.forcedTransfer(bob, carol, 1);
        isGiven(ITS_METADATA, START + REVOCABLE_SECONDS);
        equal(nft.ownerOf(1), carol, "moved");
        vm.warp(START + REVOCABLE_SECONDS);
        isForGood(ITS_METADATA, START + REVOCABLE_SECONDS);
        vm.prank(carol);
        nft.burn(1);
        equal(wordOf(1), 0, "nothing is left");
    }

    function test_aTokenOfARunFreezesLikeAnyOther() public {
        vm.startPrank(address(operator));
        nft.freezeMetadata(2);
        isTrue(nft.isMetadataFrozen(2) && !nft.isMetadataFrozen(3), "one");
        nft.unfreezeMetadata(2);
        isTrue(!nft.isMetadataFrozen(2), "none");
        equal(nft.ownerOf(2), alice, "still hers");
        nft.freezeMetadata(2);
        vm.stopPrank();
        vm.prank(alice);
        nft.burn(2);
        vm.expectRevert(error1(IERC721Errors.ERC721NonexistentToken.selector, 2));
        nft.ownerOf(2);
        equal(nft.balanceOf(alice), 2, "gone for ever");
    }

    /// @dev What is frozen twice is free when both are taken back.
    function test_bothFreezesHoldOnTheirOwn() public {
        gives(ITS_METADATA, wallet, START);
        gives(1, address(operator), START + REVOCABLE_SECONDS);
        takesBack(1, address(operator));
        isTrue(nft.isMetadataFrozen(1) && !nft.isMetadataFrozen(2), "the one token stays frozen");
        gives(1, wallet, START);
        vm.startPrank(address(operator));
        nft.freezeMetadata(2);
        nft.unfreezeMetadata(2);
        isTrue(nft.isMetadataFrozen(2), "by that of all");
        vm.expectRevert(error0(IManagedToken.MetadataFrozen.selector));
        nft.setMetadata(2, entries("name", "New"));
        vm.stopPrank();
    }

    function wordOf(uint256 tokenId) private view returns (uint256) {
        bytes32 location = 0x49acedb7eeaac962b008ae4939c119aba1a6bb6a5942493e5a58c4a3d5afc600;
        return uint256(vm.load(address(nft), keccak256(abi.encode(tokenId, location))));
    }
}
