// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// @title Base of both factories
/// @notice Factory, caller, salt and arguments determine the address of a clone. A second call for the same clone
/// returns its address and creates nothing.
interface ICloneFactory {
    /// @notice A token contract was created.
    /// @param token its address
    /// @param owner its owner
    /// @param creator who called the factory; with the salt it determines the address
    /// @param salt the salt as given by the creator
    event TokenCreated(address indexed token, address indexed owner, address indexed creator, bytes32 salt);

    /// @notice Creation was paused or resumed.
    /// @param paused the new state
    event CreationPauseChanged(bool paused);

    /// @notice Creation is paused.
    error CreationPaused();

    /// @notice Only the operator may do this.
    /// @param caller the caller
    error NotOperator(address caller);

    /// @notice The owner is the zero address.
    error OwnerMissing();

    /// @notice The name has no bytes or more than 64.
    /// @param length its length in bytes
    error InvalidNameLength(uint256 length);

    /// @notice The symbol has no bytes or more than 16.
    /// @param length its length in bytes
    error InvalidSymbolLength(uint256 length);

    /// @notice The cap on the supply is 2^208 or more.
    /// @param maxSupply the cap given
    error InvalidMaxSupply(uint256 maxSupply);

    /// @notice The daily mint limit is 2^198 or more.
    /// @param mintLimitPerDay the limit given
    error InvalidMintLimit(uint256 mintLimitPerDay);

    /// @notice Stops the creation of tokens. Only for the operator; without effect when already paused.
    /// @dev Emits `CreationPauseChanged`. Reverts `NotOperator`.
    function pauseCreation() external;

    /// @notice Resumes the creation of tokens. Only for the operator; without effect when not paused.
    /// @dev Emits `CreationPauseChanged`. Reverts `NotOperator`.
    function resumeCreation() external;

    /// @notice Whether creation is paused.
    /// @return true while paused
    function creationPaused() external view returns (bool);

    /// @notice The contract that the clones run.
    /// @return its address
    function implementation() external view returns (address);

    /// @notice The first operator of the clones, who may also pause creation.
    /// @return its address
    function operator() external view returns (address);
}
