// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {Base64} from "@openzeppelin/contracts/utils/Base64.sol";
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
