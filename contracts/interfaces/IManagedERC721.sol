// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IERC721Metadata} from "@openzeppelin/contracts/token/ERC721/extensions/IERC721Metadata.sol";
import {Entry} from "./IKeyedMetadata.sol";
import {IManagedToken} from "./IManagedToken.sol";

/// @notice One token of a batch.
/// @param to who receives it
/// @param metadata its layout; empty for none
struct MintItem {
    address to;
    Entry[] metadata;
}

/// @title The managed ERC-721
/// @notice Ids are 1, 2, 3 and so on, and are never used twice.
interface IManagedERC721 is IManagedToken, IERC721Metadata {
    /// @notice Creates the next token. Only for owner and operator.
    /// @dev Emits `Transfer`. Reverts `NotOwnerOrOperator`, `TokenPaused`, `AccountFrozen`, `AccountNotApproved`,
    /// `ERC721InvalidReceiver` for the zero address and for a contract that does not accept it.
    /// @param to who receives it
    /// @return tokenId its id
    function mint(address to) external returns (uint256 tokenId);

    /// @notice Creates the next token with its metadata. Only for owner and operator.
    /// @dev Emits `Transfer` and `MetadataSet`. Reverts as {mint} and as {setMetadata}.
    /// @param to who receives it
    /// @param newEntries its layout, at most 16 keys
    /// @return tokenId its id
    function mintWithMetadata(address to, Entry[] calldata newEntries) external returns (uint256 tokenId);

    /// @notice Creates several tokens, all or none. Only for owner and operator.
    /// @dev All tokens exist before the first receiver is called. Emits and reverts as {mintWithMetadata}.
    /// @param items who receives what
    /// @return firstTokenId the id of the first; the others follow in order
    function mintBatch(MintItem[] calldata items) external returns (uint256 firstTokenId);

    /// @notice Replaces the whole layout of a token. Only for owner and operator.
    /// @dev Emits `MetadataSet` for each key, with an empty value for each key dropped, and `MetadataUpdate`. Reverts
    /// `NotOwnerOrOperator`, `TokenPaused`, `ERC721NonexistentToken`, and as `setContractMetadata`.
    /// @param tokenId the token
    /// @param newEntries its new layout, at most 16 keys
    function setMetadata(uint256 tokenId, Entry[] calldata newEntries) external;

    /// @notice The keys of a token's layout, in order.
    /// @dev Reverts `ERC721NonexistentToken`.
    /// @param tokenId the token
    /// @return keys UTF-8; empty when none is set
    function metadataKeys(uint256 tokenId) external view returns (string[] memory keys);

    /// @notice The whole layout of a token, in order.
    /// @dev Reverts `ERC721NonexistentToken`.
    /// @param tokenId the token
    /// @return keys with values and kinds; empty when none is set
    function entries(uint256 tokenId) external view returns (Entry[] memory);

    /// @notice Tokens that exist: minted and not burned.
    /// @return the number
    function totalSupply() external view returns (uint256);

    /// @notice Whether the token can be transferred from one account to the other now. Approvals are not checked.
    /// @param from the sender
    /// @param to the account that receives
    /// @param tokenId the token
    /// @return false while paused or locked, when one of them is frozen, or `from` does not own the token
    function canTransfer(address from, address to, uint256 tokenId) external view returns (bool);
}
