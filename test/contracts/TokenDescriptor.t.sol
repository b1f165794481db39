// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {Base64} from "@openzeppelin/contracts/utils/Base64.sol";
import {Strings} from "@openzeppelin/contracts/utils/Strings.sol";
import {Base64 as Solady64} from "solady/src/utils/Base64.sol";
import {LibString} from "solady/src/utils/LibString.sol";
import {Escapes} from "../../contracts/libraries/Escapes.sol";
import {Json} from "../../contracts/libraries/Json.sol";
import {Text} from "../../contracts/libraries/Text.sol";
import {ManagedERC721} from "../../contracts/ManagedERC721.sol";
import {Entry} from "../../contracts/interfaces/IKeyedMetadata.sol";
import {Setup} from "./Setup.sol";

contract TokenDescriptorTest is Setup {
    function test_rendersWhatIsSet() public {
        mintNft(nft, alice);
        Entry[] memory list = new Entry[](6);
        list[0] = entry("name", "Luna");
        list[1] = entry("description", 'A "cat"');
        list[2] = entry("image", "ipfs://luna");
        list[3] = Entry("level", "7", 1);
        list[4] = Entry("shiny", "true", 2);
        list[5] = Entry("odd", "07", 1);
        run(address(nft), abi.encodeCall(nft.setMetadata, (1, list)));
        string memory json =
            '{"name":"Luna","description":"A \\"cat\\"","image":"ipfs://luna","attributes":['
            '{"trait_type":"level","value":7},{"trait_type":"shiny","value":true},{"trait_type":"odd","value":"07"}]}';
        equal(nft.tokenURI(1), uri(json), "the token's JSON");
        run(address(nft), abi.encodeCall(nft.setMetadata, (1, new Entry[](0))));
        isTrue(bytes(nft.tokenURI(1)).length > 1_000, "emptied, it is drawn again");
    }

    function test_prefersMetadataThenBaseUriThenADrawing() public {
        ManagedERC721 based = newNft(address(operator), "https://example.org/", false);
        mintNft(based, alice);
        mintNft(based, alice);
        run(address(based), abi.encodeCall(based.setMetadata, (2, entries("image", "x"))));
        equal(based.tokenURI(1), "https://example.org/1", "base URI and id");
        equal(based.tokenURI(2), uri('{"name":"Night Cats #2","image":"x"}'), "its own metadata");
    }

    function test_rendersContracts() public {
        equal(coin.contractURI(), uri('{"name":"Night Coin","symbol":"NIGHT"}'), "ERC-20 without metadata");
        run(address(coin), abi.encodeCall(coin.setContractMetadata, (entries("name", "Other"))));
        equal(coin.contractURI(), uri('{"name":"Other","symbol":"NIGHT"}'), "and with");
        equal(nft.contractURI(), uri('{"name":"Night Cats","symbol":"CAT"}'), "ERC-721");
    }

    function test_tellsFieldsOfMarketplacesAtTheTop() public {
        mintNft(nft, alice);
        Entry[] memory list = new Entry[](6);
        list[0] = entry("name", "Luna");
        list[1] = entry("external_url", "https://e.org/1");
        list[2] = entry("colour", "red");
        list[3] = entry("animation_url", "ipfs://a");
        list[4] = entry("background_color", "ff00ff");
        list[5] = entry("image", "ipfs://i");
        run(address(nft), abi.encodeCall(nft.setMetadata, (1, list)));
        equal(
            nft.tokenURI(1),
            uri(
                '{"name":"Luna","image":"ipfs://i","external_url":"https://e.org/1","animation_url":"ipfs://a",'
                '"background_color":"ff00ff","attributes":[{"trait_type":"colour","value":"red"}]}'
            ),
            "of a token"
        );
        list[0] = entry("external_link", "https://e.org");
        list[1] = entry("banner_image", "ipfs://b");
        list[2] = entry("featured_image", "ipfs://f");
        list[3] = entry("collaborators", "0xAb, 0xcd,,0xef");
        list[4] = entry("display_type", "number");
        run(address(nft), abi.encodeCall(nft.setContractMetadata, (list)));
        equal(
            nft.contractURI(),
            uri(
                '{"name":"Night Cats","symbol":"CAT","image":"ipfs://i","external_link":"https://e.org",'
                '"banner_image":"ipfs://b","featured_image":"ipfs://f","collaborators":["0xAb","0xcd","0xef"],'
                '"display_type":"number"}'
            ),
            "of a contract"
        );
        run(address(nft), abi.encodeCall(nft.setContractMetadata, (entries("collaborators", ""))));
        equal(
            nft.contractURI(),
            uri('{"name":"Night Cats","symbol":"CAT","collaborators":[]}'),
            "nobody works along"
        );
    }

    /// @dev More layouts, with the code that is deployed, are in `reading-gas.test.ts`.
    function test_rendersALargeLayoutForLittleGas() public {
        mintNft(nft, alice);
        string[5] memory texts = [
            unicode"plain English text ",
            unicode"日本語の長い説明",
            unicode"🐈🐕🐎",
            '""\n',
            "\u0001"
        ];
        for (uint256 i; i < 5; ++i) {
            bytes memory value = new bytes(8_100);
            bytes memory unit = bytes(texts[i]);
            for (uint256 j; j < 8_100 / unit.length; ++j) {
                for (uint256 k; k < unit.length; ++k) value[j * unit.length + k] = unit[k];
            }
            Entry[] memory list = new Entry[](2);
            list[0] = Entry("description", value, 0);
            list[1] = entry("image", "ipfs://i");
            vm.prank(address(operator));
            nft.setMetadata(1, list);
            uint256 start = gasleft();
            nft.tokenURI(1);
            isTrue(start - gasleft() < 2_000_000, texts[i]);
        }
    }

    function test_escapesAndRepairsJson() public pure {
        equal(quoted("plain"), '"plain"', "plain");
        equal(quoted(""), '""', "empty");
        equal(quoted('a"b'), '"a\\"b"', "a quote alone");
        equal(quoted("a\\b"), '"a\\\\b"', "a backslash alone");
        equal(quoted("a\nb"), '"a\\nb"', "a control character alone");
        equal(quoted(hex"c361"), unicode'"�a"', "a lead of two and no continuation");
        equal(quoted(hex"61c3"), unicode'"a�"', "cut off after the first of two");
        equal(quoted(hex"e4bd61"), unicode'"��a"', "a lead of three and one continuation");
        equal(quoted(hex"61e4bd"), unicode'"a��"', "cut off after the second of three");
        equal(quoted('a"b\\c'), '"a\\"b\\\\c"', "quote and backslash");
        equal(quoted('"#$%\\]^_'), '"\\"#$%\\\\]^_"', "the bytes above a quote and a backslash");
        equal(quoted(hex"08090a0b0c0d1f00"), '"\\b\\t\\n\\u000b\\f\\r\\u001f\\u0000"', "control");
        equal(quoted(hex"7f"), string(hex"227f22"), "DEL is allowed");
        equal(quoted(hex"61ff62"), unicode'"a�b"', "no lead byte");
        equal(quoted(hex"c0af"), unicode'"��"', "overlong");
        equal(quoted(hex"eda080"), unicode'"���"', "surrogate");
        equal(quoted(hex"f09f90"), unicode'"���"', "cut off");
        equal(quoted(hex"e4bda0c3a9f09f9088"), unicode'"你é🐈"', "others stay");
    }

    function quoted(bytes memory text) private pure returns (string memory) {
        return Json.quote(text, Escapes.reserve());
    }

    /// @dev The fast way by words and the slow way by characters meet at any place and length.
    function test_quotesLikeOpenZeppelin(uint256 seed) public pure {
        bytes memory text = new bytes(seed % 131);
        for (uint256 i; i < text.length; ++i) {
            uint256 draw = uint256(keccak256(abi.encode(seed, i)));
            // Mostly plain ASCII, so that whole words of it occur.
            text[i] =
                draw % 40 == 0 ? bytes1(uint8((draw >> 8) % 128)) : bytes1(uint8(0x61 + ((draw >> 8) % 26)));
        }
        string memory expected = string.concat('"', Strings.escapeJSON(string(text)), '"');
        equal(quoted(text), expected, "the same");
        equal(string.concat(quoted(text), "x"), string.concat(expected, "x"), "and memory is intact");
    }

    function test_escapesXmlInDrawings() public view {
        Entry[] memory list = new Entry[](1);
        list[0] = entry("name", "<b>&\"'\u0000");
        string memory drawn = descriptor.tokenURI("C", "<&>", 1, list);
        string memory svg = string(decoded(imageOf(drawn)));
        isTrue(LibString.contains(svg, "&lt;b&gt;&amp;&quot;&#39;"), "title");
        isTrue(LibString.contains(svg, "&lt;&amp;&gt; #1"), "caption");
        isTrue(!LibString.contains(svg, "<b>"), "no element of its own");
    }

    /// @dev The drawing in a token's JSON, without the head of its data URI.
    function imageOf(string memory tokenUri) private pure returns (string memory) {
        string memory json = string(decoded(LibString.slice(tokenUri, 29)));
        uint256 start = LibString.indexOf(json, "data:image/svg+xml;base64,") + 26;
        return LibString.slice(json, start, LibString.indexOf(json, '"', start));
    }

    function decoded(string memory text) private pure returns (bytes memory) {
        return Solady64.decode(text);
    }

    function test_drawsEveryName(bytes memory name, uint256 tokenId) public view {
        Entry[] memory list = new Entry[](1);
        list[0] = Entry("name", name, 0);
        string memory drawn = descriptor.tokenURI("Cats", "CAT", tokenId, list);
        isTrue(bytes(drawn).length > 1_000, "something is drawn");
    }

    function test_repairsText() public pure {
        equal(Text.toXmlText(unicode"aé€🐈"), unicode"aé€🐈", "valid text stays");
        equal(Text.toXmlText(hex"ff"), unicode"�", "no lead byte");
        equal(Text.toXmlText(hex"c0af"), unicode"��", "overlong");
        equal(Text.toXmlText(hex"e0809f"), unicode"���", "overlong in three");
        equal(Text.toXmlText(hex"eda080"), unicode"���", "surrogate");
        equal(Text.toXmlText(hex"f4908080"), unicode"����", "beyond Unicode");
        equal(Text.toXmlText(hex"f09f9041e2"), unicode"���A�", "cut off");
        equal(Text.toXmlText(hex"00090a0d1f"), unicode"�\t\n\r�", "control characters");
        equal(Text.toXmlText(hex"efbfbeefbfbfefbfbd"), unicode"���", "non-characters");
        equal(Text.toXmlText(hex"e4bda0c3a9f09f9088"), unicode"你é🐈", "others stay");
    }

    function test_shortensBetweenCharacters() public pure {
        equal(Text.shorten(unicode"🐈🐈🐈", 2), unicode"🐈🐈…", "too long");
        equal(Text.shorten(unicode"🐈🐈", 2), unicode"🐈🐈", "just fits");
        equal(Text.shorten("a", 2), "a", "short");
        equal(Text.shorten("", 2), "", "empty");
    }

    function test_knowsNumbersAndBooleans() public pure {
        string[8] memory numbers = ["0", "-0", "12", "-1.5", "1e3", "1E-2", "2e+1", "0.0"];
        for (uint256 i; i < numbers.length; ++i) isTrue(Text.isJsonNumber(bytes(numbers[i])), numbers[i]);
        string[10] memory others = ["", "-", "01", "+1", ".5", "1.", "1e", "1e+", "NaN", "1 "];
        for (uint256 i; i < others.length; ++i) isTrue(!Text.isJsonNumber(bytes(others[i])), others[i]);
        isTrue(Text.isJsonBoolean("true") && Text.isJsonBoolean("false"), "these two");
        isTrue(!Text.isJsonBoolean("True") && !Text.isJsonBoolean(""), "and no other");
    }

    function uri(string memory json) private pure returns (string memory) {
        return string.concat("data:application/json;base64,", Base64.encode(bytes(json)));
    }
}
