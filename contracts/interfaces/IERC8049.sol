// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// @title ERC-8049: contract-level on-chain metadata (draft)
/// @notice Its ERC-165 identifier is `0x8ec3f882`.
interface IERC8049 {
    /// @notice A key of the contract was set. An empty value means that the key was dropped.
    /// @param indexedKey the key again, so that it can be filtered by its hash
    /// @param key the key, UTF-8
    /// @param value the value, UTF-8 text in this implementation
    event ContractMetadataUpdated(string indexed indexedKey, string key, bytes value);

    /// @notice The value under a key of the contract.
    /// @param key the key, UTF-8
    /// @return the value; empty when the key is not set
    function contractMetadata(string calldata key) external view returns (bytes memory);
}
