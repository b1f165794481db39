// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {CloneFactory} from "./CloneFactory.sol";
import {ICollectionFactory} from "./interfaces/ICollectionFactory.sol";
import {IManagedToken} from "./interfaces/IManagedToken.sol";

/// @title Creates managed ERC-721 collections
/// @notice Each is a clone of one {ManagedERC721}.
contract CollectionFactory is ICollectionFactory, CloneFactory {
    uint256 private constant MAX_BASE_URI_BYTES = 256;
    uint96 private constant MAX_ROYALTY = 1_000;

    /// @notice Sets the implementation of the clones.
    /// @param implementation_ a {ManagedERC721}, which has their first operator and descriptor
    constructor(IManagedToken implementation_) CloneFactory(implementation_) {}

    /// @inheritdoc ICollectionFactory
    function createCollection(bytes32 salt, CollectionArgs calldata args) external returns (address token) {
        return _create(salt, args.owner, _codeOf(args));
    }

    /// @inheritdoc ICollectionFactory
    function predict(
        address caller,
        bytes32 salt,
        CollectionArgs calldata args
    ) external view returns (address token) {
        return _predict(caller, salt, _codeOf(args));
    }

    function _codeOf(CollectionArgs calldata args) private view returns (bytes memory) {
        uint256 length = bytes(args.baseUri).length;
        if (length > MAX_BASE_URI_BYTES) revert BaseUriTooLong(length);
        Options memory options = Options({
            permissioned: args.permissioned,
            recoverable: args.recoverable,
            decimals: 0,
            maxSupply: args.maxSupply,
            mintLimitPerDay: args.mintLimitPerDay,
            royalty: _royaltyOf(args.royaltyReceiver, args.royaltyBasisPoints)
        });
        return _compose(args.owner, options, args.name, args.symbol, args.baseUri);
    }

    /// @dev As {CloneArguments} has it.
    function _royaltyOf(address receiver, uint96 basisPoints) private pure returns (uint256) {
        if (basisPoints > MAX_ROYALTY || (receiver == address(0) && basisPoints != 0)) {
            revert InvalidRoyalty(receiver, basisPoints);
        }
        return (uint256(uint160(receiver)) << 96) | basisPoints;
    }
}
