// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IERC721Errors} from "@openzeppelin/contracts/interfaces/draft-IERC6093.sol";
import {Entry, IKeyedMetadata} from "../../contracts/interfaces/IKeyedMetadata.sol";
import {Setup} from "./Setup.sol";
import {Vm} from "./Vm.sol";

contract KeyedMetadataTest is Setup {
    bytes32 private constant METADATA_SET =
        0x2c149ed548c6d2993cd73efe187df6eccabe4538091b33adbd25fafdb8a1468b;
    bytes32 private constant CONTRACT_METADATA_UPDATED = keccak256(
        "ContractMetadataUpdated(string,string,bytes)"
    );
    bytes32 private constant METADATA_UPDATE = keccak256("MetadataUpdate(uint256)");
    bytes32 private constant CONTRACT_URI_UPDATED = keccak256("ContractURIUpdated()");

    function setUp() public override {
        super.setUp();
        mintNft(nft, alice);
        mintNft(nft, alice);
    }

    function test_storesAnyLayout(uint256 seed) public {
        Entry[] memory given = random(seed);
        setToken(1, given);
        same(nft.entries(1), given);
        string[] memory keys = nft.metadataKeys(1);
        equal(keys.length, given.length, "as many keys");
        for (uint256 i; i < given.length; ++i) {
            equal(keys[i], given[i].key, "in order");
            equal(nft.metadata(1, given[i].key), given[i].value, "each value by its key");
        }
        equal(nft.metadata(1, "no such key"), "", "nothing under another");
        equal(nft.entries(2).length, 0, "and nothing on another token");
    }

    /// @dev A length below 63 is in the byte of the kind, a greater one behind it.
    function test_storesValuesOfLengthsAroundTheShortHeader() public {
        uint16[7] memory lengths = [0, 1, 62, 63, 64, 255, 256];
        Entry[] memory given = new Entry[](7);
        for (uint8 kind; kind < 3; ++kind) {
            for (uint256 i; i < 7; ++i) {
                given[i] = entry(
                    string(abi.encodePacked("key ", bytes1(uint8(0x61 + i)))),
                    string(new bytes(lengths[(i + kind) % 7]))
                );
                given[i].kind = kind;
            }
            setToken(1, given);
            same(nft.entries(1), given);
            for (uint256 i; i < 7; ++i)
                equal(nft.metadata(1, given[i].key).length, given[i].value.length, "by its key");
        }
    }

    /// @dev Whatever the headers take: short and long values, together exactly the limit, and one byte more.
    function test_countsKeysAndValuesAndNotTheirHeaders() public {
        Entry[] memory given = new Entry[](4);
        given[0] = entry("a", string(new bytes(62)));
        given[1] = entry("b", string(new bytes(63)));
        given[2] = entry("c", "");
        given[3] = entry("d", string(new bytes(8_192 - 4 - 62 - 63)));
        setToken(1, given);
        same(nft.entries(1), given);
        given[2].value = "x";
        vm.prank(address(operator));
        vm.expectRevert(error1(IKeyedMetadata.MetadataTooLarge.selector, 8_193));
        nft.setMetadata(1, given);
    }

    function test_replacesAnyLayoutByAnyOther(uint256 seed) public {
        for (uint256 i; i < 4; ++i) {
            Entry[] memory given = random(uint256(keccak256(abi.encode(seed, i))));
            setToken(1, given);
            same(nft.entries(1), given);
            setContract(address(nft), given);
            same(nft.contractMetadataEntries(), given);
            setContract(address(coin), given);
            same(coin.contractMetadataEntries(), given);
        }
    }

    /// @dev Whoever only replays the events has the same picture as the contract.
    function test_eventsTellTheWholeStory(uint256 seed) public {
        vm.recordLogs();
        Entry[] memory first = random(seed);
        setToken(1, first);
        Entry[] memory second = random(uint256(keccak256(abi.encode(seed))) | (seed & 15));
        setToken(1, second);
        Vm.Log[] memory logs = vm.getRecordedLogs();
        for (uint256 i; i < first.length; ++i) {
            equal(replay(logs, first[i].key), nft.metadata(1, first[i].key), "keys of the first layout");
        }
        for (uint256 i; i < second.length; ++i) {
            equal(replay(logs, second[i].key), second[i].value, "keys of the second layout");
        }
    }

    function test_announcesInTheStandardsForm() public {
        vm.recordLogs();
        setToken(2, entries("colour", "dark red"));
        Vm.Log[] memory logs = vm.getRecordedLogs();
        equal(uint256(logs[0].topics[0]), uint256(METADATA_SET), "ERC-8048");
        equal(uint256(logs[0].topics[1]), 2, "token");
        equal(uint256(logs[0].topics[2]), uint256(keccak256("colour")), "key, indexed");
        equal(logs[0].data, abi.encode("colour", bytes("dark red")), "key and value");
        equal(uint256(logs[1].topics[0]), uint256(METADATA_UPDATE), "ERC-4906");
        equal(logs[1].data, abi.encode(2), "of that token");
        vm.recordLogs();
        setContract(address(coin), entries("site", "https://example.org"));
        logs = vm.getRecordedLogs();
        equal(uint256(logs[0].topics[0]), uint256(CONTRACT_METADATA_UPDATED), "ERC-8049");
        equal(logs[0].topics.length, 2, "no token");
        equal(uint256(logs[0].topics[1]), uint256(keccak256("site")), "key, indexed");
        equal(logs[0].data, abi.encode("site", bytes("https://example.org")), "key and value");
        equal(uint256(logs[1].topics[0]), uint256(CONTRACT_URI_UPDATED), "ERC-7572");
    }

    function test_announcesDroppedKeysAsEmpty() public {
        Entry[] memory three = new Entry[](3);
        three[0] = entry("a", "1");
        three[1] = entry("b", "2");
        three[2] = entry("c", "3");
        setToken(1, three);
        vm.recordLogs();
        setToken(1, entries("b", "4"));
        Vm.Log[] memory logs = vm.getRecordedLogs();
        equal(logs[0].data, abi.encode("a", bytes("")), "a is gone");
        equal(logs[1].data, abi.encode("c", bytes("")), "c is gone");
        equal(logs[2].data, abi.encode("b", bytes("4")), "b is new");
        setContract(address(coin), three);
        vm.recordLogs();
        setContract(address(coin), new Entry[](0));
        logs = vm.getRecordedLogs();
        equal(logs[0].data, abi.encode("a", bytes("")), "a");
        equal(logs[2].data, abi.encode("c", bytes("")), "c");
        equal(coin.contractMetadataEntries().length, 0, "nothing left");
        equal(coin.contractMetadata("a"), "", "nothing at all");
    }

    function test_aMintAnnouncesItsKeysButNoUpdate() public {
        vm.recordLogs();
        run(address(nft), abi.encodeCall(nft.mintWithMetadata, (bob, entries("colour", "red"))));
        Vm.Log[] memory logs = vm.getRecordedLogs();
        for (uint256 i; i < logs.length; ++i) {
            isTrue(logs[i].topics[0] != METADATA_UPDATE, "ERC-4906: not on mint");
        }
        equal(nft.metadata(3, "colour"), "red", "set");
        equal(nft.ownerOf(3), bob, "and owned");
    }

    function test_metadataStaysWithTheTokenAndEndsWithIt() public {
        setToken(1, entries("colour", "red"));
        vm.prank(alice);
        nft.transferFrom(alice, bob, 1);
        equal(nft.metadata(1, "colour"), "red", "moves along");
        vm.prank(bob);
        nft.burn(1);
        equal(nft.metadata(1, "colour"), "", "burned");
        vm.expectRevert(error1(IERC721Errors.ERC721NonexistentToken.selector, 1));
        nft.metadataKeys(1);
        vm.expectRevert(error1(IERC721Errors.ERC721NonexistentToken.selector, 1));
        nft.entries(1);
    }

    function test_tellsTheNewestLayoutOfTheContract() public {
        equal(nft.metadataKeys().length, 0, "none yet");
        setToken(2, entries("first", "1"));
        setToken(1, entries("second", "2"));
        equal(nft.metadataKeys()[0], "second", "the newest, not the one of the newest token");
        setContract(address(nft), entries("third", "3"));
        equal(nft.metadataKeys()[0], "third", "the contract's own counts too");
        equal(nft.metadataKeys(1)[0], "second", "each keeps its own");
        equal(nft.contractMetadata("third"), "3", "by key");
        setContract(address(coin), entries("only", "1"));
        equal(coin.metadataKeys()[0], "only", "ERC-20");
    }

    function test_refusesBadLayouts() public {
        bytes memory long = new bytes(256);
        refused(new Entry[](17), error1(IKeyedMetadata.TooManyKeys.selector, 17));
        refused(entries("", "x"), abi.encodeWithSelector(IKeyedMetadata.InvalidKey.selector, ""));
        refused(
            entries(string(long), "x"),
            abi.encodeWithSelector(IKeyedMetadata.InvalidKey.selector, string(long))
        );
        Entry[] memory list = entries("a", "x");
        list[0].kind = 3;
        refused(list, error1(IKeyedMetadata.InvalidKind.selector, 3));
        list = new Entry[](3);
        list[0] = entry("a", "1");
        list[1] = entry("b", "2");
        list[2] = entry("a", "3");
        refused(list, abi.encodeWithSelector(IKeyedMetadata.DuplicateKey.selector, "a"));
    }

    function test_keepsTheLimitOfALayout() public {
        Entry[] memory list = new Entry[](2);
        list[0] = entry("k", "");
        list[1] = entry("long", "v");
        list[0].value = new bytes(8_192 - 6);
        vm.prank(address(operator));
        nft.setMetadata(1, list);
        equal(nft.metadata(1, "k").length, 8_186, "as much as fits");
        equal(nft.metadata(1, "long"), "v", "with the rest");
        list[0].value = new bytes(8_187);
        vm.prank(address(operator));
        vm.expectRevert(error1(IKeyedMetadata.MetadataTooLarge.selector, 8_193));
        nft.setMetadata(1, list);
        list[0].value = new bytes(70_000);
        vm.prank(address(operator));
        vm.expectRevert(error1(IKeyedMetadata.MetadataTooLarge.selector, 70_000));
        nft.setMetadata(1, list);
    }

    function test_takesKeysThatShareTheirBit() public {
        // 16 keys collide in the one-bit filter of 256 often enough over these rounds, without being the same.
        for (uint256 round; round < 12; ++round) {
            Entry[] memory list = new Entry[](16);
            for (uint256 i; i < 16; ++i) list[i] = entry(string(abi.encode(round, i)), "v");
            setToken(1, list);
            equal(nft.metadataKeys(1).length, 16, "all different");
        }
    }

    function test_refusesTokensThatDoNotExist() public {
        bytes memory reason = attempt(address(nft), abi.encodeCall(nft.setMetadata, (9, entries("a", "b"))))
            .returnData;
        equal(reason, error1(IERC721Errors.ERC721NonexistentToken.selector, 9), "unknown");
    }

    function test_costsNoMoreTheSecondTime() public {
        Entry[] memory list = random(16);
        vm.startPrank(address(operator));
        nft.setMetadata(2, list);
        uint256 start = gasleft();
        nft.setMetadata(1, list);
        uint256 first = start - gasleft();
        start = gasleft();
        nft.setMetadata(1, list);
        isTrue(start - gasleft() <= first, "its keys are compared in one piece");
        vm.stopPrank();
    }

    function setToken(uint256 tokenId, Entry[] memory list) private {
        run(address(nft), abi.encodeCall(nft.setMetadata, (tokenId, list)));
    }

    function setContract(address token, Entry[] memory list) private {
        run(token, abi.encodeCall(IKeyedMetadata.setContractMetadata, (list)));
    }

    function refused(Entry[] memory list, bytes memory reason) private {
        vm.startPrank(address(operator));
        vm.expectRevert(reason);
        nft.setMetadata(1, list);
        vm.expectRevert(reason);
        nft.mintWithMetadata(alice, list);
        vm.expectRevert(reason);
        coin.setContractMetadata(list);
        vm.stopPrank();
    }

    /// @dev The value of the last event for this key.
    function replay(Vm.Log[] memory logs, string memory key) private pure returns (bytes memory value) {
        for (uint256 i; i < logs.length; ++i) {
            if (logs[i].topics[0] != METADATA_SET || logs[i].topics[2] != keccak256(bytes(key))) continue;
            string memory logged;
            (logged, value) = abi.decode(logs[i].data, (string, bytes));
            equal(logged, key, "the key twice");
        }
    }

    function same(Entry[] memory a, Entry[] memory b) private pure {
        equal(keccak256Of(a), keccak256Of(b), "the same layout");
    }

    function keccak256Of(Entry[] memory list) private pure returns (uint256) {
        return uint256(keccak256(abi.encode(list)));
    }

    /// @dev Up to 16 entries out of 24 possible keys, in any order, of any length and kind.
    function random(uint256 seed) private pure returns (Entry[] memory list) {
        list = new Entry[](seed % 17);
        uint256 offset = (seed >> 8) % 24;
        for (uint256 i; i < list.length; ++i) {
            uint256 draw = uint256(keccak256(abi.encode(seed, i)));
            bytes memory value = new bytes(draw % 70);
            for (uint256 j; j < value.length; ++j) value[j] = bytes1(uint8(draw >> (j % 32)));
            list[i] = Entry(keyOf((offset + i * 5) % 24), value, uint8((draw >> 8) % 3));
        }
    }

    function keyOf(uint256 i) private pure returns (string memory) {
        bytes memory key = new bytes(1 + i * 3);
        for (uint256 j; j < key.length; ++j) key[j] = bytes1(uint8(97 + i));
        return string(key);
    }
}
