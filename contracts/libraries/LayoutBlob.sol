// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {Entry, IKeyedMetadata} from "../interfaces/IKeyedMetadata.sol";
import {IERC8048} from "../interfaces/IERC8048.sol";
import {IERC8049} from "../interfaces/IERC8049.sol";

/// @title The bytes of a layout
/// @notice Size of the keys (2 bytes), then the keys, each with its length (1) in front, then the values, each with its
/// kind (2 bits) and length (6 bits) in front; 63 says that the length follows in 2 bytes. So all keys are one piece, by
/// which layouts are compared, and a short value has one byte less, at 200 gas each.
/// @dev In memory, key and value are given by pointers to their first bytes.
library LayoutBlob {
    uint256 internal constant MAX_KEYS = 16;
    uint256 internal constant MAX_KEY_BYTES = 255;
    /// @dev Keys and values together.
    uint256 internal constant MAX_TEXT_BYTES = 8_192;
    uint256 private constant LAST_KIND = 2;
    uint256 private constant HEADER_BYTES = 2;
    uint256 private constant KEY_HEADER_BYTES = 1;
    uint256 private constant LENGTH_BITS = 6;
    /// @dev In the place of the length: it is in the two bytes behind, since this or more.
    uint256 private constant LONG = 63;
    uint256 private constant SHORT_HEADER_BYTES = 1;
    uint256 private constant LONG_HEADER_BYTES = 3;
    /// @dev More than all keys can have: while a layout is written, its values are this far behind the start of its keys.
    uint256 private constant KEYS_ROOM = 0x1020;

    /// @dev A layout that was checked and encoded, but not stored yet, and the hash of each of its keys.
    struct Draft {
        bytes blob;
        bytes32[] hashes;
    }

    /// @notice Checks a layout and encodes it in memory.
    /// @param given its entries
    /// @return draft what is to be stored
    function compose(Entry[] calldata given) internal pure returns (Draft memory draft) {
        uint256 count = given.length;
        if (count > MAX_KEYS) revert IKeyedMetadata.TooManyKeys(count);
        draft.hashes = new bytes32[](count);
        uint256 keysStart;
        assembly ("memory-safe") {
            keysStart := add(mload(0x40), 0x22)
        }
        uint256 keysEnd = keysStart;
        uint256 valuesEnd = keysStart + KEYS_ROOM;
        // One bit for each hash seen, so that most keys need no comparison with those before them.
        uint256 seen;
        uint256 headers = count * (KEY_HEADER_BYTES + SHORT_HEADER_BYTES);
        for (uint256 i; i < count; ++i) {
            bytes32 hash;
            uint256 value = valuesEnd;
            (hash, keysEnd, valuesEnd) = _write(given, i, keysEnd, valuesEnd);
            unchecked {
                if (valuesEnd - value > LONG) headers += LONG_HEADER_BYTES - SHORT_HEADER_BYTES;
            }
            uint256 bit = 1 << (uint256(hash) & 0xff);
            if (seen & bit != 0 && _contains(draft.hashes, hash)) {
                revert IKeyedMetadata.DuplicateKey(given[i].key);
            }
            seen |= bit;
            _setHash(draft.hashes, i, hash);
        }
        draft.blob = _finish(keysStart, keysEnd, valuesEnd);
        uint256 text = draft.blob.length - HEADER_BYTES - headers;
        if (text > MAX_TEXT_BYTES) revert IKeyedMetadata.MetadataTooLarge(text);
    }

    /// @notice Whether a draft has the same keys in the same order as the stored layout.
    /// @param draft the draft
    /// @param stored the contract whose code is the layout, after a STOP
    /// @return same true when no key is dropped
    function hasKeysOf(Draft memory draft, address stored) internal view returns (bool same) {
        bytes memory blob = draft.blob;
        assembly ("memory-safe") {
            let data := add(blob, 0x20)
            let size := add(shr(240, mload(data)), HEADER_BYTES)
            let other := mload(0x40)
            extcodecopy(stored, other, 1, size)
            same := eq(keccak256(other, size), keccak256(data, size))
        }
    }

    /// @notice Emits `MetadataSet`, or `ContractMetadataUpdated` when `tokenId` is 0, for each key of a draft.
    /// @param draft the draft
    /// @param tokenId the token; 0 for the contract
    function announce(Draft memory draft, uint256 tokenId) internal {
        bytes32[] memory hashes = draft.hashes;
        (uint256 key, uint256 value) = _sectionsOf(draft.blob);
        for (uint256 i; i < hashes.length; ++i) {
            uint256 keyLength;
            uint256 valueLength;
            (key, keyLength) = _keyAt(key);
            (value, valueLength, ) = _valueAt(value);
            _emit(tokenId, hashes[i], key, keyLength, value, valueLength);
            key += keyLength;
            value += valueLength;
        }
    }

    /// @notice Emits the same event with an empty value for each key of a stored layout that a draft does not have, so
    /// that readers can follow the events alone.
    /// @param draft the draft
    /// @param tokenId the token; 0 for the contract
    /// @param stored the blob of the layout that the draft replaces
    function announceDropped(Draft memory draft, uint256 tokenId, bytes memory stored) internal {
        (uint256 key, uint256 keysEnd) = _sectionsOf(stored);
        while (key < keysEnd) {
            uint256 keyLength;
            (key, keyLength) = _keyAt(key);
            bytes32 hash = _hash(key, keyLength);
            if (!_contains(draft.hashes, hash)) _emit(tokenId, hash, key, keyLength, key, 0);
            key += keyLength;
        }
    }

    /// @notice The value under a key.
    /// @param blob a layout
    /// @param wanted the key
    /// @return the value; empty when there is none
    function valueOf(bytes memory blob, string calldata wanted) internal pure returns (bytes memory) {
        bytes32 hash = keccak256(bytes(wanted));
        (uint256 key, uint256 value) = _sectionsOf(blob);
        uint256 keysEnd = value;
        while (key < keysEnd) {
            uint256 keyLength;
            uint256 valueLength;
            (key, keyLength) = _keyAt(key);
            (value, valueLength, ) = _valueAt(value);
            if (_hash(key, keyLength) == hash) return _copy(value, valueLength);
            key += keyLength;
            value += valueLength;
        }
        return "";
    }

    /// @notice All entries, in order.
    /// @param blob a layout
    /// @return found keys with values and kinds
    function entriesOf(bytes memory blob) internal pure returns (Entry[] memory found) {
        (uint256 key, uint256 value) = _sectionsOf(blob);
        found = new Entry[](_countKeys(key, value));
        for (uint256 i; i < found.length; ++i) {
            uint256 length;
            uint256 kind;
            (key, length) = _keyAt(key);
            found[i].key = string(_copy(key, length));
            key += length;
            (value, length, kind) = _valueAt(value);
            found[i].value = _copy(value, length);
            found[i].kind = uint8(kind);
            value += length;
        }
    }

    /// @dev Checks an entry and writes its key and value at two ends of memory, both behind what is in use.
    function _write(
        Entry[] calldata given,
        uint256 i,
        uint256 keysEnd,
        uint256 valuesEnd
    ) private pure returns (bytes32 hash, uint256, uint256) {
        (uint256 key, uint256 keyLength, uint256 value, uint256 valueLength, uint256 kind) = _entryAt(
            given,
            i
        );
        unchecked {
            if (keyLength - 1 >= MAX_KEY_BYTES) revert IKeyedMetadata.InvalidKey(given[i].key);
        }
        if (kind > LAST_KIND) revert IKeyedMetadata.InvalidKind(given[i].kind);
        if (valueLength > MAX_TEXT_BYTES) revert IKeyedMetadata.MetadataTooLarge(valueLength);
        assembly ("memory-safe") {
            mstore8(keysEnd, keyLength)
            keysEnd := add(keysEnd, KEY_HEADER_BYTES)
            calldatacopy(keysEnd, key, keyLength)
            hash := keccak256(keysEnd, keyLength)
            keysEnd := add(keysEnd, keyLength)
            let header := shl(LENGTH_BITS, kind)
            switch lt(valueLength, LONG)
            case 0 {
                // A whole word, of which the value overwrites the surplus.
                mstore(valuesEnd, or(shl(248, or(header, LONG)), shl(232, valueLength)))
                valuesEnd := add(valuesEnd, LONG_HEADER_BYTES)
            }
            default {
                mstore8(valuesEnd, or(header, valueLength))
                valuesEnd := add(valuesEnd, SHORT_HEADER_BYTES)
            }
            calldatacopy(valuesEnd, value, valueLength)
            valuesEnd := add(valuesEnd, valueLength)
        }
        return (hash, keysEnd, valuesEnd);
    }

    /// @dev Where key and value of an entry are in calldata. Reverts when they are not within it. The compiler's own
    /// decoding does the same for each field, at three times the gas.
    function _entryAt(
        Entry[] calldata given,
        uint256 i
    )
        private
        pure
        returns (uint256 key, uint256 keyLength, uint256 value, uint256 valueLength, uint256 kind)
    {
        assembly ("memory-safe") {
            let offsets := calldataload(add(given.offset, shl(5, i)))
            let entry := add(given.offset, offsets)
            let keyOffset := calldataload(entry)
            let valueOffset := calldataload(add(entry, 0x20))
            kind := calldataload(add(entry, 0x40))
            key := add(entry, keyOffset)
            value := add(entry, valueOffset)
            keyLength := calldataload(key)
            valueLength := calldataload(value)
            key := add(key, 0x20)
            value := add(value, 0x20)
            // Numbers of 32 bits, so that no sum wraps around.
            offsets := or(or(offsets, or(keyOffset, valueOffset)), or(keyLength, valueLength))
            let outside := or(
                gt(add(key, keyLength), calldatasize()),
                gt(add(value, valueLength), calldatasize())
            )
            if or(shr(32, offsets), outside) {
                revert(0, 0)
            }
        }
    }

    /// @dev Moves the values behind the keys, writes the header and takes the memory.
    function _finish(
        uint256 keysStart,
        uint256 keysEnd,
        uint256 valuesEnd
    ) private pure returns (bytes memory blob) {
        assembly ("memory-safe") {
            let keysSize := sub(keysEnd, keysStart)
            let valuesStart := add(keysStart, KEYS_ROOM)
            let valuesSize := sub(valuesEnd, valuesStart)
            blob := mload(0x40)
            mstore(blob, add(add(keysSize, valuesSize), HEADER_BYTES))
            mstore8(add(blob, 0x20), shr(8, keysSize))
            mstore8(add(blob, 0x21), keysSize)
            mcopy(keysEnd, valuesStart, valuesSize)
            // Reserves a word after the blob, into which the word of a header that is read may reach.
            mstore(0x40, and(add(add(keysEnd, valuesSize), 0x3f), not(0x1f)))
        }
    }

    /// @dev The first key and the first value, each with what is in front of it. The latter is the end of the keys.
    function _sectionsOf(bytes memory blob) private pure returns (uint256 keys, uint256 values) {
        assembly ("memory-safe") {
            keys := add(blob, 0x22)
            values := add(keys, shr(240, mload(add(blob, 0x20))))
        }
    }

    function _countKeys(uint256 key, uint256 keysEnd) private pure returns (uint256 count) {
        while (key < keysEnd) {
            uint256 length;
            (key, length) = _keyAt(key);
            key += length;
            ++count;
        }
    }

    /// @dev In bounds, as {_valueAt}: all lengths come from the blob itself.
    function _keyAt(uint256 header) private pure returns (uint256 key, uint256 length) {
        assembly ("memory-safe") {
            key := add(header, KEY_HEADER_BYTES)
            length := byte(0, mload(header))
        }
    }

    function _valueAt(uint256 header) private pure returns (uint256 value, uint256 length, uint256 kind) {
        assembly ("memory-safe") {
            let word := mload(header)
            kind := shr(254, word)
            length := and(shr(248, word), LONG)
            value := add(header, SHORT_HEADER_BYTES)
            if eq(length, LONG) {
                length := and(shr(232, word), 0xffff)
                value := add(header, LONG_HEADER_BYTES)
            }
        }
    }

    /// @dev In assembly, since key and value are in memory already: the compiler would copy each twice.
    function _emit(
        uint256 tokenId,
        bytes32 hash,
        uint256 key,
        uint256 keyLength,
        uint256 value,
        uint256 valueLength
    ) private {
        bytes32 ofToken = IERC8048.MetadataSet.selector;
        bytes32 ofContract = IERC8049.ContractMetadataUpdated.selector;
        assembly ("memory-safe") {
            let data := mload(0x40)
            // Both lengths rounded up to words, with zeros after the bytes.
            let valueTo := add(add(data, 0x60), and(add(keyLength, 0x1f), not(0x1f)))
            let end := add(add(valueTo, 0x20), and(add(valueLength, 0x1f), not(0x1f)))
            mstore(data, 0x40)
            mstore(add(data, 0x20), sub(valueTo, data))
            mstore(add(data, 0x40), keyLength)
            mstore(add(add(data, 0x60), keyLength), 0)
            mcopy(add(data, 0x60), key, keyLength)
            mstore(valueTo, valueLength)
            mstore(add(add(valueTo, 0x20), valueLength), 0)
            mcopy(add(valueTo, 0x20), value, valueLength)
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

    /// @dev Without a check of the index, which the loop around it makes.
    function _setHash(bytes32[] memory hashes, uint256 i, bytes32 hash) private pure {
        assembly ("memory-safe") {
            mstore(add(add(hashes, 0x20), shl(5, i)), hash)
        }
    }

    function _hash(uint256 start, uint256 length) private pure returns (bytes32 hash) {
        assembly ("memory-safe") {
            hash := keccak256(start, length)
        }
    }

    function _copy(uint256 start, uint256 length) private pure returns (bytes memory part) {
        part = new bytes(length);
        assembly ("memory-safe") {
            mcopy(add(part, 0x20), start, length)
        }
    }
}
