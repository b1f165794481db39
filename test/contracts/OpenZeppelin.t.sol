// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IERC20Errors, IERC721Errors} from "@openzeppelin/contracts/interfaces/draft-IERC6093.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {IERC721} from "@openzeppelin/contracts/token/ERC721/IERC721.sol";
import {CollectionFactory} from "../../contracts/CollectionFactory.sol";
import {TokenFactory} from "../../contracts/TokenFactory.sol";
import {HarnessERC20, HarnessERC721} from "./Harness.sol";
import {CuriousReceiver} from "./Announcements.t.sol";
import {NoReceiver, WrongReceiver} from "./Receivers.sol";
import {Setup} from "./Setup.sol";

/// @notice The behaviours of OpenZeppelin's suites of ERC-20 and ERC-721, of the internal functions too, so that what is
/// stored differently still keeps the contract that extensions rely on.
contract OpenZeppelinTest is Setup {
    HarnessERC20 private erc20;
    HarnessERC721 private erc721;

    function setUp() public override {
        super.setUp();
        address system = address(operator);
        tokenFactory = new TokenFactory(new HarnessERC20(system, descriptor));
        collectionFactory = new CollectionFactory(new HarnessERC721(system, descriptor));
        erc20 = HarnessERC20(address(newCoin(system, false)));
        erc721 = HarnessERC721(address(newNft(system, "", false)));
        erc20.exposedMint(alice, 100);
        erc721.exposedMint(alice, 79_217);
        erc721.exposedMint(alice, 4_217);
    }

    function test_erc20MintsAndBurns() public {
        vm.expectRevert(error1(IERC20Errors.ERC20InvalidReceiver.selector, address(0)));
        erc20.exposedMint(address(0), 1);
        vm.expectEmit(true, true, true, true, address(erc20));
        emit IERC20.Transfer(address(0), bob, 50);
        erc20.exposedMint(bob, 50);
        equal(erc20.totalSupply(), 150, "supply");
        vm.expectRevert(error1(IERC20Errors.ERC20InvalidSender.selector, address(0)));
        erc20.exposedBurn(address(0), 1);
        vm.expectRevert(abi.encodeWithSelector(IERC20Errors.ERC20InsufficientBalance.selector, bob, 50, 51));
        erc20.exposedBurn(bob, 51);
        vm.expectEmit(true, true, true, true, address(erc20));
        emit IERC20.Transfer(bob, address(0), 50);
        erc20.exposedBurn(bob, 50);
        equal(erc20.totalSupply(), 100, "supply again");
        equal(erc20.balanceOf(bob), 0, "balance");
    }

    function test_erc20Updates() public {
        vm.expectEmit(true, true, true, true, address(erc20));
        emit IERC20.Transfer(address(0), bob, 7);
        erc20.exposedUpdate(address(0), bob, 7);
        equal(erc20.totalSupply(), 107, "from zero mints");
        vm.expectEmit(true, true, true, true, address(erc20));
        emit IERC20.Transfer(alice, address(0), 7);
        erc20.exposedUpdate(alice, address(0), 7);
        equal(erc20.totalSupply(), 100, "to zero burns");
        vm.expectEmit(true, true, true, true, address(erc20));
        emit IERC20.Transfer(address(0), address(0), 7);
        erc20.exposedUpdate(address(0), address(0), 7);
        equal(erc20.totalSupply(), 100, "from zero to zero does neither");
        vm.expectEmit(true, true, true, true, address(erc20));
        emit IERC20.Transfer(alice, alice, 3);
        erc20.exposedUpdate(alice, alice, 3);
        equal(erc20.balanceOf(alice), 93, "to itself changes nothing");
    }

    function test_erc20TransfersAndApproves() public {
        vm.expectRevert(error1(IERC20Errors.ERC20InvalidSender.selector, address(0)));
        erc20.exposedTransfer(address(0), bob, 1);
        vm.expectRevert(error1(IERC20Errors.ERC20InvalidReceiver.selector, address(0)));
        erc20.exposedTransfer(alice, address(0), 1);
        erc20.exposedTransfer(alice, bob, 100);
        equal(erc20.balanceOf(bob), 100, "all");
        erc20.exposedTransfer(alice, bob, 0);
        vm.expectRevert(error1(IERC20Errors.ERC20InvalidApprover.selector, address(0)));
        erc20.exposedApprove(address(0), bob, 1);
        vm.expectRevert(error1(IERC20Errors.ERC20InvalidSpender.selector, address(0)));
        erc20.exposedApprove(alice, address(0), 1);
        vm.expectEmit(true, true, true, true, address(erc20));
        emit IERC20.Approval(bob, carol, 9);
        erc20.exposedApprove(bob, carol, 9);
        erc20.exposedSpendAllowance(bob, carol, 4);
        equal(erc20.allowance(bob, carol), 5, "spent");
        vm.expectRevert(
            abi.encodeWithSelector(IERC20Errors.ERC20InsufficientAllowance.selector, carol, 5, 6)
        );
        erc20.exposedSpendAllowance(bob, carol, 6);
        erc20.exposedApprove(bob, carol, type(uint256).max);
        erc20.exposedSpendAllowance(bob, carol, 50);
        equal(erc20.allowance(bob, carol), type(uint256).max, "without end");
        vm.prank(carol);
        isTrue(erc20.transferFrom(bob, carol, 50), "true");
        equal(erc20.allowance(bob, carol), type(uint256).max, "without end");
    }

    function test_erc721Mints() public {
        equal(erc721.balanceOf(alice), 2, "both");
        vm.expectRevert(error1(IERC721Errors.ERC721InvalidReceiver.selector, address(0)));
        erc721.exposedMint(address(0), 5);
        vm.expectRevert(error1(IERC721Errors.ERC721InvalidSender.selector, address(0)));
        erc721.exposedMint(bob, 79_217);
        vm.expectEmit(true, true, true, true, address(erc721));
        emit IERC721.Transfer(address(0), bob, 5);
        erc721.exposedMint(bob, 5);
        equal(erc721.ownerOf(5), bob, "owner");
        equal(erc721.totalSupply(), 3, "supply");
        CuriousReceiver receiver = new CuriousReceiver();
        erc721.exposedSafeMint(address(receiver), 6, "0x42");
        equal(receiver.tokenId(), 6, "asked");
        equal(receiver.data(), "0x42", "with data");
        address[2] memory bad = [address(new NoReceiver()), address(new WrongReceiver())];
        for (uint256 i; i < 2; ++i) {
            vm.expectRevert(error1(IERC721Errors.ERC721InvalidReceiver.selector, bad[i]));
            erc721.exposedSafeMint(bad[i], 7, "");
        }
    }

    function test_erc721Burns() public {
        vm.expectRevert(error1(IERC721Errors.ERC721NonexistentToken.selector, 5));
        erc721.exposedBurn(5);
        vm.prank(alice);
        erc721.approve(bob, 79_217);
        vm.expectEmit(true, true, true, true, address(erc721));
        emit IERC721.Transfer(alice, address(0), 79_217);
        erc721.exposedBurn(79_217);
        equal(erc721.balanceOf(alice), 1, "one less");
        equal(erc721.totalSupply(), 1, "supply");
        equal(erc721.exposedOwnerOf(79_217), address(0), "nobody's");
        bytes memory reason = error1(IERC721Errors.ERC721NonexistentToken.selector, 79_217);
        vm.expectRevert(reason);
        erc721.ownerOf(79_217);
        vm.expectRevert(reason);
        erc721.getApproved(79_217);
        vm.expectRevert(reason);
        erc721.exposedBurn(79_217);
    }

    function test_erc721Transfers() public {
        vm.expectRevert(error1(IERC721Errors.ERC721InvalidReceiver.selector, address(0)));
        erc721.exposedTransfer(alice, address(0), 4_217);
        vm.expectRevert(error1(IERC721Errors.ERC721NonexistentToken.selector, 5));
        erc721.exposedTransfer(alice, bob, 5);
        vm.expectRevert(
            abi.encodeWithSelector(IERC721Errors.ERC721IncorrectOwner.selector, bob, 4_217, alice)
        );
        erc721.exposedTransfer(bob, carol, 4_217);
        erc721.exposedTransfer(alice, bob, 4_217);
        equal(erc721.ownerOf(4_217), bob, "moved by nobody in particular");
        CuriousReceiver receiver = new CuriousReceiver();
        erc721.exposedSafeTransfer(bob, address(receiver), 4_217, "x");
        equal(receiver.from(), bob, "asked");
        address bad = address(new NoReceiver());
        vm.expectRevert(error1(IERC721Errors.ERC721InvalidReceiver.selector, bad));
        erc721.exposedSafeTransfer(address(receiver), bad, 4_217, "");
    }

    function test_erc721UpdatesWithAndWithoutAuthority() public {
        equal(erc721.exposedUpdate(bob, 4_217, address(0)), alice, "nobody's authority is asked for");
        equal(erc721.ownerOf(4_217), bob, "moved");
        vm.expectRevert(
            abi.encodeWithSelector(IERC721Errors.ERC721InsufficientApproval.selector, carol, 4_217)
        );
        erc721.exposedUpdate(carol, 4_217, carol);
        equal(erc721.exposedUpdate(carol, 4_217, bob), bob, "its owner's is enough");
        equal(erc721.exposedUpdate(bob, 9, address(0)), address(0), "from nobody: a mint");
        equal(erc721.ownerOf(9), bob, "minted");
        equal(erc721.totalSupply(), 3, "counted");
        vm.expectRevert(error1(IERC721Errors.ERC721NonexistentToken.selector, 10));
        erc721.exposedUpdate(bob, 10, bob);
        equal(erc721.exposedUpdate(address(0), 9, address(0)), bob, "to nobody: a burn");
        equal(erc721.totalSupply(), 2, "counted");
        equal(erc721.exposedUpdate(address(0), 9, address(0)), address(0), "from nobody to nobody");
        equal(erc721.totalSupply(), 2, "is neither");
    }

    function test_erc721Approves() public {
        vm.expectRevert(error1(IERC721Errors.ERC721NonexistentToken.selector, 5));
        erc721.exposedApprove(bob, 5, address(0));
        vm.expectRevert(error1(IERC721Errors.ERC721InvalidApprover.selector, carol));
        erc721.exposedApprove(bob, 4_217, carol);
        erc721.exposedApprove(bob, 4_217, address(0));
        equal(erc721.getApproved(4_217), bob, "approved by nobody in particular");
        isTrue(erc721.exposedIsAuthorized(alice, bob, 4_217), "authorized");
        isTrue(!erc721.exposedIsAuthorized(alice, bob, 79_217), "for this one");
        isTrue(!erc721.exposedIsAuthorized(alice, address(0), 4_217), "not nobody");
        erc721.exposedTransfer(alice, carol, 4_217);
        equal(erc721.getApproved(4_217), address(0), "ends with a transfer");
        vm.expectRevert(error1(IERC721Errors.ERC721InvalidOperator.selector, address(0)));
        erc721.exposedSetApprovalForAll(alice, address(0), true);
        vm.expectEmit(true, true, true, true, address(erc721));
        emit IERC721.ApprovalForAll(alice, bob, true);
        erc721.exposedSetApprovalForAll(alice, bob, true);
        isTrue(erc721.exposedIsAuthorized(alice, bob, 79_217), "an operator of the holder");
        vm.prank(bob);
        erc721.approve(carol, 79_217);
        vm.prank(carol);
        erc721.transferFrom(alice, carol, 79_217);
        equal(erc721.balanceOf(carol), 2, "moved by whom it approved");
    }

    function test_rulesHoldForInternalCallersToo() public {
        vm.startPrank(address(operator));
        erc721.freeze(alice);
        vm.stopPrank();
        vm.expectRevert();
        erc721.exposedTransfer(alice, bob, 4_217);
        vm.expectRevert();
        erc721.exposedMint(alice, 5);
        vm.startPrank(address(operator));
        erc721.unfreeze(alice);
        erc721.lockTransfers();
        vm.stopPrank();
        vm.expectRevert();
        erc721.exposedTransfer(alice, bob, 4_217);
        erc721.exposedMint(alice, 5);
        erc721.exposedBurn(5);
    }
}
