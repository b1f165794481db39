// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {LibRLP} from "solady/src/utils/LibRLP.sol";
import {SSTORE2} from "solady/src/utils/SSTORE2.sol";
import {Entry, IKeyedMetadata} from "./interfaces/IKeyedMetadata.sol";
import {LayoutBlob} from "./libraries/LayoutBlob.sol";

/// @title Layouts as blobs in contract code
/// @notice Each layout is one SSTORE2 blob. Blobs are the only contracts that a token creates, so the n-th of them
/// is at the address that CREATE derives from the nonce n. Only its number is stored, beside other values of a slot: a
/// layout needs no storage slot of its own. An empty layout has no blob; its number is 0.
abstract contract KeyedMetadata is IKeyedMetadata {
    /// @dev Stores a layout of a token, or of the contract itself when `tokenId` is 0, as blob `number`, the one after
    /// the newest, and emits an event for each key, and for each key dropped from the layout `previous` (0 for none).
    /// Stores nothing for an empty layout.
    function _publish(uint256 tokenId, uint256 previous, uint256 number, Entry[] calldata given) internal {
        LayoutBlob.Draft memory draft = LayoutBlob.compose(given);
        if (previous != 0) {
            address stored = _addressOf(previous);
            if (!LayoutBlob.hasKeysOf(draft, stored)) {
                LayoutBlob.announceDropped(draft, tokenId, SSTORE2.read(stored));
            }
        }
        if (number == 0) return;
        LayoutBlob.announce(draft, tokenId);
        if (SSTORE2.write(draft.blob) != _addressOf(number)) revert UnexpectedAddress();
    }

    /// @dev The value under a key of a layout; empty when there is none.
    function _valueOf(uint256 number, string calldata key) internal view returns (bytes memory) {
        if (number == 0) return "";
        return LayoutBlob.valueOf(SSTORE2.read(_addressOf(number)), key);
    }

    /// @dev The whole of a layout; empty for 0.
    function _entriesOf(uint256 number) internal view returns (Entry[] memory found) {
        if (number == 0) return found;
        return LayoutBlob.entriesOf(SSTORE2.read(_addressOf(number)));
    }

    /// @dev The keys of a layout, in order; empty for 0.
    function _keysOf(uint256 number) internal view returns (string[] memory keys) {
        Entry[] memory found = _entriesOf(number);
        keys = new string[](found.length);
        for (uint256 i; i < keys.length; ++i) {
            keys[i] = found[i].key;
        }
    }

    function _addressOf(uint256 number) private view returns (address) {
        return LibRLP.computeAddress(address(this), number);
    }
}
