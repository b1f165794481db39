// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {ManagedERC20} from "../../contracts/ManagedERC20.sol";
import {ManagedERC721} from "../../contracts/ManagedERC721.sol";
import {ITokenDescriptor} from "../../contracts/interfaces/ITokenDescriptor.sol";

/// @notice The managed ERC-20 with OpenZeppelin's internal functions open to everybody.
contract HarnessERC20 is ManagedERC20 {
    constructor(
        address firstOperator,
        ITokenDescriptor descriptor
    ) ManagedERC20(firstOperator, descriptor, 1 days) {}

    function exposedMint(address to, uint256 value) external {
        _mint(to, value);
    }

    function exposedBurn(address from, uint256 value) external {
        _burn(from, value);
    }

    function exposedTransfer(address from, address to, uint256 value) external {
        _transfer(from, to, value);
    }

    function exposedUpdate(address from, address to, uint256 value) external {
        _update(from, to, value);
    }

    function exposedApprove(address holder, address spender, uint256 value) external {
        _approve(holder, spender, value);
    }

    function exposedSpendAllowance(address holder, address spender, uint256 value) external {
        _spendAllowance(holder, spender, value);
    }
}

/// @notice The managed ERC-721 with OpenZeppelin's internal functions open to everybody.
contract HarnessERC721 is ManagedERC721 {
    constructor(
        address firstOperator,
        ITokenDescriptor descriptor
    ) ManagedERC721(firstOperator, descriptor, 1 days) {}

    function exposedMint(address to, uint256 tokenId) external {
        _mint(to, tokenId);
    }

    function exposedSafeMint(address to, uint256 tokenId, bytes calldata data) external {
        _safeMint(to, tokenId, data);
    }

    function exposedBurn(uint256 tokenId) external {
        _burn(tokenId);
    }

    function exposedTransfer(address from, address to, uint256 tokenId) external {
        _transfer(from, to, tokenId);
    }

    function exposedSafeTransfer(address from, address to, uint256 tokenId, bytes calldata data) external {
        _safeTransfer(from, to, tokenId, data);
    }

    function exposedUpdate(address to, uint256 tokenId, address auth) external returns (address) {
        return _update(to, tokenId, auth);
    }

    function exposedApprove(address to, uint256 tokenId, address auth) external {
        _approve(to, tokenId, auth);
    }

    function exposedSetApprovalForAll(address holder, address spender, bool approved) external {
        _setApprovalForAll(holder, spender, approved);
    }

    function exposedOwnerOf(uint256 tokenId) external view returns (address) {
        return _ownerOf(tokenId);
    }

    function exposedIsAuthorized(
        address holder,
        address spender,
        uint256 tokenId
    ) external view returns (bool) {
        return _isAuthorized(holder, spender, tokenId);
    }
}
