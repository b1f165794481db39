// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {Errors} from "@openzeppelin/contracts/utils/Errors.sol";

/// @title Deploys ERC-1167 clones with immutable arguments
/// @notice The same code as that of OpenZeppelin's `Clones`, which composes it twice to find out whether it is there already.
library CloneCode {
    /// @dev 45 bytes of proxy.
    uint256 private constant PROXY_BYTES = 0x2d;

    /// @notice The code that creates a clone.
    /// @param implementation the contract that the clone runs
    /// @param args what follows the proxy in the code of the clone, below 24,531 bytes
    /// @return EVM code, for {addressOf} and {deploy}
    function compose(address implementation, bytes memory args) internal pure returns (bytes memory) {
        return
            abi.encodePacked(
                hex"61",
                uint16(args.length + PROXY_BYTES),
                hex"3d81600a3d39f3363d3d373d3d3d363d73",
                implementation,
                hex"5af43d82803e903d91602b57fd5bf3",
                args
            );
    }

    /// @notice Where a clone is, or will be, when this contract creates it.
    /// @param salt the salt
    /// @param code see {compose}
    /// @return clone its address
    function addressOf(bytes32 salt, bytes memory code) internal view returns (address clone) {
        assembly ("memory-safe") {
            let end := mload(0x40)
            mstore(add(end, 0x40), keccak256(add(code, 0x20), mload(code)))
            mstore(add(end, 0x20), salt)
            mstore(end, address())
            mstore8(add(end, 0x0b), 0xff)
            clone := and(keccak256(add(end, 0x0b), 0x55), 0xffffffffffffffffffffffffffffffffffffffff)
        }
    }

    /// @notice Creates the clone.
    /// @dev Reverts `FailedDeployment`.
    /// @param salt the salt
    /// @param code see {compose}
    function deploy(bytes32 salt, bytes memory code) internal {
        address clone;
        assembly ("memory-safe") {
            clone := create2(0, add(code, 0x20), mload(code), salt)
        }
        if (clone == address(0)) revert Errors.FailedDeployment();
    }
}
