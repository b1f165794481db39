// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {Strings} from "@openzeppelin/contracts/utils/Strings.sol";
import {LibString} from "solady/src/utils/LibString.sol";
import {Entry} from "./interfaces/IKeyedMetadata.sol";
import {ITokenDescriptor} from "./interfaces/ITokenDescriptor.sol";
import {DataUri} from "./libraries/DataUri.sol";
import {Escapes} from "./libraries/Escapes.sol";
import {Json} from "./libraries/Json.sol";
import {Text} from "./libraries/Text.sol";

/// @title Renders the JSON of tokens and contracts
/// @notice Keyed metadata in the form that marketplaces read: `name`, `description`, `image` and the other fields of OpenSea
/// and ERC-7572 at the top, every other key as an attribute. The result is valid JSON for any input.
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

    /// @dev The JSON is put together once, of pieces in an array, four for each field at the top and each attribute. Many of
    /// them stay empty. First name and symbol, then description and image; then the other fields by the number of
    /// their entries, and so the attributes; then the end.
    uint256 private constant PIECES = 4;
    uint256 private constant NAME_PIECE = 1;
    uint256 private constant SYMBOL_PIECE = 2;
    uint256 private constant DESCRIPTION_FIELD = 1;
    uint256 private constant IMAGE_FIELD = 2;
    uint256 private constant FIRST_OTHER_FIELD = 3;

    /// @inheritdoc ITokenDescriptor
    function tokenURI(
        string calldata collection,
        string calldata symbol,
        uint256 tokenId,
        Entry[] calldata entries
    ) external pure returns (string memory) {
        bytes memory escapes = Escapes.reserve();
        string[] memory json = _read(entries, escapes);
        string memory id = Strings.toString(tokenId);
        bytes memory title = _titleOf(entries, string.concat(collection, " #", id));
        if (bytes(json[NAME_PIECE]).length == 0) json[NAME_PIECE] = Json.quote(title, escapes);
        if (bytes(json[PIECES * IMAGE_FIELD]).length == 0) {
            bytes32 seed = keccak256(abi.encode(collection, symbol, tokenId));
            string memory drawing = _draw(title, string.concat(symbol, " #", id), seed);
            _put(json, IMAGE_FIELD, ',"image":"', drawing, '"', "");
        }
        _return(json);
    }

    /// @inheritdoc ITokenDescriptor
    function contractURI(
        string calldata name,
        string calldata symbol,
        Entry[] calldata entries
    ) external pure returns (string memory) {
        bytes memory escapes = Escapes.reserve();
        string[] memory json = _read(entries, escapes);
        if (bytes(json[NAME_PIECE]).length == 0) json[NAME_PIECE] = Json.quote(bytes(name), escapes);
        json[SYMBOL_PIECE] = string.concat(',"symbol":', Json.quote(bytes(symbol), escapes));
        _return(json);
    }

    /// @dev The pieces of a layout. Of fields that it has twice the last one counts, as in JSON.
    function _read(
        Entry[] calldata entries,
        bytes memory escapes
    ) private pure returns (string[] memory json) {
        uint256 count = entries.length;
        json = new string[](PIECES * (FIRST_OTHER_FIELD + 2 * count) + 1);
        json[0] = '{"name":';
        bool hasAttributes;
        for (uint256 i; i < count; ++i) {
            Entry calldata entry = entries[i];
            bytes32 key = keccak256(bytes(entry.key));
            if (key == NAME) {
                json[NAME_PIECE] = Json.quote(entry.value, escapes);
            } else if (_isField(key)) {
                _putField(json, FIRST_OTHER_FIELD + i, key, entry, escapes);
            } else {
                _putAttribute(json, FIRST_OTHER_FIELD + count + i, hasAttributes, entry, escapes);
                hasAttributes = true;
            }
        }
        json[json.length - 1] = hasAttributes ? "}]}" : "}";
    }

    function _putField(
        string[] memory json,
        uint256 place,
        bytes32 key,
        Entry calldata entry,
        bytes memory escapes
    ) private pure {
        if (key == DESCRIPTION) place = DESCRIPTION_FIELD;
        else if (key == IMAGE) place = IMAGE_FIELD;
        string memory value =
            key == COLLABORATORS ? Json.quoteList(entry.value) : Json.quote(entry.value, escapes);
        _put(json, place, ',"', entry.key, '":', value);
    }

    /// @dev What ends an attribute is written before the next one, and after the last.
    function _putAttribute(
        string[] memory json,
        uint256 place,
        bool isNext,
        Entry calldata entry,
        bytes memory escapes
    ) private pure {
        string memory open = isNext ? '},{"trait_type":' : ',"attributes":[{"trait_type":';
        string memory trait = Json.quote(bytes(entry.key), escapes);
        _put(json, place, open, trait, ',"value":', _value(entry, escapes));
    }

    function _put(
        string[] memory json,
        uint256 place,
        string memory first,
        string memory second,
        string memory third,
        string memory fourth
    ) private pure {
        json[PIECES * place] = first;
        json[PIECES * place + 1] = second;
        json[PIECES * place + 2] = third;
        json[PIECES * place + 3] = fourth;
    }

    /// @dev Fields that are at the top of a token's JSON (OpenSea) or a contract's (ERC-7572), besides the name.
    function _isField(bytes32 key) private pure returns (bool) {
        if (key == DESCRIPTION || key == IMAGE || key == COLLABORATORS) return true;
        if (key == EXTERNAL_URL || key == ANIMATION_URL || key == BACKGROUND_COLOR) return true;
        if (key == DISPLAY_TYPE || key == EXTERNAL_LINK) return true;
        return key == BANNER_IMAGE || key == FEATURED_IMAGE;
    }

    /// @dev Numbers and booleans have no quotes, if they are valid ones.
    function _value(Entry calldata entry, bytes memory escapes) private pure returns (string memory) {
        if (entry.kind == NUMBER && Text.isJsonNumber(entry.value)) return string(entry.value);
        if (entry.kind == BOOLEAN && Text.isJsonBoolean(entry.value)) return string(entry.value);
        return Json.quote(entry.value, escapes);
    }

    /// @dev Ends the call: what is returned is not copied once more.
    function _return(string[] memory json) private pure {
        LibString.directReturn(DataUri.encode("data:application/json;base64,", Text.join(json)));
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
        return DataUri.encode("data:image/svg+xml;base64,", bytes(svg));
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
