// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {AccessControlDefaultAdminRules} from "@openzeppelin/contracts/access/extensions/AccessControlDefaultAdminRules.sol";
import {Address} from "@openzeppelin/contracts/utils/Address.sol";
import {IOperator} from "./interfaces/IOperator.sol";
import {AllowList} from "./libraries/AllowList.sol";
import {CallBatch} from "./libraries/CallBatch.sol";
import {MintList} from "./libraries/MintList.sol";

/// @title The contract through which the service makes all its calls
/// @notice Runs the calls of many users in one transaction. Each has its own gas cap and may fail alone. Each intent
/// number has its effect at most once in its epoch, whoever sends it and however often. A stolen executor key can do all
/// that the allow-list lets executors do: mint within the bounds of each token, pause, freeze, write metadata, close mints
/// and freeze metadata for ever, and move holdings of recoverable tokens, of many tokens in one transaction. It cannot
/// take a contract, since no function that changes an owner, an operator, a role, the epoch or the stop can ever be
/// allowed. A guardian can stop execution at once, and the admin can end an epoch: what was signed for it has no effect
/// any more, and marks that a thief set in it are of no use. The admin is replaced in two steps, with a delay between
/// them. Nothing else that the admin does waits for that delay.
contract Operator is IOperator, AccessControlDefaultAdminRules {
    /// @notice Who may call {execute} and {executeMints}.
    bytes32 public constant EXECUTOR_ROLE = keccak256("EXECUTOR_ROLE");
    /// @notice Who may call {stopExecution} and {startExecution}, and nothing else.
    bytes32 public constant GUARDIAN_ROLE = keccak256("GUARDIAN_ROLE");

    /// @dev Gas reserved at each call: to access a cold target, mark the intent and log 1,024 bytes.
    uint256 private constant GAS_RESERVE = 45_000;
    /// @dev Gas reserved for a mint of a word that is not told yet: 12 bytes of the event, and to copy them.
    uint256 private constant GAS_RESERVE_PER_MINT = 150;
    /// @dev Marks in a word.
    uint256 private constant WORD_BITS = 256;
    /// @dev Far above the gas limit of any transaction; prevents overflows of the sums below, and lets the gas used fit
    /// in 32 bits.
    uint256 private constant MAX_GAS_CAP = 1 << 31;
    /// @dev Results from here on do not fit in the event of several mints.
    uint256 private constant MAX_PACKED_RESULT = 1 << 64;
    /// @dev Highest address of a precompile, which may answer without code.
    uint160 private constant LAST_PRECOMPILE = 0xffff;
    /// @dev Bits of an intent's number. Above them its id has the epoch.
    uint256 private constant NUMBER_BITS = 64;

    /// @dev What each execution looks at, in one word. `executor` is the one whose role was granted last, so that its
    /// role needs no other word; the zero address, which sends no transaction, once that role is gone. `denials` has
    /// the bits of `AllowList` of the functions that are not allowed any more.
    struct Control {
        uint48 epoch;
        bool stopped;
        uint40 denials;
        address executor;
    }

    /// @dev A batch while it runs. The marks of one word of the bitmap are kept here, and stored when an intent of
    /// another word comes or the batch ends: until then nobody can call in, and what reverts takes them along.
    struct Batch {
        /// @dev Epoch and number that those of the calls are counted from.
        uint256 firstIntent;
        uint256 denials;
        uint256 gasReserve;
        uint256 wordIndex;
        uint256 marks;
        uint256 storedMarks;
        /// @dev Mints that are not told yet, and their results. Without a list, each is told by itself.
        uint256 untold;
        bytes results;
        /// @dev Results below it are put there.
        uint256 packedBelow;
    }

    uint256 private transient executing;
    Control private control = Control(1, false, 0, address(0));
    mapping(uint256 wordIndex => uint256 marks) private intentWords;
    mapping(bytes4 selector => bool) private furtherSelectors;

    /// @notice Starts with an admin and no executor.
    /// @param admin may grant and revoke roles, allow further functions and call anything
    /// @param adminDelay seconds between the two steps by which another admin takes over
    constructor(address admin, uint48 adminDelay) AccessControlDefaultAdminRules(adminDelay, admin) {}

    /// @inheritdoc IOperator
    function execute(uint48 ofEpoch, Call[] calldata calls) external returns (Result[] memory) {
        Batch memory batch = _begin(ofEpoch);
        (uint256 heads, uint256 end) = CallBatch.open(calls.length);
        for (uint256 i; i < calls.length; ++i) {
            CallBatch.setHead(heads, i, end);
            uint256 one = CallBatch.locate(calls, i);
            (address target, uint256 gasCap, uint256 number) = CallBatch.read(one);
            if (number >> NUMBER_BITS != 0) revert InvalidNumber(number);
            uint256 intent = batch.firstIntent | number;
            _load(batch, intent);
            uint256 size = CallBatch.copyData(one, end);
            bool allowed = _isAllowed(CallBatch.selectorAt(end), batch.denials);
            end = _run(batch, intent, target, gasCap, allowed, end, size);
        }
        _finish(batch);
        CallBatch.close(heads, end);
    }

    /// @inheritdoc IOperator
    function executeMints(
        uint48 ofEpoch,
        uint144 firstNumber,
        uint72 count,
        bytes calldata mints
    ) external returns (Result[] memory) {
        Batch memory batch = _begin(ofEpoch);
        if (firstNumber > type(uint64).max - type(uint16).max) revert InvalidNumber(firstNumber);
        uint256 most = count < WORD_BITS ? count : WORD_BITS;
        batch.firstIntent |= firstNumber;
        batch.gasReserve += GAS_RESERVE_PER_MINT * most;
        batch.packedBelow = MAX_PACKED_RESULT;
        batch.results = CallBatch.newPacked(most);
        (uint256 targets, uint256 mint) = MintList.begin(mints);
        (uint256 heads, uint256 end) = CallBatch.open(count);
        for (uint256 i; i < count; ++i) {
            CallBatch.setHead(heads, i, end);
            (mint, end) = _runMint(batch, targets, mint, end);
        }
        _finish(batch);
        CallBatch.close(heads, end);
    }

    /// @inheritdoc IOperator
    function adminExecute(
        address target,
        bytes calldata data
    ) external payable onlyRole(DEFAULT_ADMIN_ROLE) returns (bytes memory answer) {
        _enter();
        if (target.code.length == 0) revert TargetWithoutCode(target);
        answer = Address.functionCallWithValue(target, data, msg.value);
        emit AdminExecuted(target, msg.value, data);
        _leave();
    }

    /// @inheritdoc IOperator
    function setSelectorAllowed(bytes4 selector, bool allowed) external onlyRole(DEFAULT_ADMIN_ROLE) {
        if (AllowList.isDenied(selector)) revert SelectorDenied(selector);
        uint40 bit = AllowList.builtInBit(selector);
        if (bit == 0) furtherSelectors[selector] = allowed;
        else if (allowed) control.denials &= ~bit;
        else control.denials |= bit;
        emit SelectorAllowanceChanged(selector, allowed);
    }

    /// @inheritdoc IOperator
    function raiseEpoch() external onlyRole(DEFAULT_ADMIN_ROLE) {
        emit EpochRaised(++control.epoch);
    }

    /// @inheritdoc IOperator
    function stopExecution() external {
        _checkGuardian();
        control.stopped = true;
        emit ExecutionStopChanged(msg.sender, true);
    }

    /// @inheritdoc IOperator
    function startExecution() external {
        _checkGuardian();
        control.stopped = false;
        emit ExecutionStopChanged(msg.sender, false);
    }

    /// @inheritdoc IOperator
    function epoch() external view returns (uint64) {
        return control.epoch;
    }

    /// @inheritdoc IOperator
    function stopped() external view returns (bool) {
        return control.stopped;
    }

    /// @inheritdoc IOperator
    function isSelectorAllowed(bytes4 selector) external view returns (bool) {
        return _isAllowed(selector, control.denials);
    }

    /// @inheritdoc IOperator
    function intentDone(uint256 intent) external view returns (bool) {
        return intentWords[intent >> 8] & _markOf(intent) != 0;
    }

    /// @inheritdoc IOperator
    function intentWord(uint256 wordIndex) external view returns (uint256) {
        return intentWords[wordIndex];
    }

    /// @dev Runs a mint of the list. Returns where the next one is, and the new end of the memory in use.
    function _runMint(
        Batch memory batch,
        uint256 targets,
        uint256 mint,
        uint256 end
    ) private returns (uint256, uint256) {
        uint256 intent = MintList.intentOf(mint, batch.firstIntent);
        _load(batch, intent);
        (address token, uint256 gasCap, uint256 amountBytes) = MintList.readTarget(targets, mint);
        uint256 size = MintList.writeData(mint, amountBytes, end);
        bool allowed =
            batch.denials & (amountBytes == 0 ? AllowList.MINT_BIT : AllowList.MINT_AMOUNT_BIT) == 0;
        end = _run(batch, intent, token, gasCap, allowed, end, size);
        return (MintList.next(mint, amountBytes), end);
    }

    /// @dev Runs or refuses the call of an intent of the word that is loaded, whose data is at the end of the memory in use, and writes its
    /// `Result` in its place. Returns the new end.
    function _run(
        Batch memory batch,
        uint256 intent,
        address target,
        uint256 gasCap,
        bool allowed,
        uint256 end,
        uint256 size
    ) private returns (uint256 newEnd) {
        if (_isDone(batch, intent)) return _refuse(intent, end, IntentAlreadyDone.selector, intent);
        if (!allowed)
            return
                _refuse(
                    intent,
                    end,
                    SelectorNotAllowed.selector,
                    uint256(bytes32(CallBatch.selectorAt(end)))
                );
        if (!_isPossible(gasCap)) return _refuse(intent, end, InvalidGasCap.selector, gasCap);
        if (!_isEnoughGas(gasCap, batch.gasReserve)) revert InsufficientGas();
        bool ok;
        uint256 gasUsed;
        (ok, gasUsed, newEnd) = CallBatch.make(target, gasCap, end, size);
        if (!ok) emit CallFailed(intent, gasUsed, CallBatch.returned(end));
        else if (!_hasEffect(target, CallBatch.returned(end).length))
            return _refuse(intent, end, TargetWithoutCode.selector, uint160(target));
        else _record(batch, intent, gasUsed, CallBatch.firstWord(end));
    }

    /// @dev Goes to the word of an intent. To be done before anything is put at the end of the memory in use, where an
    /// event is encoded.
    function _load(Batch memory batch, uint256 intent) private {
        uint256 wordIndex = intent >> 8;
        if (wordIndex == batch.wordIndex) return;
        _store(batch);
        batch.wordIndex = wordIndex;
        batch.marks = batch.storedMarks = intentWords[wordIndex];
    }

    /// @dev Whether an intent of the word was done before, in this batch or in an earlier one.
    function _isDone(Batch memory batch, uint256 intent) private pure returns (bool) {
        return batch.marks & _markOf(intent) != 0;
    }

    /// @dev Whether executors may call the function.
    function _isAllowed(bytes4 selector, uint256 denials) private view returns (bool) {
        uint256 bit = AllowList.builtInBit(selector);
        return bit == 0 ? furtherSelectors[selector] : denials & bit == 0;
    }

    function _isPossible(uint256 gasCap) private pure returns (bool) {
        unchecked {
            return gasCap - 1 < MAX_GAS_CAP;
        }
    }

    /// @dev Whether a call gets its whole cap: the EVM gives it at most 63/64 of the remaining gas. One that cannot is
    /// not made, so that a call only runs out of gas when its cap is too low. To be asked once the data is in memory,
    /// for copying it may cost more than the reserve.
    function _isEnoughGas(uint256 gasCap, uint256 reserve) private view returns (bool) {
        unchecked {
            return gasleft() >= gasCap + gasCap / 63 + reserve;
        }
    }

    /// @dev Whether a successful call was one of a contract. A call to an account without code returns nothing, a
    /// precompile may return anything.
    function _hasEffect(address target, uint256 returnedBytes) private view returns (bool) {
        if (returnedBytes != 0 && uint160(target) > LAST_PRECOMPILE) return true;
        return target.code.length != 0;
    }

    /// @dev Marks the intent as done and tells its result, or keeps it for the event of its word. There the results are
    /// in the order of the marks.
    function _record(Batch memory batch, uint256 intent, uint256 gasUsed, uint256 result) private {
        uint256 mark = _markOf(intent);
        batch.marks |= mark;
        if (result >= batch.packedBelow) {
            emit CallExecuted(intent, gasUsed, result);
            return;
        }
        if (mark < batch.untold) _tell(batch);
        batch.untold |= mark;
        CallBatch.appendPacked(batch.results, gasUsed, result);
    }

    /// @dev Writes the `Result` of a call that is refused, and tells it.
    function _refuse(
        uint256 intent,
        uint256 end,
        bytes4 refusal,
        uint256 argument
    ) private returns (uint256 newEnd) {
        newEnd = CallBatch.refuse(end, refusal, argument);
        emit CallFailed(intent, 0, CallBatch.returned(end));
    }

    /// @dev Stores the marks of the word that the batch is at, and tells what was not told of it.
    function _store(Batch memory batch) private {
        if (batch.marks != batch.storedMarks) intentWords[batch.wordIndex] = batch.marks;
        if (batch.untold != 0) _tell(batch);
    }

    function _tell(Batch memory batch) private {
        emit MintsExecuted(batch.wordIndex, batch.untold, batch.results);
        batch.untold = 0;
        CallBatch.clear(batch.results);
    }

    function _begin(uint48 ofEpoch) private returns (Batch memory batch) {
        Control storage current = control;
        if (msg.sender != current.executor) _checkRole(EXECUTOR_ROLE, msg.sender);
        if (current.stopped) revert ExecutionStopped();
        if (current.epoch != ofEpoch) revert WrongEpoch(current.epoch);
        _enter();
        batch.firstIntent = uint256(ofEpoch) << NUMBER_BITS;
        batch.denials = current.denials;
        batch.gasReserve = GAS_RESERVE;
    }

    function _finish(Batch memory batch) private {
        _store(batch);
        _leave();
    }

    /// @dev Keeps `control.executor` an address that has the role.
    function _grantRole(bytes32 role, address account) internal override returns (bool granted) {
        granted = super._grantRole(role, account);
        if (granted && role == EXECUTOR_ROLE) control.executor = account;
    }

    /// @dev Likewise; {renounceRole} ends here too.
    function _revokeRole(bytes32 role, address account) internal override returns (bool revoked) {
        revoked = super._revokeRole(role, account);
        if (revoked && role == EXECUTOR_ROLE && control.executor == account) control.executor = address(0);
    }

    /// @dev The admin may do what a guardian may: it could make itself one anyway.
    function _checkGuardian() private view {
        if (!hasRole(DEFAULT_ADMIN_ROLE, msg.sender)) _checkRole(GUARDIAN_ROLE, msg.sender);
    }

    function _enter() private {
        if (executing != 0) revert ReentrantCall();
        executing = 1;
    }

    function _leave() private {
        executing = 0;
    }

    function _markOf(uint256 intent) private pure returns (uint256) {
        return 1 << (intent & 0xff);
    }
}
