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
    /// @param maxSupply most tokens that are ever minted, below 2^208; 0 for none
    /// @param mintLimitPerDay most that the operator may mint in a day, below 2^198; 0 for no limit
    /// @param recoverable whether owner and operator may move or burn what others hold
    /// @param royaltyReceiver who receives royalties (ERC-2981); zero for no royalty
    /// @param royaltyBasisPoints royalty in hundredths of a percent, 0 to 1,000; 0 without a receiver
    struct CollectionArgs {
        address owner;
        string name;
        string symbol;
        string baseUri;
        bool permissioned;
        uint256 maxSupply;
        uint256 mintLimitPerDay;
        bool recoverable;
        address royaltyReceiver;
        uint96 royaltyBasisPoints;
    }

    /// @notice The base URI has more than 256 bytes.
    /// @param length its length in bytes
    error BaseUriTooLong(uint256 length);

    /// @notice The royalty is above 1,000 basis points, or there is one without a receiver.
    /// @param receiver the receiver given
    /// @param basisPoints the royalty given, in hundredths of a percent
    error InvalidRoyalty(address receiver, uint96 basisPoints);

    /// @notice Creates a collection, or returns the address of the identical one.
    /// @dev Emits `TokenCreated` when new. Reverts `CreationPaused`, `OwnerMissing`, `InvalidNameLength`,
    /// `InvalidSymbolLength`, `BaseUriTooLong`, `InvalidMaxSupply`, `InvalidMintLimit`, `InvalidRoyalty`.
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
