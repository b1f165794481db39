// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {ICloneFactory} from "./ICloneFactory.sol";

/// @title Creates managed ERC-721 collections
/// @notice One call creates one collection, at an address known before.
interface ICollectionFactory is ICloneFactory {
    /// @notice Arguments of a new collection.
    /// @param owner its owner, not zero
    /// @param name 1 to 64 bytes, UTF-8
    /// @param symbol 1 to 16 bytes, UTF-8
    /// @param baseUri at most 256 bytes; empty for a drawing by the descriptor
    /// @param permissioned whether only approved accounts may receive a mint
    struct CollectionArgs {
        address owner;
        string name;
        string symbol;
        string baseUri;
        bool permissioned;
    }

    /// @notice The base URI has more than 256 bytes.
    /// @param length its length in bytes
    error BaseUriTooLong(uint256 length);

    /// @notice Creates a collection, or returns the address of the identical one.
    /// @dev Emits `TokenCreated` when new. Reverts `CreationPaused`, `OwnerMissing`, `InvalidNameLength`,
    /// `InvalidSymbolLength`, `BaseUriTooLong`.
    /// @param salt chosen by the caller; mixed with the caller's address
    /// @param args its arguments
    /// @return token its address
    function createCollection(bytes32 salt, CollectionArgs calldata args) external returns (address token);

    /// @notice The address that {createCollection} gives.
    /// @dev Reverts as {createCollection}, but not while paused.
    /// @param caller who will call it
    /// @param salt chosen by the caller
    /// @param args its arguments
    /// @return token its address
    function predict(
        address caller,
        bytes32 salt,
        CollectionArgs calldata args
    ) external view returns (address token);
}
