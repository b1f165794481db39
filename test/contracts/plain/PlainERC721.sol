// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {Ownable} from "@openzeppelin/contracts/access/Ownable.sol";
import {ERC721} from "@openzeppelin/contracts/token/ERC721/ERC721.sol";

/// @notice What OpenZeppelin alone gives, to compare gas with: sequential ids, minted by the owner, keys in a mapping.
contract PlainERC721 is ERC721, Ownable {
    uint256 private newest;
    mapping(uint256 tokenId => mapping(string key => bytes)) private values;

    constructor(string memory name, string memory symbol) ERC721(name, symbol) Ownable(msg.sender) {}

    function mint(address to) public onlyOwner returns (uint256 tokenId) {
        tokenId = ++newest;
        _safeMint(to, tokenId);
    }

    function setMetadata(uint256 tokenId, string[] calldata keys, bytes[] calldata data) public onlyOwner {
        for (uint256 i; i < keys.length; ++i) {
            values[tokenId][keys[i]] = data[i];
        }
    }

    function mintWithMetadata(address to, string[] calldata keys, bytes[] calldata data) external {
        setMetadata(mint(to), keys, data);
    }
}
