// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IERC20Errors, IERC721Errors} from "@openzeppelin/contracts/interfaces/draft-IERC6093.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {IERC721} from "@openzeppelin/contracts/token/ERC721/IERC721.sol";
import {ICollectionFactory} from "../../contracts/interfaces/ICollectionFactory.sol";
import {IManagedERC20} from "../../contracts/interfaces/IManagedERC20.sol";
import {IManagedERC721} from "../../contracts/interfaces/IManagedERC721.sol";
import {IManagedToken} from "../../contracts/interfaces/IManagedToken.sol";
import {ITokenFactory} from "../../contracts/interfaces/ITokenFactory.sol";
import {NoReceiver} from "./Receivers.sol";
import {Setup} from "./Setup.sol";

/// @notice Forced transfers and burns after ERC-7943.
contract RecoveryTest is Setup {
    function setUp() public override {
        super.setUp();
        ITokenFactory.TokenArgs memory coinWith = coinArgs();
        coinWith.owner = wallet;
        coinWith.recoverable = true;
        coin = newCoin(coinWith);
        ICollectionFactory.CollectionArgs memory nftWith = nftArgs();
        nftWith.owner = wallet;
        nftWith.recoverable = true;
        nft = newNft(nftWith);
        vm.startPrank(address(operator));
        coin.mint(alice, 10);
        nft.mint(alice);
        nft.mint(alice);
        vm.stopPrank();
    }

    function test_movesCoinsOfAFrozenHolderWhileLocked() public {
        vm.startPrank(address(operator));
        coin.freeze(alice);
        coin.lockTransfers();
        vm.expectEmit(true, true, true, true, address(coin));
        emit IERC20.Transfer(alice, bob, 4);
        vm.expectEmit(true, true, true, true, address(coin));
        emit IManagedERC20.ForcedTransfer(alice, bob, 4);
        isTrue(coin.forcedTransfer(alice, bob, 4), "true");
        equal(coin.balanceOf(alice), 6, "taken");
        equal(coin.balanceOf(bob), 4, "given");
        isTrue(coin.isFrozen(alice), "still frozen");
        vm.expectEmit(true, true, true, true, address(coin));
        emit IERC20.Transfer(alice, address(0), 5);
        vm.expectEmit(true, true, true, true, address(coin));
        emit IManagedERC20.ForcedTransfer(alice, address(0), 5);
        isTrue(coin.forcedBurn(alice, 5), "true");
        vm.stopPrank();
        equal(coin.balanceOf(alice), 1, "burned");
        equal(coin.totalSupply(), 5, "for ever");
    }

    function test_movesTokensOfAFrozenHolderWhileLocked() public {
        vm.prank(alice);
        nft.approve(carol, 1);
        vm.startPrank(address(operator));
        nft.freeze(alice);
        nft.lockTransfers();
        vm.expectEmit(true, true, true, true, address(nft));
        emit IERC721.Transfer(alice, bob, 1);
        vm.expectEmit(true, true, true, true, address(nft));
        emit IManagedERC721.ForcedTransfer(alice, bob, 1);
        isTrue(nft.forcedTransfer(alice, bob, 1), "true");
        equal(nft.ownerOf(1), bob, "moved");
        equal(nft.getApproved(1), address(0), "its approval is gone");
        equal(nft.balanceOf(alice), 1, "taken");
        equal(nft.balanceOf(bob), 1, "given");
        vm.expectEmit(true, true, true, true, address(nft));
        emit IManagedERC721.ForcedTransfer(alice, address(0), 2);
        isTrue(nft.forcedBurn(alice, 2), "true");
        vm.stopPrank();
        equal(nft.totalSupply(), 1, "burned");
        equal(nft.balanceOf(alice), 0, "nothing left");
    }

    function test_theOwnerMayTooButNoStranger(address caller) public {
        vm.assume(caller != wallet && caller != address(operator));
        vm.startPrank(caller);
        bytes memory reason = error1(IManagedToken.NotOwnerOrOperator.selector, caller);
        vm.expectRevert(reason);
        coin.forcedTransfer(alice, bob, 1);
        vm.expectRevert(reason);
        coin.forcedBurn(alice, 1);
        vm.expectRevert(reason);
        nft.forcedTransfer(alice, bob, 1);
        vm.expectRevert(reason);
        nft.forcedBurn(alice, 1);
        vm.stopPrank();
        vm.startPrank(wallet);
        coin.forcedTransfer(alice, bob, 1);
        nft.forcedTransfer(alice, bob, 1);
        vm.stopPrank();
    }

    function test_onlyWhereTheTokenSaysSo() public {
        isTrue(coin.recoverable() && nft.recoverable(), "said");
        isTrue(coin.tokenLimits().recoverable && nft.tokenLimits().recoverable, "said here too");
        coin = newCoin(wallet, false);
        nft = newNft(wallet, "", false);
        isTrue(!coin.recoverable() && !nft.recoverable(), "not by default");
        vm.startPrank(wallet);
        coin.mint(alice, 1);
        nft.mint(alice);
        bytes memory reason = error0(IManagedToken.NotRecoverable.selector);
        vm.expectRevert(reason);
        coin.forcedTransfer(alice, bob, 1);
        vm.expectRevert(reason);
        coin.forcedBurn(alice, 1);
        vm.expectRevert(reason);
        nft.forcedTransfer(alice, bob, 1);
        vm.expectRevert(reason);
        nft.forcedBurn(alice, 1);
        vm.stopPrank();
    }

    function test_notWhilePaused() public {
        vm.startPrank(address(operator));
        coin.pause();
        nft.pause();
        bytes memory reason = error0(IManagedToken.TokenPaused.selector);
        vm.expectRevert(reason);
        coin.forcedTransfer(alice, bob, 1);
        vm.expectRevert(reason);
        nft.forcedTransfer(alice, bob, 1);
        vm.expectRevert(reason);
        nft.forcedBurn(alice, 1);
        vm.stopPrank();
    }

    function test_notToAFrozenReceiverOrToNobody() public {
        vm.startPrank(address(operator));
        coin.freeze(bob);
        nft.freeze(bob);
        isTrue(!coin.canReceive(bob) && !coin.canSend(bob), "as the views say");
        isTrue(coin.canReceive(alice) && coin.canSend(alice), "of others too");
        bytes memory reason = error1(IManagedToken.ERC7943CannotReceive.selector, bob);
        vm.expectRevert(reason);
        coin.forcedTransfer(alice, bob, 1);
        vm.expectRevert(reason);
        nft.forcedTransfer(alice, bob, 1);
        vm.expectRevert(error1(IERC20Errors.ERC20InvalidReceiver.selector, address(0)));
        coin.forcedTransfer(alice, address(0), 1);
        vm.expectRevert(error1(IERC721Errors.ERC721InvalidReceiver.selector, address(0)));
        nft.forcedTransfer(alice, address(0), 1);
        vm.stopPrank();
    }

    function test_onlyWhatTheHolderHas() public {
        vm.startPrank(address(operator));
        bytes memory reason = abi.encodeWithSelector(
            IERC20Errors.ERC20InsufficientBalance.selector,
            alice,
            10,
            11
        );
        vm.expectRevert(reason);
        coin.forcedTransfer(alice, bob, 11);
        vm.expectRevert(reason);
        coin.forcedBurn(alice, 11);
        vm.expectRevert(error1(IERC20Errors.ERC20InvalidSender.selector, address(0)));
        coin.forcedTransfer(address(0), bob, 1);
        vm.expectRevert(error1(IERC20Errors.ERC20InvalidSender.selector, address(0)));
        coin.forcedBurn(address(0), 1);
        vm.expectRevert(abi.encodeWithSelector(IERC721Errors.ERC721IncorrectOwner.selector, bob, 1, alice));
        nft.forcedTransfer(bob, carol, 1);
        vm.expectRevert(abi.encodeWithSelector(IERC721Errors.ERC721IncorrectOwner.selector, bob, 1, alice));
        nft.forcedBurn(bob, 1);
        vm.expectRevert(error1(IERC721Errors.ERC721NonexistentToken.selector, 3));
        nft.forcedTransfer(alice, bob, 3);
        vm.stopPrank();
        equal(coin.totalSupply(), 10, "nothing was made");
    }

    function test_aReceivingContractIsNotAsked() public {
        address receiver = address(new NoReceiver());
        vm.prank(address(operator));
        nft.forcedTransfer(alice, receiver, 1);
        equal(nft.ownerOf(1), receiver, "it has it");
    }
}
