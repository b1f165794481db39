// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {ManagedERC20} from "../../contracts/ManagedERC20.sol";
import {ManagedERC721} from "../../contracts/ManagedERC721.sol";
import {ManagedToken} from "../../contracts/ManagedToken.sol";
import {Operator} from "../../contracts/Operator.sol";
import {Entry} from "../../contracts/interfaces/IKeyedMetadata.sol";
import {MintItem} from "../../contracts/interfaces/IManagedERC721.sol";
import {IOperator} from "../../contracts/interfaces/IOperator.sol";
import {BurningReceiver, LongWindedReceiver, RevertingReceiver, Target} from "./Receivers.sol";
import {MintTarget, Setup, mintsOf} from "./Setup.sol";
import {Vm} from "./Vm.sol";

/// @notice Does anything that anybody can do to a token, in any order, and compares before and after.
abstract contract Handler {
    Vm internal constant vm = Vm(address(uint160(uint256(keccak256("hevm cheat code")))));

    uint256 internal constant ACTORS = 4;
    uint256 internal constant ACTIONS = 16;

    address internal immutable manager;
    address[] internal actors;

    /// @notice The first rule that was broken; empty while all is well.
    string public broken;
    /// @notice Actions that succeeded.
    uint256 public succeeded;
    uint256 public acts;

    constructor(address manager_) {
        manager = manager_;
        for (uint256 i; i < ACTORS; ++i) actors.push(vm.addr(0xac0 + i));
    }

    function rule(bool kept, string memory what) internal {
        if (!kept && bytes(broken).length == 0) broken = what;
    }

    /// @dev The balances of all actors.
    function balances(address token) internal view returns (uint256[ACTORS] memory list) {
        for (uint256 i; i < ACTORS; ++i) {
            (, bytes memory answer) = token.staticcall(
                abi.encodeWithSignature("balanceOf(address)", actors[i])
            );
            list[i] = abi.decode(answer, (uint256));
        }
    }

    /// @dev What the fuzzer gives is often small or seen before; spreads it over all bits, differently each time.
    function spread(uint256 seed) internal returns (uint256) {
        return uint256(keccak256(abi.encode(seed, ++acts)));
    }

    /// @dev Now and then all is let go, so that no run gets stuck in a pause.
    function release(ManagedToken token) internal {
        if (acts % 16 != 0) return;
        vm.startPrank(manager);
        token.unpause();
        token.unlockTransfers();
        for (uint256 i; i < ACTORS; ++i) {
            token.unfreeze(actors[i]);
            token.approveAccount(actors[i]);
        }
        vm.stopPrank();
    }

    /// @dev Which control: those that halt something are drawn less often, so that enough goes through in between.
    function controlOf(uint256 draw) internal pure returns (uint256) {
        return uint8(bytes16(0x00010101020303030405050606060607)[draw % 16]);
    }

    /// @dev One of the controls, by the manager or, in one of eight cases, by somebody who may not.
    function control(
        ManagedToken token,
        uint256 index,
        address account,
        bool byStranger,
        address stranger
    ) internal {
        bytes[8] memory controls = [
            abi.encodeCall(token.pause, ()),
            abi.encodeCall(token.unpause, ()),
            abi.encodeCall(token.lockTransfers, ()),
            abi.encodeCall(token.unlockTransfers, ()),
            abi.encodeCall(token.freeze, (account)),
            abi.encodeCall(token.unfreeze, (account)),
            abi.encodeCall(token.approveAccount, (account)),
            abi.encodeCall(token.unapproveAccount, (account))
        ];
        vm.prank(byStranger ? stranger : manager);
        (bool ok, ) = address(token).call(controls[index]);
        rule(ok != byStranger, "owner and operator manage, and nobody else");
    }
}

contract CoinHandler is Handler {
    ManagedERC20 private immutable coin;

    constructor(ManagedERC20 coin_, address manager_) Handler(manager_) {
        coin = coin_;
    }

    function act(uint256 seed, uint256 amount) external {
        seed = spread(seed);
        release(coin);
        address from = actors[(seed >> 8) % ACTORS];
        address to = actors[(seed >> 16) % ACTORS];
        address spender = actors[(seed >> 24) % ACTORS];
        bool byStranger = (seed >> 32) % 8 == 0;
        uint256 action = seed % ACTIONS;
        if (action < 4) return control(coin, controlOf(seed >> 40), from, byStranger, spender);
        amount %= 1_000;
        // Now and then one is taken back.
        if ((seed >> 48) % 4 == 0 && action == 12) amount = 0;
        bool paused = coin.paused();
        bool locked = coin.transfersLocked();
        bool[ACTORS] memory frozen;
        for (uint256 i; i < ACTORS; ++i) frozen[i] = coin.isFrozen(actors[i]);
        bool mayReceive = coin.isApprovedAccount(to) || !coin.isPermissioned();
        uint256[ACTORS] memory before = balances(address(coin));
        uint256 supply = coin.totalSupply();

        if (action <= 7) amount *= 8;
        bool ok = attempt(action, amount, from, to, action <= 7 && !byStranger ? manager : spender);

        uint256[ACTORS] memory now_ = balances(address(coin));
        for (uint256 i; i < ACTORS; ++i) {
            rule(!frozen[i] || before[i] == now_[i], "a frozen account's balance never changes");
            rule(ok || before[i] == now_[i], "what fails changes nothing");
        }
        if (action == 12 && amount == 0) rule(ok, "an approval may always be taken back");
        else {
            rule(!paused || !ok, "nothing moves while paused");
            bool isTransfer = action >= 8 && action <= 13;
            rule(!locked || !ok || !isTransfer, "no transfer and no approval while locked");
        }
        if (ok && action <= 7) {
            rule(!byStranger && mayReceive, "only managers mint, to approved accounts");
            rule(coin.totalSupply() == supply + amount, "a mint makes its amount");
        } else if (ok && action >= 14) rule(coin.totalSupply() == supply - amount, "a burn ends its amount");
        else rule(coin.totalSupply() == supply, "nothing else changes the supply");
        if (ok) ++succeeded;
    }

    /// @dev `spender` mints, is approved, and spends what is another's.
    function attempt(
        uint256 action,
        uint256 amount,
        address from,
        address to,
        address spender
    ) private returns (bool ok) {
        bytes memory data;
        address caller = from;
        if (action <= 7) {
            data = abi.encodeCall(coin.mint, (to, amount));
            caller = spender;
        } else if (action <= 11) data = abi.encodeCall(coin.transfer, (to, amount));
        else if (action == 12) data = abi.encodeCall(coin.approve, (spender, amount));
        else if (action == 13) {
            data = abi.encodeCall(coin.transferFrom, (from, to, amount));
            caller = spender;
        } else if (action == 14) data = abi.encodeCall(coin.burn, (amount));
        else {
            data = abi.encodeCall(coin.burnFrom, (from, amount));
            caller = spender;
        }
        vm.prank(caller);
        (ok, ) = address(coin).call(data);
    }

    function sum() external view returns (uint256 total) {
        uint256[ACTORS] memory list = balances(address(coin));
        for (uint256 i; i < ACTORS; ++i) total += list[i];
    }
}

contract CollectionHandler is Handler {
    ManagedERC721 private immutable nft;

    uint256 public newest;
    mapping(uint256 tokenId => bool) private burned;

    constructor(ManagedERC721 nft_, address manager_) Handler(manager_) {
        nft = nft_;
    }

    function act(uint256 seed) external {
        seed = spread(seed);
        release(nft);
        address from = actors[(seed >> 8) % ACTORS];
        address to = actors[(seed >> 16) % ACTORS];
        bool byStranger = (seed >> 32) % 8 == 0;
        uint256 action = seed % ACTIONS;
        if (action < 4) return control(nft, controlOf(seed >> 40), from, byStranger, to);
        uint256 tokenId = newest == 0 ? 1 : ((seed >> 48) % newest) + 1;
        bool paused = nft.paused();
        bool locked = nft.transfersLocked();
        bool[ACTORS] memory frozen;
        for (uint256 i; i < ACTORS; ++i) frozen[i] = nft.isFrozen(actors[i]);
        bool mayReceive = nft.isApprovedAccount(to) || !nft.isPermissioned();
        uint256[ACTORS] memory before = balances(address(nft));

        bool manages = action <= 11;
        vm.prank(manages ? (byStranger ? from : manager) : from);
        (bool ok, bytes memory answer) = address(nft).call(callOf(action, from, to, tokenId));

        uint256[ACTORS] memory now_ = balances(address(nft));
        for (uint256 i; i < ACTORS; ++i) {
            rule(!frozen[i] || before[i] == now_[i], "a frozen account's balance never changes");
            rule(ok || before[i] == now_[i], "what fails changes nothing");
        }
        if (action == 13 && tokenId % 2 != 0) rule(ok, "an approval may always be taken back");
        else {
            rule(!paused || !ok, "nothing moves while paused");
            rule(!locked || !ok || action < 12 || action == 15, "no transfer and no approval while locked");
        }
        if (!ok) return;
        ++succeeded;
        if (manages) rule(!byStranger, "only managers mint and write");
        if (action <= 9) {
            rule(mayReceive, "only approved accounts receive a permissioned mint");
            rule(abi.decode(answer, (uint256)) == newest + 1, "ids follow each other and never come again");
            newest += action == 9 ? 3 : 1;
        }
        if (action == 15) burned[tokenId] = true;
    }

    /// @dev Every id ever given is either owned or burned, and the holdings add up.
    function holdings() external view returns (uint256 owned, uint256 balance) {
        uint256[ACTORS] memory list = balances(address(nft));
        for (uint256 i; i < ACTORS; ++i) balance += list[i];
        for (uint256 id = 1; id <= newest; ++id) {
            try nft.ownerOf(id) returns (address) {
                if (burned[id]) return (type(uint256).max, balance);
                ++owned;
            } catch {
                if (!burned[id]) return (type(uint256).max, balance);
            }
        }
    }

    function callOf(
        uint256 action,
        address from,
        address to,
        uint256 tokenId
    ) private view returns (bytes memory) {
        Entry[] memory list = new Entry[](tokenId % 3);
        for (uint256 i; i < list.length; ++i) list[i] = Entry(i == 0 ? "a" : "b", "value", 0);
        if (action <= 7) return abi.encodeCall(nft.mint, (to));
        if (action == 8) return abi.encodeCall(nft.mintWithMetadata, (to, list));
        if (action == 9) {
            MintItem[] memory items = new MintItem[](3);
            for (uint256 i; i < 3; ++i) items[i] = MintItem(to, i == 1 ? list : new Entry[](0));
            return abi.encodeCall(nft.mintBatch, (items));
        }
        if (action <= 11) return abi.encodeCall(nft.setMetadata, (tokenId, list));
        if (action == 12) return abi.encodeCall(nft.approve, (to, tokenId));
        if (action == 13) return abi.encodeCall(nft.setApprovalForAll, (to, tokenId % 2 == 0));
        address holder = from;
        try nft.ownerOf(tokenId) returns (address owner) {
            holder = owner;
        } catch {}
        if (action == 14) return abi.encodeCall(nft.transferFrom, (holder, to, tokenId));
        return abi.encodeCall(nft.burn, (tokenId));
    }
}

/// @notice Sends batches of good, bad, repeated and hostile calls through the operator with any amount of gas.
contract BatchHandler is Handler {
    uint256 private constant INTENTS = 400;
    uint64 private constant FIRST = 1_000;
    /// @dev Enough for a mint and the hook of its recipient.
    uint32 private constant CALL_CAP = 400_000;
    uint64 private constant ROWS_CAP = 1_500_000;

    enum Way {
        Calls,
        Mints,
        Rows
    }

    struct Batch {
        uint48 epoch;
        IOperator.Call[] calls;
        bool[] shouldSucceed;
        Way way;
        /// @dev The calls as `executeMints` takes them.
        bytes list;
        /// @dev The calls as `executeRows` takes them: one for each row that is wanted.
        IOperator.Rows rows;
        uint256 supply;
        uint256 pokes;
    }

    Operator private immutable operator;
    ManagedERC721 private immutable nft;
    Target private immutable target;
    address private immutable executor;
    address[3] private hostile;

    /// @notice Mints that the operator said had succeeded.
    uint256 public mints;
    /// @notice Those of them that `executeMints` made, and `executeRows`.
    uint256 public mintedByList;
    uint256 public mintedByRows;
    mapping(uint256 intent => bool) private done;
    uint48 private epoch = 1;

    constructor(
        Operator operator_,
        ManagedERC721 nft_,
        Target target_,
        address executor_
    ) Handler(address(operator_)) {
        (operator, nft, target, executor) = (operator_, nft_, target_, executor_);
        hostile = [
            address(new BurningReceiver()),
            address(new LongWindedReceiver(50_000, true)),
            address(new RevertingReceiver())
        ];
    }

    function act(uint256 seed, uint256 gasGiven) external {
        // Most numbers of the fuzzer are small, which is too little gas for any batch.
        (seed, gasGiven) = (spread(seed), spread(gasGiven));
        Batch memory batch = draw(Way(seed % 3), seed >> 8);
        (batch.supply, batch.pokes) = (nft.totalSupply(), target.calls());
        // Some batches are of an epoch that is over, or has not begun.
        batch.epoch = epoch;
        if ((seed >> 4) % 16 == 0) --batch.epoch;
        else if ((seed >> 4) % 16 == 1) ++batch.epoch;
        vm.prank(executor);
        (bool ok, bytes memory answer) = address(operator).call{gas: 100_000 + (gasGiven % 6_000_000)}(
            encode(batch)
        );
        if (ok) checkResults(batch, resultsOf(batch, answer));
        else checkNoTrace(batch);
        if (operator.stopped()) operator.startExecution();
    }

    function encode(Batch memory batch) private view returns (bytes memory) {
        if (batch.way == Way.Calls) return abi.encodeCall(operator.execute, (batch.epoch, batch.calls));
        if (batch.way == Way.Rows) return abi.encodeCall(operator.executeRows, (batch.epoch, batch.rows));
        MintTarget[] memory targets = new MintTarget[](1);
        targets[0] = MintTarget(address(nft), CALL_CAP, 0);
        uint256 count = batch.calls.length;
        bytes memory list = mintsOf(targets, batch.list);
        return abi.encodeCall(operator.executeMints, (batch.epoch, FIRST, count, list));
    }

    /// @dev One for each call, also where rows have one together.
    function resultsOf(
        Batch memory batch,
        bytes memory answer
    ) private pure returns (IOperator.Result[] memory results) {
        if (batch.way != Way.Rows) return abi.decode(answer, (IOperator.Result[]));
        IOperator.Result memory result = abi.decode(answer, (IOperator.Result));
        results = new IOperator.Result[](batch.calls.length);
        if (!result.ok) return results;
        (uint256 mask, ) = abi.decode(result.returnData, (uint256, uint256));
        for (uint256 i; i < results.length; ++i)
            results[i].ok = (mask >> (batch.calls[i].number % 256)) & 1 != 0;
    }

    function checkResults(Batch memory batch, IOperator.Result[] memory results) private {
        rule(batch.epoch == epoch && !operator.stopped(), "nothing runs while stopped, or in another epoch");
        uint256 minted;
        uint256 poked;
        for (uint256 i; i < batch.calls.length; ++i) {
            uint256 intent = idOf(batch.epoch, batch.calls[i].number);
            rule(!results[i].ok || !done[intent], "no intent has its effect twice");
            bool expected = batch.shouldSucceed[i] && !done[intent];
            rule(results[i].ok == expected, "what could succeed did, whatever stood next to it");
            if (!results[i].ok) continue;
            done[intent] = true;
            ++succeeded;
            if (batch.way == Way.Mints) ++mintedByList;
            if (batch.way == Way.Rows) ++mintedByRows;
            if (batch.calls[i].target == address(nft)) ++minted;
            else ++poked;
        }
        for (uint256 i; i < batch.calls.length; ++i) {
            uint256 intent = idOf(batch.epoch, batch.calls[i].number);
            rule(operator.intentDone(intent) == done[intent], "what succeeded is marked");
        }
        mints += minted;
        rule(nft.totalSupply() == batch.supply + minted, "mints are those reported, no more and no less");
        rule(target.calls() == batch.pokes + poked, "calls that failed left no trace");
    }

    function checkNoTrace(Batch memory batch) private {
        rule(
            nft.totalSupply() == batch.supply && target.calls() == batch.pokes,
            "a starved batch does nothing"
        );
        for (uint256 i; i < batch.calls.length; ++i) {
            uint256 intent = idOf(batch.epoch, batch.calls[i].number);
            rule(operator.intentDone(intent) == done[intent], "and marks nothing");
        }
    }

    /// @dev As guardian and by the epoch's role: the next batch finds execution stopped, or another epoch.
    function interrupt(uint256 seed) external {
        if (spread(seed) % 2 == 0) return operator.stopExecution();
        vm.warp(block.timestamp + 10 minutes);
        operator.raiseEpoch(epoch, bytes32(seed));
        ++epoch;
    }

    function draw(Way way, uint256 seed) private view returns (Batch memory batch) {
        if (way == Way.Calls) batch = drawCalls(seed);
        else if (way == Way.Mints) batch = drawMints(seed);
        else batch = drawRows(seed);
        batch.way = way;
    }

    function drawCalls(uint256 seed) private view returns (Batch memory batch) {
        batch.calls = new IOperator.Call[](1 + (seed % 5));
        batch.shouldSucceed = new bool[](batch.calls.length);
        for (uint256 i; i < batch.calls.length; ++i) {
            (batch.calls[i], batch.shouldSucceed[i]) = callOf(uint256(keccak256(abi.encode(seed, i))));
        }
    }

    /// @dev Mints alone, one in four of them to somebody hostile.
    function drawMints(uint256 seed) private view returns (Batch memory batch) {
        batch.calls = new IOperator.Call[](1 + (seed % 5));
        batch.shouldSucceed = new bool[](batch.calls.length);
        for (uint256 i; i < batch.calls.length; ++i) {
            uint256 one = uint256(keccak256(abi.encode(seed, i)));
            batch.shouldSucceed[i] = one % 4 != 0;
            address to = one % 4 == 0 ? hostile[(one >> 32) % 3] : actors[(one >> 24) % ACTORS];
            uint16 offset = uint16((one >> 8) % INTENTS);
            batch.calls[i] = IOperator.Call(address(nft), CALL_CAP, FIRST + offset, "");
            batch.list = bytes.concat(batch.list, abi.encodePacked(uint8(0), offset, uint64(one >> 64), to));
        }
    }

    /// @dev Of one of the words that the other ways mark too. A row to somebody hostile is left out.
    function drawRows(uint256 seed) private view returns (Batch memory batch) {
        uint256 first = seed % 2 == 0 ? 1_024 : 1_280;
        uint256 count = 1 + ((seed >> 8) % 12);
        uint256 wanted = uint256(keccak256(abi.encode(seed))) & ((1 << count) - 1);
        batch.rows = IOperator.Rows(address(nft), ROWS_CAP, first, wanted, uint64(seed), 0, "");
        batch.calls = new IOperator.Call[](count);
        batch.shouldSucceed = new bool[](count);
        uint256 calls;
        for (uint256 i; i < count; ++i) {
            uint256 one = uint256(keccak256(abi.encode(seed, i)));
            address to = one % 4 == 0 ? hostile[(one >> 32) % 3] : actors[(one >> 24) % ACTORS];
            batch.rows.rows = abi.encodePacked(batch.rows.rows, to);
            if ((wanted >> i) & 1 == 0) continue;
            batch.shouldSucceed[calls] = one % 4 != 0;
            batch.calls[calls++] = IOperator.Call(address(nft), CALL_CAP, first + i, "");
        }
        IOperator.Call[] memory list = batch.calls;
        // Only what is wanted.
        assembly ("memory-safe") {
            mstore(list, calls)
        }
    }

    function idOf(uint48 ofEpoch, uint256 number) private pure returns (uint256) {
        return (uint256(ofEpoch) << 64) | number;
    }

    function callOf(uint256 seed) private view returns (IOperator.Call memory call, bool succeeds) {
        uint256 kind = seed % 8;
        call.number = FIRST + ((seed >> 8) % INTENTS);
        call.gasCap = CALL_CAP;
        call.target = address(nft);
        address to = actors[(seed >> 24) % ACTORS];
        if (kind <= 2) {
            call.data = abi.encodeCall(nft.mint, (to));
            return (call, true);
        }
        if (kind == 3) call.data = abi.encodeCall(nft.mint, (hostile[(seed >> 32) % 3]));
        else if (kind == 4) call.data = abi.encodeCall(nft.transferOwnership, (to));
        else {
            call.target = kind == 7 ? to : address(target);
            call.data = kind == 6 ? abi.encodeCall(target.fail, (seed)) : abi.encodeCall(target.poke, ());
            return (call, kind == 5);
        }
    }
}

contract CoinInvariants is Setup {
    CoinHandler private handler;

    function setUp() public override {
        super.setUp();
        coin = newCoin(wallet, true);
        handler = new CoinHandler(coin, wallet);
    }

    function targetContracts() external view returns (address[] memory list) {
        list = new address[](1);
        list[0] = address(handler);
    }

    /// @dev Supply, pause, lock, freeze and rights, after each of any actions in any order.
    function invariant_coin() external view {
        equal(handler.sum(), coin.totalSupply(), "the supply is the sum of the balances");
        equal(handler.broken(), "", handler.broken());
    }

    function test_manyActionsSucceed() external {
        for (uint256 i; i < 200; ++i) handler.act(i, i);
        isTrue(handler.succeeded() > 20, "actions succeeded");
    }

    /// @dev Whether a random run acts; `test_many...` shows that much of that goes through.
    function afterInvariant() external view {
        isTrue(handler.acts() != 0, "the run acted");
    }
}

contract CollectionInvariants is Setup {
    CollectionHandler private handler;

    function setUp() public override {
        super.setUp();
        nft = newNft(wallet, "", true);
        handler = new CollectionHandler(nft, wallet);
    }

    function targetContracts() external view returns (address[] memory list) {
        list = new address[](1);
        list[0] = address(handler);
    }

    /// @dev Ids, holdings, pause, lock, freeze and rights, after each of any actions in any order.
    function invariant_collection() external view {
        equal(handler.broken(), "", handler.broken());
        equal(nft.tokenState().supply, handler.newest(), "the newest id is the number minted");
    }

    function test_manyActionsSucceed() external {
        for (uint256 i; i < 200; ++i) handler.act(i);
        isTrue(handler.succeeded() > 20, "actions succeeded");
    }

    /// @dev Dearer to look at, so only once a run.
    function afterInvariant() external view {
        isTrue(handler.acts() != 0, "the run acted");
        (uint256 owned, uint256 balance) = handler.holdings();
        equal(owned, nft.totalSupply(), "tokens that are owned are the supply");
        equal(balance, nft.totalSupply(), "and so is the sum of the balances");
    }
}

contract BatchInvariants is Setup {
    BatchHandler private handler;

    function setUp() public override {
        super.setUp();
        Target target = new Target();
        allow(Target.poke.selector);
        allow(Target.fail.selector);
        handler = new BatchHandler(operator, nft, target, executor);
        grant(operator.EPOCH_ROLE(), address(handler));
        makeAdmin(address(handler));
    }

    function targetContracts() external view returns (address[] memory list) {
        list = new address[](1);
        list[0] = address(handler);
    }

    /// @dev Isolation, once-only and starvation, after each of any batches with any gas.
    function invariant_batches() external view {
        equal(handler.broken(), "", handler.broken());
        equal(nft.totalSupply(), handler.mints(), "every token has its reported mint");
        equal(nft.owner(), address(operator), "nobody took the contract");
    }

    function test_manyCallsSucceed() external {
        for (uint256 i; i < 200; ++i) {
            handler.act(i, i);
            if (i % 16 == 0) handler.interrupt(i);
        }
        isTrue(handler.succeeded() > 20, "calls went through");
        isTrue(handler.mintedByList() > 5, "by `executeMints` as well");
        isTrue(handler.mintedByRows() > 5, "and by `executeRows`");
    }

    /// @dev Whether a random run acts; `test_many...` shows that much of that goes through.
    function afterInvariant() external view {
        isTrue(handler.acts() != 0, "the run acted");
    }
}
