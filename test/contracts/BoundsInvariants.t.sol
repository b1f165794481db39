// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {ManagedERC20} from "../../contracts/ManagedERC20.sol";
import {ManagedERC721} from "../../contracts/ManagedERC721.sol";
import {Operator} from "../../contracts/Operator.sol";
import {ICollectionFactory} from "../../contracts/interfaces/ICollectionFactory.sol";
import {Entry} from "../../contracts/interfaces/IKeyedMetadata.sol";
import {IManagedERC721, MintItem} from "../../contracts/interfaces/IManagedERC721.sol";
import {IManagedToken} from "../../contracts/interfaces/IManagedToken.sol";
import {IOperator} from "../../contracts/interfaces/IOperator.sol";
import {ITokenFactory} from "../../contracts/interfaces/ITokenFactory.sol";
import {Setup} from "./Setup.sol";
import {Vm} from "./Vm.sol";

/// @notice Somebody who stole the executor's key and calls whatever comes to mind, through the operator and around it.
contract Thief {
    Vm private constant vm = Vm(address(uint160(uint256(keccak256("hevm cheat code")))));

    Operator private immutable operator;
    address private immutable executor;
    IManagedToken[2] private tokens;
    uint64 private nextIntent = 1_000;
    uint256 private day = 20_000;
    uint256 private acts;

    /// @notice The first rule that was broken; empty while all is well.
    string public broken;
    /// @notice Mints that went through, so that a run in which nothing happens is noticed.
    uint256 public succeeded;
    /// @dev ERC-20: amount; ERC-721: tokens, that were minted on the current day.
    uint256[2] private today;
    /// @dev The highest limit that held on the current day: it can only fall while the thief acts.
    uint256[2] private limits;

    constructor(Operator operator_, address executor_, IManagedToken coin, IManagedToken nft) {
        (operator, executor) = (operator_, executor_);
        tokens = [coin, nft];
        vm.warp(day * 1 days);
        for (uint256 i; i < 2; ++i) limits[i] = tokens[i].mintLimit();
    }

    function act(uint256 seed) external {
        seed = uint256(keccak256(abi.encode(seed, ++acts)));
        if (seed % 16 == 0) return nextDay(seed >> 8);
        uint256 which = (seed >> 8) % 2;
        bytes memory data = callOf((seed >> 16) % 20, seed >> 24, which);
        uint256 before = minted(which);
        bool throughOperator = (seed >> 9) % 8 != 0;
        bool ok = throughOperator ? execute(address(tokens[which]), data) : direct(which, data);
        uint256 made = minted(which) - before;
        rule(made == 0 || (ok && throughOperator), "only the operator mints");
        today[which] += made;
        if (made != 0) ++succeeded;
        rule(today[which] <= limits[which], "never more in a day than the limit");
        rule(minted(which) <= tokens[which].maxSupply(), "never beyond the cap");
        rule(tokens[which].mintLimit() <= limits[which], "the limit never rises");
    }

    function minted(uint256 which) private view returns (uint256) {
        return tokens[which].tokenState().supply;
    }

    /// @dev Some seconds before or after the next midnight in UTC.
    function nextDay(uint256 seed) private {
        if (seed % 2 == 0) {
            vm.warp((day + 1) * 1 days - 1);
            return;
        }
        ++day;
        vm.warp(day * 1 days + ((seed >> 8) % 100));
        for (uint256 i; i < 2; ++i) (today[i], limits[i]) = (0, tokens[i].mintLimit());
    }

    function execute(address target, bytes memory data) private returns (bool) {
        IOperator.Call[] memory calls = new IOperator.Call[](1);
        calls[0] = IOperator.Call(target, 2_000_000, nextIntent++, data);
        vm.prank(executor);
        return operator.execute(1, calls)[0].ok;
    }

    function direct(uint256 which, bytes memory data) private returns (bool ok) {
        vm.prank(executor);
        (ok, ) = address(tokens[which]).call(data);
    }

    function callOf(uint256 kind, uint256 seed, uint256 which) private view returns (bytes memory) {
        uint256 amount = 1 + (seed % 7);
        if (kind < 10) return mintOf(kind, amount, which);
        if (kind == 10) return abi.encodeCall(IManagedToken.raiseMintLimit, (type(uint256).max));
        if (kind == 11) return abi.encodeCall(IManagedToken.raiseMintLimit, (100 + amount));
        if (kind == 12) return abi.encodeCall(IManagedToken.setOperator, (executor));
        if (kind == 13) return abi.encodeCall(IManagedToken.transferOwnership, (executor));
        if (kind == 14) return abi.encodeCall(IManagedToken.acceptOwnership, (executor));
        // Rarely, since no mint goes through afterwards for some time.
        if (kind == 15 && seed % 32 == 0) {
            return abi.encodeCall(IManagedToken.lowerMintLimit, (20 + ((seed >> 8) % 30)));
        }
        if (kind == 16) return abi.encodeCall(IManagedToken.lowerMintLimit, (type(uint256).max));
        if (kind == 17) return abi.encodeWithSignature("burn(uint256)", amount);
        if (kind == 18) return abi.encodeCall(operator.grantRole, (bytes32(0), executor));
        return abi.encodeCall(operator.adminExecute, (address(tokens[which]), ""));
    }

    function mintOf(uint256 kind, uint256 amount, uint256 which) private view returns (bytes memory) {
        if (which == 0) return abi.encodeCall(ManagedERC20.mint, (executor, amount));
        if (kind < 3) return abi.encodeCall(IManagedERC721.mint, (executor));
        if (kind < 5) return abi.encodeCall(IManagedERC721.mintRun, (executor, amount));
        Entry[] memory none = new Entry[](0);
        if (kind < 7) return abi.encodeCall(IManagedERC721.mintWithMetadata, (executor, none));
        MintItem[] memory items = new MintItem[](amount);
        for (uint256 i; i < amount; ++i) items[i].to = executor;
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
        (ofCoin.maxSupply, ofCoin.mintLimitPerDay) = (400, 60);
        coin = newCoin(ofCoin);
        ICollectionFactory.CollectionArgs memory ofNft = nftArgs();
        (ofNft.maxSupply, ofNft.mintLimitPerDay) = (400, 60);
        nft = newNft(ofNft);
        thief = new Thief(operator, executor, coin, nft);
    }

    function targetContracts() external view returns (address[] memory list) {
        list = new address[](1);
        list[0] = address(thief);
    }

    /// @dev Whatever is done with the executor's key: bounds hold, and nobody takes a contract or a role.
    function invariant_bounds() external view {
        equal(thief.broken(), "", thief.broken());
        equal(coin.owner(), address(operator), "owner");
        equal(coin.operator(), address(operator), "operator");
        equal(nft.owner(), address(operator), "owner");
        equal(nft.operator(), address(operator), "operator");
        equal(coin.pendingOwner(), address(0), "no offer");
        equal(nft.pendingOwner(), address(0), "no offer");
        isTrue(!operator.hasRole(operator.DEFAULT_ADMIN_ROLE(), executor), "no role");
    }

    function afterInvariant() external view {
        isTrue(thief.succeeded() > 5, "mints went through");
    }
}
