// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {ManagedToken} from "../../contracts/ManagedToken.sol";
import {ICollectionFactory} from "../../contracts/interfaces/ICollectionFactory.sol";
import {IManagedERC721, MintItem} from "../../contracts/interfaces/IManagedERC721.sol";
import {IManagedToken} from "../../contracts/interfaces/IManagedToken.sol";
import {ITokenFactory} from "../../contracts/interfaces/ITokenFactory.sol";
import {Setup} from "./Setup.sol";

/// @notice Cap, daily limit and closed mint, of both types of token. How the limit refills is told by {BucketTest}, how what is
/// closed is taken back by {GivenUpTest}.
abstract contract MintBoundsSuite is Setup {
    uint256 internal constant NONE = type(uint256).max;

    function setUp() public override {
        super.setUp();
        vm.warp(20_000 days + 5 hours);
    }

    function create(address owner, uint256 maxSupply, uint256 limit) internal virtual returns (ManagedToken);

    /// @dev Mints by the sender that is pranked.
    function mintData(address to, uint256 amount) internal view virtual returns (bytes memory);

    function test_tellsItsBounds() public {
        IManagedToken.TokenLimits memory limits = create(wallet, 0, 0).tokenLimits();
        equal(limits.maxSupply, NONE, "no cap");
        equal(limits.mintLimit, NONE, "no limit");
        equal(limits.mintableNow, NONE, "as much as is wanted");
        equal(limits.fullAt, 0, "nothing refills");
        equal(limits.totalSupply, 0, "nothing minted");
        isTrue(!limits.mintClosed && !limits.recoverable && !limits.metadataFrozen, "no flag");
        isTrue(!limits.controlsRenounced, "nor that one");
        equal(limits.mintClosedForGoodAt | limits.metadataFrozenForGoodAt, 0, "and no time");
        equal(limits.controlsRenouncedForGoodAt, 0, "of any");
        ManagedToken token = create(wallet, 9, 7);
        equal(token.tokenLimits().fullAt, block.timestamp, "full now");
        mint(token, address(operator), 3);
        limits = token.tokenLimits();
        equal(limits.maxSupply, 9, "cap");
        equal(token.maxSupply(), 9, "alone");
        equal(limits.mintLimit, 7, "limit");
        equal(token.mintLimit(), 7, "alone");
        equal(limits.mintableNow, 4, "counted");
        equal(token.mintableNow(), 4, "alone");
        // 3 of 7 in a day, rounded up to a whole second.
        equal(limits.fullAt, block.timestamp + 37_029, "full again");
        equal(limits.totalSupply, 3, "minted");
    }

    function test_neverMintsBeyondTheCap() public {
        ManagedToken token = create(wallet, 5, 0);
        mint(token, address(operator), 3);
        refused(token, address(operator), 3, capExceeded(6, 5));
        mint(token, wallet, 2);
        refused(token, address(operator), 1, capExceeded(6, 5));
        refused(token, wallet, 1, capExceeded(6, 5));
    }

    function test_theOperatorMintsNoMoreThanTheLimitAtOnce() public {
        ManagedToken token = create(wallet, 0, 5);
        mint(token, address(operator), 4);
        refused(token, address(operator), 2, limitExceeded(2, 1));
        mint(token, address(operator), 1);
        refused(token, address(operator), 1, limitExceeded(1, 0));
        equal(token.mintableNow(), 0, "nothing");
    }

    /// @dev One each 17,280 seconds, and midnight is no other second.
    function test_whatTheOperatorMintedRefillsEvenly() public {
        ManagedToken token = create(wallet, 0, 5);
        uint256 start = block.timestamp;
        mint(token, address(operator), 5);
        vm.warp(start + 17_279);
        refused(token, address(operator), 1, limitExceeded(1, 0));
        vm.warp(start + 17_280);
        equal(token.mintableNow(), 1, "one");
        refused(token, address(operator), 2, limitExceeded(2, 1));
        mint(token, address(operator), 1);
        vm.warp(20_001 days - 1);
        uint256 before = token.mintableNow();
        vm.warp(20_001 days);
        equal(token.mintableNow(), before, "midnight gives nothing");
        vm.warp(start + 1 days);
        equal(token.mintableNow(), 4, "all but what was minted since");
        equal(token.tokenLimits().fullAt, start + 1 days + 17_280, "and when it is full");
        vm.warp(start + 1 days + 17_280);
        equal(token.mintableNow(), 5, "full");
        vm.warp(start + 9 days);
        equal(token.mintableNow(), 5, "never more than the limit");
        mint(token, address(operator), 5);
        refused(token, address(operator), 1, limitExceeded(1, 0));
    }

    function test_anotherOwnerThanTheOperatorIsNotLimited() public {
        ManagedToken token = create(wallet, 0, 2);
        mint(token, wallet, 9);
        equal(token.mintableNow(), 2, "not counted");
        mint(token, address(operator), 2);
        refused(token, address(operator), 1, limitExceeded(1, 0));
        mint(token, wallet, 9);
        token = create(address(operator), 0, 2);
        mint(token, address(operator), 2);
        refused(token, address(operator), 1, limitExceeded(1, 0));
    }

    /// @dev The Operator contract owns the tokens of accounts without a wallet, and executors mint through it.
    function test_theFirstOperatorIsLimitedAlsoAsTheOwnerAlone() public {
        ManagedToken token = create(address(operator), 0, 2);
        operator.adminExecute(address(token), abi.encodeCall(token.setOperator, (bob)));
        mint(token, address(operator), 2);
        refused(token, address(operator), 1, limitExceeded(1, 0));
        refused(token, bob, 1, limitExceeded(1, 0));
    }

    function test_aFormerOperatorLeavesItsCount() public {
        ManagedToken token = create(wallet, 0, 3);
        mint(token, address(operator), 3);
        vm.prank(wallet);
        token.setOperator(bob);
        refused(token, bob, 1, limitExceeded(1, 0));
    }

    function test_theOperatorLowersTheLimitAtOnce() public {
        ManagedToken token = create(wallet, 0, 10);
        mint(token, address(operator), 3);
        vm.expectEmit(true, true, true, true, address(token));
        emit IManagedToken.MintLimitChanged(10, 4);
        vm.prank(address(operator));
        token.lowerMintLimit(4);
        equal(token.mintLimit(), 4, "lower");
        equal(token.mintableNow(), 1, "what was minted counts");
        refused(token, address(operator), 2, limitExceeded(2, 1));
        vm.prank(address(operator));
        vm.expectRevert(wrongLimit(5, 4));
        token.lowerMintLimit(5);
        vm.recordLogs();
        vm.prank(wallet);
        token.lowerMintLimit(4);
        equal(vm.getRecordedLogs().length, 0, "the same limit changes nothing");
        vm.prank(wallet);
        token.lowerMintLimit(0);
        refused(token, address(operator), 1, limitExceeded(1, 0));
        vm.warp(20_009 days);
        refused(token, address(operator), 1, limitExceeded(1, 0));
        equal(token.mintableNow(), 0, "nothing refills to nothing");
    }

    function test_aTokenWithoutALimitGetsOne() public {
        ManagedToken token = create(wallet, 0, 0);
        mint(token, address(operator), 50);
        vm.expectEmit(true, true, true, true, address(token));
        emit IManagedToken.MintLimitChanged(NONE, 2);
        vm.prank(address(operator));
        token.lowerMintLimit(2);
        mint(token, address(operator), 2);
        refused(token, address(operator), 1, limitExceeded(1, 0));
    }

    function test_onlyTheOwnerRaisesTheLimit() public {
        ManagedToken token = create(wallet, 0, 2);
        vm.prank(address(operator));
        vm.expectRevert(error1(IManagedToken.NotOwner.selector, address(operator)));
        token.raiseMintLimit(3);
        vm.startPrank(wallet);
        vm.expectRevert(wrongLimit(1, 2));
        token.raiseMintLimit(1);
        vm.expectRevert(wrongLimit(1 << 198, 2));
        token.raiseMintLimit(1 << 198);
        vm.expectRevert(wrongLimit(NONE - 1, 2));
        token.raiseMintLimit(NONE - 1);
        vm.expectEmit(true, true, true, true, address(token));
        emit IManagedToken.MintLimitChanged(2, 3);
        token.raiseMintLimit(3);
        vm.recordLogs();
        token.raiseMintLimit(3);
        equal(vm.getRecordedLogs().length, 0, "the same limit changes nothing");
        vm.stopPrank();
        mint(token, address(operator), 2);
        refused(token, address(operator), 1, limitExceeded(1, 0));
        vm.prank(wallet);
        token.raiseMintLimit((1 << 198) - 1);
        refused(token, address(operator), 1, limitExceeded(1, 0));
        vm.warp(block.timestamp + 1 days);
        mint(token, address(operator), 3);
        equal(token.mintableNow(), (1 << 198) - 4, "still counted");
        vm.prank(wallet);
        token.raiseMintLimit(NONE);
        mint(token, address(operator), 20);
        equal(token.mintableNow(), NONE, "no limit, no count");
        vm.prank(wallet);
        token.lowerMintLimit(5);
        equal(token.mintableNow(), 2, "what was counted before still is");
    }

    /// @dev What has refilled until then refilled under the limit that held.
    function test_aNewLimitDoesNotRewriteThePast() public {
        ManagedToken token = create(wallet, 0, 10);
        uint256 start = block.timestamp;
        mint(token, address(operator), 10);
        vm.warp(start + 12 hours);
        vm.prank(wallet);
        token.raiseMintLimit(20);
        equal(token.mintableNow(), 5, "5 of 10 came back, and not of 20");
        vm.warp(start + 18 hours);
        equal(token.mintableNow(), 10, "a quarter of 20 came back");
        vm.prank(address(operator));
        token.lowerMintLimit(16);
        equal(token.mintableNow(), 6, "10 are missing still");
        vm.warp(start + 24 hours);
        equal(token.mintableNow(), 10, "a quarter of 16 came back");
    }

    function test_strangersChangeNoBound(address caller) public {
        vm.assume(caller != wallet && caller != address(operator));
        ManagedToken token = create(wallet, 0, 2);
        vm.startPrank(caller);
        vm.expectRevert(error1(IManagedToken.NotOwnerOrOperator.selector, caller));
        token.lowerMintLimit(1);
        vm.expectRevert(error1(IManagedToken.NotOwner.selector, caller));
        token.raiseMintLimit(3);
        vm.expectRevert(error1(IManagedToken.NotOwnerOrOperator.selector, caller));
        token.closeMint();
        vm.stopPrank();
    }

    function test_aClosedMintStaysClosed() public {
        ManagedToken token = create(wallet, 0, 0);
        mint(token, address(operator), 1);
        isTrue(!token.mintClosed(), "open");
        vm.expectEmit(true, true, true, true, address(token));
        emit IManagedToken.MintingClosed(block.timestamp);
        vm.prank(wallet);
        token.closeMint();
        isTrue(token.mintClosed() && token.tokenLimits().mintClosed, "closed");
        refused(token, address(operator), 1, error0(IManagedToken.MintClosed.selector));
        refused(token, wallet, 1, error0(IManagedToken.MintClosed.selector));
        vm.recordLogs();
        vm.prank(address(operator));
        token.closeMint();
        vm.prank(wallet);
        token.closeMint();
        equal(vm.getRecordedLogs().length, 0, "once");
        isTrue(token.mintClosed(), "and no way back");
        equal(token.tokenLimits().mintClosedForGoodAt, block.timestamp, "from that block on");
    }

    function test_boundsTightenWhilePaused() public {
        ManagedToken token = create(wallet, 0, 9);
        vm.startPrank(address(operator));
        token.pause();
        token.lowerMintLimit(1);
        token.closeMint();
        token.freezeMetadata();
        vm.stopPrank();
        isTrue(token.metadataFrozen() && token.mintClosed(), "both");
    }

    /// @dev Else who lowers the limit with a stolen key would, by the owner who raises it again, have it all once more.
    function test_aRaiseForgetsNothingThatWasMinted() public {
        ManagedToken token = create(wallet, 0, 10);
        uint256 start = block.timestamp;
        mint(token, address(operator), 10);
        uint256[4] memory lower = [uint256(10), 4, 1, 0];
        for (uint256 i; i < 4; ++i) {
            vm.prank(address(operator));
            token.lowerMintLimit(lower[i]);
            vm.prank(wallet);
            token.raiseMintLimit(10);
            equal(token.mintableNow(), 0, "lowered and raised, it is used up still");
        }
        vm.prank(wallet);
        token.raiseMintLimit(12);
        equal(token.mintableNow(), 0, "a higher one gives nothing at once");
        refused(token, address(operator), 1, limitExceeded(1, 0));
        equal(token.tokenLimits().fullAt, start + 1 days, "it is full in a day");
        vm.warp(start + 2 hours);
        equal(token.mintableNow(), 1, "and refills as 12 a day do");
    }

    function mint(ManagedToken token, address by, uint256 amount) internal {
        vm.prank(by);
        (bool ok, ) = address(token).call(mintData(alice, amount));
        isTrue(ok, "minted");
    }

    function refused(ManagedToken token, address by, uint256 amount, bytes memory reason) internal {
        vm.prank(by);
        (bool ok, bytes memory answer) = address(token).call(mintData(alice, amount));
        isTrue(!ok, "refused");
        equal(answer, reason, "and why");
    }

    function capExceeded(uint256 supply, uint256 cap) internal pure returns (bytes memory) {
        return abi.encodeWithSelector(IManagedToken.SupplyCapExceeded.selector, supply, cap);
    }

    function limitExceeded(uint256 amount, uint256 mintable) internal pure returns (bytes memory) {
        return abi.encodeWithSelector(IManagedToken.MintLimitExceeded.selector, amount, mintable);
    }

    function wrongLimit(uint256 limit, uint256 current) private pure returns (bytes memory) {
        return abi.encodeWithSelector(IManagedToken.InvalidMintLimit.selector, limit, current);
    }
}

contract MintBoundsOfERC20Test is MintBoundsSuite {
    function create(
        address owner,
        uint256 maxSupply,
        uint256 limit
    ) internal override returns (ManagedToken) {
        ITokenFactory.TokenArgs memory args = coinArgs();
        (args.owner, args.maxSupply, args.mintLimitPerDay) = (owner, maxSupply, limit);
        return newCoin(args);
    }

    function mintData(address to, uint256 amount) internal view override returns (bytes memory) {
        return abi.encodeCall(coin.mint, (to, amount));
    }

    function test_burningMakesRoomUnderTheCapButNotUnderTheLimit() public {
        ITokenFactory.TokenArgs memory args = coinArgs();
        (args.maxSupply, args.mintLimitPerDay) = (5, 6);
        coin = newCoin(args);
        mint(coin, address(operator), 5);
        vm.prank(alice);
        coin.burn(4);
        mint(coin, address(operator), 1);
        refused(coin, address(operator), 1, limitExceeded(1, 0));
        vm.warp(block.timestamp + 1 days);
        refused(coin, address(operator), 4, capExceeded(6, 5));
        mint(coin, address(operator), 3);
    }

    function test_countsAmountsOfAnySize() public {
        ITokenFactory.TokenArgs memory args = coinArgs();
        (args.maxSupply, args.mintLimitPerDay) = ((1 << 208) - 1, (1 << 198) - 1);
        coin = newCoin(args);
        mint(coin, address(operator), 1);
        refused(coin, address(operator), NONE, capExceeded(NONE, (1 << 208) - 1));
        mint(coin, address(operator), (1 << 198) - 2);
        equal(coin.mintableNow(), 0, "all of it");
        vm.prank(alice);
        coin.burn(5);
        refused(coin, address(operator), 1, limitExceeded(1, 0));
        vm.warp(block.timestamp + 1 days - 1);
        isTrue(coin.mintableNow() < (1 << 198) - 1, "not a second too early");
        vm.warp(block.timestamp + 1);
        equal(coin.mintableNow(), (1 << 198) - 1, "whole after a day");
        mint(coin, address(operator), (1 << 198) - 1);
        refused(coin, address(operator), 1, limitExceeded(1, 0));
    }
}

contract MintBoundsOfERC721Test is MintBoundsSuite {
    function create(
        address owner,
        uint256 maxSupply,
        uint256 limit
    ) internal override returns (ManagedToken) {
        ICollectionFactory.CollectionArgs memory args = nftArgs();
        (args.owner, args.maxSupply, args.mintLimitPerDay) = (owner, maxSupply, limit);
        return newNft(args);
    }

    function mintData(address to, uint256 amount) internal pure override returns (bytes memory) {
        MintItem[] memory items = new MintItem[](amount);
        for (uint256 i; i < amount; ++i) items[i].to = to;
        return abi.encodeCall(IManagedERC721.mintBatch, (items));
    }

    function test_theCapIsOfIdsEverGiven() public {
        ICollectionFactory.CollectionArgs memory args = nftArgs();
        args.maxSupply = 2;
        nft = newNft(args);
        vm.prank(address(operator));
        nft.mint(alice);
        vm.prank(alice);
        nft.burn(1);
        vm.prank(address(operator));
        nft.mint(alice);
        refused(nft, address(operator), 1, capExceeded(3, 2));
    }

    function test_everyWayToMintIsBounded() public {
        ICollectionFactory.CollectionArgs memory args = nftArgs();
        (args.maxSupply, args.mintLimitPerDay) = (9, 4);
        nft = newNft(args);
        vm.startPrank(address(operator));
        nft.mint(alice);
        nft.mintWithMetadata(alice, entries("name", "x"));
        nft.mintRun(alice, 2);
        equal(nft.mintableNow(), 0, "each counts");
        vm.expectRevert(limitExceeded(1, 0));
        nft.mint(alice);
        vm.expectRevert(limitExceeded(1, 0));
        nft.mintWithMetadata(alice, entries("name", "x"));
        vm.expectRevert(limitExceeded(2, 0));
        nft.mintRun(alice, 2);
        vm.expectRevert(limitExceeded(2, 0));
        nft.mintRows(3, abi.encodePacked(alice, bob));
        vm.warp(block.timestamp + 1 days);
        vm.expectRevert(capExceeded(10, 9));
        nft.mintRows(63, abi.encodePacked(alice, bob, alice, bob, alice, bob));
        vm.expectRevert(capExceeded(10, 9));
        nft.mintRun(alice, 6);
        vm.stopPrank();
    }
}
