// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {Entry} from "./IKeyedMetadata.sol";

/// @title Renders the JSON of tokens and contracts
/// @notice Returns `data:application/json;base64,` URIs. Text of any bytes stays in its JSON string; bytes that are no UTF-8
/// are passed on as they are.
interface ITokenDescriptor {
    /// @notice The JSON of one token, with a drawn image when the layout has none.
    /// @param collection name of the contract
    /// @param symbol symbol of the contract
    /// @param tokenId the token
    /// @param entries its keyed metadata; `name`, `description` and `image` are at the top, the others in `attributes`
    /// @return a data URI
    function tokenURI(
        string calldata collection,
        string calldata symbol,
        uint256 tokenId,
        Entry[] calldata entries
    ) external view returns (string memory);

    /// @notice The JSON of a contract (ERC-7572).
    /// @param name name of the contract, unless the layout has another
    /// @param symbol symbol of the contract
    /// @param entries its keyed metadata
    /// @return a data URI
    function contractURI(
        string calldata name,
        string calldata symbol,
        Entry[] calldata entries
    ) external view returns (string memory);
}
