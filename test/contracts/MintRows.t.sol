// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {IERC721Errors} from "@openzeppelin/contracts/interfaces/draft-IERC6093.sol";
import {ManagedToken} from "../../contracts/ManagedToken.sol";
import {ManagedERC20} from "../../contracts/ManagedERC20.sol";
import {ManagedERC721} from "../../contracts/ManagedERC721.sol";
import {ICollectionFactory} from "../../contracts/interfaces/ICollectionFactory.sol";
import {IManagedERC20} from "../../contracts/interfaces/IManagedERC20.sol";
import {IManagedToken} from "../../contracts/interfaces/IManagedToken.sol";
import {ITokenFactory} from "../../contracts/interfaces/ITokenFactory.sol";
import {MintRows} from "../../contracts/libraries/MintRows.sol";
import {GoodReceiver} from "./Receivers.sol";
import {Setup} from "./Setup.sol";
import {Vm} from "./Vm.sol";

/// @notice Mints in rows, of both types of token, beside lone mints of a twin.
abstract contract MintRowsSuite is Setup {
    uint256 internal constant ALL = type(uint256).max;

    /// @dev Whether a row goes to a contract too.
    bool internal takesContracts;
    /// @dev The one that mints in rows, and the one that mints one by one.
    ManagedToken internal token;
    ManagedToken internal twin;

    function create(
        bool permissioned,
        uint256 maxSupply,
        uint256 limit
    ) internal virtual returns (ManagedToken);

    function row(
        address to,
        uint256 amount,
        uint256 amountBytes
    ) internal pure virtual returns (bytes memory);

    function rowsData(
        uint256 wanted,
        uint256 amountBytes,
        bytes memory rows
    ) internal pure virtual returns (bytes memory);

    function mintData(address to, uint256 amount) internal pure virtual returns (bytes memory);

    function setUp() public virtual override {
        super.setUp();
        vm.warp(20_000 days + 5 hours);
        (token, twin) = (create(false, 0, 0), create(false, 0, 0));
    }

    /// @dev Any rows to any of these, twice and more: the same balances, events and answer as lone mints of what is wanted.
    function test_isTheSameAsLoneMints(uint256 seed) public {
        bool permissioned = seed % 3 == 0;
        (token, twin) = (create(permissioned, 0, 1 << 190), create(permissioned, 0, 1 << 190));
        address[8] memory people = peopleOf();
        if (permissioned) {
            for (uint256 i; i < 5; ++i) onBoth(abi.encodeCall(token.approveAccount, (people[i])));
        }
        onBoth(abi.encodeCall(token.freeze, (people[1])));
        onBoth(abi.encodeCall(token.freeze, (people[6])));
        uint256 amountBytes = 1 + ((seed >> 8) % 20);
        uint256 wanted = uint256(keccak256(abi.encode(seed, "wanted")));
        bytes memory rows;
        uint256 expected;
        vm.recordLogs();
        for (uint256 i; i < 30; ++i) {
            uint256 draw = uint256(keccak256(abi.encode(seed, i)));
            address to = people[draw % 8];
            uint256 amount = (draw >> 8) % (1 << (8 * amountBytes));
            rows = bytes.concat(rows, row(to, amount, amountBytes));
            if ((wanted >> i) & 1 == 0 || (to.code.length != 0 && !takesContracts)) continue;
            vm.prank(address(operator));
            (bool ok, ) = address(twin).call(mintData(to, amount));
            if (ok) expected |= 1 << i;
        }
        Vm.Log[] memory loneLogs = transfersIn(vm.getRecordedLogs());
        vm.recordLogs();
        (uint256 done, uint256 first) = mintRows(wanted, amountBytes, rows);
        Vm.Log[] memory logs = vm.getRecordedLogs();
        equal(done, expected, "which were minted");
        equal(first, takesContracts ? 0 : 1, "the first of them");
        equal(logs.length, loneLogs.length, "an event for each");
        for (uint256 i; i < logs.length; ++i) {
            equal(abi.encode(logs[i].topics), abi.encode(loneLogs[i].topics), "from nobody to each");
            equal(logs[i].data, loneLogs[i].data, "so much");
        }
        for (uint256 i; i < 8; ++i) {
            if (people[i] == address(0)) continue;
            equal(balanceOf(token, people[i]), balanceOf(twin, people[i]), "balances");
            isTrue(token.isFrozen(people[i]) == twin.isFrozen(people[i]), "marks");
            isTrue(token.isApprovedAccount(people[i]) == twin.isApprovedAccount(people[i]), "marks");
        }
        equal(abi.encode(token.tokenState()), abi.encode(twin.tokenState()), "state");
        equal(abi.encode(token.tokenLimits()), abi.encode(twin.tokenLimits()), "and bounds");
    }

    function test_mintsWhatIsWantedOnly() public {
        bytes memory rows = bytes.concat(row(alice, 1, 1), row(bob, 2, 1), row(carol, 4, 1));
        (uint256 done, ) = mintRows(5, 1, rows);
        equal(done, 5, "first and third");
        isTrue(balanceOf(token, alice) != 0 && balanceOf(token, carol) != 0, "they have it");
        equal(balanceOf(token, bob), 0, "the second has not");
        (done, ) = mintRows(ALL - 5, 1, rows);
        equal(done, 2, "what is beyond the rows is passed over");
        isTrue(balanceOf(token, bob) != 0, "now it has");
    }

    function test_mintsNothingOfNothing() public {
        uint256 supply = token.tokenState().supply;
        vm.recordLogs();
        (uint256 done, ) = mintRows(ALL, 1, "");
        equal(done, 0, "no row");
        (done, ) = mintRows(0, 1, row(alice, 1, 1));
        equal(done, 0, "none wanted");
        (done, ) = mintRows(ALL, 1, row(address(0), 1, 1));
        equal(done, 0, "none possible");
        equal(vm.getRecordedLogs().length, 0, "and nothing told");
        equal(token.tokenState().supply, supply, "nothing minted");
    }

    function test_takes256RowsAndNoMore() public {
        bytes memory rows;
        for (uint256 i; i < 256; ++i) rows = bytes.concat(rows, row(vm.addr(1_000 + i), 1, 1));
        (uint256 done, ) = mintRows(ALL, 1, rows);
        equal(done, ALL, "all");
        equal(balanceOf(token, vm.addr(1_255)), 1, "the last too");
        equal(token.tokenState().supply, 256, "counted");
        rows = bytes.concat(rows, row(alice, 1, 1));
        refused(rowsData(ALL, 1, rows), address(operator), error0(MintRows.InvalidRows.selector));
    }

    function test_refusesBytesThatAreNoRows(uint8 more) public {
        bytes memory rows = row(alice, 1, 1);
        uint256 size = rows.length;
        more = uint8(1 + (more % (size - 1)));
        rows = bytes.concat(rows, new bytes(more));
        refused(rowsData(ALL, 1, rows), address(operator), error0(MintRows.InvalidRows.selector));
        refused(rowsData(0, 1, rows), address(operator), error0(MintRows.InvalidRows.selector));
    }

    function test_onlyOwnerAndOperatorMintRows(address caller) public {
        vm.assume(caller != address(operator) && caller != wallet);
        bytes memory reason = error1(IManagedToken.NotOwnerOrOperator.selector, caller);
        refused(rowsData(ALL, 1, row(alice, 1, 1)), caller, reason);
        vm.prank(wallet);
        (bool ok, ) = address(token).call(rowsData(ALL, 1, row(alice, 1, 1)));
        isTrue(ok, "the owner may");
    }

    function test_pauseAndAClosedMintEndTheWholeCall() public {
        bytes memory data = rowsData(ALL, 1, row(alice, 1, 1));
        vm.prank(address(operator));
        token.pause();
        refused(data, address(operator), error0(IManagedToken.TokenPaused.selector));
        refused(rowsData(0, 1, ""), address(operator), error0(IManagedToken.TokenPaused.selector));
        vm.startPrank(address(operator));
        token.unpause();
        token.closeMint();
        vm.stopPrank();
        refused(data, address(operator), error0(IManagedToken.MintClosed.selector));
        vm.prank(address(operator));
        token.reopenMint();
        (uint256 done, ) = mintRows(ALL, 1, row(alice, 1, 1));
        equal(done, 1, "and on");
    }

    function test_theLockStopsNoRow() public {
        vm.prank(address(operator));
        token.lockTransfers();
        (uint256 done, ) = mintRows(ALL, 1, row(alice, 1, 1));
        equal(done, 1, "as a lone mint");
    }

    /// @dev Counted is what is minted, and not what was left out.
    function test_boundsHoldForAllRowsTogether() public {
        token = create(false, 4, 3);
        vm.prank(address(operator));
        token.freeze(bob);
        bytes memory two = bytes.concat(row(alice, 1, 1), row(bob, 1, 1), row(carol, 1, 1));
        (uint256 done, ) = mintRows(ALL, 1, two);
        equal(done, 5, "two");
        equal(token.mintableNow(), 1, "counted");
        bytes memory reason = abi.encodeWithSelector(IManagedToken.MintLimitExceeded.selector, 2, 1);
        refused(rowsData(ALL, 1, two), address(operator), reason);
        reason = abi.encodeWithSelector(IManagedToken.SupplyCapExceeded.selector, 5, 4);
        refused(rowsData(ALL, 1, bytes.concat(two, row(alice, 1, 1))), wallet, reason);
        equal(token.tokenState().supply, 2, "none of them");
        equal(balanceOf(token, alice), 1, "nobody has more");
        vm.prank(wallet);
        (bool ok, ) = address(token).call(rowsData(ALL, 1, two));
        isTrue(ok, "an owner who is not the operator is not limited");
        equal(token.mintableNow(), 1, "nor counted");
    }

    function mintRows(
        uint256 wanted,
        uint256 amountBytes,
        bytes memory rows
    ) internal returns (uint256 done, uint256 first) {
        vm.prank(address(operator));
        (bool ok, bytes memory answer) = address(token).call(rowsData(wanted, amountBytes, rows));
        isTrue(ok, "rows");
        return abi.decode(answer, (uint256, uint256));
    }

    function refused(bytes memory data, address by, bytes memory reason) internal {
        vm.prank(by);
        (bool ok, bytes memory answer) = address(token).call(data);
        isTrue(!ok, "refused");
        equal(answer, reason, "and why");
    }

    /// @dev In order: one who may, one who is frozen, one who may, a contract, one with a delegation, one who is not approved
    /// where that is asked, one who is neither, nobody.
    function peopleOf() private returns (address[8] memory people) {
        address receiver = address(new GoodReceiver());
        people = [alice, bob, carol, receiver, vm.addr(0x7702), vm.addr(0x11), vm.addr(0x12), address(0)];
    }

    function onBoth(bytes memory data) private {
        vm.startPrank(address(operator));
        (bool ok, ) = address(token).call(data);
        (bool twinOk, ) = address(twin).call(data);
        vm.stopPrank();
        isTrue(ok && twinOk, "done to both");
    }

    function balanceOf(ManagedToken where, address account) internal view returns (uint256) {
        return IERC20(address(where)).balanceOf(account);
    }

    function transfersIn(Vm.Log[] memory logs) private pure returns (Vm.Log[] memory) {
        for (uint256 i; i < logs.length; ++i)
            isTrue(logs[i].topics[0] == IERC20.Transfer.selector, "Transfer");
        return logs;
    }
}

contract MintRowsOfERC20Test is MintRowsSuite {
    function setUp() public override {
        takesContracts = true;
        super.setUp();
    }

    function create(
        bool permissioned,
        uint256 maxSupply,
        uint256 limit
    ) internal override returns (ManagedToken) {
        ITokenFactory.TokenArgs memory args = coinArgs();
        (args.owner, args.permissioned) = (wallet, permissioned);
        (args.maxSupply, args.mintLimitPerDay) = (maxSupply, limit);
        return newCoin(args);
    }

    function row(
        address to,
        uint256 amount,
        uint256 amountBytes
    ) internal pure override returns (bytes memory) {
        bytes memory word = abi.encode(amount);
        bytes memory short = new bytes(amountBytes);
        for (uint256 i; i < amountBytes; ++i) short[i] = word[32 - amountBytes + i];
        return abi.encodePacked(to, short);
    }

    function rowsData(
        uint256 wanted,
        uint256 amountBytes,
        bytes memory rows
    ) internal pure override returns (bytes memory) {
        return abi.encodeCall(IManagedERC20.mintRows, (wanted, amountBytes, rows));
    }

    function mintData(address to, uint256 amount) internal pure override returns (bytes memory) {
        return abi.encodeCall(IManagedERC20.mint, (to, amount));
    }

    function test_readsAmountsOfEveryLength(uint256 amount) public {
        uint256 minted;
        for (uint256 bytes_ = 1; bytes_ <= 26; ++bytes_) {
            uint256 part = (amount % (1 << (8 * bytes_))) / 64;
            mintRows(1, bytes_, row(alice, part, bytes_));
            minted += part;
            equal(balanceOf(token, alice), minted, "as written");
        }
        bytes memory long = row(alice, 1, 27);
        refused(rowsData(1, 27, long), address(operator), error0(MintRows.InvalidRows.selector));
        refused(rowsData(1, ALL, long), address(operator), error0(MintRows.InvalidRows.selector));
        refused(rowsData(1, ALL - 19, long), address(operator), error0(MintRows.InvalidRows.selector));
    }

    function test_anAmountWithoutBytesIsNothing() public {
        (uint256 done, ) = mintRows(ALL, 0, abi.encodePacked(alice, bob));
        equal(done, 3, "as a lone mint of 0");
        equal(token.tokenState().supply, 0, "of nothing");
    }

    /// @dev The sum is beyond what fits beside the flags, of the supply and of a balance.
    function test_noSumReachesTheFlags() public {
        vm.prank(address(operator));
        token.approveAccount(alice);
        uint256 most = type(uint208).max;
        bytes memory rows;
        for (uint256 i; i < 256; ++i) rows = bytes.concat(rows, row(alice, most, 26));
        bytes4 selector = IManagedERC20.ERC20ExceededSafeSupply.selector;
        refused(rowsData(ALL, 26, rows), wallet, abi.encodeWithSelector(selector, 256 * most, most));
        refused(rowsData(3, 26, rows), wallet, abi.encodeWithSelector(selector, 2 * most, most));
        equal(balanceOf(token, alice), 0, "nothing");
        (uint256 done, ) = mintRows(2, 26, rows);
        equal(done, 2, "up to it");
        equal(balanceOf(token, alice), most, "all there can be");
        isTrue(token.isApprovedAccount(alice) && !token.isFrozen(alice), "marks as they were");
        isTrue(!token.paused() && token.tokenState().supply == most, "flags too");
        refused(rowsData(1, 1, row(bob, 1, 1)), wallet, abi.encodeWithSelector(selector, most + 1, most));
    }
}

contract MintRowsOfERC721Test is MintRowsSuite {
    function create(
        bool permissioned,
        uint256 maxSupply,
        uint256 limit
    ) internal override returns (ManagedToken) {
        ICollectionFactory.CollectionArgs memory args = nftArgs();
        (args.owner, args.permissioned) = (wallet, permissioned);
        (args.maxSupply, args.mintLimitPerDay) = (maxSupply, limit);
        return newNft(args);
    }

    function row(address to, uint256, uint256) internal pure override returns (bytes memory) {
        return abi.encodePacked(to);
    }

    function rowsData(
        uint256 wanted,
        uint256,
        bytes memory rows
    ) internal pure override returns (bytes memory) {
        return abi.encodeWithSignature("mintRows(uint256,bytes)", wanted, rows);
    }

    function mintData(address to, uint256) internal pure override returns (bytes memory) {
        return abi.encodeWithSignature("mint(address)", to);
    }

    function test_givesIdsInTheOrderOfTheRows() public {
        ManagedERC721 collection = ManagedERC721(address(token));
        vm.startPrank(address(operator));
        collection.mint(carol);
        collection.mintRun(carol, 3);
        collection.freeze(bob);
        vm.stopPrank();
        bytes memory rows = abi.encodePacked(alice, bob, address(0), carol, alice, carol);
        (uint256 done, uint256 first) = mintRows(ALL - 16, 0, rows);
        equal(first, 5, "after the newest");
        // Not wanted: 4. Left out: 1, which is frozen, and 2, which is nobody.
        equal(done, 1 + 8 + 32, "who could");
        equal(collection.ownerOf(5), alice, "row 0");
        equal(collection.ownerOf(6), carol, "row 3");
        equal(collection.ownerOf(7), carol, "row 5");
        vm.expectRevert(error1(IERC721Errors.ERC721NonexistentToken.selector, 8));
        collection.ownerOf(8);
        equal(collection.totalSupply(), 7, "counted");
        vm.prank(alice);
        collection.burn(5);
        (done, first) = mintRows(1, 0, abi.encodePacked(alice));
        equal(first, 8, "a burned id does not come again");
        equal(collection.entries(8).length, 0, "without metadata");
    }

    /// @dev A contract would have to be asked, and code that starts to run while the row is minted is asked by nobody.
    function test_leavesOutWhatHasCode() public {
        address receiver = address(new GoodReceiver());
        (uint256 done, ) = mintRows(ALL, 0, abi.encodePacked(receiver, alice, address(token)));
        equal(done, 2, "neither the receiver nor the collection");
        equal(GoodReceiver(receiver).received(), 0, "which was not asked");
    }
}
