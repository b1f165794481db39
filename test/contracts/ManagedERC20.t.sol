// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IERC165} from "@openzeppelin/contracts/interfaces/IERC165.sol";
import {IERC20Errors} from "@openzeppelin/contracts/interfaces/draft-IERC6093.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {ERC20PermitUpgradeable} from "@openzeppelin/contracts-upgradeable/token/ERC20/extensions/ERC20PermitUpgradeable.sol";
import {ManagedERC20} from "../../contracts/ManagedERC20.sol";
import {IManagedERC20} from "../../contracts/interfaces/IManagedERC20.sol";
import {IManagedToken} from "../../contracts/interfaces/IManagedToken.sol";
import {Setup} from "./Setup.sol";

/// @notice The behaviour of ERC-20, ERC-165 and ERC-2612, on a clone.
contract ERC20BehaviourTest is Setup {
    uint256 private constant HELD = 1_000;
    uint256 private constant SIGNER_KEY = 0x5169;

    function setUp() public override {
        super.setUp();
        mintCoin(coin, alice, HELD);
    }

    function test_tellsWhatItIs() public view {
        equal(coin.name(), "Night Coin", "name");
        equal(coin.symbol(), "NIGHT", "symbol");
        equal(coin.decimals(), 18, "decimals");
        equal(coin.totalSupply(), HELD, "supply");
        equal(coin.balanceOf(alice), HELD, "balance");
        equal(coin.balanceOf(bob), 0, "nothing");
        equal(coin.balanceOf(address(0)), 0, "the zero address may be asked for");
    }

    function test_supportsItsInterfaces() public view {
        isTrue(coin.supportsInterface(0x01ffc9a7), "ERC-165");
        isTrue(coin.supportsInterface(0x8ec3f882), "ERC-8049");
        isTrue(coin.supportsInterface(0x36372b07), "ERC-20");
        isTrue(coin.supportsInterface(0xa219a025), "ERC-20 with metadata");
        isTrue(coin.supportsInterface(0xe8a3d485), "ERC-7572");
        isTrue(!coin.supportsInterface(0xffffffff), "never this one");
        isTrue(!coin.supportsInterface(0x80ac58cd), "no ERC-721");
        isTrue(!coin.supportsInterface(0x3edbb4c4), "does not claim ERC-7943");
    }

    function test_transfers(uint256 amount) public {
        amount %= HELD + 1;
        vm.expectEmit(true, true, true, true, address(coin));
        emit IERC20.Transfer(alice, bob, amount);
        vm.prank(alice);
        isTrue(coin.transfer(bob, amount), "answers true");
        equal(coin.balanceOf(alice), HELD - amount, "taken");
        equal(coin.balanceOf(bob), amount, "given");
        equal(coin.totalSupply(), HELD, "nothing made");
    }

    function test_transfersToItself() public {
        vm.prank(alice);
        coin.transfer(alice, 400);
        equal(coin.balanceOf(alice), HELD, "neither more nor less");
    }

    function test_doesNotTransferMoreThanThereIs(uint256 amount) public {
        vm.assume(amount > HELD);
        vm.prank(alice);
        vm.expectRevert(
            abi.encodeWithSelector(IERC20Errors.ERC20InsufficientBalance.selector, alice, HELD, amount)
        );
        coin.transfer(bob, amount);
    }

    function test_doesNotTransferToTheZeroAddress() public {
        vm.prank(alice);
        vm.expectRevert(error1(IERC20Errors.ERC20InvalidReceiver.selector, address(0)));
        coin.transfer(address(0), 1);
    }

    function test_approvesAndSpends(uint256 allowed, uint256 spent) public {
        allowed = (allowed % HELD) + 1;
        spent %= allowed;
        vm.expectEmit(true, true, true, true, address(coin));
        emit IERC20.Approval(alice, bob, allowed);
        vm.prank(alice);
        isTrue(coin.approve(bob, allowed), "answers true");
        vm.prank(bob);
        isTrue(coin.transferFrom(alice, carol, spent), "answers true");
        equal(coin.allowance(alice, bob), allowed - spent, "used up");
        equal(coin.balanceOf(carol), spent, "given");
    }

    function test_anInfiniteAllowanceStays() public {
        vm.prank(alice);
        coin.approve(bob, type(uint256).max);
        vm.prank(bob);
        coin.transferFrom(alice, bob, 5);
        equal(coin.allowance(alice, bob), type(uint256).max, "as it was");
    }

    function test_doesNotSpendMoreThanAllowed() public {
        vm.prank(alice);
        coin.approve(bob, 5);
        vm.prank(bob);
        vm.expectRevert(abi.encodeWithSelector(IERC20Errors.ERC20InsufficientAllowance.selector, bob, 5, 6));
        coin.transferFrom(alice, bob, 6);
    }

    function test_doesNotApproveTheZeroAddress() public {
        vm.prank(alice);
        vm.expectRevert(error1(IERC20Errors.ERC20InvalidSpender.selector, address(0)));
        coin.approve(address(0), 1);
    }

    function test_mints(address to, uint256 amount) public {
        vm.assume(to != address(0) && to != alice);
        amount %= type(uint208).max - HELD;
        mintCoin(coin, to, amount);
        equal(coin.balanceOf(to), amount, "given");
        equal(coin.totalSupply(), HELD + amount, "made");
    }

    function test_doesNotMintToTheZeroAddress() public {
        vm.prank(address(operator));
        vm.expectRevert(error1(IERC20Errors.ERC20InvalidReceiver.selector, address(0)));
        coin.mint(address(0), 1);
    }

    function test_capsTheSupply(uint256 amount) public {
        uint256 cap = type(uint208).max;
        amount = amount < cap ? cap : amount;
        uint256 wanted = amount > type(uint256).max - HELD ? type(uint256).max : amount + HELD;
        vm.prank(address(operator));
        vm.expectRevert(abi.encodeWithSelector(IManagedERC20.ERC20ExceededSafeSupply.selector, wanted, cap));
        coin.mint(alice, amount);
        vm.prank(address(operator));
        coin.mint(bob, cap - HELD);
        equal(coin.totalSupply(), cap, "up to the cap");
        isTrue(!coin.isFrozen(bob) && !coin.isApprovedAccount(bob), "the marks are out of its reach");
        isTrue(!coin.paused() && coin.tokenState().supply == cap, "and so are the flags");
    }

    function test_onlyOwnerAndOperatorMint(address caller) public {
        vm.assume(caller != address(operator));
        vm.prank(caller);
        vm.expectRevert(error1(IManagedToken.NotOwnerOrOperator.selector, caller));
        coin.mint(caller, 1);
    }

    function test_burns() public {
        vm.prank(alice);
        coin.burn(300);
        equal(coin.totalSupply(), HELD - 300, "gone");
        vm.prank(alice);
        coin.approve(bob, 200);
        vm.prank(bob);
        coin.burnFrom(alice, 200);
        equal(coin.balanceOf(alice), HELD - 500, "gone by allowance");
        vm.prank(bob);
        vm.expectRevert(abi.encodeWithSelector(IERC20Errors.ERC20InsufficientAllowance.selector, bob, 0, 1));
        coin.burnFrom(alice, 1);
    }

    function test_mintsToApprovedAccountsOnlyWhenPermissioned() public {
        coin = newCoin(address(operator), true);
        bytes memory mint = abi.encodeCall(coin.mint, (alice, 5));
        equal(
            attempt(address(coin), mint).returnData,
            error1(IManagedToken.AccountNotApproved.selector, alice),
            "not yet"
        );
        run(address(coin), abi.encodeCall(coin.approveAccount, (alice)));
        run(address(coin), mint);
        vm.prank(alice);
        coin.transfer(bob, 5);
        equal(coin.balanceOf(bob), 5, "transfers need no approval");
        run(address(coin), abi.encodeCall(coin.unapproveAccount, (alice)));
        isTrue(!attempt(address(coin), mint).ok, "no longer");
    }

    function test_pauseHaltsEverything() public {
        vm.prank(alice);
        coin.approve(bob, 50);
        run(address(coin), abi.encodeCall(coin.pause, ()));
        bytes memory paused = error0(IManagedToken.TokenPaused.selector);
        equal(attempt(address(coin), abi.encodeCall(coin.mint, (alice, 1))).returnData, paused, "mint");
        bytes memory set = abi.encodeCall(coin.setContractMetadata, (entries("a", "b")));
        equal(attempt(address(coin), set).returnData, paused, "metadata");
        vm.startPrank(alice);
        vm.expectRevert(paused);
        coin.transfer(bob, 1);
        vm.expectRevert(paused);
        coin.transfer(alice, 0);
        vm.expectRevert(paused);
        coin.burn(1);
        vm.expectRevert(paused);
        coin.approve(bob, 1);
        vm.stopPrank();
        vm.startPrank(bob);
        vm.expectRevert(paused);
        coin.transferFrom(alice, bob, 1);
        vm.expectRevert(paused);
        coin.burnFrom(alice, 1);
        vm.stopPrank();
        vm.expectRevert(paused);
        permit(alice, SIGNER_KEY, 1, type(uint256).max);
        run(address(coin), abi.encodeCall(coin.unpause, ()));
        vm.prank(bob);
        coin.transferFrom(alice, bob, 1);
    }

    function test_theLockHaltsTransfersAndApprovalsOnly() public {
        vm.prank(alice);
        coin.approve(bob, 50);
        run(address(coin), abi.encodeCall(coin.lockTransfers, ()));
        bytes memory locked = error0(IManagedToken.TransfersLocked.selector);
        vm.startPrank(alice);
        vm.expectRevert(locked);
        coin.transfer(bob, 1);
        vm.expectRevert(locked);
        coin.approve(bob, 1);
        vm.stopPrank();
        vm.prank(bob);
        vm.expectRevert(locked);
        coin.transferFrom(alice, bob, 1);
        vm.expectRevert(locked);
        permit(alice, SIGNER_KEY, 1, type(uint256).max);
        mintCoin(coin, alice, 5);
        vm.prank(alice);
        coin.burn(1);
        vm.prank(bob);
        coin.burnFrom(alice, 4);
        run(address(coin), abi.encodeCall(coin.setContractMetadata, (entries("a", "b"))));
        equal(coin.balanceOf(alice), HELD, "mint and burn went through");
        run(address(coin), abi.encodeCall(coin.pause, ()));
        vm.prank(alice);
        vm.expectRevert(error0(IManagedToken.TokenPaused.selector));
        coin.transfer(bob, 1);
    }

    function test_freezeHaltsFromToAndSpender() public {
        vm.startPrank(alice);
        coin.approve(bob, 50);
        coin.transfer(bob, 10);
        vm.stopPrank();
        run(address(coin), abi.encodeCall(coin.freeze, (bob)));
        bytes memory frozen = error1(IManagedToken.AccountFrozen.selector, bob);
        vm.startPrank(bob);
        vm.expectRevert(frozen);
        coin.transfer(carol, 1);
        vm.expectRevert(frozen);
        coin.transferFrom(alice, carol, 1);
        vm.expectRevert(frozen);
        coin.burn(1);
        vm.expectRevert(frozen);
        coin.burnFrom(alice, 1);
        vm.stopPrank();
        vm.prank(alice);
        vm.expectRevert(frozen);
        coin.transfer(bob, 1);
        equal(attempt(address(coin), abi.encodeCall(coin.mint, (bob, 1))).returnData, frozen, "mint");
        equal(coin.balanceOf(bob), 10, "the balance is shown as it is");
        run(address(coin), abi.encodeCall(coin.unfreeze, (bob)));
        vm.prank(bob);
        coin.transferFrom(alice, carol, 1);
        equal(coin.balanceOf(carol), 1, "and all is well again");
    }

    /// @dev That grants nothing and moves nothing.
    function test_anAllowanceIsTakenBackUnderPauseAndLock() public {
        address holder = vm.addr(SIGNER_KEY);
        run(address(coin), abi.encodeCall(coin.lockTransfers, ()));
        for (uint256 i; i < 2; ++i) {
            run(address(coin), abi.encodeCall(coin.unlockTransfers, ()));
            vm.prank(holder);
            coin.approve(bob, 5);
            run(address(coin), abi.encodeCall(coin.lockTransfers, ()));
            if (i == 1) run(address(coin), abi.encodeCall(coin.pause, ()));
            vm.prank(holder);
            coin.approve(bob, 0);
            equal(coin.allowance(holder, bob), 0, "taken back");
        }
        run(address(coin), abi.encodeCall(coin.unpause, ()));
        run(address(coin), abi.encodeCall(coin.unlockTransfers, ()));
        vm.prank(holder);
        coin.approve(bob, 5);
        run(address(coin), abi.encodeCall(coin.lockTransfers, ()));
        run(address(coin), abi.encodeCall(coin.pause, ()));
        permit(holder, SIGNER_KEY, 0, block.timestamp);
        equal(coin.allowance(holder, bob), 0, "by a signature too");
        equal(coin.nonces(holder), 1, "which is used up");
    }

    function test_aFrozenHolderMayTakeItsAllowancesBack() public {
        vm.prank(alice);
        coin.approve(bob, 5);
        run(address(coin), abi.encodeCall(coin.freeze, (alice)));
        vm.prank(alice);
        coin.approve(bob, 0);
        equal(coin.allowance(alice, bob), 0, "taken back");
    }

    function test_tellsWhetherATransferCanGoThrough() public {
        isTrue(coin.canTransfer(alice, bob, HELD), "yes");
        isTrue(coin.canTransfer(alice, bob, HELD + 1), "what is held is no rule of the token");
        isTrue(coin.canTransfer(bob, alice, 1), "nor that nothing is");
        isTrue(
            !coin.canTransfer(alice, address(0), 1) && !coin.canTransfer(address(0), bob, 0),
            "not from or to zero"
        );
        run(address(coin), abi.encodeCall(coin.freeze, (bob)));
        isTrue(!coin.canTransfer(alice, bob, 1) && !coin.canTransfer(bob, alice, 0), "not with a frozen one");
        run(address(coin), abi.encodeCall(coin.lockTransfers, ()));
        isTrue(!coin.canTransfer(alice, carol, 1), "not while locked");
        run(address(coin), abi.encodeCall(coin.unlockTransfers, ()));
        run(address(coin), abi.encodeCall(coin.pause, ()));
        isTrue(!coin.canTransfer(alice, carol, 1), "not while paused");
    }

    function test_permits(uint256 value) public {
        address holder = vm.addr(SIGNER_KEY);
        permit(holder, SIGNER_KEY, value, block.timestamp);
        equal(coin.allowance(holder, bob), value, "allowed");
        equal(coin.nonces(holder), 1, "once");
    }

    function test_aPermitIsGoodOnce() public {
        address holder = vm.addr(SIGNER_KEY);
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(SIGNER_KEY, digest(holder, 7, 0, block.timestamp));
        coin.permit(holder, bob, 7, block.timestamp, v, r, s);
        vm.expectRevert();
        coin.permit(holder, bob, 7, block.timestamp, v, r, s);
    }

    function test_aPermitOfAnotherIsRefused() public {
        address stranger = vm.addr(SIGNER_KEY);
        vm.expectRevert(
            abi.encodeWithSelector(ERC20PermitUpgradeable.ERC2612InvalidSigner.selector, stranger, alice)
        );
        permit(alice, SIGNER_KEY, 1, block.timestamp);
    }

    function test_anExpiredPermitIsRefused() public {
        vm.warp(1_000);
        vm.expectRevert(error1(ERC20PermitUpgradeable.ERC2612ExpiredSignature.selector, 999));
        permit(vm.addr(SIGNER_KEY), SIGNER_KEY, 1, 999);
    }

    function test_aPermitIsOfOneTokenOnly() public {
        ManagedERC20 other = newCoin(address(operator), false);
        isTrue(other.DOMAIN_SEPARATOR() != coin.DOMAIN_SEPARATOR(), "each has its own domain");
        (, string memory name, string memory version, uint256 chainId, address verifier, , ) = coin
            .eip712Domain();
        equal(name, "Night Coin", "name");
        equal(version, "1", "version");
        equal(chainId, block.chainid, "chain");
        equal(verifier, address(coin), "contract");
    }

    function permit(address holder, uint256 key, uint256 value, uint256 deadline) private {
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(key, digest(holder, value, 0, deadline));
        coin.permit(holder, bob, value, deadline, v, r, s);
    }

    function digest(
        address holder,
        uint256 value,
        uint256 nonce,
        uint256 deadline
    ) private view returns (bytes32) {
        bytes32 domain = keccak256(
            abi.encode(
                keccak256(
                    "EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)"
                ),
                keccak256("Night Coin"),
                keccak256("1"),
                block.chainid,
                address(coin)
            )
        );
        bytes32 permitHash = keccak256(
            abi.encode(
                keccak256(
                    "Permit(address owner,address spender,uint256 value,uint256 nonce,uint256 deadline)"
                ),
                holder,
                bob,
                value,
                nonce,
                deadline
            )
        );
        return keccak256(abi.encodePacked(hex"1901", domain, permitHash));
    }
}
