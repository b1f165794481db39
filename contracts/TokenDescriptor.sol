// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {Base64} from "solady/src/utils/Base64.sol";
import {LibString} from "solady/src/utils/LibString.sol";
import {Entry} from "./interfaces/IKeyedMetadata.sol";
import {ITokenDescriptor} from "./interfaces/ITokenDescriptor.sol";
import {JsonNumber} from "./libraries/JsonNumber.sol";

/// @title Renders the JSON of tokens and contracts
/// @notice Keyed metadata in the form that marketplaces read: `name`, `description`, `image` and the other fields of OpenSea
/// and ERC-7572 at the top, every other key as an attribute.
/// @dev Quotes, backslashes and control characters are escaped byte by byte, so that no text, UTF-8 or not, ends its string.
/// Bytes from 0x80 on are copied without a check. The service takes valid UTF-8 alone; an owner's own wallet can write other
/// bytes, for which a reader's decoder puts U+FFFD, or which it refuses: that spoils nothing but what this owner shows.
contract TokenDescriptor is ITokenDescriptor {
    uint8 private constant NUMBER = 1;
    uint8 private constant BOOLEAN = 2;
    bytes32 private constant NAME = keccak256("name");
    bytes32 private constant DESCRIPTION = keccak256("description");
    bytes32 private constant IMAGE = keccak256("image");
    bytes32 private constant EXTERNAL_URL = keccak256("external_url");
    bytes32 private constant ANIMATION_URL = keccak256("animation_url");
    bytes32 private constant BACKGROUND_COLOR = keccak256("background_color");
    bytes32 private constant DISPLAY_TYPE = keccak256("display_type");
    bytes32 private constant EXTERNAL_LINK = keccak256("external_link");
    bytes32 private constant BANNER_IMAGE = keccak256("banner_image");
    bytes32 private constant FEATURED_IMAGE = keccak256("featured_image");
    bytes32 private constant COLLABORATORS = keccak256("collaborators");
    /// @dev Characters of a name that fit in the drawing.
    uint256 private constant DRAWN_CHARACTERS = 22;

    /// @dev Of a layout. All but the name is JSON already, and empty when absent.
    struct Parts {
        string name;
        string description;
        string image;
        string others;
        string attributes;
    }

    /// @inheritdoc ITokenDescriptor
    function tokenURI(
        string calldata collection,
        string calldata symbol,
        uint256 tokenId,
        Entry[] calldata entries
    ) external pure returns (string memory) {
        string memory number = string.concat(" #", LibString.toString(tokenId));
        Parts memory parts = _read(string.concat(collection, number), entries);
        if (bytes(parts.image).length == 0) {
            bytes32 seed = keccak256(abi.encode(collection, symbol, tokenId));
            string memory drawing = _draw(parts.name, string.concat(symbol, number), seed);
            parts.image = _field("image", string.concat('"', drawing, '"'));
        }
        return _uri(parts, "");
    }

    /// @inheritdoc ITokenDescriptor
    function contractURI(
        string calldata name,
        string calldata symbol,
        Entry[] calldata entries
    ) external pure returns (string memory) {
        return _uri(_read(name, entries), _field("symbol", _quote(symbol)));
    }

    /// @dev The parts of a layout. Of fields that it has twice the last one counts, as in JSON.
    function _read(string memory name, Entry[] calldata entries) private pure returns (Parts memory parts) {
        parts.name = name;
        for (uint256 i; i < entries.length; ++i) {
            Entry calldata entry = entries[i];
            bytes32 key = keccak256(bytes(entry.key));
            string memory value = string(entry.value);
            if (key == NAME) parts.name = value;
            else if (key == DESCRIPTION) parts.description = _field(entry.key, _quote(value));
            else if (key == IMAGE) parts.image = _field(entry.key, _quote(value));
            else if (key == COLLABORATORS)
                parts.others = string.concat(parts.others, _field(entry.key, _quoteList(entry.value)));
            else if (_isField(key))
                parts.others = string.concat(parts.others, _field(entry.key, _quote(value)));
            else parts.attributes = string.concat(parts.attributes, _attribute(entry, parts.attributes));
        }
    }

    /// @dev Fields of one value that are at the top of a token's JSON (OpenSea) or a contract's (ERC-7572).
    function _isField(bytes32 key) private pure returns (bool) {
        if (key == EXTERNAL_URL || key == ANIMATION_URL || key == BACKGROUND_COLOR) return true;
        if (key == DISPLAY_TYPE || key == EXTERNAL_LINK) return true;
        return key == BANNER_IMAGE || key == FEATURED_IMAGE;
    }

    function _field(string memory key, string memory value) private pure returns (string memory) {
        return string.concat(',"', key, '":', value);
    }

    function _attribute(Entry calldata entry, string memory before) private pure returns (string memory) {
        return
            string.concat(
                bytes(before).length == 0 ? '{"trait_type":' : ',{"trait_type":',
                _quote(entry.key),
                ',"value":',
                _value(entry),
                "}"
            );
    }

    /// @dev Numbers and booleans have no quotes, if they are valid ones.
    function _value(Entry calldata entry) private pure returns (string memory) {
        string memory value = string(entry.value);
        bool isBare = entry.kind == NUMBER && JsonNumber.isValid(entry.value);
        if (entry.kind == BOOLEAN) isBare = LibString.eq(value, "true") || LibString.eq(value, "false");
        return isBare ? value : _quote(value);
    }

    function _quote(string memory text) private pure returns (string memory) {
        return LibString.escapeJSON(text, true);
    }

    /// @dev Values that are separated by commas, spaces or control characters, as an array. `LibString.split` and a string
    /// for each value would cost 4,096 values of one byte more gas than a call may use: here the text stays in one piece.
    function _quoteList(bytes memory text) private pure returns (string memory) {
        uint256 size;
        bytes1 last = ",";
        for (uint256 i; i < text.length; ++i) {
            bytes1 char = text[i];
            if (char <= 0x20) char = ",";
            // One comma between two values, and none before the first one.
            if (char != "," || last != ",") text[size++] = char;
            last = char;
        }
        if (size == 0) return "[]";
        if (last == ",") --size;
        string memory values = LibString.escapeJSON(LibString.slice(string(text), 0, size));
        return string.concat('["', LibString.replace(values, ",", '","'), '"]');
    }

    function _uri(Parts memory parts, string memory symbol) private pure returns (string memory) {
        string memory json = string.concat(
            '{"name":',
            _quote(parts.name),
            symbol,
            parts.description,
            parts.image,
            parts.others,
            bytes(parts.attributes).length == 0
                ? ""
                : string.concat(',"attributes":[', parts.attributes, "]"),
            "}"
        );
        return string.concat("data:application/json;base64,", Base64.encode(bytes(json)));
    }

    /// @dev A square in two dark colours and three rings computed from the seed, with the text in white.
    function _draw(
        string memory title,
        string memory caption,
        bytes32 seed
    ) private pure returns (string memory) {
        string memory svg = string.concat(
            '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 600 600"><defs>'
            '<linearGradient id="g" x2="1" y2="1"><stop stop-color="',
            _colour(uint256(seed)),
            '"/><stop offset="1" stop-color="',
            _colour(uint256(seed) >> 24),
            '"/></linearGradient></defs><rect width="600" height="600" fill="url(#g)"/>'
            '<g fill="none" stroke="#fff" stroke-opacity=".25" stroke-width="18">',
            string.concat(_ring(seed, 6), _ring(seed, 9), _ring(seed, 12)),
            '</g><g fill="#fff" font-family="sans-serif"><text x="40" y="510" font-size="44">',
            _drawn(title, DRAWN_CHARACTERS),
            '</text><text x="40" y="556" font-size="26" fill-opacity=".8">',
            _drawn(caption, 2 * DRAWN_CHARACTERS),
            "</text></g></svg>"
        );
        return string.concat("data:image/svg+xml;base64,", Base64.encode(bytes(svg)));
    }

    /// @dev No channel is brighter than half, so that white text is readable on it.
    function _colour(uint256 seed) private pure returns (string memory) {
        return string.concat("#", LibString.toHexStringNoPrefix(seed & 0x7f7f7f, 3));
    }

    function _ring(bytes32 seed, uint256 first) private pure returns (string memory) {
        return
            string.concat(
                '<circle cx="',
                LibString.toString(2 * uint256(uint8(seed[first])) + 44),
                '" cy="',
                LibString.toString(2 * uint256(uint8(seed[first + 1])) + 44),
                '" r="',
                LibString.toString(uint256(uint8(seed[first + 2])) / 2 + 30),
                '"/>'
            );
    }

    /// @dev The first characters of a text, escaped for XML. Of what XML 1.0 does not allow, control characters become spaces,
    /// U+FFFE and U+FFFF become U+FFFD.
    function _drawn(string memory text, uint256 characters) private pure returns (string memory) {
        // A copy. A character has four bytes at most, so that what is behind is not drawn, however long the text is.
        string memory head = LibString.slice(text, 0, 4 * (characters + 1));
        uint256 count;
        for (uint256 i; i < bytes(head).length; ++i) {
            bytes1 char = bytes(head)[i];
            if (char < 0x20) bytes(head)[i] = " ";
            // Every byte begins a character, except for those that continue one (10xxxxxx).
            if (char & 0xc0 != 0x80 && ++count > characters) {
                head = string.concat(LibString.slice(head, 0, i), unicode"…");
                break;
            }
        }
        head = LibString.replace(LibString.replace(head, "\uFFFE", "\uFFFD"), "\uFFFF", "\uFFFD");
        return LibString.escapeHTML(head);
    }
}
