// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {Clones} from "@openzeppelin/contracts/proxy/Clones.sol";
import {ICloneFactory} from "./interfaces/ICloneFactory.sol";

/// @title Makes clones with immutable arguments
/// @notice ERC-1167 by CREATE2. All arguments of a token are part of its code and so determine its address: code at the
/// predicted address is always the requested token.
abstract contract CloneFactory is ICloneFactory {
    uint256 private constant MAX_NAME_BYTES = 64;
    uint256 private constant MAX_SYMBOL_BYTES = 16;

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
        emit TokenCreated(token, owner, salt);
    }

    function _predict(address caller, bytes32 salt, bytes memory args) internal view returns (address) {
        return
            Clones.predictDeterministicAddressWithImmutableArgs(
                implementation,
                args,
                _mixedSalt(caller, salt)
            );
    }

    /// @dev The arguments as {ManagedToken} reads them.
    function _encodeArgs(
        address owner,
        bool permissioned,
        uint8 decimals,
        string calldata name,
        string calldata symbol,
        string memory baseUri
    ) internal view returns (bytes memory) {
        if (owner == address(0)) revert OwnerMissing();
        uint256 nameLength = bytes(name).length;
        uint256 symbolLength = bytes(symbol).length;
        if (nameLength == 0 || nameLength > MAX_NAME_BYTES) revert InvalidNameLength(nameLength);
        if (symbolLength == 0 || symbolLength > MAX_SYMBOL_BYTES) revert InvalidSymbolLength(symbolLength);
        // Both lengths are checked above, so that neither cast truncates.
        bytes memory header = abi.encodePacked(
            owner,
            operator,
            descriptor,
            permissioned,
            decimals,
            uint8(nameLength),
            uint8(symbolLength)
        );
        return abi.encodePacked(header, name, symbol, baseUri);
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
