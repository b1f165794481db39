// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {Entry, IKeyedMetadata} from "../interfaces/IKeyedMetadata.sol";
import {IERC8048} from "../interfaces/IERC8048.sol";
import {IERC8049} from "../interfaces/IERC8049.sol";

/// @title The bytes of a layout
/// @notice Number of entries (1 byte), size of the keys (2), then the keys, each with its length (1) in front, then the
/// values, each with its kind (1) and length (2) in front. So all keys are one piece, by which layouts are compared.
library LayoutBlob {
    uint256 internal constant MAX_KEYS = 16;
    uint256 internal constant MAX_KEY_BYTES = 255;
    /// @dev Keys and values together.
    uint256 internal constant MAX_TEXT_BYTES = 8_192;
    uint256 private constant LAST_KIND = 2;
    uint256 private constant HEADER_BYTES = 3;
    uint256 private constant KEY_HEADER_BYTES = 1;
    uint256 private constant VALUE_HEADER_BYTES = 3;
    /// @dev As long as all keys can be, and some more: while it is written, the values are this far behind the keys.
    uint256 private constant KEYS_ROOM = 0x1040;

    /// @dev A layout that was checked and encoded, but not stored yet, and the hash of each of its keys.
    struct Draft {
        bytes blob;
        bytes32[] hashes;
    }

    /// @dev Where the next key and the next value are written in memory.
    struct Writer {
        uint256 keyEnd;
        uint256 valueEnd;
    }

    /// @dev Where an entry is: offsets in the blob, of key and value without what is in front of them.
    struct Cursor {
        uint256 keyAt;
        uint256 keyLength;
        uint256 valueAt;
        uint256 valueLength;
        uint8 kind;
    }

    /// @notice Checks a layout and encodes it in memory.
    /// @param given its entries
    /// @return draft what is to be stored
    function compose(Entry[] calldata given) internal pure returns (Draft memory draft) {
        uint256 count = given.length;
        if (count > MAX_KEYS) revert IKeyedMetadata.TooManyKeys(count);
        bytes32[] memory hashes = new bytes32[](count);
        // One bit for each hash seen, so that most keys need no comparison with those before them.
        uint256 seen;
        Writer memory writer;
        uint256 blob;
        assembly ("memory-safe") {
            blob := mload(0x40)
        }
        writer.keyEnd = blob + 0x20 + HEADER_BYTES;
        writer.valueEnd = writer.keyEnd + KEYS_ROOM;
        for (uint256 i; i < count; ++i) {
            bytes32 hash = _write(writer, given[i]);
            uint256 bit = 1 << (uint256(hash) & 0xff);
            if (seen & bit != 0 && _contains(hashes, hash)) revert IKeyedMetadata.DuplicateKey(given[i].key);
            seen |= bit;
            hashes[i] = hash;
        }
        draft.hashes = hashes;
        _finish(draft, blob, writer);
    }

    /// @notice Whether a draft has the same keys in the same order as the stored layout.
    /// @param draft the draft
    /// @param stored the contract whose code is the layout, after a STOP
    /// @return same true when no key is dropped
    function hasKeysOf(Draft memory draft, address stored) internal view returns (bool same) {
        bytes memory blob = draft.blob;
        assembly ("memory-safe") {
            let size := add(and(shr(232, mload(add(blob, 0x20))), 0xffff), HEADER_BYTES)
            let other := mload(0x40)
            extcodecopy(stored, other, 1, size)
            same := eq(keccak256(other, size), keccak256(add(blob, 0x20), size))
        }
    }

    /// @notice Emits `MetadataSet`, or `ContractMetadataUpdated` when `tokenId` is 0, for each key of a draft.
    /// @param draft the draft
    /// @param tokenId the token; 0 for the contract
    function announce(Draft memory draft, uint256 tokenId) internal {
        bytes memory blob = draft.blob;
        uint256 count = draft.hashes.length;
        Cursor memory cursor = _start(blob);
        for (uint256 i; i < count; ++i) {
            _next(blob, cursor);
            _emit(blob, cursor, tokenId, draft.hashes[i]);
        }
    }

    /// @notice Emits the same event with an empty value for each key of a stored layout that a draft does not have, so
    /// that readers can follow the events alone.
    /// @param draft the draft
    /// @param tokenId the token; 0 for the contract
    /// @param stored the blob of the layout that the draft replaces
    function announceDropped(Draft memory draft, uint256 tokenId, bytes memory stored) internal {
        Cursor memory cursor = _start(stored);
        for (uint256 left = uint8(stored[0]); left != 0; --left) {
            _next(stored, cursor);
            bytes32 hash = _hash(stored, cursor.keyAt, cursor.keyLength);
            uint256 valueLength = cursor.valueLength;
            cursor.valueLength = 0;
            if (!_contains(draft.hashes, hash)) _emit(stored, cursor, tokenId, hash);
            cursor.valueLength = valueLength;
        }
    }

    /// @notice The value under a key.
    /// @param blob a layout
    /// @param key the key
    /// @return the value; empty when there is none
    function valueOf(bytes memory blob, string calldata key) internal pure returns (bytes memory) {
        bytes32 wanted = keccak256(bytes(key));
        Cursor memory cursor = _start(blob);
        for (uint256 left = uint8(blob[0]); left != 0; --left) {
            _next(blob, cursor);
            if (_hash(blob, cursor.keyAt, cursor.keyLength) == wanted) {
                return _slice(blob, cursor.valueAt, cursor.valueLength);
            }
        }
        return "";
    }

    /// @notice All entries, in order.
    /// @param blob a layout
    /// @return found keys with values and kinds
    function entriesOf(bytes memory blob) internal pure returns (Entry[] memory found) {
        found = new Entry[](uint8(blob[0]));
        Cursor memory cursor = _start(blob);
        for (uint256 i; i < found.length; ++i) {
            _next(blob, cursor);
            string memory key = string(_slice(blob, cursor.keyAt, cursor.keyLength));
            found[i] = Entry(key, _slice(blob, cursor.valueAt, cursor.valueLength), cursor.kind);
        }
    }

    /// @dev Checks an entry and writes it. Both ends of memory that are written to are behind what is in use.
    function _write(Writer memory writer, Entry calldata entry) private pure returns (bytes32 hash) {
        string calldata key = entry.key;
        bytes calldata value = entry.value;
        uint256 kind = entry.kind;
        uint256 length = bytes(key).length;
        if (length == 0 || length > MAX_KEY_BYTES) revert IKeyedMetadata.InvalidKey(key);
        if (kind > LAST_KIND) revert IKeyedMetadata.InvalidKind(uint8(kind));
        if (value.length > MAX_TEXT_BYTES) revert IKeyedMetadata.MetadataTooLarge(value.length);
        uint256 keyAt = writer.keyEnd;
        uint256 valueAt = writer.valueEnd;
        assembly ("memory-safe") {
            mstore8(keyAt, length)
            keyAt := add(keyAt, KEY_HEADER_BYTES)
            calldatacopy(keyAt, key.offset, length)
            hash := keccak256(keyAt, length)
            // A whole word, of which the value overwrites the surplus.
            mstore(valueAt, or(shl(248, kind), shl(232, value.length)))
            valueAt := add(valueAt, VALUE_HEADER_BYTES)
            calldatacopy(valueAt, value.offset, value.length)
        }
        writer.keyEnd = keyAt + length;
        writer.valueEnd = valueAt + value.length;
    }

    /// @dev Moves the values behind the keys, writes the header and takes the memory in use.
    function _finish(Draft memory draft, uint256 blob, Writer memory writer) private pure {
        uint256 count = draft.hashes.length;
        uint256 keysSize = writer.keyEnd - blob - 0x20 - HEADER_BYTES;
        uint256 valuesSize = writer.valueEnd - blob - 0x20 - HEADER_BYTES - KEYS_ROOM;
        uint256 text = keysSize + valuesSize - count * (KEY_HEADER_BYTES + VALUE_HEADER_BYTES);
        if (text > MAX_TEXT_BYTES) revert IKeyedMetadata.MetadataTooLarge(text);
        bytes memory result;
        assembly ("memory-safe") {
            result := blob
            let data := add(blob, 0x20)
            mstore(blob, add(add(keysSize, valuesSize), HEADER_BYTES))
            mstore8(data, count)
            mstore8(add(data, 1), shr(8, keysSize))
            mstore8(add(data, 2), keysSize)
            let values := add(add(data, HEADER_BYTES), keysSize)
            mcopy(values, add(add(data, HEADER_BYTES), KEYS_ROOM), valuesSize)
            // Reserves a word after the blob, into which the word of a header that is read may reach.
            mstore(0x40, and(add(add(values, valuesSize), 0x3f), not(0x1f)))
        }
        draft.blob = result;
    }

    /// @dev Before the first entry.
    function _start(bytes memory blob) private pure returns (Cursor memory cursor) {
        cursor.keyAt = HEADER_BYTES;
        cursor.valueAt = HEADER_BYTES + ((_wordAt(blob, 0) >> 232) & 0xffff);
    }

    /// @dev Moves on by one entry. In bounds: all lengths come from the blob itself.
    function _next(bytes memory blob, Cursor memory cursor) private pure {
        uint256 keyHeader = cursor.keyAt + cursor.keyLength;
        uint256 valueHeader = cursor.valueAt + cursor.valueLength;
        uint256 word = _wordAt(blob, valueHeader);
        cursor.keyAt = keyHeader + KEY_HEADER_BYTES;
        cursor.keyLength = _wordAt(blob, keyHeader) >> 248;
        cursor.valueAt = valueHeader + VALUE_HEADER_BYTES;
        cursor.valueLength = uint16(word >> 232);
        cursor.kind = uint8(word >> 248);
    }

    /// @dev In assembly, since key and value are in memory already: the compiler would copy each twice.
    function _emit(bytes memory blob, Cursor memory cursor, uint256 tokenId, bytes32 hash) private {
        bytes32 ofToken = IERC8048.MetadataSet.selector;
        bytes32 ofContract = IERC8049.ContractMetadataUpdated.selector;
        uint256 keyLength = cursor.keyLength;
        uint256 valueLength = cursor.valueLength;
        uint256 keyFrom = cursor.keyAt;
        uint256 valueFrom = cursor.valueAt;
        assembly ("memory-safe") {
            let data := mload(0x40)
            // Both lengths rounded up to words, with zeros after the bytes.
            let valueTo := add(add(data, 0x60), and(add(keyLength, 0x1f), not(0x1f)))
            let end := add(add(valueTo, 0x20), and(add(valueLength, 0x1f), not(0x1f)))
            mstore(data, 0x40)
            mstore(add(data, 0x20), sub(valueTo, data))
            mstore(add(data, 0x40), keyLength)
            mstore(add(add(data, 0x60), keyLength), 0)
            mcopy(add(data, 0x60), add(add(blob, 0x20), keyFrom), keyLength)
            mstore(valueTo, valueLength)
            mstore(add(add(valueTo, 0x20), valueLength), 0)
            mcopy(add(valueTo, 0x20), add(add(blob, 0x20), valueFrom), valueLength)
            switch tokenId
            case 0 {
                log2(data, sub(end, data), ofContract, hash)
            }
            default {
                log3(data, sub(end, data), ofToken, tokenId, hash)
            }
        }
    }

    function _contains(bytes32[] memory hashes, bytes32 hash) private pure returns (bool) {
        for (uint256 i; i < hashes.length; ++i) {
            if (hashes[i] == hash) return true;
        }
        return false;
    }

    function _wordAt(bytes memory blob, uint256 offset) private pure returns (uint256 word) {
        assembly ("memory-safe") {
            word := mload(add(add(blob, 0x20), offset))
        }
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
