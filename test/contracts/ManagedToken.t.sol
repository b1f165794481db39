// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {ManagedERC20} from "../../contracts/ManagedERC20.sol";
import {ManagedERC721} from "../../contracts/ManagedERC721.sol";
import {ManagedToken} from "../../contracts/ManagedToken.sol";
import {IManagedToken} from "../../contracts/interfaces/IManagedToken.sol";
import {Setup} from "./Setup.sol";
import {Vm} from "./Vm.sol";

/// @notice What both kinds of token share, as one suite run against a clone of each.
abstract contract ManagedTokenSuite is Setup {
    ManagedToken private token;

    function create(address owner, bool permissioned) internal virtual returns (ManagedToken);

    function setUp() public override {
        super.setUp();
        token = create(wallet, false);
    }

    function test_tellsItsStateInOneCall() public {
        IManagedToken.TokenState memory state = token.tokenState();
        equal(state.owner, wallet, "owner");
        equal(state.operator, address(operator), "operator");
        isTrue(!state.paused && !state.transferLocked && !state.permissioned, "flags");
        equal(state.supply, 0, "supply");
        token = create(address(operator), true);
        run(address(token), abi.encodeCall(token.pause, ()));
        run(address(token), abi.encodeCall(token.lockTransfers, ()));
        state = token.tokenState();
        equal(state.owner, address(operator), "owner without a wallet");
        isTrue(state.paused && state.transferLocked && state.permissioned, "flags set");
        isTrue(token.paused() && token.transfersLocked() && token.isPermissioned(), "the same one by one");
    }

    function test_pausesAndUnpausesOnceEach() public {
        changesOnce(abi.encodeCall(token.pause, ()), abi.encodeWithSelector(token.paused.selector), true);
        changesOnce(abi.encodeCall(token.unpause, ()), abi.encodeWithSelector(token.paused.selector), false);
    }

    function test_locksAndUnlocksOnceEach() public {
        bytes memory query = abi.encodeWithSelector(token.transfersLocked.selector);
        changesOnce(abi.encodeCall(token.lockTransfers, ()), query, true);
        changesOnce(abi.encodeCall(token.unlockTransfers, ()), query, false);
    }

    function test_freezesAndUnfreezesOnceEach(address account) public {
        vm.assume(account != address(0));
        bytes memory query = abi.encodeCall(token.isFrozen, (account));
        changesOnce(abi.encodeCall(token.freeze, (account)), query, true);
        changesOnce(abi.encodeCall(token.unfreeze, (account)), query, false);
    }

    function test_approvesAndUnapprovesOnceEach(address account) public {
        bytes memory query = abi.encodeCall(token.isApprovedAccount, (account));
        changesOnce(abi.encodeCall(token.approveAccount, (account)), query, true);
        changesOnce(abi.encodeCall(token.unapproveAccount, (account)), query, false);
    }

    function test_controlsWorkWhilePaused() public {
        run(address(token), abi.encodeCall(token.pause, ()));
        run(address(token), abi.encodeCall(token.freeze, (alice)));
        run(address(token), abi.encodeCall(token.approveAccount, (bob)));
        run(address(token), abi.encodeCall(token.lockTransfers, ()));
        isTrue(
            token.isFrozen(alice) && token.isApprovedAccount(bob) && token.transfersLocked(),
            "all of them"
        );
    }

    function test_marksAreOfOneAccountOnly() public {
        run(address(token), abi.encodeCall(token.freeze, (alice)));
        run(address(token), abi.encodeCall(token.approveAccount, (bob)));
        isTrue(!token.isFrozen(bob) && !token.isApprovedAccount(alice), "no other, and not each other");
    }

    function test_onlyOwnerAndOperatorManage(address caller) public {
        vm.assume(caller != wallet && caller != address(operator));
        bytes[11] memory controls = [
            abi.encodeCall(token.pause, ()),
            abi.encodeCall(token.unpause, ()),
            abi.encodeCall(token.lockTransfers, ()),
            abi.encodeCall(token.unlockTransfers, ()),
            abi.encodeCall(token.freeze, (alice)),
            abi.encodeCall(token.unfreeze, (alice)),
            abi.encodeCall(token.approveAccount, (alice)),
            abi.encodeCall(token.unapproveAccount, (alice)),
            abi.encodeCall(token.setContractMetadata, (entries("a", "b"))),
            abi.encodeCall(token.renounceControls, ()),
            abi.encodeCall(token.restoreControls, ())
        ];
        for (uint256 i; i < controls.length; ++i) {
            vm.prank(caller);
            (bool ok, bytes memory reason) = address(token).call(controls[i]);
            isTrue(!ok, "a stranger manages nothing");
            equal(reason, error1(IManagedToken.NotOwnerOrOperator.selector, caller), "and is told so");
            vm.prank(wallet);
            (ok, ) = address(token).call(controls[i]);
            isTrue(ok || i == 8 || i == 10, "the owner may");
        }
    }

    function test_theOwnerHandsOver(address heir) public {
        vm.assume(heir != address(0) && heir != wallet && heir != address(operator));
        vm.expectEmit(true, true, true, true, address(token));
        emit IManagedToken.OwnershipTransferStarted(wallet, heir);
        vm.prank(wallet);
        token.transferOwnership(heir);
        equal(token.owner(), wallet, "still the old owner");
        equal(token.pendingOwner(), heir, "who may accept");
        vm.expectEmit(true, true, true, true, address(token));
        emit IManagedToken.OwnershipTransferred(wallet, heir);
        vm.recordLogs();
        vm.prank(heir);
        token.acceptOwnership(address(operator));
        equal(logsOf(address(token)), 1, "no change of the operator is told");
        equal(token.owner(), heir, "the new owner");
        equal(token.pendingOwner(), address(0), "once");
        vm.prank(heir);
        vm.expectRevert(error1(IManagedToken.NotPendingOwner.selector, heir));
        token.acceptOwnership(heir);
        vm.prank(wallet);
        vm.expectRevert(error1(IManagedToken.NotOwner.selector, wallet));
        token.transferOwnership(wallet);
        vm.prank(wallet);
        vm.expectRevert(error1(IManagedToken.NotOwnerOrOperator.selector, wallet));
        token.pause();
        vm.prank(heir);
        token.pause();
        isTrue(token.paused(), "who may manage now");
        run(address(token), abi.encodeCall(token.unpause, ()));
        equal(token.operator(), address(operator), "the operator stays");
    }

    function test_theOwnerLeavesTheService() public {
        vm.expectEmit(true, true, true, true, address(token));
        emit IManagedToken.OperatorChanged(address(operator), address(0));
        vm.prank(wallet);
        token.setOperator(address(0));
        equal(token.operator(), address(0), "nobody");
        isTrue(!attempt(address(token), abi.encodeCall(token.pause, ())).ok, "the service is out");
        vm.prank(wallet);
        token.pause();
        vm.prank(wallet);
        token.setOperator(bob);
        vm.prank(bob);
        token.unpause();
        isTrue(!token.paused(), "another operator is in");
    }

    function test_onlyTheOwnerChangesOwnerAndOperator(address caller) public {
        vm.assume(caller != wallet);
        vm.startPrank(caller);
        vm.expectRevert(error1(IManagedToken.NotOwner.selector, caller));
        token.transferOwnership(caller);
        vm.expectRevert(error1(IManagedToken.NotOwner.selector, caller));
        token.setOperator(caller);
        vm.stopPrank();
    }

    function test_anOfferCanBeWithdrawn() public {
        vm.startPrank(wallet);
        token.transferOwnership(bob);
        token.transferOwnership(address(0));
        vm.stopPrank();
        vm.prank(bob);
        vm.expectRevert(error1(IManagedToken.NotPendingOwner.selector, bob));
        token.acceptOwnership(bob);
        equal(token.owner(), wallet, "nothing happened");
    }

    function test_theNewOwnerSettlesWhoOperates() public {
        vm.prank(wallet);
        token.transferOwnership(bob);
        vm.expectEmit(true, true, true, true, address(token));
        emit IManagedToken.OwnershipTransferred(wallet, bob);
        vm.expectEmit(true, true, true, true, address(token));
        emit IManagedToken.OperatorChanged(address(operator), address(0));
        vm.prank(bob);
        token.acceptOwnership(address(0));
        equal(token.operator(), address(0), "nobody operates");
        isTrue(!attempt(address(token), abi.encodeCall(token.pause, ())).ok, "the service is out");
    }

    function test_onlyWhomItWasOfferedToAccepts(address caller) public {
        vm.assume(caller != bob);
        vm.prank(wallet);
        token.transferOwnership(bob);
        vm.prank(caller);
        vm.expectRevert(error1(IManagedToken.NotPendingOwner.selector, caller));
        token.acceptOwnership(address(operator));
        equal(token.owner(), wallet, "nothing happened");
    }

    function test_theZeroAddressCannotBeFrozen() public {
        vm.prank(wallet);
        vm.expectRevert(error1(IManagedToken.InvalidAccount.selector, address(0)));
        token.freeze(address(0));
        isTrue(!token.canReceive(address(0)), "it cannot receive anyway");
    }

    /// @dev It has the operator that it gives to its clones. What that does to it reaches none of them.
    function test_theImplementationBelongsToNobodyElse(address caller) public {
        address[2] memory bare = [tokenFactory.implementation(), collectionFactory.implementation()];
        vm.assume(caller != address(operator));
        for (uint256 i; i < 2; ++i) {
            vm.assume(caller != ManagedToken(bare[i]).owner());
            vm.prank(caller);
            vm.expectRevert(error1(IManagedToken.NotOwnerOrOperator.selector, caller));
            ManagedToken(bare[i]).pause();
            equal(
                ManagedToken(bare[i]).owner().code.length,
                0,
                "bytes of its own code, and nobody's address"
            );
            vm.startPrank(address(operator));
            ManagedToken(bare[i]).pause();
            ManagedToken(bare[i]).closeMint();
            vm.stopPrank();
        }
        isTrue(!token.paused() && !token.mintClosed(), "a clone is what it was");
        equal(token.operator(), address(operator), "and whose");
    }

    /// @dev Twice the same control: one change, one event, no revert.
    function changesOnce(bytes memory control, bytes memory query, bool expected) private {
        vm.recordLogs();
        run(address(token), control);
        equal(logsOf(address(token)), 1, "one event");
        (, bytes memory answer) = address(token).staticcall(query);
        isTrue(abi.decode(answer, (bool)) == expected, "changed");
        vm.recordLogs();
        run(address(token), control);
        equal(logsOf(address(token)), 0, "nothing the second time");
        (, answer) = address(token).staticcall(query);
        isTrue(abi.decode(answer, (bool)) == expected, "and no way back");
    }

    function logsOf(address emitter) private returns (uint256 count) {
        Vm.Log[] memory logs = vm.getRecordedLogs();
        for (uint256 i; i < logs.length; ++i) {
            if (logs[i].emitter == emitter) ++count;
        }
    }
}

contract ManagedTokenOfERC20Test is ManagedTokenSuite {
    function create(address owner, bool permissioned) internal override returns (ManagedToken) {
        return newCoin(owner, permissioned);
    }
}

contract ManagedTokenOfERC721Test is ManagedTokenSuite {
    function create(address owner, bool permissioned) internal override returns (ManagedToken) {
        return newNft(owner, "", permissioned);
    }
}
