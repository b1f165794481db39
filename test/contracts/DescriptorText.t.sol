// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {Base64} from "@openzeppelin/contracts/utils/Base64.sol";
import {DataUri} from "../../contracts/libraries/DataUri.sol";
import {Escapes} from "../../contracts/libraries/Escapes.sol";
import {Json} from "../../contracts/libraries/Json.sol";
import {Text} from "../../contracts/libraries/Text.sol";
import {Entry} from "../../contracts/interfaces/IKeyedMetadata.sol";
import {ReferenceDescriptor} from "./reference/ReferenceDescriptor.sol";
import {ReferenceJson} from "./reference/ReferenceJson.sol";
import {Setup} from "./Setup.sol";

/// @notice The text that is written by words against the code before it, which goes character by character and is kept in
/// `reference`, and against OpenZeppelin's Base64.
contract DescriptorTextTest is Setup {
    ReferenceDescriptor private immutable reference_ = new ReferenceDescriptor();

    function test_quotesRandomBytes(bytes memory text) public pure {
        isQuoted(text);
    }

    function test_quotesMixtures(uint256 seed) public pure {
        isQuoted(mixture(seed, seed % 150));
    }

    function test_quotesEveryByteAtEveryPlace() public pure {
        for (uint256 value; value < 256; ++value) {
            // Alone, and at each place around the ends of two words.
            isQuoted(abi.encodePacked(uint8(value)));
            for (uint256 place = value % 3; place < 66; place += 3) {
                bytes memory text = plain(66);
                text[place] = bytes1(uint8(value));
                isQuoted(text);
            }
        }
    }

    /// @dev Every lead byte with the second, third and fourth bytes between which the rules of UTF-8 decide.
    function test_quotesEveryLeadByte() public pure {
        bytes memory secondBytes = hex"007f808f909fa0bfc0ff";
        bytes memory others = hex"7f80bfc0";
        for (uint256 lead = 0xc0; lead < 0x100; ++lead) {
            bytes memory text;
            for (uint256 i; i < secondBytes.length; ++i) {
                for (uint256 j; j < others.length; ++j) {
                    bytes1 fourth = others[(i + j) % others.length];
                    text = abi.encodePacked(text, uint8(lead), secondBytes[i], others[j], fourth, "a");
                    text = abi.encodePacked(text, uint8(lead), secondBytes[i], others[j], hex"80");
                }
            }
            isQuoted(text);
        }
    }

    /// @dev Characters that are cut off by the end of a word, or of the text, and what is behind the text.
    function test_quotesCharactersAtEveryEnd() public pure {
        string[3] memory characters = [unicode"é", unicode"語", unicode"🐈"];
        for (uint256 k; k < 3; ++k) {
            bytes memory char = bytes(characters[k]);
            for (uint256 start; start < 40; ++start) {
                bytes memory whole = abi.encodePacked(plain(start), char, plain(40));
                isQuoted(whole);
                for (uint256 kept = 1; kept < char.length; ++kept) {
                    isQuoted(Text.slice(whole, 0, start + kept));
                    isQuoted(abi.encodePacked(Text.slice(whole, 0, start + kept), plain(start), char, char));
                }
            }
        }
    }

    /// @dev Of the two quotes the first one is decided in one word and the second in the next.
    function test_quotesEscapesAroundUndecidedBytes() public pure {
        for (uint256 place = 20; place < 40; ++place) {
            isQuoted(abi.encodePacked('"', plain(place), hex"c3", '"', hex"01f0", '"', plain(10)));
            isQuoted(abi.encodePacked('"', plain(place), hex"f09f90", '"', hex"01ff", '"', plain(10)));
        }
    }

    /// @dev Bytes that would go on with the text, if they were part of it.
    function test_endsWhereTheTextEnds() public pure {
        for (uint256 start; start < 66; ++start) {
            for (uint256 kept = 1; kept < 4; ++kept) {
                bytes memory text = abi.encodePacked(plain(start), unicode"🐈");
                cut(text, start + kept);
                isQuoted(text);
                cut(text, start);
                equal(DataUri.encode("data:x;base64,", text), uri(text), "Base64");
            }
        }
    }

    function test_listsLikeTheReference(uint256 seed) public pure {
        bytes memory text = mixture(seed, seed % 100);
        for (uint256 i; i < text.length; ++i) {
            uint256 draw = uint256(keccak256(abi.encode(seed, "list", i))) % 8;
            if (draw < 3) text[i] = draw == 0 ? bytes1(",") : bytes1(" ");
        }
        isListed(text);
    }

    function test_listsSeparatorsAtTheEndsOfWords() public pure {
        for (uint256 length; length < 70; ++length) {
            bytes memory text = plain(length);
            isListed(text);
            for (uint256 place; place + 1 < length; ++place) {
                text = plain(length);
                text[place] = ",";
                text[place + 1] = " ";
                if (place > 31) text[place - 31] = hex"fe";
                isListed(text);
            }
        }
        equal(Json.quoteList(", ,  "), "[]", "separators only");
    }

    function test_encodesLikeOpenZeppelin(bytes memory data) public pure {
        equal(DataUri.encode("data:x;base64,", data), uri(data), "the same");
    }

    function test_encodesEveryLength() public pure {
        for (uint256 length; length < 100; ++length) {
            bytes memory data = new bytes(length);
            for (uint256 i; i < length; ++i) data[i] = bytes1(uint8(255 - ((i * 37) % 256)));
            bytes memory next = hex"ff00ff";
            equal(DataUri.encode("data:x;base64,", data), uri(data), "the same");
            isTrue(keccak256(next) == keccak256(hex"ff00ff"), "what is behind stays");
        }
    }

    /// @dev What is written there while a text is read is put back.
    function test_leavesMemoryBehindATextAlone() public pure {
        for (uint256 length; length < 66; ++length) {
            bytes memory table = Escapes.reserve();
            bytes memory text = plain(length);
            bytes memory next = unicode"next é";
            string memory once = Json.quote(text, table);
            string memory list = Json.quoteList(text);
            equal(string(text), string(plain(length)), "the text");
            equal(string(next), unicode"next é", "the next one");
            equal(once, string.concat('"', string(text), '"'), "what was written first");
            equal(list, length == 0 ? "[]" : string.concat('["', string(text), '"]'), "and then");
        }
    }

    /// @dev One table does for texts with and without escapes.
    function test_usesATableAgain() public pure {
        bytes memory table = Escapes.reserve();
        equal(Json.quote("a", table), '"a"', "not filled yet");
        equal(Json.quote('"\n', table), '"\\"\\n"', "filled");
        equal(Json.quote(hex"ff", table), unicode'"�"', "and used again");
    }

    function test_knowsLongNumbers() public pure {
        bytes memory none = hex"2f3ab0b9ba602e";
        for (uint256 length = 30; length < 100; length += 7) {
            bytes memory digits = new bytes(length);
            for (uint256 i; i < length; ++i) digits[i] = bytes1(uint8(0x31 + (i % 9)));
            isTrue(Text.isJsonNumber(digits), "digits only");
            isTrue(Text.isJsonNumber(abi.encodePacked("-", digits, ".", digits, "e-", digits)), "a long one");
            for (uint256 place; place < length; place += 3) {
                bytes1 digit = digits[place];
                for (uint256 k; k < none.length; ++k) {
                    digits[place] = none[k];
                    bool isPoint = none[k] == "." && place != 0 && place + 1 < length;
                    isTrue(Text.isJsonNumber(digits) == isPoint, "no digit");
                }
                digits[place] = digit;
            }
        }
    }

    function test_rendersLikeTheReference(uint256 seed) public view {
        Entry[] memory list = new Entry[](seed % 7);
        for (uint256 i; i < list.length; ++i) {
            uint256 draw = uint256(keccak256(abi.encode(seed, "entry", i)));
            bytes memory value = draw % 4 == 0 ? bytes("-12.5e3") : mixture(draw, (draw >> 8) % 90);
            if (draw % 7 == 0) value = "";
            list[i] = Entry(keyOf(draw >> 16), value, uint8((draw >> 32) % 3));
        }
        string memory name = string(mixture(seed ^ 1, seed % 65));
        string memory symbol = string(mixture(seed ^ 2, seed % 17));
        equal(
            descriptor.tokenURI(name, symbol, seed, list),
            reference_.tokenURI(name, symbol, seed, list),
            "a token"
        );
        equal(
            descriptor.contractURI(name, symbol, list),
            reference_.contractURI(name, symbol, list),
            "a contract"
        );
    }

    /// @dev One that has a meaning, maybe twice, or any other.
    function keyOf(uint256 draw) private pure returns (string memory) {
        string[13] memory known = [
            "name",
            "name",
            "description",
            "image",
            "external_url",
            "animation_url",
            "background_color",
            "display_type",
            "external_link",
            "banner_image",
            "featured_image",
            "collaborators",
            "collaborators"
        ];
        uint256 i = draw % 20;
        return i < 13 ? known[i] : string(mixture(draw, 1 + (draw % 40)));
    }

    /// @dev Keeps the first bytes of a text, and the others in memory behind it.
    function cut(bytes memory text, uint256 length) private pure {
        assembly ("memory-safe") {
            mstore(text, length)
        }
    }

    function isQuoted(bytes memory text) private pure {
        uint256 free = freeMemory();
        string memory expected = ReferenceJson.quote(text);
        equal(Json.quote(text, Escapes.reserve()), expected, "quoted the same");
        setFreeMemory(free);
    }

    function isListed(bytes memory text) private pure {
        uint256 free = freeMemory();
        string memory expected = ReferenceJson.quoteList(text);
        equal(Json.quoteList(text), expected, "listed the same");
        setFreeMemory(free);
    }

    /// @dev Thousands of texts in one test would take much memory, which the EVM never gives back.
    function freeMemory() private pure returns (uint256 pointer) {
        assembly ("memory-safe") {
            pointer := mload(0x40)
        }
    }

    function setFreeMemory(uint256 pointer) private pure {
        assembly ("memory-safe") {
            mstore(0x40, pointer)
        }
    }

    function uri(bytes memory data) private pure returns (string memory) {
        return string.concat("data:x;base64,", Base64.encode(data));
    }

    function plain(uint256 length) private pure returns (bytes memory text) {
        text = new bytes(length);
        for (uint256 i; i < length; ++i) text[i] = bytes1(uint8(0x61 + (i % 26)));
    }

    /// @dev Runs of plain text, characters of all lengths, whole and broken ones, what has an escape, and random bytes.
    function mixture(uint256 seed, uint256 length) private pure returns (bytes memory text) {
        while (text.length < length) {
            uint256 draw = uint256(keccak256(abi.encode(seed, text.length)));
            uint256 kind = draw % 8;
            bytes memory next = plain(1 + ((draw >> 8) % 34));
            if (kind == 1) next = bytes(unicode"é🐈語�");
            if (kind == 2) next = abi.encodePacked(uint8((draw >> 8) % 0x20), '"');
            if (kind == 3) next = abi.encodePacked("\\", uint8((draw >> 8) % 0x80));
            if (kind == 4) next = abi.encodePacked(uint16((draw >> 8) | 0xc080));
            if (kind == 5) next = abi.encodePacked(uint8((draw >> 8) | 0xe0), uint16((draw >> 16) | 0x8080));
            if (kind == 6) next = abi.encodePacked(uint32((draw >> 8) | 0xf0808080));
            if (kind == 7) next = abi.encodePacked(uint8(draw >> 8));
            text = abi.encodePacked(text, next);
        }
        return Text.slice(text, 0, length);
    }
}
