// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {LibRLP} from "solady/src/utils/LibRLP.sol";
import {SSTORE2} from "solady/src/utils/SSTORE2.sol";
import {IERC8048} from "./interfaces/IERC8048.sol";
import {IERC8049} from "./interfaces/IERC8049.sol";
import {Entry, IKeyedMetadata} from "./interfaces/IKeyedMetadata.sol";

/// @title Layouts as blobs in contract code
/// @notice Each layout is one SSTORE2 blob. Blobs are the only contracts that a token creates, so the n-th of them
/// lies at the address that CREATE derives from the nonce n: its number is all that has to be kept, and that fits next
/// to what is stored anyway. A layout therefore takes no storage slot of its own.
/// @dev Blob: number of entries (1 byte), then for each: kind (1), length of key (1), length of value (2), key, value.
abstract contract KeyedMetadata is IKeyedMetadata {
    uint256 private constant MAX_KEYS = 16;
    uint256 private constant MAX_KEY_BYTES = 255;
    /// @dev EIP-170 less the STOP that SSTORE2 puts in front.
    uint256 private constant MAX_BLOB_BYTES = 24_575;
    uint8 private constant LAST_KIND = 2;
    /// @dev kind, length of key, length of value
    uint256 private constant ENTRY_HEADER_BYTES = 4;

    /// @dev Writes a layout as blob `number` and announces each key, and each one dropped since blob `previous`.
    /// @param tokenId the token, or 0 for the contract itself
    /// @param previous number of the blob that is replaced, 0 for none
    /// @param number number of the new blob, one more than that of the newest
    /// @param entries the layout
    function _writeLayout(
        uint256 tokenId,
        uint256 previous,
        uint256 number,
        Entry[] calldata entries
    ) internal {
        bytes32[] memory hashes = _checkedHashes(entries);
        bytes memory blob = _encode(entries);
        if (previous != 0) _announceDropped(tokenId, _readBlob(previous), hashes);
        for (uint256 i; i < entries.length; ++i) {
            _announce(tokenId, entries[i].key, entries[i].value);
        }
        if (SSTORE2.write(blob) != LibRLP.computeAddress(address(this), number)) revert UnexpectedAddress();
    }

    /// @dev The value under a key of blob `number`; empty when there is none.
    function _valueOf(uint256 number, string calldata key) internal view returns (bytes memory) {
        if (number == 0) return "";
        bytes memory blob = _readBlob(number);
        bytes32 wanted = keccak256(bytes(key));
        uint256 cursor = 1;
        for (uint256 left = uint8(blob[0]); left != 0; --left) {
            (, uint256 keyLength, uint256 valueLength) = _entryHeader(blob, cursor);
            cursor += ENTRY_HEADER_BYTES;
            if (_hash(blob, cursor, keyLength) == wanted)
                return _slice(blob, cursor + keyLength, valueLength);
            cursor += keyLength + valueLength;
        }
        return "";
    }

    /// @dev The whole of blob `number`; empty for 0.
    function _entriesOf(uint256 number) internal view returns (Entry[] memory entries) {
        if (number == 0) return entries;
        bytes memory blob = _readBlob(number);
        entries = new Entry[](uint8(blob[0]));
        uint256 cursor = 1;
        for (uint256 i; i < entries.length; ++i) {
            (uint8 kind, uint256 keyLength, uint256 valueLength) = _entryHeader(blob, cursor);
            cursor += ENTRY_HEADER_BYTES;
            string memory key = string(_slice(blob, cursor, keyLength));
            entries[i] = Entry(key, _slice(blob, cursor + keyLength, valueLength), kind);
            cursor += keyLength + valueLength;
        }
    }

    /// @dev The keys of blob `number`, in order; empty for 0.
    function _keysOf(uint256 number) internal view returns (string[] memory keys) {
        Entry[] memory entries = _entriesOf(number);
        keys = new string[](entries.length);
        for (uint256 i; i < keys.length; ++i) {
            keys[i] = entries[i].key;
        }
    }

    function _checkedHashes(Entry[] calldata entries) private pure returns (bytes32[] memory hashes) {
        uint256 count = entries.length;
        if (count > MAX_KEYS) revert TooManyKeys(count);
        hashes = new bytes32[](count);
        for (uint256 i; i < count; ++i) {
            Entry calldata entry = entries[i];
            uint256 length = bytes(entry.key).length;
            if (length == 0 || length > MAX_KEY_BYTES) revert InvalidKey(entry.key);
            if (entry.kind > LAST_KIND) revert InvalidKind(entry.kind);
            bytes32 hash = keccak256(bytes(entry.key));
            for (uint256 j; j < i; ++j) {
                if (hashes[j] == hash) revert DuplicateKey(entry.key);
            }
            hashes[i] = hash;
        }
    }

    function _encode(Entry[] calldata entries) private pure returns (bytes memory blob) {
        uint256 size = 1;
        for (uint256 i; i < entries.length; ++i) {
            size += ENTRY_HEADER_BYTES + bytes(entries[i].key).length + entries[i].value.length;
        }
        if (size > MAX_BLOB_BYTES) revert MetadataTooLarge(size);
        blob = new bytes(size);
        blob[0] = bytes1(uint8(entries.length));
        uint256 cursor;
        assembly ("memory-safe") {
            cursor := add(blob, 0x21)
        }
        for (uint256 i; i < entries.length; ++i) {
            string calldata key = entries[i].key;
            bytes calldata value = entries[i].value;
            uint256 header = (uint256(entries[i].kind) << 24) | (bytes(key).length << 16) | value.length;
            // Within the blob: its size is the sum of exactly these lengths.
            assembly ("memory-safe") {
                mstore8(cursor, shr(24, header))
                mstore8(add(cursor, 1), shr(16, header))
                mstore8(add(cursor, 2), shr(8, header))
                mstore8(add(cursor, 3), header)
                cursor := add(cursor, 4)
                calldatacopy(cursor, key.offset, key.length)
                cursor := add(cursor, key.length)
                calldatacopy(cursor, value.offset, value.length)
                cursor := add(cursor, value.length)
            }
        }
    }

    /// @dev Readers that only replay events stay right: a key that is gone is announced with an empty value.
    function _announceDropped(uint256 tokenId, bytes memory blob, bytes32[] memory hashes) private {
        uint256 cursor = 1;
        uint256 count = uint8(blob[0]);
        for (uint256 i; i < count; ++i) {
            (, uint256 keyLength, uint256 valueLength) = _entryHeader(blob, cursor);
            cursor += ENTRY_HEADER_BYTES;
            if (!_contains(hashes, _hash(blob, cursor, keyLength), i)) {
                _announce(tokenId, string(_slice(blob, cursor, keyLength)), "");
            }
            cursor += keyLength + valueLength;
        }
    }

    /// @dev Looks at `guess` first: most often the set of keys stays the same.
    function _contains(bytes32[] memory hashes, bytes32 hash, uint256 guess) private pure returns (bool) {
        if (guess < hashes.length && hashes[guess] == hash) return true;
        for (uint256 i; i < hashes.length; ++i) {
            if (hashes[i] == hash) return true;
        }
        return false;
    }

    function _announce(uint256 tokenId, string memory key, bytes memory value) private {
        if (tokenId == 0) emit IERC8049.ContractMetadataUpdated(key, key, value);
        else emit IERC8048.MetadataSet(tokenId, key, key, value);
    }

    function _readBlob(uint256 number) private view returns (bytes memory) {
        return SSTORE2.read(LibRLP.computeAddress(address(this), number));
    }

    function _entryHeader(
        bytes memory blob,
        uint256 cursor
    ) private pure returns (uint8 kind, uint256 keyLength, uint256 valueLength) {
        uint256 word;
        // In bounds: only offsets that the blob itself leads to are asked for.
        assembly ("memory-safe") {
            word := mload(add(add(blob, 0x20), cursor))
        }
        return (uint8(word >> 248), uint8(word >> 240), uint16(word >> 224));
    }

    function _hash(bytes memory blob, uint256 start, uint256 length) private pure returns (bytes32 hash) {
        assembly ("memory-safe") {
            hash := keccak256(add(add(blob, 0x20), start), length)
        }
    }

    function _slice(
        bytes memory blob,
        uint256 start,
        uint256 length
    ) private pure returns (bytes memory part) {
        part = new bytes(length);
        assembly ("memory-safe") {
            mcopy(add(part, 0x20), add(add(blob, 0x20), start), length)
        }
    }
}
