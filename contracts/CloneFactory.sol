// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {Clones} from "@openzeppelin/contracts/proxy/Clones.sol";
import {ICloneFactory} from "./interfaces/ICloneFactory.sol";
import {CloneArguments} from "./libraries/CloneArguments.sol";

/// @title Makes clones with immutable arguments
/// @notice ERC-1167 by CREATE2. All arguments of a token are part of its code and so determine its address: code at the
/// predicted address is always the requested token.
abstract contract CloneFactory is ICloneFactory {
    uint256 private constant MAX_NAME_BYTES = 64;
    uint256 private constant MAX_SYMBOL_BYTES = 16;
    /// @dev As {ManagedStorage} counts them.
    uint256 private constant MAX_AMOUNT = type(uint208).max;

    /// @dev What both factories take. Zero for a bound that there is none; `royalty` as {CloneArguments} has it.
    struct Clone {
        address owner;
        bool permissioned;
        bool recoverable;
        uint8 decimals;
        uint256 maxSupply;
        uint256 mintLimitPerDay;
        uint256 royalty;
        string name;
        string symbol;
        string baseUri;
    }

    /// @inheritdoc ICloneFactory
    address public immutable implementation;
    /// @inheritdoc ICloneFactory
    address public immutable descriptor;
    /// @inheritdoc ICloneFactory
    address public immutable operator;
    /// @inheritdoc ICloneFactory
    bool public creationPaused;

    /// @notice Sets the implementation, the descriptor and the first operator of the clones.
    /// @param implementation_ the contract that the clones run
    /// @param descriptor_ renders their JSON
    /// @param operator_ their first operator
    constructor(address implementation_, address descriptor_, address operator_) {
        implementation = implementation_;
        descriptor = descriptor_;
        operator = operator_;
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
    function _create(bytes32 salt, address owner, bytes memory args) internal returns (address token) {
        if (creationPaused) revert CreationPaused();
        token = _predict(msg.sender, salt, args);
        if (token.code.length != 0) return token;
        Clones.cloneDeterministicWithImmutableArgs(implementation, args, _mixedSalt(msg.sender, salt));
        emit TokenCreated(token, owner, msg.sender, salt);
    }

    function _predict(address caller, bytes32 salt, bytes memory args) internal view returns (address) {
        return
            Clones.predictDeterministicAddressWithImmutableArgs(
                implementation,
                args,
                _mixedSalt(caller, salt)
            );
    }

    /// @dev The arguments as {CloneArguments} reads them.
    function _encode(Clone memory clone) internal view returns (bytes memory) {
        if (clone.owner == address(0)) revert OwnerMissing();
        uint256 nameLength = bytes(clone.name).length;
        uint256 symbolLength = bytes(clone.symbol).length;
        if (nameLength == 0 || nameLength > MAX_NAME_BYTES) revert InvalidNameLength(nameLength);
        if (symbolLength == 0 || symbolLength > MAX_SYMBOL_BYTES) revert InvalidSymbolLength(symbolLength);
        if (clone.maxSupply > MAX_AMOUNT) revert InvalidMaxSupply(clone.maxSupply);
        if (clone.mintLimitPerDay > MAX_AMOUNT) revert InvalidMintLimit(clone.mintLimitPerDay);
        // Both lengths are checked above, so that neither cast truncates.
        bytes memory header = abi.encodePacked(
            clone.owner,
            operator,
            descriptor,
            _optionsOf(clone),
            clone.decimals,
            uint8(nameLength),
            uint8(symbolLength)
        );
        return abi.encodePacked(header, _valuesOf(clone), clone.name, clone.symbol, clone.baseUri);
    }

    /// @dev The byte of flags.
    function _optionsOf(Clone memory clone) private pure returns (uint8) {
        uint256 options;
        if (clone.permissioned) options |= CloneArguments.PERMISSIONED;
        if (clone.recoverable) options |= CloneArguments.RECOVERABLE;
        if (clone.maxSupply != 0) options |= CloneArguments.CAPPED;
        if (clone.mintLimitPerDay != 0) options |= CloneArguments.LIMITED;
        if (clone.royalty != 0) options |= CloneArguments.ROYALTY;
        return uint8(options >> 24);
    }

    /// @dev One word for each option that has a value, in the order of the flags.
    function _valuesOf(Clone memory clone) private pure returns (bytes memory values) {
        if (clone.maxSupply != 0) values = abi.encodePacked(clone.maxSupply);
        if (clone.mintLimitPerDay != 0) values = abi.encodePacked(values, clone.mintLimitPerDay);
        if (clone.royalty != 0) values = abi.encodePacked(values, clone.royalty);
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
