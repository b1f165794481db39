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
    /// @notice A token was moved by force (ERC-7943).
    /// @param from whose it was
    /// @param to who received it; zero when it was burned
    /// @param tokenId the token
    event ForcedTransfer(address indexed from, address indexed to, uint256 indexed tokenId);

    /// @notice The metadata of a token cannot change from now on.
    /// @param tokenId the token
    /// @param forGoodAt from when on that cannot be taken back, in seconds since 1970
    event TokenMetadataFrozen(uint256 indexed tokenId, uint256 forGoodAt);

    /// @notice The metadata of a token can change again, unless that of all tokens is frozen.
    /// @param tokenId the token
    event TokenMetadataUnfrozen(uint256 indexed tokenId);

    /// @notice The royalty has changed (ERC-2981).
    /// @param receiver who receives it; zero for nobody
    /// @param basisPoints royalty in hundredths of a percent of the price
    event RoyaltyChanged(address indexed receiver, uint96 basisPoints);

    /// @notice The royalty is above 1,000 basis points, or there is one without a receiver.
    /// @param receiver the receiver given
    /// @param basisPoints the royalty given, in hundredths of a percent
    error InvalidRoyalty(address receiver, uint96 basisPoints);

    /// @notice A receiving contract did not accept a token: whatever it reverts with stands in here, so that none can feign a
    /// reason of the token.
    /// @param to the contract
    /// @param reason what it reverted with, or returned instead of `onERC721Received.selector`; first 256 bytes
    error ReceiverRefused(address to, bytes reason);

    /// @notice The gas left is less than a receiving contract is promised.
    error InsufficientReceiverGas();

    /// @notice A run has 1 to 256 tokens.
    /// @param count the number given
    error InvalidRunLength(uint256 count);

    /// @notice Creates the next token. Only for owner and operator.
    /// @dev Emits `Transfer`. Reverts `NotOwnerOrOperator`, `TokenPaused`, `AccountFrozen`, `AccountNotApproved`,
    /// `ERC721InvalidReceiver` for the zero address, `ReceiverRefused`, `InsufficientReceiverGas`, `MintClosed`,
    /// `SupplyCapExceeded`, `MintLimitExceeded`. A receiving contract is asked with exactly 250,000 gas, so that a simulation
    /// and the block show it the same. A wallet with a delegation (EIP-7702) is not asked: its key can always move the token.
    /// @param to who receives it
    /// @return tokenId its id
    function mint(address to) external returns (uint256 tokenId);

    /// @notice The same as {mint}, for batches: its selector, of four zero bits more than others, is the lowest of the contract,
    /// and so the first that the dispatch compares. That saves 500 gas a mint.
    /// @param to who receives it
    /// @return tokenId its id
    function mintNext(address to) external returns (uint256 tokenId);

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

    /// @notice Creates several tokens for one account, which share one record of their owner until each is transferred.
    /// Only for owner and operator.
    /// @dev All tokens exist before the receiver is called, once for each when it is a contract. Emits `Transfer` for
    /// each. Reverts as {mint}, and `InvalidRunLength`.
    /// @param to who receives them
    /// @param count how many, 1 to 256
    /// @return firstTokenId the id of the first; the others follow in order
    function mintRun(address to, uint256 count) external returns (uint256 firstTokenId);

    /// @notice Creates a token for each of many, without metadata. A row whose recipient may not receive one, is the zero
    /// address, or has code (a contract would have to be asked), is left out; everything else that {mint} reverts for ends the
    /// whole call. Only for owner and operator.
    /// @dev Emits `Transfer` for each. Reverts `NotOwnerOrOperator`, `TokenPaused`, `InvalidRows`, `MintClosed`,
    /// `SupplyCapExceeded`, `MintLimitExceeded`.
    /// @param wanted bit `i` is set when row `i` is to be minted; bits beyond the rows are passed over
    /// @param rows at most 256, without gaps: the recipient (20 bytes)
    /// @return done bit `i` is set when row `i` was minted
    /// @return first the id of the first; the others follow in the order of the rows
    function mintRows(uint256 wanted, bytes calldata rows) external returns (uint256 done, uint256 first);

    /// @notice Replaces the whole layout of a token. Only for owner and operator.
    /// @dev Emits `MetadataSet` for each key, with an empty value for each key dropped, and `MetadataUpdate`. Reverts
    /// `NotOwnerOrOperator`, `TokenPaused`, `ERC721NonexistentToken`, `MetadataFrozen`, and as `setContractMetadata`.
    /// @param tokenId the token
    /// @param newEntries its new layout, at most 16 keys
    function setMetadata(uint256 tokenId, Entry[] calldata newEntries) external;

    /// @notice Freezes the metadata of a token for ever, as {IManagedToken-closeMint}. For owner and operator, also while
    /// paused. Without effect when it is frozen already and no later for good.
    /// @dev Emits `TokenMetadataFrozen`. Reverts `NotOwnerOrOperator`, `ERC721NonexistentToken`.
    /// @param tokenId the token
    function freezeMetadata(uint256 tokenId) external;

    /// @notice Takes that back until it is for good. For owner and operator, also while paused. Without effect when the
    /// token is not frozen on its own.
    /// @dev Emits `TokenMetadataUnfrozen`. Reverts `NotOwnerOrOperator`, `ERC721NonexistentToken`, `Irrevocable`.
    /// @param tokenId the token
    function unfreezeMetadata(uint256 tokenId) external;

    /// @notice Sets the royalty of all tokens (ERC-2981). For owner and operator, also while paused. Without effect when
    /// it is the current one.
    /// @dev Emits `RoyaltyChanged`. Reverts `NotOwnerOrOperator`, `InvalidRoyalty`.
    /// @param receiver who receives it; zero for nobody, with 0 basis points
    /// @param basisPoints royalty in hundredths of a percent of the price, 0 to 1,000
    function setRoyalty(address receiver, uint96 basisPoints) external;

    /// @notice Moves a token to another account (ERC-7943), also when the holder is frozen or transfers are locked, but
    /// not while paused. A receiving contract is not asked. Only for owner and operator of a recoverable collection.
    /// @dev Emits `Transfer` and `ForcedTransfer`. Reverts `NotOwnerOrOperator`, `NotRecoverable`, `ControlsRenounced`, `TokenPaused`,
    /// `ERC7943CannotReceive`, `ERC721NonexistentToken`, `ERC721IncorrectOwner`, `ERC721InvalidReceiver` for the zero
    /// address.
    /// @param from the holder
    /// @param to who receives it
    /// @param tokenId the token
    /// @return true
    function forcedTransfer(address from, address to, uint256 tokenId) external returns (bool);

    /// @notice Burns a token, also when the holder is frozen or transfers are locked, but not while paused. Only for
    /// owner and operator of a recoverable collection.
    /// @dev Emits `Transfer` and `ForcedTransfer`. Reverts `NotOwnerOrOperator`, `NotRecoverable`, `ControlsRenounced`, `TokenPaused`,
    /// `ERC721NonexistentToken`, `ERC721IncorrectOwner`.
    /// @param from the holder
    /// @param tokenId the token
    /// @return true
    function forcedBurn(address from, uint256 tokenId) external returns (bool);

    /// @notice Whether the metadata of a token cannot change.
    /// @dev Reverts `ERC721NonexistentToken`.
    /// @param tokenId the token
    /// @return true while it, or all metadata, is frozen
    function isMetadataFrozen(uint256 tokenId) external view returns (bool);

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

    /// @notice Whether the rules of the collection let one account transfer to the other now (ERC-7943). The token's owner and
    /// approvals are not checked.
    /// @param from the sender
    /// @param to the account that receives
    /// @param tokenId the token
    /// @return false while paused or locked, or when one of them is frozen
    function canTransfer(address from, address to, uint256 tokenId) external view returns (bool);
}
