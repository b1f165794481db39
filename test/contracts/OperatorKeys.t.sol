// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {ICloneFactory} from "../../contracts/interfaces/ICloneFactory.sol";
import {IManagedERC20} from "../../contracts/interfaces/IManagedERC20.sol";
import {IManagedERC721} from "../../contracts/interfaces/IManagedERC721.sol";
import {IManagedToken} from "../../contracts/interfaces/IManagedToken.sol";
import {IOperator} from "../../contracts/interfaces/IOperator.sol";
import {Operator} from "../../contracts/Operator.sol";
import {SlowSetup} from "./OperatorSchedule.t.sol";
import {MintTarget, mintsOf} from "./Setup.sol";
import {Vm} from "./Vm.sol";

/// @notice A thief with one key more from time to time: an executor's, a guardian's, the epoch's, and the admin's. Each tries
/// whatever there is, directly and through the operator, and has less time than the admin's delay.
contract Thief {
    Vm private constant vm = Vm(address(uint160(uint256(keccak256("hevm cheat code")))));
    /// @dev Actions between two keys.
    uint256 private constant STAGE = 25;
    /// @dev An invariant run has at most 500 actions: together 4 hours.
    uint256 private constant LONGEST_PAUSE = 30;
    uint256 private constant FUNCTIONS = 40;
    /// @dev The first of them are the operator's.
    uint256 private constant OWN_FUNCTIONS = 17;

    Operator private immutable operator;
    address[4] private keys;
    address[] private targets;
    /// @dev Who would own what is taken.
    address private immutable mule;

    /// @notice Actions that succeeded, of each kind.
    uint256 public executed;
    uint256 public acted;
    uint256 public acts;
    uint64 private number;

    constructor(Operator operator_, address[4] memory keys_, address[] memory targets_, address mule_) {
        (operator, keys, targets, mule) = (operator_, keys_, targets_, mule_);
    }

    function act(uint256 seed) external {
        seed = uint256(keccak256(abi.encode(seed, ++acts)));
        vm.warp(block.timestamp + (seed % LONGEST_PAUSE));
        uint256 stage = acts / STAGE < 3 ? acts / STAGE : 3;
        address key = keys[(seed >> 8) % (stage + 1)];
        address target = targets[(seed >> 16) % targets.length];
        // What only the operator has, most often there.
        if ((seed >> 32) % FUNCTIONS < OWN_FUNCTIONS && (seed >> 20) % 4 != 0) target = address(operator);
        bytes memory data = anything(seed >> 32, target);
        uint256 way = (seed >> 24) % 8;
        if (way < 4) return execute(seed, way, target, data);
        bytes memory outer = data;
        address to = target;
        if (way > 4) {
            to = address(operator);
            if (way == 5) outer = abi.encodeCall(operator.adminExecute, (target, data));
            else if (way == 6) outer = abi.encodeCall(operator.takeBack, (target, data));
            else outer = abi.encodeCall(operator.schedule, (target, data));
        }
        vm.prank(key);
        (bool ok, ) = to.call(outer);
        if (ok) ++acted;
    }

    /// @dev With the key of the executor, which it has from the start.
    function execute(uint256 seed, uint256 way, address target, bytes memory data) private {
        uint48 epoch = uint48(operator.epoch());
        bytes memory outer;
        number += 256;
        if (way < 2) {
            IOperator.Call[] memory calls = new IOperator.Call[](1);
            calls[0] = IOperator.Call(target, 1_000_000, number | (uint256(uint64(seed)) << 64), data);
            outer = abi.encodeCall(operator.execute, (epoch, calls));
        } else if (way == 2) {
            MintTarget[] memory list = new MintTarget[](1);
            list[0] = MintTarget(target, 1_000_000, uint8(seed >> 40) % 3);
            bytes memory mints = abi.encodePacked(
                uint8(0),
                uint16(0),
                uint64(seed),
                mule,
                uint16(seed >> 48)
            );
            outer = abi.encodeCall(operator.executeMints, (epoch, number, 1, mintsOf(list, mints)));
        } else {
            uint256 amountBytes = (seed >> 40) % 3;
            bytes memory rows = abi.encodePacked(mule, new bytes(amountBytes));
            outer = abi.encodeCall(
                operator.executeRows,
                (epoch, IOperator.Rows(target, 1_000_000, number, seed, uint64(seed), amountBytes, rows))
            );
        }
        vm.prank(keys[0]);
        (bool ok, ) = address(operator).call(outer);
        if (ok) ++executed;
    }

    /// @dev A function of anybody, with arguments that would help.
    function anything(uint256 seed, address target) private view returns (bytes memory) {
        uint256 kind = seed % FUNCTIONS;
        bytes32[5] memory roles = [
            operator.EXECUTOR_ROLE(),
            operator.GUARDIAN_ROLE(),
            operator.EPOCH_ROLE(),
            operator.DEFAULT_ADMIN_ROLE(),
            keccak256("SELF_ROLE")
        ];
        bytes32 role = roles[(seed >> 8) % 5];
        address account = (seed >> 16) % 2 == 0 ? mule : keys[(seed >> 24) % 4];
        uint256 some = (seed >> 32) % 4;
        if (kind < 4) return abi.encodeCall(operator.grantRole, (role, account));
        if (kind == 4) return abi.encodeCall(operator.revokeRole, (role, account));
        if (kind == 5) return abi.encodeCall(operator.renounceRole, (role, account));
        if (kind == 6) return abi.encodeCall(operator.beginDefaultAdminTransfer, (mule));
        if (kind == 7) return abi.encodeCall(operator.beginDefaultAdminTransfer, (address(operator)));
        if (kind == 8) return abi.encodeCall(operator.acceptDefaultAdminTransfer, ());
        if (kind == 9) {
            uint48 present = operator.defaultAdminDelay();
            bool isSmallStep = present != 0 && seed & (1 << 40) != 0;
            return abi.encodeCall(operator.changeDefaultAdminDelay, (isSmallStep ? present - 1 : 0));
        }
        if (kind < 12) return abi.encodeCall(operator.setSelectorAllowed, (functionOf(seed >> 40), true));
        if (kind == 12) return abi.encodeCall(operator.raiseEpoch, (uint48(operator.epoch()), bytes32(seed)));
        if (kind == 13) return abi.encodeCall(operator.stopExecution, ());
        if (kind < 16) return abi.encodeCall(operator.startExecution, ());
        if (kind == 16)
            return abi.encodeCall(operator.cancel, (operator.scheduleId(target, abi.encode(some))));
        if (kind < 19) return abi.encodeCall(IManagedToken.transferOwnership, (mule));
        if (kind < 21) return abi.encodeCall(IManagedToken.setOperator, (mule));
        if (kind == 21) return abi.encodeCall(IManagedToken.acceptOwnership, (mule));
        if (kind == 22) return abi.encodeCall(IManagedToken.raiseMintLimit, (type(uint256).max));
        if (kind == 23) return abi.encodeCall(IManagedERC20.forcedTransfer, (keys[0], mule, some));
        if (kind == 24)
            return abi.encodeWithSignature("transferFrom(address,address,uint256)", holder(), mule, 1);
        if (kind == 25) return abi.encodeWithSignature("transfer(address,uint256)", mule, some);
        if (kind == 26) return abi.encodeWithSignature("approve(address,uint256)", mule, some);
        if (kind == 27) return abi.encodeWithSignature("setApprovalForAll(address,bool)", mule, true);
        if (kind < 30) return abi.encodeCall(IManagedERC20.mint, (mule, some));
        if (kind == 30) return abi.encodeCall(IManagedERC721.mint, (mule));
        if (kind == 31) return abi.encodeCall(IManagedToken.closeMint, ());
        if (kind == 32) return abi.encodeCall(IManagedToken.reopenMint, ());
        if (kind == 33) return abi.encodeCall(IManagedToken.renounceControls, ());
        if (kind == 34) return abi.encodeCall(IManagedToken.restoreControls, ());
        if (kind == 35) return abi.encodeCall(IManagedToken.freeze, (holder()));
        if (kind == 36) return abi.encodeCall(IManagedToken.unfreeze, (holder()));
        if (kind == 37) return abi.encodeCall(ICloneFactory.resumeCreation, ());
        if (kind == 38) return abi.encodeWithSignature("forcedBurn(address,uint256)", holder(), 1);
        return abi.encodeCall(IManagedToken.pause, ());
    }

    function functionOf(uint256 seed) private pure returns (bytes4) {
        bytes4[3] memory some = [
            IManagedToken.transferOwnership.selector,
            bytes4(keccak256("poke()")),
            IManagedToken.pause.selector
        ];
        return some[seed % 3];
    }

    function holder() private view returns (address) {
        return Owned(targets[1]).ownerOf(1);
    }
}

interface Owned {
    function ownerOf(uint256 tokenId) external view returns (address);
}

/// @notice What stolen keys reach before the delay is over: no owner, no operator, no role, no admin, and no holding.
contract OperatorKeysInvariants is SlowSetup {
    Thief private thief;
    address private immutable mule = vm.addr(0x3013);
    bytes32[4] private roles;

    function setUp() public override {
        super.setUp();
        mintCoin(coin, alice, 1_000);
        mintNft(nft, alice);
        vm.startPrank(alice);
        coin.approve(address(operator), type(uint256).max);
        nft.setApprovalForAll(address(operator), true);
        vm.stopPrank();
        roles = [
            operator.EXECUTOR_ROLE(),
            operator.GUARDIAN_ROLE(),
            operator.EPOCH_ROLE(),
            keccak256("SELF_ROLE")
        ];
        address[] memory targets = new address[](6);
        targets[0] = address(coin);
        targets[1] = address(nft);
        targets[2] = targets[3] = address(operator);
        targets[4] = address(target);
        targets[5] = address(tokenFactory);
        thief = new Thief(operator, [executor, guardian, raiser, address(this)], targets, mule);
    }

    function targetContracts() external view returns (address[] memory list) {
        list = new address[](1);
        list[0] = address(thief);
    }

    function invariant_nothingChangesHandsBeforeTheDelay() external view {
        IManagedToken[2] memory tokens = [IManagedToken(coin), IManagedToken(nft)];
        for (uint256 i; i < 2; ++i) {
            equal(tokens[i].owner(), address(operator), "no token has another owner");
            equal(tokens[i].operator(), address(operator), "nor another operator");
            equal(tokens[i].pendingOwner(), address(0), "nor one to come");
        }
        equal(operator.defaultAdmin(), address(this), "the admin stays");
        isTrue(operator.defaultAdminDelay() == DELAY, "and its delay");
        address[5] memory holders = [executor, guardian, raiser, address(operator), mule];
        for (uint256 i; i < 4; ++i) {
            for (uint256 j; j < 5; ++j) {
                // A key may give its role up, and the admin takes one from an executor at once; nobody gets one.
                // An executor has that of the epoch.
                if (i != j && (i != 2 || j != 0))
                    isTrue(!operator.hasRole(roles[i], holders[j]), "no role is granted");
            }
            isTrue(!operator.hasRole(roles[i], address(this)), "nor to the admin");
            isTrue(operator.getRoleAdmin(roles[i]) == roles[3], "and the operator alone grants");
        }
        isTrue(operator.hasRole(roles[3], address(operator)), "it does");
        isTrue(!operator.isSelectorAllowed(nft.transferOwnership.selector), "no function that takes");
        isTrue(!operator.isSelectorAllowed(target.poke.selector), "nor any other");
        equal(target.calls(), 0, "nothing else is called");
        isTrue(coin.balanceOf(alice) >= 1_000 && nft.ownerOf(1) == alice, "no holding moves");
        isTrue(coin.allowance(address(operator), mule) == 0, "nor is any approved");
    }

    /// @dev Not asked after each random run: some have few by chance.
    function test_manyActionsSucceed() external {
        for (uint256 i; i < 500; ++i) thief.act(i);
        isTrue(thief.executed() > 20 && thief.acted() > 10, "actions succeeded");
    }

    /// @dev Whether a random run acts; `test_many...` shows that much of that goes through.
    function afterInvariant() external view {
        isTrue(thief.acts() != 0, "the run acted");
    }
}
