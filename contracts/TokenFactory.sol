// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {CloneFactory} from "./CloneFactory.sol";
import {IManagedToken} from "./interfaces/IManagedToken.sol";
import {ITokenFactory} from "./interfaces/ITokenFactory.sol";

/// @title Creates managed ERC-20 tokens
/// @notice Each is a clone of one {ManagedERC20}.
contract TokenFactory is ITokenFactory, CloneFactory {
    uint8 private constant MAX_DECIMALS = 18;

    /// @notice Sets the implementation of the clones.
    /// @param implementation_ a {ManagedERC20}, which has their first operator and descriptor
    constructor(IManagedToken implementation_) CloneFactory(implementation_) {}

    /// @inheritdoc ITokenFactory
    function createToken(bytes32 salt, TokenArgs calldata args) external returns (address token) {
        return _create(salt, args.owner, _codeOf(args));
    }

    /// @inheritdoc ITokenFactory
    function predict(
        address caller,
        bytes32 salt,
        TokenArgs calldata args
    ) external view returns (address token) {
        return _predict(caller, salt, _codeOf(args));
    }

    function _codeOf(TokenArgs calldata args) private view returns (bytes memory) {
        if (args.decimals > MAX_DECIMALS) revert InvalidDecimals(args.decimals);
        Options memory options = Options({
            permissioned: args.permissioned,
            recoverable: args.recoverable,
            decimals: args.decimals,
            maxSupply: args.maxSupply,
            mintLimitPerDay: args.mintLimitPerDay,
            royalty: 0
        });
        string calldata none = string(bytes(args.name)[0:0]);
        return _compose(args.owner, options, args.name, args.symbol, none);
    }
}
