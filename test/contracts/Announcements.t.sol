// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IERC721Receiver} from "@openzeppelin/contracts/token/ERC721/IERC721Receiver.sol";
import {Entry, IKeyedMetadata} from "../../contracts/interfaces/IKeyedMetadata.sol";
import {IManagedERC721, MintItem} from "../../contracts/interfaces/IManagedERC721.sol";
import {NoReceiver} from "./Receivers.sol";
import {Setup} from "./Setup.sol";
import {Vm} from "./Vm.sol";

/// @notice Remembers how it was asked, and what the token said at that moment.
contract CuriousReceiver is IERC721Receiver {
    address public by;
    address public from;
    uint256 public tokenId;
    uint256 public calls;
    bytes public data;
    bytes public valueThen;
    uint256 public balanceThen;

    function onERC721Received(
        address by_,
        address from_,
        uint256 tokenId_,
        bytes calldata data_
    ) external returns (bytes4) {
        ++calls;
        (by, from, tokenId, data) = (by_, from_, tokenId_, data_);
        (, bytes memory answer) = msg.sender.call(
            abi.encodeWithSignature("metadata(uint256,string)", tokenId_, "name")
        );
        valueThen = abi.decode(answer, (bytes));
        (, answer) = msg.sender.call(abi.encodeWithSignature("balanceOf(address)", address(this)));
        balanceThen = abi.decode(answer, (uint256));
        return IERC721Receiver.onERC721Received.selector;
    }
}

/// @notice What a token tells others: receivers, and whoever reads its events.
contract AnnouncementsTest is Setup {
    bytes32 private constant CONTRACT_URI_UPDATED = keccak256("ContractURIUpdated()");

    function test_aReceiverIsAskedWithTheseArguments() public {
        CuriousReceiver receiver = new CuriousReceiver();
        mintNft(nft, address(receiver));
        equal(receiver.by(), address(operator), "by the operator");
        equal(receiver.from(), address(0), "from nobody");
        equal(receiver.tokenId(), 1, "this token");
        equal(receiver.data().length, 0, "no data");
        mintNft(nft, alice);
        vm.prank(alice);
        nft.safeTransferFrom(alice, address(receiver), 2, "hello");
        equal(receiver.by(), alice, "by the holder");
        equal(receiver.from(), alice, "from the holder");
        equal(receiver.tokenId(), 2, "that token");
        equal(receiver.data(), "hello", "with its data");
    }

    function test_aReceiverOfAMintWithMetadataIsAskedLast() public {
        CuriousReceiver receiver = new CuriousReceiver();
        vm.startPrank(address(operator));
        nft.mintWithMetadata(address(receiver), entries("name", "Luna"));
        equal(receiver.valueThen(), "Luna", "its metadata is there");
        equal(receiver.balanceThen(), 1, "and its token");
        equal(receiver.tokenId(), 1, "this one");
        equal(receiver.calls(), 1, "once");
        MintItem[] memory items = new MintItem[](2);
        for (uint256 i; i < 2; ++i) items[i] = MintItem(address(receiver), entries("name", "Sol"));
        nft.mintBatch(items);
        equal(receiver.valueThen(), "Sol", "in a batch too");
        equal(receiver.tokenId(), 3, "the last one");
        equal(receiver.balanceThen(), 3, "all exist");
        equal(receiver.calls(), 3, "once each");
        address other = address(new NoReceiver());
        bytes memory reason = abi.encodeWithSelector(IManagedERC721.ReceiverRefused.selector, other, "");
        vm.expectRevert(reason);
        nft.mintWithMetadata(other, entries("name", "Luna"));
        vm.expectRevert(reason);
        nft.mintWithMetadata(other, new Entry[](0));
        items[1].to = other;
        vm.expectRevert(reason);
        nft.mintBatch(items);
        vm.stopPrank();
    }

    function test_tellsEveryChangeOfTheContractsJson() public {
        address[2] memory tokens = [address(coin), address(nft)];
        for (uint256 i; i < 2; ++i) {
            setContract(tokens[i], entries("a", "1"));
            vm.recordLogs();
            setContract(tokens[i], entries("a", "2"));
            equal(countOf(CONTRACT_URI_UPDATED), 1, "changed");
            vm.recordLogs();
            setContract(tokens[i], new Entry[](0));
            equal(countOf(CONTRACT_URI_UPDATED), 1, "emptied");
        }
    }

    function test_tellsWhichKeysOfTheContractAreDropped() public {
        address[2] memory tokens = [address(coin), address(nft)];
        for (uint256 i; i < 2; ++i) {
            Entry[] memory two = new Entry[](2);
            two[0] = entry("a", "1");
            two[1] = entry("b", "2");
            setContract(tokens[i], two);
            vm.recordLogs();
            setContract(tokens[i], entries("b", "3"));
            Vm.Log[] memory logs = logsOf(tokens[i]);
            equal(logs.length, 3, "one dropped, one set, and the URI");
            equal(logs[0].topics.length, 2, "of no token");
            equal(uint256(logs[0].topics[1]), uint256(keccak256("a")), "a");
            equal(logs[0].data, abi.encode("a", bytes("")), "is gone");
            equal(logs[1].data, abi.encode("b", bytes("3")), "b is new");
        }
    }

    /// @dev A key that is dropped for another of the same length, so that only its bytes tell.
    function test_noDroppedKeyGoesUnnoticed(bytes32 seed) public {
        mintNft(nft, alice);
        for (uint256 i; i < 40; ++i) {
            string memory before = string(abi.encodePacked(keccak256(abi.encode(seed, i))));
            string memory after_ = string(abi.encodePacked(keccak256(abi.encode(seed, i + 1))));
            if (i == 0) setToken(1, entries(before, "v"));
            vm.recordLogs();
            setToken(1, entries(after_, "v"));
            Vm.Log[] memory logs = logsOf(address(nft));
            equal(logs.length, 3, "dropped, set, updated");
            equal(logs[0].data, abi.encode(before, bytes("")), "the old one is dropped");
        }
    }

    function test_anOrderOfKeysIsNoDroppedKey() public {
        mintNft(nft, alice);
        Entry[] memory list = new Entry[](2);
        list[0] = entry("a", "1");
        list[1] = entry("b", "2");
        setToken(1, list);
        (list[0], list[1]) = (list[1], list[0]);
        vm.recordLogs();
        setToken(1, list);
        equal(logsOf(address(nft)).length, 3, "two set, one update");
        equal(nft.metadataKeys(1)[0], "b", "in the new order");
        vm.recordLogs();
        setToken(1, list);
        equal(logsOf(address(nft)).length, 3, "the same again");
    }

    /// @dev Keys and values of every length around a word: what is behind them in the data of the event is zero.
    function test_padsKeysAndValuesWithZeros() public {
        mintNft(nft, alice);
        bytes memory text = bytes("0123456789abcdefghijklmnopqrstuvwxyz0123456789abcdefghijklmnopqrstuvwxyz");
        for (uint256 length = 1; length <= 66; ++length) {
            string memory key = string(cut(text, length));
            bytes memory value = cut(text, 67 - length);
            Entry[] memory list = new Entry[](2);
            list[0] = Entry(key, value, 0);
            list[1] = Entry("k", length % 2 == 0 ? bytes("") : value, 1);
            if (length == 1) list[1].key = "kk";
            vm.recordLogs();
            setToken(1, list);
            Vm.Log[] memory logs = logsOf(address(nft));
            uint256 first = logs.length - 3;
            equal(logs[first].data, abi.encode(key, value), "the first, byte by byte");
            equal(logs[first + 1].data, abi.encode(list[1].key, list[1].value), "the second");
        }
    }

    function test_anEmptiedLayoutDeploysNothing() public {
        mintNft(nft, alice);
        setToken(1, entries("a", "1"));
        uint256 start = gasleft();
        setToken(1, new Entry[](0));
        isTrue(start - gasleft() < 60_000, "no contract for nothing");
        equal(nft.metadataKeys(1).length, 0, "no key");
        equal(nft.metadataKeys().length, 0, "nor in the newest layout");
        setToken(1, entries("b", "2"));
        equal(nft.metadata(1, "b"), "2", "the next blob is where it is looked for");
        equal(nft.metadataKeys()[0], "b", "the newest layout");
        setContract(address(coin), entries("a", "1"));
        setContract(address(coin), new Entry[](0));
        equal(coin.metadataKeys().length, 0, "a coin too");
        equal(coin.contractMetadataEntries().length, 0, "no entry");
        setContract(address(coin), new Entry[](0));
        setContract(address(coin), entries("c", "3"));
        equal(coin.contractMetadata("c"), "3", "and back");
        setContract(address(nft), new Entry[](0));
        equal(nft.metadataKeys().length, 0, "the newest layout is the contract's");
        vm.prank(address(operator));
        nft.mintWithMetadata(alice, new Entry[](0));
        equal(nft.entries(2).length, 0, "a mint without entries has none");
        setContract(address(nft), entries("d", "4"));
        equal(nft.contractMetadata("d"), "4", "and the numbers still fit");
    }

    /// @dev Encodings that point out of the calldata, or around the whole address space.
    function test_refusesEntriesOutsideOfTheCalldata() public {
        mintNft(nft, alice);
        bytes memory good = abi.encodeCall(nft.setMetadata, (1, entries("key", "value")));
        vm.prank(address(operator));
        (bool ok, ) = address(nft).call(good);
        isTrue(ok, "as it should be");
        // Offset of the entry, of its key and value, length of the key, length of the value.
        uint256[5] memory places = [uint256(4 + 96), 4 + 128, 4 + 160, 4 + 224, 4 + 288];
        for (uint256 i; i < 5; ++i) {
            uint256[3] memory wrong = [uint256(0x2000), 1 << 32, type(uint256).max - 31];
            for (uint256 j; j < 3; ++j) {
                bytes memory bad = bytes.concat(good);
                uint256 place = places[i] + 0x20;
                uint256 word = wrong[j];
                assembly ("memory-safe") {
                    mstore(add(bad, place), word)
                }
                vm.prank(address(operator));
                (ok, ) = address(nft).call(bad);
                isTrue(!ok, "refused");
            }
        }
        equal(nft.metadata(1, "key"), "value", "nothing changed");
    }

    function setToken(uint256 tokenId, Entry[] memory list) private {
        vm.prank(address(operator));
        nft.setMetadata(tokenId, list);
    }

    function setContract(address token, Entry[] memory list) private {
        vm.prank(address(operator));
        IKeyedMetadata(token).setContractMetadata(list);
    }

    function countOf(bytes32 topic) private returns (uint256 count) {
        Vm.Log[] memory logs = vm.getRecordedLogs();
        for (uint256 i; i < logs.length; ++i) if (logs[i].topics[0] == topic) ++count;
    }

    function logsOf(address emitter) private returns (Vm.Log[] memory logs) {
        logs = vm.getRecordedLogs();
        for (uint256 i; i < logs.length; ++i) equal(logs[i].emitter, emitter, "nobody else speaks");
    }

    function cut(bytes memory text, uint256 length) private pure returns (bytes memory part) {
        part = new bytes(length);
        for (uint256 i; i < length; ++i) part[i] = text[i];
    }
}
