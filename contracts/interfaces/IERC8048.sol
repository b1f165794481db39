// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// @title ERC-8048: on-chain metadata for token registries (draft)
/// @notice Its ERC-165 identifier is `0xdf670be1`.
interface IERC8048 {
    /// @notice A key of a token was set. An empty value means that the key was dropped.
    /// @param tokenId the token
    /// @param indexedKey the key again, so that it can be filtered by its hash
    /// @param key the key, UTF-8
    /// @param value the value, UTF-8 text in this implementation
    event MetadataSet(uint256 indexed tokenId, string indexed indexedKey, string key, bytes value);

    /// @notice The value under a key of a token.
    /// @param tokenId the token
    /// @param key the key, UTF-8
    /// @return the value; empty when the key is not set or the token does not exist
    function metadata(uint256 tokenId, string calldata key) external view returns (bytes memory);
}
