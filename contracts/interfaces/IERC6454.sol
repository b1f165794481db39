// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// @title ERC-6454: minimal transferable interface
/// @notice Its ERC-165 identifier is `0x91a6262f`.
interface IERC6454 {
    /// @notice Whether the token can be transferred from one account to the other now.
    /// @dev Both zero ask whether the token can be transferred in general, `from` zero alone asks for a mint, `to` zero
    /// alone for a burn. Reverts `ERC721NonexistentToken` for a token that does not exist, unless a mint is asked for.
    /// @param tokenId the token
    /// @param from the sender
    /// @param to the account that receives
    /// @return false when a transfer would revert because of pause, lock, freeze or a missing approval to mint, and when
    /// the next mint does not make the token: because that is another one, the cap is reached or minting is closed
    function isTransferable(uint256 tokenId, address from, address to) external view returns (bool);
}
