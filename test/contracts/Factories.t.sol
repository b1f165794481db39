// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {ManagedERC20} from "../../contracts/ManagedERC20.sol";
import {ManagedERC721} from "../../contracts/ManagedERC721.sol";
import {ICloneFactory} from "../../contracts/interfaces/ICloneFactory.sol";
import {ICollectionFactory} from "../../contracts/interfaces/ICollectionFactory.sol";
import {ITokenFactory} from "../../contracts/interfaces/ITokenFactory.sol";
import {IOperator} from "../../contracts/interfaces/IOperator.sol";
import {Bucket} from "../../contracts/libraries/Bucket.sol";
import {Setup} from "./Setup.sol";

contract FactoriesTest is Setup {
    ITokenFactory.TokenArgs private token;
    ICollectionFactory.CollectionArgs private collection;

    function setUp() public override {
        super.setUp();
        token = ITokenFactory.TokenArgs(wallet, "Gold", "AU", 6, true, 0, 0, false);
        collection = ICollectionFactory.CollectionArgs(
            wallet,
            "Cats",
            "CAT",
            "ipfs://cats/",
            false,
            0,
            0,
            false,
            address(0),
            0
        );
    }

    function test_createsWhatWasAskedForWhereItWasPredicted(
        bytes32 salt,
        string memory name,
        string memory symbol,
        uint8 decimals,
        bool permissioned
    ) public {
        name = cut(name, 64);
        symbol = cut(symbol, 16);
        token = ITokenFactory.TokenArgs(wallet, name, symbol, decimals % 19, permissioned, 0, 0, false);
        address predicted = tokenFactory.predict(address(this), salt, token);
        vm.expectEmit(true, true, true, true, address(tokenFactory));
        emit ICloneFactory.TokenCreated(predicted, wallet, address(this), salt);
        ManagedERC20 made = ManagedERC20(tokenFactory.createToken(salt, token));
        equal(address(made), predicted, "as predicted");
        equal(made.name(), name, "name");
        equal(made.symbol(), symbol, "symbol");
        equal(made.decimals(), decimals % 19, "decimals");
        equal(made.owner(), wallet, "owner");
        equal(made.operator(), address(operator), "operator");
        isTrue(made.isPermissioned() == permissioned, "permissioned");
        equal(made.totalSupply(), 0, "empty");
        equal(made.tokenState().decimals, decimals % 19, "in one call too");
    }

    function test_createsCollections(bytes32 salt, string memory name, string memory baseUri) public {
        name = cut(name, 64);
        collection.name = name;
        collection.baseUri = cut(baseUri, 256);
        collection.permissioned = true;
        address predicted = collectionFactory.predict(address(this), salt, collection);
        ManagedERC721 made = ManagedERC721(collectionFactory.createCollection(salt, collection));
        equal(address(made), predicted, "as predicted");
        equal(made.name(), name, "name");
        equal(made.symbol(), "CAT", "symbol");
        isTrue(made.isPermissioned(), "permissioned");
        vm.startPrank(wallet);
        made.approveAccount(alice);
        made.mint(alice);
        vm.stopPrank();
        equal(made.tokenURI(1), string.concat(collection.baseUri, "1"), "base URI");
    }

    function test_askingTwiceAnswersTheSame() public {
        address made = tokenFactory.createToken(bytes32(uint256(1)), token);
        vm.recordLogs();
        equal(tokenFactory.createToken(bytes32(uint256(1)), token), made, "the same token");
        equal(vm.getRecordedLogs().length, 0, "and nothing new");
        made = collectionFactory.createCollection(bytes32(uint256(1)), collection);
        equal(
            collectionFactory.createCollection(bytes32(uint256(1)), collection),
            made,
            "the same collection"
        );
    }

    function test_anyDifferenceIsAnotherAddress() public {
        address first = tokenFactory.createToken(bytes32(uint256(1)), token);
        isTrue(tokenFactory.createToken(bytes32(uint256(2)), token) != first, "another salt");
        vm.prank(alice);
        isTrue(tokenFactory.createToken(bytes32(uint256(1)), token) != first, "another caller");
        token.decimals = 7;
        isTrue(tokenFactory.createToken(bytes32(uint256(1)), token) != first, "other arguments");
    }

    /// @dev Name and symbol lie next to each other: a byte more here and less there is another token.
    function test_nameAndSymbolDoNotRunIntoEachOther() public {
        token.name = "AB";
        token.symbol = "C";
        address first = tokenFactory.createToken(bytes32(0), token);
        token.name = "A";
        token.symbol = "BC";
        isTrue(tokenFactory.createToken(bytes32(0), token) != first, "not the same");
    }

    function test_refusesBadArguments() public {
        token.owner = address(0);
        refusedToken(error0(ICloneFactory.OwnerMissing.selector));
        token.owner = wallet;
        token.name = "";
        refusedToken(error1(ICloneFactory.InvalidNameLength.selector, 0));
        token.name = string(new bytes(65));
        refusedToken(error1(ICloneFactory.InvalidNameLength.selector, 65));
        token.name = "Gold";
        token.symbol = "";
        refusedToken(error1(ICloneFactory.InvalidSymbolLength.selector, 0));
        token.symbol = string(new bytes(17));
        refusedToken(error1(ICloneFactory.InvalidSymbolLength.selector, 17));
        token.symbol = "AU";
        token.decimals = 19;
        refusedToken(error1(ITokenFactory.InvalidDecimals.selector, 19));
        token.decimals = 18;
        token.maxSupply = 1 << 208;
        refusedToken(error1(ICloneFactory.InvalidMaxSupply.selector, 1 << 208));
        token.maxSupply = 1;
        token.mintLimitPerDay = 1 << 198;
        refusedToken(error1(ICloneFactory.InvalidMintLimit.selector, 1 << 198));
        collection.royaltyBasisPoints = 1_001;
        collection.royaltyReceiver = bob;
        vm.expectRevert(abi.encodeWithSelector(ICollectionFactory.InvalidRoyalty.selector, bob, 1_001));
        collectionFactory.createCollection(0, collection);
        collection.royaltyBasisPoints = 1;
        collection.royaltyReceiver = address(0);
        vm.expectRevert(abi.encodeWithSelector(ICollectionFactory.InvalidRoyalty.selector, address(0), 1));
        collectionFactory.createCollection(0, collection);
        collection.royaltyBasisPoints = 0;
        collection.baseUri = string(new bytes(257));
        vm.expectRevert(error1(ICollectionFactory.BaseUriTooLong.selector, 257));
        collectionFactory.createCollection(0, collection);
    }

    function test_takesTheLongestTexts() public {
        bytes memory text = new bytes(256);
        for (uint256 i; i < 256; ++i) text[i] = bytes1(uint8(97 + (i % 26)));
        collection.baseUri = string(text);
        collection.name = string(slice(text, 64));
        collection.symbol = string(slice(text, 16));
        ManagedERC721 made = ManagedERC721(collectionFactory.createCollection(0, collection));
        equal(made.name(), collection.name, "64 bytes");
        equal(made.symbol(), collection.symbol, "16 bytes");
        vm.prank(wallet);
        made.mint(alice);
        equal(made.tokenURI(1), string.concat(string(text), "1"), "256 bytes");
    }

    /// @dev Each set of options moves what follows it in the code of the clone.
    function test_everySetOfOptionsIsReadAsGiven(uint8 set, uint256 seed) public {
        uint256 cap = set & 1 == 0 ? 0 : 1 + (seed % type(uint208).max);
        uint256 limit = set & 2 == 0 ? 0 : 1 + ((seed >> 8) % Bucket.MAX_LIMIT);
        collection.maxSupply = cap;
        collection.mintLimitPerDay = limit;
        collection.recoverable = set & 4 != 0;
        collection.permissioned = set & 8 != 0;
        if (set & 16 != 0) (collection.royaltyReceiver, collection.royaltyBasisPoints) = (bob, 500);
        address predicted = collectionFactory.predict(address(this), 0, collection);
        ManagedERC721 made = ManagedERC721(collectionFactory.createCollection(0, collection));
        equal(address(made), predicted, "as predicted");
        equal(made.maxSupply(), cap == 0 ? type(uint256).max : cap, "cap");
        equal(made.mintLimit(), limit == 0 ? type(uint256).max : limit, "limit");
        isTrue(made.recoverable() == collection.recoverable, "recoverable");
        isTrue(made.isPermissioned() == collection.permissioned, "permissioned");
        (address receiver, uint256 amount) = made.royaltyInfo(1, 10_000);
        equal(receiver, collection.royaltyReceiver, "royalty");
        equal(amount, collection.royaltyBasisPoints, "royalty");
        equal(made.name(), "Cats", "name");
        equal(made.symbol(), "CAT", "symbol");
        equal(made.owner(), wallet, "owner");
        vm.startPrank(wallet);
        made.approveAccount(alice);
        made.mint(alice);
        vm.stopPrank();
        equal(made.tokenURI(1), "ipfs://cats/1", "base URI");
        token.maxSupply = cap;
        token.mintLimitPerDay = limit;
        token.recoverable = set & 4 != 0;
        ManagedERC20 coinMade = ManagedERC20(tokenFactory.createToken(0, token));
        equal(coinMade.maxSupply(), cap == 0 ? type(uint256).max : cap, "cap");
        equal(coinMade.mintLimit(), limit == 0 ? type(uint256).max : limit, "limit");
        isTrue(coinMade.recoverable() == token.recoverable, "recoverable");
        equal(coinMade.name(), "Gold", "name");
        equal(coinMade.tokenLimits().royaltyReceiver, address(0), "no royalty");
    }

    function slice(bytes memory text, uint256 length) private pure returns (bytes memory part) {
        part = new bytes(length);
        for (uint256 i; i < length; ++i) part[i] = text[i];
    }

    function test_theOperatorPausesCreation() public {
        operator.adminExecute(address(tokenFactory), abi.encodeCall(tokenFactory.pauseCreation, ()));
        refusedToken(error0(ICloneFactory.CreationPaused.selector));
        tokenFactory.predict(address(this), 0, token);
        collectionFactory.createCollection(0, collection);
        vm.recordLogs();
        vm.startPrank(address(operator));
        tokenFactory.pauseCreation();
        equal(vm.getRecordedLogs().length, 0, "paused already");
        vm.expectEmit(true, true, true, true, address(tokenFactory));
        emit ICloneFactory.CreationPauseChanged(false);
        tokenFactory.resumeCreation();
        vm.stopPrank();
        tokenFactory.createToken(0, token);
    }

    function test_nobodyElsePausesCreation(address caller) public {
        vm.assume(caller != address(operator));
        vm.startPrank(caller);
        vm.expectRevert(error1(ICloneFactory.NotOperator.selector, caller));
        tokenFactory.pauseCreation();
        vm.expectRevert(error1(ICloneFactory.NotOperator.selector, caller));
        collectionFactory.resumeCreation();
        vm.stopPrank();
    }

    function test_theOperatorCreatesEachIntentOnce() public {
        bytes memory create = abi.encodeCall(tokenFactory.createToken, (bytes32(uint256(7)), token));
        address made = abi.decode(run(address(tokenFactory), create), (address));
        equal(made, tokenFactory.predict(address(operator), bytes32(uint256(7)), token), "as predicted");
        IOperator.Result memory again = attempt(address(tokenFactory), create);
        isTrue(again.ok, "finding it there is success");
        equal(abi.decode(again.returnData, (address)), made, "and answers it");
    }

    function refusedToken(bytes memory reason) private {
        vm.expectRevert(reason);
        tokenFactory.createToken(0, token);
    }

    /// @dev At least one byte and at most `limit`.
    function cut(string memory text, uint256 limit) private pure returns (string memory) {
        bytes memory all = bytes(text);
        if (all.length == 0) return "x";
        if (all.length > limit) {
            assembly ("memory-safe") {
                mstore(all, limit)
            }
        }
        return string(all);
    }
}
