// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {Base64} from "@openzeppelin/contracts/utils/Base64.sol";
import {Base64 as Solady64} from "solady/src/utils/Base64.sol";
import {LibString} from "solady/src/utils/LibString.sol";
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

    function test_escapesJson() public view {
        isQuoted("plain", "plain", "plain");
        isQuoted("", "", "empty");
        isQuoted('a"b', 'a\\"b', "a quote alone");
        isQuoted("a\\b", "a\\\\b", "a backslash alone");
        isQuoted("a\nb", "a\\nb", "a control character alone");
        isQuoted('"#$%\\]^_', '\\"#$%\\\\]^_', "the bytes above a quote and a backslash");
        isQuoted(hex"08090a0b0c0d1f00", "\\b\\t\\n\\u000b\\f\\r\\u001f\\u0000", "control");
        isQuoted(hex"7f", hex"7f", "DEL is allowed");
        isQuoted(hex"e4bda0c3a9f09f9088", unicode"你é🐈", "others stay");
    }

    /// @dev No string is ended by what a byte that begins a character seems to take along.
    function test_keepsBytesThatAreNoUtf8InTheirString() public view {
        isQuoted(hex"61ff62", hex"61ff62", "no lead byte");
        isQuoted(hex"61c3", hex"61c3", "cut off");
        isQuoted(hex"c322", hex"c35c22", "a quote after a lead byte");
        isQuoted(hex"f09f5c", hex"f09f5c5c", "a backslash in the place of a third byte");
        isQuoted(hex"e000", abi.encodePacked(hex"e0", "\\u0000"), "a control character after a lead byte");
    }

    function isQuoted(bytes memory text, bytes memory expected, string memory what) private view {
        string memory json = string.concat('{"name":"', string(expected), '","symbol":""}');
        equal(descriptor.contractURI(string(text), "", new Entry[](0)), uri(json), what);
    }

    /// @dev Of a direct caller: a layout of a token has no key twice.
    function test_showsTheLastOfAFieldThatComesTwice() public view {
        Entry[] memory list = new Entry[](4);
        list[0] = entry("name", "first");
        list[1] = entry("description", "first");
        list[2] = entry("name", "last");
        list[3] = entry("description", "last");
        equal(
            descriptor.contractURI("C", "S", list),
            uri('{"name":"last","symbol":"S","description":"last"}'),
            "fields"
        );
        equal(titleOf("last"), svgTitle(descriptor.tokenURI("C", "S", 1, list)), "and drawing");
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

    function test_drawsTextThatXmlAllows() public view {
        equal(drawnOf(unicode"aé€🐈"), titleOf(unicode"aé€🐈"), "valid text stays");
        equal(drawnOf(hex"00090a0d1f41"), titleOf("     A"), "control characters");
        equal(drawnOf(hex"efbfbe41efbfbf"), titleOf(unicode"�A�"), "non-characters");
        equal(
            drawnOf(hex"efbfbdefbebf"),
            titleOf(string(abi.encodePacked(hex"efbfbdefbebf"))),
            "others stay"
        );
    }

    function test_cutsNamesBetweenCharacters() public view {
        string memory cats = unicode"🐈🐈🐈🐈🐈🐈🐈🐈🐈🐈🐈🐈🐈🐈🐈🐈🐈🐈🐈🐈🐈🐈";
        equal(drawnOf(bytes(cats)), titleOf(cats), "22 just fit");
        equal(drawnOf(abi.encodePacked(cats, "a")), titleOf(string.concat(cats, unicode"…")), "too long");
        equal(
            drawnOf(bytes(LibString.repeat(cats, 9))),
            titleOf(string.concat(cats, unicode"…")),
            "far too long"
        );
        string memory letters = "abcdefghijklmnopqrstuv";
        equal(drawnOf(bytes(letters)), titleOf(letters), "22 letters");
        equal(drawnOf(abi.encodePacked(letters, hex"00")), titleOf(string.concat(letters, unicode"…")), "23");
        equal(drawnOf(""), titleOf(""), "empty");
    }

    /// @dev What a token of this name shows, and its name stays.
    function drawnOf(bytes memory name) private view returns (string memory) {
        Entry[] memory list = new Entry[](1);
        list[0] = Entry("name", name, 0);
        return svgTitle(descriptor.tokenURI("C", "S", 1, list));
    }

    function svgTitle(string memory tokenUri) private pure returns (string memory) {
        string memory svg = string(decoded(imageOf(tokenUri)));
        uint256 start = LibString.indexOf(svg, "<text ");
        return LibString.slice(svg, start, LibString.indexOf(svg, "</text>", start));
    }

    function titleOf(string memory text) private pure returns (string memory) {
        return string.concat('<text x="40" y="510" font-size="44">', text);
    }

    function test_listsValues() public view {
        isListed("0xAb", '"0xAb"');
        isListed("a,b c", '"a","b","c"');
        isListed(", a ,, b\t\nc ,", '"a","b","c"');
        isListed(",", "");
        isListed(" \n,, ", "");
        isListed("", "");
        isListed('"\\,"', '"\\"\\\\","\\""');
        isListed(unicode"é,語", unicode'"é","語"');
    }

    function isListed(string memory value, string memory expected) private view {
        string memory json = string.concat('{"name":"","symbol":"","collaborators":[', expected, "]}");
        equal(descriptor.contractURI("", "", entries("collaborators", value)), uri(json), value);
    }

    function test_knowsNumbersAndBooleans() public view {
        string[8] memory numbers = ["0", "-0", "12", "-1.5", "1e3", "1E-2", "2e+1", "0.0"];
        for (uint256 i; i < numbers.length; ++i) isValue(numbers[i], 1, numbers[i]);
        string[14] memory others = [
            "",
            "-",
            "01",
            "-01",
            "+1",
            ".5",
            "1.",
            "1e",
            "1e+",
            "1.e2",
            "NaN",
            "1 ",
            "1,2",
            "1f"
        ];
        for (uint256 i; i < others.length; ++i) isValue(others[i], 1, string.concat('"', others[i], '"'));
        isValue("true", 2, "true");
        isValue("false", 2, "false");
        isValue("True", 2, '"True"');
        isValue("", 2, '""');
        isValue("1", 2, '"1"');
        isValue("true", 1, '"true"');
        isValue("true", 0, '"true"');
        isValue("1", 0, '"1"');
    }

    function isValue(string memory value, uint8 kind, string memory expected) private view {
        Entry[] memory list = new Entry[](1);
        list[0] = Entry("n", bytes(value), kind);
        string memory trait = string.concat('{"trait_type":"n","value":', expected, "}");
        string memory json = string.concat('{"name":"","symbol":"","attributes":[', trait, "]}");
        equal(descriptor.contractURI("", "", list), uri(json), expected);
    }

    function uri(string memory json) private pure returns (string memory) {
        return string.concat("data:application/json;base64,", Base64.encode(bytes(json)));
    }
}
