// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {ManagedERC20} from "../../contracts/ManagedERC20.sol";
import {Operator} from "../../contracts/Operator.sol";
import {ICollectionFactory} from "../../contracts/interfaces/ICollectionFactory.sol";
import {Entry} from "../../contracts/interfaces/IKeyedMetadata.sol";
import {IManagedERC721, MintItem} from "../../contracts/interfaces/IManagedERC721.sol";
import {IManagedToken} from "../../contracts/interfaces/IManagedToken.sol";
import {IOperator} from "../../contracts/interfaces/IOperator.sol";
import {ITokenFactory} from "../../contracts/interfaces/ITokenFactory.sol";
import {Setup} from "./Setup.sol";
import {Vm} from "./Vm.sol";

/// @notice Somebody who stole the executor's key and calls whatever comes to mind, through the operator and around it, at any
/// time, later with a guardian's key as well and then with one of the epoch's role; a guardian, who takes back what was given up
/// before that is for good, but not always; an owner, who puts a lowered limit back; and the service, which raises the epoch too.
contract Thief {
    Vm private constant vm = Vm(address(uint160(uint256(keccak256("hevm cheat code")))));
    uint256 private constant POWERS = 3;
    /// @dev Acts after which it has the next key.
    uint256 private constant STAGE = 40;

    /// @dev Who has which key; the owner is the operator's admin, without a delay.
    struct Keys {
        address executor;
        address guardian;
        address stolenGuardian;
        address stolenRaiser;
        address service;
        address owner;
    }

    /// @dev What was minted in one act, and the limit that held then.
    struct Mint {
        uint256 time;
        uint256 amount;
        uint256 limit;
    }

    Operator private immutable operator;
    address private immutable executor;
    uint256 private immutable revocableSeconds;
    Keys private keys;
    IManagedToken[2] private tokens;
    uint64 private nextIntent = 1_000;
    uint256 private nextWord = 1_000;
    uint256 private time = 20_000 days + 5 hours;
    uint256 public acts;

    /// @notice The first rule that was broken; empty while all is well.
    string public broken;
    /// @notice Mints that went through, and what was taken back.
    uint256 public succeeded;
    uint256 public takenBack;
    Mint[][2] private mints;
    /// @dev The limit as it was: it can only fall while the thief acts.
    uint256[2] private limits;
    /// @dev To which its owner puts it back.
    uint256[2] private firstLimits;
    /// @dev When the epoch was raised last.
    uint256 private raisedAt;
    /// @dev Since when each power is given up; 0 when it is not.
    uint256[POWERS][2] private givenSince;

    constructor(
        Operator operator_,
        Keys memory keys_,
        uint256 revocableSeconds_,
        IManagedToken[2] memory tokens_
    ) {
        (operator, executor, keys, tokens) = (operator_, keys_.executor, keys_, tokens_);
        revocableSeconds = revocableSeconds_;
        vm.warp(time);
        for (uint256 i; i < 2; ++i) firstLimits[i] = limits[i] = tokens[i].mintLimit();
    }

    function act(uint256 seed) external {
        seed = uint256(keccak256(abi.encode(seed, ++acts)));
        if (seed % 6 == 0) return wait_(seed >> 8);
        uint256 which = (seed >> 8) % 2;
        if (seed % 40 == 1) return guard(which);
        if (seed % 40 == 3) return restore(which);
        if (seed % 20 == 5 && acts > STAGE) return asGuardian(which, seed >> 24);
        if (seed % 20 == 7 && acts > 2 * STAGE) return race(seed >> 24);
        if (operator.stopped() && acts % 4 == 0) {
            vm.prank(keys.guardian);
            operator.startExecution();
        }
        uint256 before = minted(which);
        uint256 mintable = tokens[which].mintableNow();
        bool ok;
        bool throughOperator = (seed >> 9) % 8 != 0;
        if (throughOperator && seed % 5 == 0) {
            ok = executeRows(which, seed >> 24);
        } else {
            bytes memory data = callOf((seed >> 16) % 26, seed >> 24, which);
            ok = throughOperator ? execute(address(tokens[which]), data) : direct(which, data);
        }
        uint256 made = minted(which) - before;
        rule(made == 0 || (ok && throughOperator), "only the operator mints");
        rule(made <= mintable, "never more at once than the bucket has");
        if (made != 0) recordMint(which, made);
        rule(minted(which) <= tokens[which].maxSupply(), "never beyond the cap");
        rule(tokens[which].mintLimit() <= limits[which], "the limit never rises");
        limits[which] = tokens[which].mintLimit();
        rule(tokens[which].mintableNow() <= limits[which], "the bucket never has more than the limit");
        checkGivenUp(which);
    }

    function minted(uint256 which) private view returns (uint256) {
        return tokens[which].tokenState().supply;
    }

    function recordMint(uint256 which, uint256 amount) private {
        ++succeeded;
        Mint[] storage all = mints[which];
        all.push(Mint(time, amount, limits[which]));
        uint256 total;
        uint256 highest;
        for (uint256 i = all.length; i > 0 && all[i - 1].time + 1 days >= time; --i) {
            total += all[i - 1].amount;
            if (all[i - 1].limit > highest) highest = all[i - 1].limit;
            rule(total <= all[i - 1].limit + highest, "never more in 24 hours than twice the limit");
        }
    }

    /// @dev The owner puts back a limit that was lowered.
    function restore(uint256 which) private {
        uint256 before = tokens[which].mintableNow();
        limits[which] = firstLimits[which];
        vm.prank(keys.owner);
        operator.adminExecute(
            address(tokens[which]),
            abi.encodeCall(IManagedToken.raiseMintLimit, (limits[which]))
        );
        rule(tokens[which].mintLimit() == limits[which], "the owner raises the limit");
        rule(tokens[which].mintableNow() == before, "which gives nothing at once");
    }

    /// @dev With the stolen key of a guardian: whatever helps.
    function asGuardian(uint256 which, uint256 seed) private {
        uint256 mintable = tokens[which].mintableNow();
        vm.startPrank(keys.stolenGuardian);
        if (seed % 4 == 0) operator.stopExecution();
        else if (seed % 4 == 1) operator.startExecution();
        else {
            bytes memory data = takeBacks()[(seed >> 8) % POWERS];
            (bool ok, ) = address(operator).call(
                abi.encodeCall(operator.takeBack, (address(tokens[which]), data))
            );
            if (ok) ++takenBack;
        }
        vm.stopPrank();
        checkGivenUp(which);
        rule(tokens[which].mintableNow() == mintable, "a guardian gives no room");
    }

    /// @dev With the stolen key of the epoch's role; the service, which saw the same epoch, raises it in the same block.
    function race(uint256 seed) private {
        uint48 current = uint48(operator.epoch());
        uint48 expected = seed % 4 == 0 ? current - 1 : current;
        bool mayRaise = raisedAt == 0 || time >= raisedAt + 10 minutes;
        bool thiefs = raise(keys.stolenRaiser, expected);
        bool services = raise(keys.service, current);
        rule(!(thiefs && services), "two raises from one epoch are one");
        rule(!thiefs || expected == current, "from the one that was seen");
        rule((thiefs || services) == mayRaise, "at most once in ten minutes, and then somebody");
        rule(operator.epoch() == current + (mayRaise ? 1 : 0), "one step at a time");
        if (mayRaise) raisedAt = time;
    }

    /// @dev The tag is of who raised it, so that nobody takes another's for its own.
    function raise(address by, uint48 expected) private returns (bool ok) {
        bytes32 tag = keccak256(abi.encode(by, acts));
        vm.recordLogs();
        vm.prank(by);
        (ok, ) = address(operator).call(abi.encodeCall(operator.raiseEpoch, (expected, tag)));
        Vm.Log[] memory logs = vm.getRecordedLogs();
        rule(logs.length == (ok ? 1 : 0), "told once");
        if (ok) rule(logs[0].topics[2] == tag && uint256(logs[0].topics[1]) == expected + 1, "with its tag");
    }

    /// @dev What is given up is so for good a whole delay after it was given up, whoever asked for it again.
    function checkGivenUp(uint256 which) private {
        uint256[POWERS] memory ends = forGoodAt(which);
        for (uint256 i; i < POWERS; ++i) {
            uint256 since = givenSince[which][i];
            if (ends[i] == 0) {
                rule(since == 0 || time < since + revocableSeconds, "for good is for good");
                givenSince[which][i] = 0;
            } else {
                if (since == 0) givenSince[which][i] = since = time;
                rule(ends[i] == since + revocableSeconds, "nothing for ever before the delay, nor after it");
            }
        }
    }

    /// @dev Some time, often to the second when what was minted has refilled, or midnight has come.
    function wait_(uint256 seed) private {
        uint256 kind = seed % 5;
        seed >>= 8;
        uint256 later = time + (seed % 12 hours);
        if (kind == 0) later = time + 1 days - 1 + ((seed >> 8) % 3);
        if (kind == 1) later = (time / 1 days + 1) * 1 days - 1 + ((seed >> 8) % 2);
        if (kind == 2) later = time + (seed % 100);
        for (uint256 i; i < 2; ++i) {
            // Mostly: what stays given up leaves nothing to steal.
            if (seed % 64 != 0) guardBefore(i, later);
        }
        time = later;
        vm.warp(later);
    }

    /// @dev The guardian comes before it is too late.
    function guardBefore(uint256 which, uint256 later) private {
        uint256[POWERS] memory ends = forGoodAt(which);
        for (uint256 i; i < POWERS; ++i) {
            if (ends[i] > time && ends[i] <= later) return guard(which);
        }
    }

    function guard(uint256 which) private {
        uint256[POWERS] memory ends = forGoodAt(which);
        bytes[POWERS] memory calls = takeBacks();
        for (uint256 i; i < POWERS; ++i) {
            if (ends[i] <= time) continue;
            vm.prank(keys.guardian);
            operator.takeBack(address(tokens[which]), calls[i]);
            ++takenBack;
        }
        uint256[POWERS] memory left = forGoodAt(which);
        for (uint256 i; i < POWERS; ++i) rule(left[i] <= time, "a guardian takes back what is not for good");
        checkGivenUp(which);
    }

    function takeBacks() private pure returns (bytes[POWERS] memory) {
        return
            [
                abi.encodeCall(IManagedToken.reopenMint, ()),
                abi.encodeWithSignature("unfreezeMetadata()"),
                abi.encodeCall(IManagedToken.restoreControls, ())
            ];
    }

    function forGoodAt(uint256 which) private view returns (uint256[POWERS] memory) {
        IManagedToken.TokenLimits memory told = tokens[which].tokenLimits();
        return [told.mintClosedForGoodAt, told.metadataFrozenForGoodAt, told.controlsRenouncedForGoodAt];
    }

    function execute(address target, bytes memory data) private returns (bool) {
        IOperator.Call[] memory calls = new IOperator.Call[](1);
        calls[0] = IOperator.Call(target, 2_000_000, nextIntent++, data);
        uint48 epoch = epochToUse();
        vm.prank(executor);
        try operator.execute(epoch, calls) returns (IOperator.Result[] memory results) {
            rule(
                epoch == operator.epoch() && !operator.stopped(),
                "nothing runs while stopped, or of another epoch"
            );
            return results[0].ok;
        } catch {
            return false;
        }
    }

    /// @dev Now and then the one before.
    function epochToUse() private view returns (uint48) {
        return uint48(operator.epoch()) - (acts % 16 == 0 ? 1 : 0);
    }

    function executeRows(uint256 which, uint256 seed) private returns (bool) {
        uint256 amountBytes = which == 0 ? 1 : 0;
        bytes memory rows;
        for (uint256 i; i < 1 + (seed % 6); ++i) {
            bytes memory amount = which == 0 ? abi.encodePacked(uint8(1 + ((seed >> 8) % 9))) : bytes("");
            rows = bytes.concat(rows, abi.encodePacked(executor), amount);
        }
        uint256 first = 256 * nextWord++;
        uint48 epoch = epochToUse();
        address token = address(tokens[which]);
        vm.prank(executor);
        try
            operator.executeRows(
                epoch,
                IOperator.Rows(token, 2_000_000, first, ~uint256(0), 0, amountBytes, rows)
            )
        returns (IOperator.Result memory result) {
            return result.ok;
        } catch {
            return false;
        }
    }

    function direct(uint256 which, bytes memory data) private returns (bool ok) {
        vm.prank(executor);
        (ok, ) = address(tokens[which]).call(data);
    }

    function callOf(uint256 kind, uint256 seed, uint256 which) private view returns (bytes memory) {
        uint256 amount = 1 + (seed % 40);
        if (kind < 10) return mintOf(kind, amount, which);
        if (kind == 10) return abi.encodeCall(IManagedToken.raiseMintLimit, (type(uint256).max));
        if (kind == 11) return abi.encodeCall(IManagedToken.raiseMintLimit, (100 + amount));
        if (kind == 12) return abi.encodeCall(IManagedToken.setOperator, (executor));
        if (kind == 13) return abi.encodeCall(IManagedToken.transferOwnership, (executor));
        if (kind == 14) return abi.encodeCall(IManagedToken.acceptOwnership, (executor));
        // Rarely, since less goes through afterwards.
        if (kind == 15 && seed % 16 == 0) {
            return abi.encodeCall(IManagedToken.lowerMintLimit, (20 + ((seed >> 8) % 40)));
        }
        if (kind == 16) return abi.encodeCall(IManagedToken.lowerMintLimit, (type(uint256).max));
        if (kind == 17) return abi.encodeWithSignature("burn(uint256)", amount);
        if (kind == 18) return abi.encodeCall(operator.grantRole, (bytes32(0), executor));
        if (kind == 19) return abi.encodeCall(operator.schedule, (address(tokens[which]), ""));
        if (kind == 20) return abi.encodeWithSignature("freezeMetadata()");
        if (kind == 21) return abi.encodeWithSignature("unfreezeMetadata()");
        if (kind == 22) return abi.encodeCall(IManagedToken.renounceControls, ());
        if (kind == 23) return abi.encodeCall(IManagedToken.restoreControls, ());
        if (kind == 24 && seed % 3 == 0) return abi.encodeCall(IManagedToken.closeMint, ());
        if (kind == 24) return abi.encodeCall(IManagedToken.reopenMint, ());
        return abi.encodeCall(operator.adminExecute, (address(tokens[which]), ""));
    }

    function mintOf(uint256 kind, uint256 amount, uint256 which) private view returns (bytes memory) {
        if (which == 0) return abi.encodeCall(ManagedERC20.mint, (executor, amount));
        if (kind < 3) return abi.encodeCall(IManagedERC721.mint, (executor));
        if (kind < 5) return abi.encodeCall(IManagedERC721.mintRun, (executor, amount));
        Entry[] memory none = new Entry[](0);
        if (kind < 7) return abi.encodeCall(IManagedERC721.mintWithMetadata, (executor, none));
        MintItem[] memory items = new MintItem[](1 + (amount % 7));
        for (uint256 i; i < items.length; ++i) items[i].to = executor;
        return abi.encodeCall(IManagedERC721.mintBatch, (items));
    }

    function rule(bool kept, string memory what) private {
        if (!kept && bytes(broken).length == 0) broken = what;
    }
}

contract BoundsInvariants is Setup {
    Thief private thief;

    function setUp() public override {
        super.setUp();
        ITokenFactory.TokenArgs memory ofCoin = coinArgs();
        (ofCoin.maxSupply, ofCoin.mintLimitPerDay) = (2_000, 60);
        coin = newCoin(ofCoin);
        ICollectionFactory.CollectionArgs memory ofNft = nftArgs();
        (ofNft.maxSupply, ofNft.mintLimitPerDay) = (2_000, 60);
        nft = newNft(ofNft);
        Thief.Keys memory keys = Thief.Keys(executor, wallet, bob, carol, raiser, address(this));
        grant(operator.GUARDIAN_ROLE(), keys.guardian);
        grant(operator.GUARDIAN_ROLE(), keys.stolenGuardian);
        grant(operator.EPOCH_ROLE(), keys.stolenRaiser);
        grant(operator.EPOCH_ROLE(), keys.service);
        IManagedToken[2] memory tokens = [IManagedToken(address(coin)), IManagedToken(address(nft))];
        thief = new Thief(operator, keys, REVOCABLE_SECONDS, tokens);
    }

    function targetContracts() external view returns (address[] memory list) {
        list = new address[](1);
        list[0] = address(thief);
    }

    /// @dev Whatever is done with stolen keys: bounds hold, and nobody takes a contract or a role.
    function invariant_bounds() external view {
        equal(thief.broken(), "", thief.broken());
        equal(coin.owner(), address(operator), "owner");
        equal(coin.operator(), address(operator), "operator");
        equal(nft.owner(), address(operator), "owner");
        equal(nft.operator(), address(operator), "operator");
        equal(coin.pendingOwner(), address(0), "no offer");
        equal(nft.pendingOwner(), address(0), "no offer");
        equal(operator.defaultAdmin(), address(this), "nor another admin");
    }

    function test_manyMintsSucceed() external {
        for (uint256 i; i < 200; ++i) thief.act(i);
        isTrue(thief.succeeded() > 20, "mints went through");
        isTrue(thief.takenBack() > 0, "the guardian came");
    }

    /// @dev Whether a random run acts; `test_many...` shows that much of that goes through.
    function afterInvariant() external view {
        isTrue(thief.acts() != 0, "the run acted");
    }
}
