// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IOperator} from "../../contracts/interfaces/IOperator.sol";
import {MintTarget, Setup, mintsOf} from "./Setup.sol";

/// @notice Calldata that no coder writes: what somebody with the key of an executor may send.
contract OperatorCalldataTest is Setup {
    uint64 private constant FIRST = 1_000;

    function test_refusesBitsThatTheArgumentsDoNotHave() public {
        bytes memory execution = executing(one(5));
        bytes memory mints = minting(2, list());
        bytes memory chunk = abi.encodeCall(operator.executeRows, (EPOCH, rows()));
        for (uint256 bit = 48; bit < 256; ++bit) {
            refused(withWord(execution, 0, EPOCH | (1 << bit)));
            refused(withWord(mints, 0, EPOCH | (1 << bit)));
            refused(withWord(chunk, 0, EPOCH | (1 << bit)));
            if (bit < 64) continue;
            refused(withWord(mints, 1, FIRST | (1 << bit)));
            refused(withWord(mints, 2, 2 | (1 << bit)));
            // Behind epoch, offset and token: gas cap, first number, wanted, key.
            refused(withWord(chunk, 3, CAP | (1 << bit)));
            refused(withWord(chunk, 4, 256 | (1 << bit)));
            refused(withWord(chunk, 6, 7 | (1 << bit)));
        }
        equal(nft.totalSupply(), 0, "no effect");
    }

    function test_refusesNumbersBeyondTheClientsKey() public {
        for (uint256 bit = 128; bit < 256; ++bit) refused(withWord(executing(one(5)), 6, 5 | (1 << bit)));
        equal(nft.totalSupply(), 0, "no effect");
    }

    /// @dev The 64 bits above a number are the client's key: whatever they are, the number is the one below.
    function test_aKeyIsNoPartOfTheNumber() public {
        accepted(withWord(executing(one(5)), 6, 5));
        for (uint256 bit = 64; bit < 128; ++bit) {
            IOperator.Result memory result = accepted(withWord(executing(one(5)), 6, 5 | (1 << bit)))[0];
            equal(
                result.returnData,
                error1(IOperator.IntentAlreadyDone.selector, idOf(EPOCH, 5)),
                "the same intent"
            );
        }
        equal(nft.totalSupply(), 1, "one effect");
    }

    /// @dev A cap of more bits is no cap that fits in the lower ones.
    function test_takesTheWholeWordOfAGasCap() public {
        for (uint256 bit = 32; bit < 256; ++bit) {
            IOperator.Result memory result = accepted(withWord(executing(one(5)), 5, CAP | (1 << bit)))[0];
            equal(
                result.returnData,
                error1(IOperator.InvalidGasCap.selector, CAP | (1 << bit)),
                "refused for itself"
            );
        }
        equal(nft.totalSupply(), 0, "no effect");
    }

    function test_ignoresBitsAboveATarget() public {
        accepted(withWord(executing(one(5)), 4, (1 << 160) | uint160(address(nft))));
        equal(nft.totalSupply(), 1, "the address alone counts");
        isTrue(operator.intentDone(idOf(EPOCH, 5)), "under its number");
    }

    function test_cannotBeMadeToCountForEver() public {
        refused(minting(type(uint256).max, list()));
        refused(minting(1 << 40, list()));
        // With these the offsets of the results need no memory: they would lie on each other.
        refused(minting(1 << 251, list()));
        refused(minting((1 << 251) + 1, list()));
        equal(nft.totalSupply(), 0, "no effect");
    }

    /// @dev Past the end of the list all is zero: a mint of the first token to nobody, for the first number.
    function test_readsZerosBehindTheList() public {
        IOperator.Result[] memory results = accepted(minting(4, list()));
        isTrue(results[0].ok && results[1].ok, "those of the list");
        equal(
            results[2].returnData,
            error1(IOperator.IntentAlreadyDone.selector, idOf(EPOCH, FIRST)),
            "no third"
        );
        equal(results[3].returnData, results[2].returnData, "nor a fourth");
        equal(nft.totalSupply(), 2, "two effects");
        results = accepted(minting(1, mintsOf(targets(), "")));
        isTrue(!results[0].ok, "nobody can hold a token");
    }

    function test_refusesAListWithoutTokens() public {
        refused(minting(1, ""));
        refused(
            minting(1, mintsOf(new MintTarget[](0), abi.encodePacked(uint8(0), uint16(0), uint64(0), alice)))
        );
    }

    function test_mintsOf255Tokens() public {
        MintTarget[] memory many = new MintTarget[](255);
        bytes memory packed;
        for (uint256 i; i < 255; ++i) {
            many[i] = MintTarget(i % 2 == 0 ? address(nft) : address(coin), 300_000, i % 2 == 0 ? 0 : 1);
            packed = bytes.concat(packed, abi.encodePacked(uint8(i), uint16(i), uint64(i), alice));
            if (i % 2 != 0) packed = bytes.concat(packed, hex"03");
        }
        IOperator.Result[] memory results = accepted(minting(255, mintsOf(many, packed)));
        for (uint256 i; i < 255; ++i) isTrue(results[i].ok, "each");
        isTrue(nft.totalSupply() == 128 && coin.balanceOf(alice) == 3 * 127, "of its token");
    }

    /// @dev Amounts of more than 32 bytes are zero, whatever their bytes are.
    function test_takesNoAmountFromMoreThanAWord(uint8 amountBytes) public {
        if (amountBytes <= 32) amountBytes += 33;
        MintTarget[] memory wide = new MintTarget[](1);
        wide[0] = MintTarget(address(coin), 300_000, amountBytes);
        bytes memory amount = new bytes(amountBytes);
        for (uint256 i; i < amount.length; ++i) amount[i] = 0xff;
        accepted(
            minting(
                1,
                mintsOf(wide, bytes.concat(abi.encodePacked(uint8(0), uint16(0), uint64(0), alice), amount))
            )
        );
        equal(coin.balanceOf(alice), 0, "nothing is minted");
    }

    /// @dev Whatever the bytes are, there are results for what was asked, and nothing but mints was done.
    function test_anyListMintsOrDoesNothing(bytes memory mints, uint8 tokens, uint8 count) public {
        bytes memory before = abi.encode(
            nft.tokenState(),
            coin.tokenState(),
            operator.epoch(),
            operator.defaultAdmin()
        );
        bytes memory given = bytes.concat(mintsOf(targets(), ""), mints);
        given[0] = bytes1(tokens % 4);
        vm.prank(executor);
        (bool ok, bytes memory answer) = address(operator).call(minting(count % 16, given));
        if (ok) equal(abi.decode(answer, (IOperator.Result[])).length, count % 16, "a result for each");
        isTrue(nft.totalSupply() <= count % 16, "no more than was asked");
        if (nft.totalSupply() == 0 && coin.totalSupply() == 0)
            equal(
                abi.encode(nft.tokenState(), coin.tokenState(), operator.epoch(), operator.defaultAdmin()),
                before,
                "all is as it was"
            );
        equal(nft.owner(), address(operator), "nobody else owns it");
    }

    function one(uint256 number) private view returns (IOperator.Call[] memory calls) {
        calls = new IOperator.Call[](1);
        calls[0] = IOperator.Call(address(nft), CAP, number, abi.encodeCall(nft.mint, (alice)));
    }

    function targets() private view returns (MintTarget[] memory some) {
        some = new MintTarget[](1);
        some[0] = MintTarget(address(nft), 300_000, 0);
    }

    function list() private view returns (bytes memory) {
        bytes memory mints = abi.encodePacked(
            abi.encodePacked(uint8(0), uint16(0), uint64(7), alice),
            abi.encodePacked(uint8(0), uint16(1), uint64(8), bob)
        );
        return mintsOf(targets(), mints);
    }

    function rows() private view returns (IOperator.Rows memory) {
        return IOperator.Rows(address(nft), CAP, 256, 1, 7, 0, abi.encodePacked(alice));
    }

    function executing(IOperator.Call[] memory calls) private view returns (bytes memory) {
        return abi.encodeCall(operator.execute, (EPOCH, calls));
    }

    function minting(uint256 count, bytes memory mints) private view returns (bytes memory) {
        return abi.encodeCall(operator.executeMints, (EPOCH, FIRST, count, mints));
    }

    function accepted(bytes memory data) private returns (IOperator.Result[] memory) {
        vm.prank(executor);
        (bool ok, bytes memory answer) = address(operator).call(data);
        isTrue(ok, "it is taken");
        return abi.decode(answer, (IOperator.Result[]));
    }

    function refused(bytes memory data) private {
        vm.prank(executor);
        (bool ok, ) = address(operator).call{gas: 3_000_000}(data);
        isTrue(!ok, "it is refused as a whole");
    }

    /// @dev Puts a word in the place of another one, counted from behind the selector.
    function withWord(bytes memory data, uint256 index, uint256 word) private pure returns (bytes memory) {
        assembly ("memory-safe") {
            mstore(add(add(data, 0x24), shl(5, index)), word)
        }
        return data;
    }
}
