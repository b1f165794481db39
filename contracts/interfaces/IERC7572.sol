// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// @title ERC-7572: contract-level metadata as a URI
/// @notice Its ERC-165 identifier is `0xe8a3d485`.
interface IERC7572 {
    /// @notice The result of {contractURI} has changed.
    event ContractURIUpdated();

    /// @notice The contract's own JSON.
    /// @return a `data:application/json;base64,` URI with name, symbol and the keyed metadata that is set
    function contractURI() external view returns (string memory);
}
