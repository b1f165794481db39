// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {ICloneFactory} from "./ICloneFactory.sol";

/// @title Creates managed ERC-20 tokens
/// @notice One call creates one token, at an address known before.
interface ITokenFactory is ICloneFactory {
    /// @notice Arguments of a new token.
    /// @param owner its owner, not zero
    /// @param name 1 to 64 bytes, UTF-8
    /// @param symbol 1 to 16 bytes, UTF-8
    /// @param decimals 0 to 18
    /// @param permissioned whether only approved accounts may receive a mint
    /// @param maxSupply cap on the supply for ever, in the smallest unit, below 2^208; 0 for none
    /// @param mintLimitPerDay most that the operator may mint in a day, in the smallest unit, below 2^198; 0 for no limit
    /// @param recoverable whether owner and operator may move or burn what others hold
    struct TokenArgs {
        address owner;
        string name;
        string symbol;
        uint8 decimals;
        bool permissioned;
        uint256 maxSupply;
        uint256 mintLimitPerDay;
        bool recoverable;
    }

    /// @notice There are more than 18 decimals.
    /// @param decimals the number given
    error InvalidDecimals(uint8 decimals);

    /// @notice Creates a token, or returns the address of the identical one.
    /// @dev Emits `TokenCreated` when new. Reverts `CreationPaused`, `OwnerMissing`, `InvalidNameLength`,
    /// `InvalidSymbolLength`, `InvalidDecimals`, `InvalidMaxSupply`, `InvalidMintLimit`.
    /// @param salt chosen by the caller; mixed with the caller's address
    /// @param args its arguments
    /// @return token its address
    function createToken(bytes32 salt, TokenArgs calldata args) external returns (address token);

    /// @notice The address that {createToken} gives.
    /// @dev Reverts as {createToken}, but not while paused.
    /// @param caller who will call it
    /// @param salt chosen by the caller
    /// @param args its arguments
    /// @return token its address
    function predict(
        address caller,
        bytes32 salt,
        TokenArgs calldata args
    ) external view returns (address token);
}
