// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// @notice One key of a layout.
/// @param key 1 to 255 bytes, UTF-8
/// @param value the value as UTF-8 text, numbers and booleans too (`42`, `true`)
/// @param kind 0 string, 1 number, 2 boolean: whether the JSON writes the value with quotes
struct Entry {
    string key;
    bytes value;
    uint8 kind;
}

/// @title Keyed metadata
/// @notice A layout is an ordered list of at most 16 keys with their values. It is replaced as a whole and stored as
/// one blob in the code of a contract of its own.
interface IKeyedMetadata {
    /// @notice The layout has more keys than allowed.
    /// @param count keys given
    error TooManyKeys(uint256 count);

    /// @notice The key is empty or longer than 255 bytes.
    /// @param key the key
    error InvalidKey(string key);

    /// @notice The key occurs twice in the layout.
    /// @param key the key
    error DuplicateKey(string key);

    /// @notice The kind is none of string, number and boolean.
    /// @param kind the kind given
    error InvalidKind(uint8 kind);

    /// @notice The layout is too large.
    /// @param size length of its keys and values in bytes; 8,192 at most
    error MetadataTooLarge(uint256 size);

    /// @notice The chain derives contract addresses in another way than EIP-161 and CREATE prescribe.
    error UnexpectedAddress();

    /// @notice The keys of the layout most recently written in this contract, in order.
    /// @return keys UTF-8; empty when nothing was written yet
    function metadataKeys() external view returns (string[] memory keys);

    /// @notice The whole contract-level layout, in order.
    /// @return entries keys with values and kinds; empty when nothing was written yet
    function contractMetadataEntries() external view returns (Entry[] memory entries);

    /// @notice Replaces the whole contract-level layout. Only for owner and operator.
    /// @dev Emits `ContractMetadataUpdated` for each key, with an empty value for each key dropped, and
    /// `ContractURIUpdated`. Reverts `NotOwnerOrOperator`, `TokenPaused`, `MetadataFrozen`, `TooManyKeys`, `InvalidKey`,
    /// `DuplicateKey`, `InvalidKind`, `MetadataTooLarge`.
    /// @param entries the new layout, at most 16 keys
    function setContractMetadata(Entry[] calldata entries) external;
}
