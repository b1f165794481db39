// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {LibRLP} from "solady/src/utils/LibRLP.sol";
import {SSTORE2} from "solady/src/utils/SSTORE2.sol";
import {IERC8048} from "./interfaces/IERC8048.sol";
import {IERC8049} from "./interfaces/IERC8049.sol";
import {Entry, IKeyedMetadata} from "./interfaces/IKeyedMetadata.sol";

/// @title Layouts as blobs in contract code
/// @notice Each layout is one SSTORE2 blob. Blobs are the only contracts that a token creates, so the n-th of them
/// is at the address that CREATE derives from the nonce n. Only its number is stored, beside other values of a slot: a
/// layout needs no storage slot of its own.
/// @dev Blob: number of entries (1 byte), then for each: kind (1), length of key (1), length of value (2), key, value.
/// A reference to a layout has 96 bits: number of the blob (40 bits), then a short hash of its keys (56 bits). When
/// that hash is the same no key is dropped, and the old blob need not be read.
abstract contract KeyedMetadata is IKeyedMetadata {
    uint256 private constant MAX_KEYS = 16;
    uint256 private constant MAX_KEY_BYTES = 255;
    /// @dev EIP-170 less the STOP that SSTORE2 puts in front.
    uint256 private constant MAX_BLOB_BYTES = 24_575;
    uint256 private constant LAST_KIND = 2;
    /// @dev kind, length of key, length of value
    uint256 private constant ENTRY_HEADER_BYTES = 4;
    uint256 private constant NUMBER_BITS = 40;
    uint256 private constant NUMBER_MASK = (1 << NUMBER_BITS) - 1;
    uint256 private constant KEYS_HASH_BITS = 56;

    /// @dev A layout that was checked and encoded, but not stored yet.
    struct Draft {
        bytes blob;
        bytes32[] hashes;
        uint256 keysHash;
    }

    /// @dev Checks a layout and encodes it in memory.
    function _compose(Entry[] calldata given) internal pure returns (Draft memory draft) {
        uint256 count = given.length;
        if (count > MAX_KEYS) revert TooManyKeys(count);
        bytes32[] memory hashes = new bytes32[](count);
        // One bit for each hash seen, so that most keys need no comparison with those before them.
        uint256 seen;
        bytes memory blob;
        uint256 cursor;
        assembly ("memory-safe") {
            blob := mload(0x40)
            mstore8(add(blob, 0x20), count)
            cursor := add(blob, 0x21)
        }
        for (uint256 i; i < count; ++i) {
            Entry calldata entry = given[i];
            string calldata key = entry.key;
            bytes calldata value = entry.value;
            uint256 kind = entry.kind;
            uint256 length = bytes(key).length;
            if (length == 0 || length > MAX_KEY_BYTES) revert InvalidKey(key);
            if (kind > LAST_KIND) revert InvalidKind(entry.kind);
            if (value.length > MAX_BLOB_BYTES) revert MetadataTooLarge(value.length);
            bytes32 hash;
            // The blob is at the end of memory and grows as it is written. The header is written as a whole word, of
            // which key and value overwrite the surplus.
            assembly ("memory-safe") {
                mstore(cursor, or(or(shl(248, kind), shl(240, length)), shl(224, value.length)))
                cursor := add(cursor, ENTRY_HEADER_BYTES)
                calldatacopy(cursor, key.offset, length)
                hash := keccak256(cursor, length)
                cursor := add(cursor, length)
                calldatacopy(cursor, value.offset, value.length)
                cursor := add(cursor, value.length)
            }
            uint256 bit = 1 << (uint256(hash) & 0xff);
            if (seen & bit != 0 && _contains(hashes, hash)) revert DuplicateKey(key);
            seen |= bit;
            hashes[i] = hash;
        }
        uint256 size;
        uint256 keysHash;
        assembly ("memory-safe") {
            size := sub(cursor, add(blob, 0x20))
            mstore(blob, size)
            // Reserves a word after the blob, into which the word of the last header may reach.
            mstore(0x40, and(add(cursor, 0x3f), not(0x1f)))
            keysHash := shr(sub(256, KEYS_HASH_BITS), keccak256(add(hashes, 0x20), shl(5, count)))
        }
        if (size > MAX_BLOB_BYTES) revert MetadataTooLarge(size);
        return Draft(blob, hashes, keysHash);
    }

    /// @dev The reference to a draft once it is stored as blob `number`.
    function _referTo(Draft memory draft, uint256 number) internal pure returns (uint256 pointer) {
        return number | (draft.keysHash << NUMBER_BITS);
    }

    /// @dev Stores a draft of a token, or of the contract itself when `tokenId` is 0, as blob `number`, the one after
    /// the newest, and emits an event for each key, and for each key dropped from the layout of the reference
    /// `previous` (0 for none; its hash may be left out).
    function _publish(uint256 tokenId, uint256 previous, uint256 number, Draft memory draft) internal {
        if (previous >> NUMBER_BITS != draft.keysHash && previous != 0) {
            _announceDropped(tokenId, _read(previous), draft.hashes);
        }
        bytes memory blob = draft.blob;
        uint256 cursor = 1;
        for (uint256 left = draft.hashes.length; left != 0; --left) {
            (, uint256 keyLength, uint256 valueLength) = _entryHeader(blob, cursor);
            cursor += ENTRY_HEADER_BYTES;
            _announce(tokenId, blob, cursor, keyLength, valueLength);
            cursor += keyLength + valueLength;
        }
        if (SSTORE2.write(blob) != LibRLP.computeAddress(address(this), number)) revert UnexpectedAddress();
    }

    /// @dev The value under a key of a layout; empty when there is none.
    function _valueOf(uint256 pointer, string calldata key) internal view returns (bytes memory) {
        if (pointer == 0) return "";
        bytes memory blob = _read(pointer);
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

    /// @dev The whole of a layout; empty for 0.
    function _entriesOf(uint256 pointer) internal view returns (Entry[] memory found) {
        if (pointer == 0) return found;
        bytes memory blob = _read(pointer);
        found = new Entry[](uint8(blob[0]));
        uint256 cursor = 1;
        for (uint256 i; i < found.length; ++i) {
            (uint8 kind, uint256 keyLength, uint256 valueLength) = _entryHeader(blob, cursor);
            cursor += ENTRY_HEADER_BYTES;
            string memory key = string(_slice(blob, cursor, keyLength));
            found[i] = Entry(key, _slice(blob, cursor + keyLength, valueLength), kind);
            cursor += keyLength + valueLength;
        }
    }

    /// @dev The keys of a layout, in order; empty for 0.
    function _keysOf(uint256 pointer) internal view returns (string[] memory keys) {
        Entry[] memory found = _entriesOf(pointer);
        keys = new string[](found.length);
        for (uint256 i; i < keys.length; ++i) {
            keys[i] = found[i].key;
        }
    }

    /// @dev Emits an event with an empty value for each dropped key, so that readers can follow the events alone.
    function _announceDropped(uint256 tokenId, bytes memory blob, bytes32[] memory hashes) private {
        uint256 cursor = 1;
        for (uint256 left = uint8(blob[0]); left != 0; --left) {
            (, uint256 keyLength, uint256 valueLength) = _entryHeader(blob, cursor);
            cursor += ENTRY_HEADER_BYTES;
            if (!_contains(hashes, _hash(blob, cursor, keyLength)))
                _announce(tokenId, blob, cursor, keyLength, 0);
            cursor += keyLength + valueLength;
        }
    }

    function _contains(bytes32[] memory hashes, bytes32 hash) private pure returns (bool) {
        for (uint256 i; i < hashes.length; ++i) {
            if (hashes[i] == hash) return true;
        }
        return false;
    }

    /// @dev Emits `MetadataSet`, or `ContractMetadataUpdated` when `tokenId` is 0, for the key at `cursor` of the blob
    /// and the value behind it. In assembly, since both are in memory already: the compiler would copy each twice.
    function _announce(
        uint256 tokenId,
        bytes memory blob,
        uint256 cursor,
        uint256 keyLength,
        uint256 valueLength
    ) private {
        bytes32 ofToken = IERC8048.MetadataSet.selector;
        bytes32 ofContract = IERC8049.ContractMetadataUpdated.selector;
        assembly ("memory-safe") {
            let source := add(add(blob, 0x20), cursor)
            let data := mload(0x40)
            // Both lengths rounded up to words, with zeros after the bytes.
            let valueAt := add(add(data, 0x60), and(add(keyLength, 0x1f), not(0x1f)))
            let end := add(add(valueAt, 0x20), and(add(valueLength, 0x1f), not(0x1f)))
            mstore(data, 0x40)
            mstore(add(data, 0x20), sub(valueAt, data))
            mstore(add(data, 0x40), keyLength)
            mstore(add(add(data, 0x60), keyLength), 0)
            mcopy(add(data, 0x60), source, keyLength)
            mstore(valueAt, valueLength)
            mstore(add(add(valueAt, 0x20), valueLength), 0)
            mcopy(add(valueAt, 0x20), add(source, keyLength), valueLength)
            let hash := keccak256(source, keyLength)
            switch tokenId
            case 0 {
                log2(data, sub(end, data), ofContract, hash)
            }
            default {
                log3(data, sub(end, data), ofToken, tokenId, hash)
            }
        }
    }

    function _read(uint256 pointer) private view returns (bytes memory) {
        return SSTORE2.read(LibRLP.computeAddress(address(this), pointer & NUMBER_MASK));
    }

    function _entryHeader(
        bytes memory blob,
        uint256 cursor
    ) private pure returns (uint8 kind, uint256 keyLength, uint256 valueLength) {
        uint256 word;
        // In bounds: all offsets come from the blob itself.
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
