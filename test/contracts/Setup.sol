// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {CollectionFactory} from "../../contracts/CollectionFactory.sol";
import {ManagedERC20} from "../../contracts/ManagedERC20.sol";
import {ManagedERC721} from "../../contracts/ManagedERC721.sol";
import {Operator} from "../../contracts/Operator.sol";
import {TokenDescriptor} from "../../contracts/TokenDescriptor.sol";
import {TokenFactory} from "../../contracts/TokenFactory.sol";
import {ICollectionFactory} from "../../contracts/interfaces/ICollectionFactory.sol";
import {Entry} from "../../contracts/interfaces/IKeyedMetadata.sol";
import {IOperator} from "../../contracts/interfaces/IOperator.sol";
import {ITokenFactory} from "../../contracts/interfaces/ITokenFactory.sol";
import {Vm} from "./Vm.sol";

/// @notice A token of `executeMints`, as its list has it.
struct MintTarget {
    address token;
    uint32 gasCap;
    uint8 amountBytes;
}

/// @notice The list of `executeMints`, of these tokens and of mints that are packed already.
function mintsOf(MintTarget[] memory targets, bytes memory mints) pure returns (bytes memory list) {
    list = abi.encodePacked(uint8(targets.length));
    for (uint256 i; i < targets.length; ++i) {
        MintTarget memory target = targets[i];
        list = bytes.concat(list, abi.encodePacked(target.token, target.gasCap, target.amountBytes));
    }
    return bytes.concat(list, mints);
}

/// @notice The system as the service deploys it, with this contract as admin, and what tests need to speak to it.
abstract contract Setup {
    Vm internal constant vm = Vm(address(uint160(uint256(keccak256("hevm cheat code")))));

    uint64 internal constant CAP = 2_000_000;
    /// @dev The first epoch of an operator.
    uint48 internal constant EPOCH = 1;
    /// @dev As on public chains.
    uint40 internal constant REVOCABLE_SECONDS = 1 days;

    address internal immutable executor = vm.addr(0xe0ec);
    address internal immutable wallet = vm.addr(0x0a11e7);
    address internal immutable raiser = vm.addr(0x2a15e2);
    address internal immutable alice = vm.addr(0xa11ce);
    address internal immutable bob = vm.addr(0xb0b);
    address internal immutable carol = vm.addr(0xca401);

    Operator internal operator;
    TokenDescriptor internal descriptor;
    TokenFactory internal tokenFactory;
    CollectionFactory internal collectionFactory;

    /// @dev The service's own: the operator contract is owner too.
    ManagedERC20 internal coin;
    ManagedERC721 internal nft;

    uint64 private nextIntent = 1;

    error AssertionFailed(string what);

    function setUp() public virtual {
        operator = new Operator(address(this), adminDelay(), verbs());
        grant(operator.EXECUTOR_ROLE(), executor);
        descriptor = new TokenDescriptor();
        tokenFactory = new TokenFactory(new ManagedERC20(address(operator), descriptor, REVOCABLE_SECONDS));
        collectionFactory = new CollectionFactory(
            new ManagedERC721(address(operator), descriptor, REVOCABLE_SECONDS)
        );
        coin = newCoin(address(operator), false);
        nft = newNft(address(operator), "", false);
    }

    /// @dev Seconds that the admin waits; none on a local chain.
    function adminDelay() internal pure virtual returns (uint48) {
        return 0;
    }

    /// @dev What executors may call from the start, as the service deploys it.
    function verbs() internal pure returns (uint256[4] memory words) {
        string[31] memory signatures = [
            "mint(address)",
            "mint(address,uint256)",
            "mintNext(address)",
            "setMetadata(uint256,(string,bytes,uint8)[])",
            "createCollection(bytes32,(address,string,string,string,bool,uint256,uint256,bool,address,uint96))",
            "mintWithMetadata(address,(string,bytes,uint8)[])",
            "mintBatch((address,(string,bytes,uint8)[])[])",
            "setContractMetadata((string,bytes,uint8)[])",
            "createToken(bytes32,(address,string,string,uint8,bool,uint256,uint256,bool))",
            "mintRun(address,uint256)",
            "mintRows(uint256,uint256,bytes)",
            "mintRows(uint256,bytes)",
            "approveAccount(address)",
            "unapproveAccount(address)",
            "freeze(address)",
            "unfreeze(address)",
            "pause()",
            "unpause()",
            "lockTransfers()",
            "unlockTransfers()",
            "closeMint()",
            "reopenMint()",
            "lowerMintLimit(uint256)",
            "freezeMetadata()",
            "unfreezeMetadata()",
            "freezeMetadata(uint256)",
            "unfreezeMetadata(uint256)",
            "renounceControls()",
            "restoreControls()",
            "setRoyalty(address,uint96)",
            "forcedTransfer(address,address,uint256)"
        ];
        for (uint256 i; i < signatures.length; ++i) {
            words[i / 8] |= uint256(uint32(bytes4(keccak256(bytes(signatures[i]))))) << (32 * (i % 8));
        }
        words[3] |= uint256(uint32(bytes4(keccak256("forcedBurn(address,uint256)")))) << 224;
    }

    /// @dev By the operator's admin, without a delay.
    function allow(bytes4 selector) internal {
        asAdmin(abi.encodeCall(operator.setSelectorAllowed, (selector, true)));
    }

    function forbid(bytes4 selector) internal {
        asAdmin(abi.encodeCall(operator.setSelectorAllowed, (selector, false)));
    }

    function grant(bytes32 role, address account) internal {
        asAdmin(abi.encodeCall(operator.grantRole, (role, account)));
    }

    function revoke(bytes32 role, address account) internal {
        asAdmin(abi.encodeCall(operator.revokeRole, (role, account)));
    }

    /// @dev By an account that has the role, ten minutes after the last one.
    function raiseEpoch() internal {
        if (!operator.hasRole(operator.EPOCH_ROLE(), raiser)) grant(operator.EPOCH_ROLE(), raiser);
        vm.warp(block.timestamp + 10 minutes);
        uint48 current = uint48(operator.epoch());
        vm.prank(raiser);
        operator.raiseEpoch(current, bytes32(uint256(0x7a9)));
    }

    /// @dev What the operator does to itself for its admin.
    function asAdmin(bytes memory data) internal {
        operator.adminExecute(address(operator), data);
    }

    /// @dev In two steps, a second apart.
    function makeAdmin(address admin) internal {
        operator.beginDefaultAdminTransfer(admin);
        vm.warp(block.timestamp + 1);
        vm.prank(admin);
        operator.acceptDefaultAdminTransfer();
    }

    function newCoin(address owner, bool permissioned) internal returns (ManagedERC20) {
        ITokenFactory.TokenArgs memory args = coinArgs();
        args.owner = owner;
        args.permissioned = permissioned;
        return newCoin(args);
    }

    function newCoin(ITokenFactory.TokenArgs memory args) internal returns (ManagedERC20) {
        return ManagedERC20(tokenFactory.createToken(bytes32(uint256(newIntent())), args));
    }

    function newNft(
        address owner,
        string memory baseUri,
        bool permissioned
    ) internal returns (ManagedERC721) {
        ICollectionFactory.CollectionArgs memory args = nftArgs();
        args.owner = owner;
        args.baseUri = baseUri;
        args.permissioned = permissioned;
        return newNft(args);
    }

    function newNft(ICollectionFactory.CollectionArgs memory args) internal returns (ManagedERC721) {
        return ManagedERC721(collectionFactory.createCollection(bytes32(uint256(newIntent())), args));
    }

    /// @dev Arguments of a coin without options that belongs to the operator contract.
    function coinArgs() internal view returns (ITokenFactory.TokenArgs memory args) {
        args.owner = address(operator);
        args.name = "Night Coin";
        args.symbol = "NIGHT";
        args.decimals = 18;
    }

    /// @dev The same for a collection.
    function nftArgs() internal view returns (ICollectionFactory.CollectionArgs memory args) {
        args.owner = address(operator);
        args.name = "Night Cats";
        args.symbol = "CAT";
    }

    function newIntent() internal returns (uint64) {
        return nextIntent++;
    }

    /// @dev How the operator names an intent: by epoch and number.
    function idOf(uint64 epoch, uint256 number) internal pure returns (uint256) {
        return (uint256(epoch) << 64) | number;
    }

    /// @dev One call through the operator, which must succeed.
    function run(address target, bytes memory data) internal returns (bytes memory) {
        IOperator.Result memory result = attempt(target, data);
        if (!result.ok) {
            bytes memory reason = result.returnData;
            assembly ("memory-safe") {
                revert(add(reason, 0x20), mload(reason))
            }
        }
        return result.returnData;
    }

    /// @dev One call through the operator, whatever becomes of it.
    function attempt(address target, bytes memory data) internal returns (IOperator.Result memory) {
        IOperator.Call[] memory calls = new IOperator.Call[](1);
        calls[0] = IOperator.Call(target, CAP, newIntent(), data);
        vm.prank(executor);
        return operator.execute(EPOCH, calls)[0];
    }

    function mintNft(ManagedERC721 token, address to) internal returns (uint256 tokenId) {
        return abi.decode(run(address(token), abi.encodeCall(token.mint, (to))), (uint256));
    }

    function mintCoin(ManagedERC20 token, address to, uint256 amount) internal {
        run(address(token), abi.encodeCall(token.mint, (to, amount)));
    }

    function entry(string memory key, string memory value) internal pure returns (Entry memory) {
        return Entry(key, bytes(value), 0);
    }

    function entries(string memory key, string memory value) internal pure returns (Entry[] memory list) {
        list = new Entry[](1);
        list[0] = entry(key, value);
    }

    function isTrue(bool condition, string memory what) internal pure {
        if (!condition) revert AssertionFailed(what);
    }

    function equal(uint256 a, uint256 b, string memory what) internal pure {
        isTrue(a == b, what);
    }

    function equal(address a, address b, string memory what) internal pure {
        isTrue(a == b, what);
    }

    function equal(string memory a, string memory b, string memory what) internal pure {
        isTrue(keccak256(bytes(a)) == keccak256(bytes(b)), what);
    }

    function equal(bytes memory a, bytes memory b, string memory what) internal pure {
        isTrue(keccak256(a) == keccak256(b), what);
    }

    function error0(bytes4 selector) internal pure returns (bytes memory) {
        return abi.encodeWithSelector(selector);
    }

    function error1(bytes4 selector, address account) internal pure returns (bytes memory) {
        return abi.encodeWithSelector(selector, account);
    }

    function error1(bytes4 selector, uint256 value) internal pure returns (bytes memory) {
        return abi.encodeWithSelector(selector, value);
    }
}
