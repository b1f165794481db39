// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IManagedERC20} from "../../contracts/interfaces/IManagedERC20.sol";
import {IManagedERC721} from "../../contracts/interfaces/IManagedERC721.sol";
import {IManagedToken} from "../../contracts/interfaces/IManagedToken.sol";
import {IOperator} from "../../contracts/interfaces/IOperator.sol";
import {SlowSetup} from "./OperatorSchedule.t.sol";
import {ReenteringReceiver} from "./Receivers.sol";

/// @notice What guardians take back of what hot keys gave up.
contract OperatorTakeBackTest is SlowSetup {
    function setUp() public override {
        super.setUp();
        mintNft(nft, alice);
    }

    function test_takesBackWhatWasGivenUp() public {
        address[2] memory callers = [guardian, address(this)];
        for (uint256 i; i < 2; ++i) {
            giveUp();
            // Neither a stop nor a schedule is in the way.
            operator.stopExecution();
            isTrue(nft.mintClosed() && nft.metadataFrozen() && nft.controlsRenounced(), "given up");
            bytes[] memory calls = four();
            for (uint256 j; j < 4; ++j) {
                vm.prank(callers[i]);
                operator.takeBack(address(nft), calls[j]);
            }
            isTrue(!nft.mintClosed() && !nft.metadataFrozen() && !nft.controlsRenounced(), "taken back");
            operator.startExecution();
            isTrue(
                attempt(address(nft), abi.encodeCall(nft.setMetadata, (1, entries("a", "b")))).ok,
                "all of it"
            );
        }
    }

    function test_nothingIsTakenBackOnceItIsForGood() public {
        giveUp();
        vm.warp(START + REVOCABLE_SECONDS);
        bytes[] memory calls = four();
        for (uint256 i; i < 4; ++i) {
            vm.prank(guardian);
            vm.expectRevert(error1(IManagedToken.Irrevocable.selector, START + REVOCABLE_SECONDS));
            operator.takeBack(address(nft), calls[i]);
        }
    }

    function test_nothingElseIsTakenBack(bytes4 selector) public {
        bytes[] memory calls = four();
        for (uint256 i; i < 4; ++i) vm.assume(selector != bytes4(calls[i]));
        bytes4[6] memory others = [
            selector,
            bytes4(0),
            IManagedToken.transferOwnership.selector,
            IManagedToken.unpause.selector,
            IManagedToken.closeMint.selector,
            IManagedERC721.mint.selector
        ];
        for (uint256 i; i < others.length; ++i) {
            vm.prank(guardian);
            vm.expectRevert(abi.encodeWithSelector(IOperator.SelectorNotAllowed.selector, others[i]));
            operator.takeBack(address(nft), abi.encodePacked(others[i], new bytes(64)));
        }
        vm.prank(guardian);
        vm.expectRevert(abi.encodeWithSelector(IOperator.SelectorNotAllowed.selector, bytes4(0)));
        operator.takeBack(address(nft), "");
    }

    function test_nobodyElseTakesBack(address caller) public {
        vm.assume(caller != guardian && caller != address(this));
        bytes32 role = operator.GUARDIAN_ROLE();
        address[3] memory others = [caller, executor, raiser];
        for (uint256 i; i < 3; ++i) {
            vm.prank(others[i]);
            vm.expectRevert(unauthorized(others[i], role));
            operator.takeBack(address(nft), abi.encodeCall(nft.reopenMint, ()));
        }
    }

    function test_answersWhatTheTokenSays() public {
        vm.startPrank(guardian);
        equal(operator.takeBack(address(nft), abi.encodeCall(nft.reopenMint, ())), "", "nothing");
        bytes memory data = abi.encodeCall(nft.reopenMint, ());
        vm.expectRevert();
        operator.takeBack(alice, data);
        vm.expectRevert();
        operator.takeBack(address(operator), data);
        vm.stopPrank();
    }

    /// @dev A guardian that is called by a token, in the middle of a batch: the marks of the batch are as without.
    function test_leavesABatchThatRunsAsItIs() public {
        ReenteringReceiver receiver = new ReenteringReceiver();
        grantSlowly(operator.GUARDIAN_ROLE(), address(receiver));
        grantSlowly(operator.EXECUTOR_ROLE(), address(receiver));
        run(address(coin), abi.encodeCall(coin.closeMint, ()));
        receiver.plan(
            address(operator),
            abi.encodeCall(operator.takeBack, (address(coin), abi.encodeCall(coin.reopenMint, ())))
        );
        receiver.plan(address(operator), abi.encodeCall(operator.execute, (EPOCH, new IOperator.Call[](0))));
        IOperator.Call[] memory calls = new IOperator.Call[](3);
        calls[0] = IOperator.Call(address(nft), CAP, 512, abi.encodeCall(nft.mint, (address(receiver))));
        calls[1] = IOperator.Call(address(coin), CAP, 513, abi.encodeCall(IManagedERC20.mint, (alice, 5)));
        calls[2] = calls[0];
        vm.prank(executor);
        IOperator.Result[] memory results = operator.execute(EPOCH, calls);
        isTrue(receiver.outcomes(0) && !receiver.outcomes(1), "one way in, and not the other");
        isTrue(results[0].ok && results[1].ok && !results[2].ok, "each once");
        equal(operator.intentWord(idOf(EPOCH, 512) >> 8), 3, "marked");
    }

    function grantSlowly(bytes32 role, address account) private {
        bytes memory data = abi.encodeCall(operator.grantRole, (role, account));
        operator.schedule(address(operator), data);
        vm.warp(block.timestamp + DELAY);
        operator.adminExecute(address(operator), data);
    }

    function giveUp() private {
        run(address(nft), abi.encodeCall(nft.closeMint, ()));
        run(address(nft), abi.encodeWithSignature("freezeMetadata()"));
        run(address(nft), abi.encodeWithSignature("freezeMetadata(uint256)", 1));
        run(address(nft), abi.encodeCall(nft.renounceControls, ()));
    }

    function four() private view returns (bytes[] memory calls) {
        calls = new bytes[](4);
        calls[0] = abi.encodeCall(nft.reopenMint, ());
        calls[1] = abi.encodeWithSignature("unfreezeMetadata()");
        calls[2] = abi.encodeWithSignature("unfreezeMetadata(uint256)", 1);
        calls[3] = abi.encodeCall(nft.restoreControls, ());
    }
}
