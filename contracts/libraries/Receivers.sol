// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IERC721Receiver} from "@openzeppelin/contracts/token/ERC721/IERC721Receiver.sol";
import {IManagedERC721} from "../interfaces/IManagedERC721.sol";

/// @title Asks contracts that receive a minted token (ERC-721)
/// @notice Each has exactly the same gas, which has to be there before it is asked: so it sees the same in a simulation and in
/// a block, and costs whoever pays for the mint no more than that. What it reverts with is wrapped.
library Receivers {
    /// @dev Gas of the hook.
    uint256 internal constant GAS = 250_000;
    /// @dev Of what is left the EVM gives at most 63/64: the last part is more than what is done with the answer takes. Beyond
    /// that the call itself, and what is between it and the question.
    uint256 private constant NEEDED_GAS = GAS + GAS / 63 + 1_000;
    uint256 private constant MAX_REASON_BYTES = 256;
    /// @dev Code of an account with a delegation: these three bytes and an address (EIP-7702).
    uint256 private constant DELEGATION_BYTES = 23;
    bytes3 private constant DELEGATION_PREFIX = 0xef0100;

    /// @dev Reverts `ReceiverRefused` and `InsufficientReceiverGas`.
    function check(address to, uint256 tokenId) internal {
        if (to.code.length == 0 || _isDelegated(to)) return;
        bytes memory data = abi.encodeCall(
            IERC721Receiver.onERC721Received,
            (msg.sender, address(0), tokenId, "")
        );
        if (gasleft() < NEEDED_GAS) revert IManagedERC721.InsufficientReceiverGas();
        bool ok;
        bytes memory answer;
        assembly ("memory-safe") {
            ok := call(GAS, to, 0, add(data, 0x20), mload(data), 0, 0)
            let size := returndatasize()
            if gt(size, MAX_REASON_BYTES) {
                size := MAX_REASON_BYTES
            }
            answer := mload(0x40)
            mstore(answer, size)
            returndatacopy(add(answer, 0x20), 0, size)
            mstore(0x40, add(add(answer, 0x20), and(add(size, 0x1f), not(0x1f))))
        }
        if (
            !ok || answer.length < 32 || bytes32(answer) != bytes32(IERC721Receiver.onERC721Received.selector)
        ) {
            revert IManagedERC721.ReceiverRefused(to, answer);
        }
    }

    /// @dev Whether a key moves what the account holds, whatever code it runs for now.
    function _isDelegated(address account) private view returns (bool) {
        if (account.code.length != DELEGATION_BYTES) return false;
        bytes32 start;
        assembly ("memory-safe") {
            extcodecopy(account, 0x00, 0, 3)
            start := mload(0x00)
        }
        return bytes3(start) == DELEGATION_PREFIX;
    }
}
