// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {ICloneFactory} from "./interfaces/ICloneFactory.sol";
import {IManagedToken} from "./interfaces/IManagedToken.sol";
import {Bucket} from "./libraries/Bucket.sol";
import {CloneArguments} from "./libraries/CloneArguments.sol";
import {CloneCode} from "./libraries/CloneCode.sol";

/// @title Makes clones with immutable arguments
/// @notice ERC-1167 by CREATE2. All arguments of a token are part of its code and so determine its address: code at the
/// predicted address is always the requested token.
abstract contract CloneFactory is ICloneFactory {
    uint256 private constant MAX_NAME_BYTES = 64;
    uint256 private constant MAX_SYMBOL_BYTES = 16;
    /// @dev As {ManagedStorage} counts it.
    uint256 private constant MAX_SUPPLY = type(uint208).max;

    /// @dev What a token may have or not. Zero for a bound that there is none; `royalty` as {CloneArguments} has it.
    struct Options {
        bool permissioned;
        bool recoverable;
        uint8 decimals;
        uint256 maxSupply;
        uint256 mintLimitPerDay;
        uint256 royalty;
    }

    /// @inheritdoc ICloneFactory
    address public immutable implementation;
    /// @inheritdoc ICloneFactory
    address public immutable operator;
    /// @inheritdoc ICloneFactory
    bool public creationPaused;

    /// @notice Sets the implementation of the clones.
    /// @param implementation_ the contract that the clones run, which has their first operator
    constructor(IManagedToken implementation_) {
        implementation = address(implementation_);
        operator = implementation_.operator();
    }

    /// @inheritdoc ICloneFactory
    function pauseCreation() external {
        _setCreationPaused(true);
    }

    /// @inheritdoc ICloneFactory
    function resumeCreation() external {
        _setCreationPaused(false);
    }

    /// @dev Creates the clone unless it exists.
    function _create(bytes32 salt, address owner, bytes memory code) internal returns (address token) {
        if (creationPaused) revert CreationPaused();
        bytes32 mixed = _mixedSalt(msg.sender, salt);
        token = CloneCode.addressOf(mixed, code);
        if (token.code.length != 0) return token;
        CloneCode.deploy(mixed, code);
        emit TokenCreated(token, owner, msg.sender, salt);
    }

    function _predict(address caller, bytes32 salt, bytes memory code) internal view returns (address) {
        return CloneCode.addressOf(_mixedSalt(caller, salt), code);
    }

    /// @dev The code that creates the clone, with the arguments as {CloneArguments} reads them.
    function _compose(
        address owner,
        Options memory options,
        string calldata name,
        string calldata symbol,
        string calldata baseUri
    ) internal view returns (bytes memory) {
        if (owner == address(0)) revert OwnerMissing();
        uint256 nameLength = bytes(name).length;
        uint256 symbolLength = bytes(symbol).length;
        if (nameLength == 0 || nameLength > MAX_NAME_BYTES) revert InvalidNameLength(nameLength);
        if (symbolLength == 0 || symbolLength > MAX_SYMBOL_BYTES) revert InvalidSymbolLength(symbolLength);
        bytes memory settings = _settingsOf(options, nameLength, symbolLength);
        bytes memory args = abi.encodePacked(owner, settings, name, symbol, baseUri);
        return CloneCode.compose(implementation, args);
    }

    /// @dev What stands between the owner and the texts. Both lengths are below 256.
    function _settingsOf(
        Options memory options,
        uint256 nameLength,
        uint256 symbolLength
    ) private pure returns (bytes memory) {
        bytes memory values = _valuesOf(options);
        uint8 flags = _flagsOf(options);
        return abi.encodePacked(flags, options.decimals, uint8(nameLength), uint8(symbolLength), values);
    }

    /// @dev The byte of flags.
    function _flagsOf(Options memory options) private pure returns (uint8) {
        uint256 flags;
        if (options.permissioned) flags |= CloneArguments.PERMISSIONED;
        if (options.recoverable) flags |= CloneArguments.RECOVERABLE;
        if (options.maxSupply != 0) flags |= CloneArguments.CAPPED;
        if (options.mintLimitPerDay != 0) flags |= CloneArguments.LIMITED;
        if (options.royalty != 0) flags |= CloneArguments.ROYALTY;
        return uint8(flags >> 24);
    }

    /// @dev One word for each option that has a value, in the order of the flags.
    function _valuesOf(Options memory options) private pure returns (bytes memory values) {
        (uint256 cap, uint256 limit, uint256 royalty) = (
            options.maxSupply,
            options.mintLimitPerDay,
            options.royalty
        );
        if (cap | limit | royalty == 0) return values;
        if (cap > MAX_SUPPLY) revert InvalidMaxSupply(cap);
        if (limit > Bucket.MAX_LIMIT) revert InvalidMintLimit(limit);
        if (cap != 0) values = abi.encodePacked(cap);
        if (limit != 0) values = abi.encodePacked(values, limit);
        if (royalty != 0) values = abi.encodePacked(values, royalty);
    }

    /// @dev Contains the caller, so that nobody else can deploy to its predicted address.
    function _mixedSalt(address caller, bytes32 salt) private pure returns (bytes32) {
        return keccak256(abi.encode(caller, salt));
    }

    function _setCreationPaused(bool paused) private {
        if (msg.sender != operator) revert NotOperator(msg.sender);
        if (creationPaused == paused) return;
        creationPaused = paused;
        emit CreationPauseChanged(paused);
    }
}
