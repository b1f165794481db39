// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {CollectionFactory} from "../../contracts/CollectionFactory.sol";
import {ManagedERC20} from "../../contracts/ManagedERC20.sol";
import {ManagedERC721} from "../../contracts/ManagedERC721.sol";
import {TokenDescriptor} from "../../contracts/TokenDescriptor.sol";
import {TokenFactory} from "../../contracts/TokenFactory.sol";
import {ICollectionFactory} from "../../contracts/interfaces/ICollectionFactory.sol";
import {ITokenFactory} from "../../contracts/interfaces/ITokenFactory.sol";
import {Vm} from "../../test/contracts/Vm.sol";

Vm constant VM = Vm(address(uint160(uint256(keccak256("hevm cheat code")))));

/// @dev Owner and operator of the tokens: no caller of the suites.
address constant MANAGER = address(uint160(uint256(keccak256("manager"))));

/// @notice The managed ERC-20 with what the suites expect of a mock.
contract MockERC20 is ManagedERC20 {
    constructor() ManagedERC20(MANAGER, new TokenDescriptor(), 1 days) {}

    /// @dev No input that makes more than there can be.
    function mockMint(address to, uint256 amount) external {
        VM.assume(amount <= type(uint208).max);
        _mint(to, amount);
    }

    function mockBurn(address from, uint256 amount) external {
        _burn(from, amount);
    }
}

/// @notice The managed ERC-721 with what the suites expect of a mock.
contract MockERC721 is ManagedERC721 {
    constructor() ManagedERC721(MANAGER, new TokenDescriptor(), 1 days) {}

    function mockMint(address to, uint256 tokenId) external {
        _mint(to, tokenId);
    }

    function mockSafeMint(address to, uint256 tokenId) external {
        _safeMint(to, tokenId);
    }

    function mockSafeMint(address to, uint256 tokenId, bytes calldata data) external {
        _safeMint(to, tokenId, data);
    }

    function mockBurn(uint256 tokenId) external {
        _burn(tokenId);
    }
}

/// @notice A clone: the implementation itself has no name and no owner.
function newMockERC20(string memory name, string memory symbol, uint8 decimals) returns (MockERC20) {
    VM.assume(decimals <= 18);
    assumeTexts(name, symbol);
    ITokenFactory.TokenArgs memory args;
    (args.owner, args.name, args.symbol, args.decimals) = (MANAGER, name, symbol, decimals);
    return MockERC20(new TokenFactory(new MockERC20()).createToken(0, args));
}

/// @notice A clone: the implementation itself has no name and no owner.
function newMockERC721(string memory name, string memory symbol) returns (MockERC721) {
    assumeTexts(name, symbol);
    ICollectionFactory.CollectionArgs memory args;
    (args.owner, args.name, args.symbol) = (MANAGER, name, symbol);
    return MockERC721(new CollectionFactory(new MockERC721()).createCollection(0, args));
}

/// @dev No input that the factories refuse.
function assumeTexts(string memory name, string memory symbol) pure {
    VM.assume(bytes(name).length != 0 && bytes(name).length <= 64);
    VM.assume(bytes(symbol).length != 0 && bytes(symbol).length <= 16);
}
