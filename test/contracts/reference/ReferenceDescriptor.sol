// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {Base64} from "@openzeppelin/contracts/utils/Base64.sol";
import {Strings} from "@openzeppelin/contracts/utils/Strings.sol";
import {LibString} from "solady/src/utils/LibString.sol";
import {Entry} from "../../../contracts/interfaces/IKeyedMetadata.sol";
import {ITokenDescriptor} from "../../../contracts/interfaces/ITokenDescriptor.sol";
import {ReferenceJson as Json} from "./ReferenceJson.sol";
import {Text} from "../../../contracts/libraries/Text.sol";

/// @title Renders the JSON of tokens and contracts
/// @notice Keyed metadata in the form that marketplaces read: `name`, `description`, `image` and the other fields of OpenSea
/// and ERC-7572 at the top, every other key as an attribute. The result is valid JSON for any input.
contract ReferenceDescriptor is ITokenDescriptor {
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

    /// @dev Fields of a layout as JSON with quotes; empty when absent.
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
        Parts memory parts = _read(entries);
        string memory id = Strings.toString(tokenId);
        bytes memory title = _titleOf(entries, string.concat(collection, " #", id));
        if (bytes(parts.name).length == 0) parts.name = Json.quote(title);
        if (bytes(parts.image).length == 0) {
            bytes32 seed = keccak256(abi.encode(collection, symbol, tokenId));
            parts.image = string.concat('"', _draw(title, string.concat(symbol, " #", id), seed), '"');
        }
        return _uri(parts, "");
    }

    /// @inheritdoc ITokenDescriptor
    function contractURI(
        string calldata name,
        string calldata symbol,
        Entry[] calldata entries
    ) external pure returns (string memory) {
        Parts memory parts = _read(entries);
        if (bytes(parts.name).length == 0) parts.name = Json.quote(bytes(name));
        return _uri(parts, string.concat(',"symbol":', Json.quote(bytes(symbol))));
    }

    function _read(Entry[] calldata entries) private pure returns (Parts memory parts) {
        for (uint256 i; i < entries.length; ++i) {
            Entry calldata entry = entries[i];
            bytes32 key = keccak256(bytes(entry.key));
            if (key == NAME) parts.name = Json.quote(entry.value);
            else if (key == DESCRIPTION) parts.description = Json.quote(entry.value);
            else if (key == IMAGE) parts.image = Json.quote(entry.value);
            else if (key == COLLABORATORS)
                parts.others = string.concat(parts.others, _field(entry.key, Json.quoteList(entry.value)));
            else if (_isField(key))
                parts.others = string.concat(parts.others, _field(entry.key, Json.quote(entry.value)));
            else parts.attributes = string.concat(parts.attributes, _attribute(entry, parts.attributes));
        }
    }

    /// @dev Fields of one value that are at the top of a token's JSON (OpenSea) or a contract's (ERC-7572).
    function _isField(bytes32 key) private pure returns (bool) {
        if (key == EXTERNAL_URL || key == ANIMATION_URL || key == BACKGROUND_COLOR) return true;
        if (key == DISPLAY_TYPE || key == EXTERNAL_LINK) return true;
        return key == BANNER_IMAGE || key == FEATURED_IMAGE;
    }

    function _attribute(Entry calldata entry, string memory before) private pure returns (string memory) {
        return
            string.concat(
                bytes(before).length == 0 ? "" : ",",
                '{"trait_type":',
                Json.quote(bytes(entry.key)),
                ',"value":',
                _value(entry),
                "}"
            );
    }

    /// @dev Numbers and booleans have no quotes, if they are valid ones.
    function _value(Entry calldata entry) private pure returns (string memory) {
        if (entry.kind == NUMBER && Text.isJsonNumber(entry.value)) return string(entry.value);
        if (entry.kind == BOOLEAN && Text.isJsonBoolean(entry.value)) return string(entry.value);
        return Json.quote(entry.value);
    }

    function _uri(Parts memory parts, string memory symbol) private pure returns (string memory) {
        string memory json = string.concat(
            '{"name":',
            parts.name,
            symbol,
            _field("description", parts.description),
            _field("image", parts.image),
            parts.others,
            bytes(parts.attributes).length == 0
                ? ""
                : string.concat(',"attributes":[', parts.attributes, "]"),
            "}"
        );
        return string.concat("data:application/json;base64,", Base64.encode(bytes(json)));
    }

    function _field(string memory key, string memory value) private pure returns (string memory) {
        if (bytes(value).length == 0) return "";
        return string.concat(',"', key, '":', value);
    }

    function _titleOf(Entry[] calldata entries, string memory otherwise) private pure returns (bytes memory) {
        for (uint256 i; i < entries.length; ++i) {
            if (keccak256(bytes(entries[i].key)) == NAME) return entries[i].value;
        }
        return bytes(otherwise);
    }

    /// @dev A square in two dark colours and three rings computed from the seed, with the text in white.
    function _draw(
        bytes memory title,
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
            _drawn(bytes(caption), 2 * DRAWN_CHARACTERS),
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
                Strings.toString(2 * uint256(uint8(seed[first])) + 44),
                '" cy="',
                Strings.toString(2 * uint256(uint8(seed[first + 1])) + 44),
                '" r="',
                Strings.toString(uint256(uint8(seed[first + 2])) / 2 + 30),
                '"/>'
            );
    }

    /// @dev The first characters of a text, valid in XML. A character has four bytes at most, so that what is behind these
    /// bytes is not drawn, however long the text is.
    function _drawn(bytes memory text, uint256 characters) private pure returns (string memory) {
        uint256 longest = 4 * (characters + 1);
        if (text.length > longest) text = Text.slice(text, 0, longest);
        return LibString.escapeHTML(Text.shorten(Text.toXmlText(text), characters));
    }
}
