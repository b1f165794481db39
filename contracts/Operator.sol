// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IAccessControl} from "@openzeppelin/contracts/access/IAccessControl.sol";
import {AccessControlDefaultAdminRules} from "@openzeppelin/contracts/access/extensions/AccessControlDefaultAdminRules.sol";
import {Address} from "@openzeppelin/contracts/utils/Address.sol";
import {ICloneFactory} from "./interfaces/ICloneFactory.sol";
import {IManagedToken} from "./interfaces/IManagedToken.sol";
import {IManagedERC721} from "./interfaces/IManagedERC721.sol";
import {IManagedERC20} from "./interfaces/IManagedERC20.sol";
import {IOperator} from "./interfaces/IOperator.sol";
import {AllowList} from "./libraries/AllowList.sol";
import {CallBatch} from "./libraries/CallBatch.sol";
import {MintList} from "./libraries/MintList.sol";

/// @title The contract through which the service makes all its calls
/// @notice Runs the calls of many users in one transaction. Each has its own gas cap and may fail alone. Each intent
/// number has its effect at most once in its epoch, whoever sends it and however often.
///
/// What a stolen key reaches: that of an executor all verbs, so it mints within the bounds of each token, pauses, freezes,
/// writes metadata, moves holdings of recoverable tokens, closes what can be taken back for a day, and ends epochs. It cannot
/// take a contract. That of a guardian stops execution, cancels what the admin scheduled, and takes back what was given up. That of
/// the epoch ends an epoch, once in ten minutes: what was signed for it has no effect any more. That of the admin does
/// anything else after the delay, in which a guardian can cancel it, as it can another delay and another admin; at once it
/// can only halt and start, freeze, lower, revoke, and take back what was given up. No guardian cancels the end of a guardian's role, else stolen ones could never be
/// revoked: so guardians hold off a stolen admin's key for one delay more, and stolen ones hold up the admin for one.
contract Operator is IOperator, AccessControlDefaultAdminRules {
    /// @notice Who may call {execute}, {executeMints} and {executeRows}. Is granted and taken together with `EPOCH_ROLE`.
    bytes32 public constant EXECUTOR_ROLE = keccak256("EXECUTOR_ROLE");
    /// @notice Who may call {stopExecution}, {startExecution}, {cancel}, {cancelDefaultAdminTransfer},
    /// {rollbackDefaultAdminDelay} and {takeBack}, and nothing else.
    bytes32 public constant GUARDIAN_ROLE = keccak256("GUARDIAN_ROLE");
    /// @notice Who may call {raiseEpoch}, and nothing else.
    bytes32 public constant EPOCH_ROLE = keccak256("EPOCH_ROLE");
    /// @dev Who grants and revokes the roles above: this contract alone and for ever, for its admin, by {adminExecute}.
    bytes32 private constant SELF_ROLE = keccak256("SELF_ROLE");

    /// @dev Gas reserved at each call: to access a cold target, mark the intent and log 1,024 bytes.
    uint256 private constant GAS_RESERVE = 45_000;
    /// @dev Gas reserved for a mint of a word that is not told yet: 20 bytes of the event, and to copy them.
    uint256 private constant GAS_RESERVE_PER_MINT = 220;
    /// @dev Marks in a word.
    uint256 private constant WORD_BITS = 256;
    /// @dev Far above the gas limit of any transaction; prevents overflows of the sums below, and lets the gas used fit
    /// in 32 bits.
    uint256 private constant MAX_GAS_CAP = 1 << 31;
    /// @dev Highest address of a precompile, which may answer without code.
    uint160 private constant LAST_PRECOMPILE = 0xffff;
    /// @dev Bits of an intent's number. Above them its id has the epoch, and a call the client's key.
    uint256 private constant NUMBER_BITS = 64;
    uint256 private constant MAX_NUMBER = type(uint64).max;
    /// @dev The longest delay of the admin.
    uint48 private constant MAX_ADMIN_DELAY = 365 days;
    /// @dev Between two raises of the epoch.
    uint256 private constant RAISE_INTERVAL = 10 minutes;

    /// @dev What each execution looks at, in one word. `executor` is the one whose role was granted last, so that its
    /// role needs no other word; the zero address, which sends no transaction, once that role is gone.
    struct Control {
        uint40 epoch;
        uint32 raisedAt;
        bool stopped;
        bool hasForbiddenVerbs;
        bool hasBegun;
        address executor;
    }

    /// @dev What the admin said of a function.
    enum Allowance {
        AsDeployed,
        Allowed,
        Forbidden
    }

    /// @dev What the admin announced: from when on it can be done, and whether it ends a guardian's role.
    struct Announced {
        uint64 due;
        bool endsGuardian;
    }

    /// @dev A batch while it runs. The marks of one word of the bitmap are kept here, and stored when an intent of
    /// another word comes or the batch ends: until then nobody can call in, and what reverts takes them along.
    struct Batch {
        /// @dev Epoch and number that those of the calls are counted from.
        uint256 firstIntent;
        bool hasForbiddenVerbs;
        uint256 gasReserve;
        uint256 wordIndex;
        uint256 marks;
        uint256 storedMarks;
        /// @dev Mints that are not told yet, and their results.
        uint256 untold;
        bytes results;
        /// @dev Whether they are told by words, and which mints are allowed.
        bool isPacked;
        bool mayMint;
        bool mayMintAmounts;
    }

    /// @dev The functions that executors may call from the start, 8 to a word.
    uint256 private immutable VERBS_0;
    uint256 private immutable VERBS_1;
    uint256 private immutable VERBS_2;
    uint256 private immutable VERBS_3;

    uint256 private transient executing;
    Control private control = Control(1, 0, false, false, false, address(0));
    mapping(uint256 wordIndex => uint256 marks) private intentWords;
    mapping(bytes4 selector => Allowance) private allowances;
    mapping(bytes32 id => Announced) private announced;

    /// @notice Starts with an admin and without any executor.
    /// @dev Reverts `SelectorDenied`.
    /// @param admin may do anything that executors and guardians may not, after the delay
    /// @param adminDelay seconds that it waits, and between the two steps by which another admin takes over
    /// @param verbs functions that executors may call, 8 of 4 bytes to a word; one of them fills the rest
    constructor(
        address admin,
        uint48 adminDelay,
        uint256[4] memory verbs
    ) AccessControlDefaultAdminRules(adminDelay, admin) {
        for (uint256 i; i < 32; ++i) {
            bytes4 selector = bytes4(uint32(verbs[i / 8] >> (32 * (i % 8))));
            if (AllowList.isDenied(selector)) revert SelectorDenied(selector);
        }
        (VERBS_0, VERBS_1, VERBS_2, VERBS_3) = (verbs[0], verbs[1], verbs[2], verbs[3]);
        // Its own too: the admin would be the one that grants it.
        _setRoleAdmin(SELF_ROLE, SELF_ROLE);
        _setRoleAdmin(EXECUTOR_ROLE, SELF_ROLE);
        _setRoleAdmin(GUARDIAN_ROLE, SELF_ROLE);
        _setRoleAdmin(EPOCH_ROLE, SELF_ROLE);
        _grantRole(SELF_ROLE, address(this));
    }

    /// @inheritdoc IOperator
    function execute(uint48 ofEpoch, Call[] calldata calls) external returns (Result[] memory) {
        Batch memory batch = _begin(ofEpoch);
        (uint256 heads, uint256 end) = CallBatch.open(calls.length);
        for (uint256 i; i < calls.length; ++i) {
            CallBatch.setHead(heads, i, end);
            end = _runCall(batch, CallBatch.locate(calls, i), end);
        }
        _finish(batch);
        CallBatch.close(heads, end);
    }

    /// @inheritdoc IOperator
    function executeMints(
        uint48 ofEpoch,
        uint64 firstNumber,
        uint256 count,
        bytes calldata mints
    ) external returns (Result[] memory) {
        Batch memory batch = _begin(ofEpoch);
        if (firstNumber > MAX_NUMBER - type(uint16).max) revert InvalidNumber(firstNumber);
        uint256 most = count < WORD_BITS ? count : WORD_BITS;
        batch.firstIntent |= firstNumber;
        batch.gasReserve += GAS_RESERVE_PER_MINT * most;
        batch.isPacked = true;
        batch.mayMint = _isAllowed(IManagedERC721.mintNext.selector, batch.hasForbiddenVerbs);
        batch.mayMintAmounts = _isAllowed(IManagedERC20.mint.selector, batch.hasForbiddenVerbs);
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
    function executeRows(uint48 ofEpoch, Rows calldata rows) external returns (Result memory result) {
        Batch memory batch = _begin(ofEpoch);
        if (rows.firstNumber > MAX_NUMBER || rows.firstNumber % WORD_BITS != 0)
            revert InvalidNumber(rows.firstNumber);
        _load(batch, batch.firstIntent | rows.firstNumber);
        uint256 wanted = rows.wanted & ~batch.marks;
        bytes4 selector =
            rows.amountBytes == 0 ? IManagedERC721.mintRows.selector : IManagedERC20.mintRows.selector;
        _requireRunnable(rows, selector, batch);
        bytes memory data =
            rows.amountBytes == 0
                ? abi.encodeCall(IManagedERC721.mintRows, (wanted, rows.rows))
                : abi.encodeCall(IManagedERC20.mintRows, (wanted, rows.amountBytes, rows.rows));
        if (!_isEnoughGas(rows.gasCap, GAS_RESERVE)) revert InsufficientGas();
        (result.ok, result.gasUsed, result.returnData) = CallBatch.makeOne(rows.token, rows.gasCap, data);
        if (!result.ok) {
            emit CallFailed(batch.firstIntent | rows.firstNumber, result.gasUsed, result.returnData);
        } else {
            // All of it is taken back: nobody can tell what was done.
            if (result.returnData.length < 64) revert InvalidAnswer(rows.token);
            (uint256 done, uint256 first) = abi.decode(result.returnData, (uint256, uint256));
            batch.marks |= done & wanted;
            emit RowsExecuted(batch.wordIndex, done & wanted, result.gasUsed, first, rows.key);
        }
        _finish(batch);
    }

    /// @inheritdoc IOperator
    function schedule(
        address target,
        bytes calldata data
    ) external onlyRole(DEFAULT_ADMIN_ROLE) returns (bytes32 id) {
        id = scheduleId(target, data);
        if (announced[id].due != 0) revert AlreadyScheduled(id);
        uint64 due = uint64(block.timestamp) + defaultAdminDelay();
        announced[id] = Announced(due, _endsGuardian(target, data));
        emit AdminScheduled(id, target, data, due);
    }

    /// @inheritdoc IOperator
    function cancel(bytes32 id) external {
        _checkGuardian();
        Announced memory one = announced[id];
        if (one.due == 0) revert NotScheduled(id);
        if (one.endsGuardian) _checkRole(DEFAULT_ADMIN_ROLE);
        delete announced[id];
        emit AdminCancelled(id, msg.sender);
    }

    /// @inheritdoc IOperator
    function adminExecute(
        address target,
        bytes calldata data
    ) external payable onlyRole(DEFAULT_ADMIN_ROLE) returns (bytes memory answer) {
        _enter();
        if (target.code.length == 0) revert TargetWithoutCode(target);
        bytes32 id = scheduleId(target, data);
        if (_actsAtOnce(target, data)) delete announced[id];
        else _useSchedule(id);
        answer = Address.functionCallWithValue(target, data, msg.value);
        emit AdminExecuted(target, msg.value, data);
        _leave();
    }

    /// @inheritdoc IOperator
    function takeBack(address target, bytes calldata data) external returns (bytes memory) {
        _checkGuardian();
        bytes4 selector = bytes4(data);
        if (
            selector != IManagedToken.reopenMint.selector &&
            selector != bytes4(keccak256("unfreezeMetadata()")) &&
            selector != bytes4(keccak256("unfreezeMetadata(uint256)")) &&
            selector != IManagedToken.restoreControls.selector
        ) revert SelectorNotAllowed(selector);
        return Address.functionCall(target, data);
    }

    /// @inheritdoc IOperator
    function setSelectorAllowed(bytes4 selector, bool allowed) external onlyRole(SELF_ROLE) {
        if (AllowList.isDenied(selector)) revert SelectorDenied(selector);
        allowances[selector] = allowed ? Allowance.Allowed : Allowance.Forbidden;
        // It would be allowed all the same if nobody looked for denials.
        if (!allowed && _isAllowed(selector, false)) control.hasForbiddenVerbs = true;
        emit SelectorAllowanceChanged(selector, allowed);
    }

    /// @inheritdoc IOperator
    function raiseEpoch(uint48 expected, bytes32 tag) external onlyRole(EPOCH_ROLE) {
        Control storage current = control;
        if (current.epoch != expected) revert WrongEpoch(current.epoch);
        uint256 next = current.raisedAt + RAISE_INTERVAL;
        if (block.timestamp < next) revert RaisedRecently(next);
        current.raisedAt = uint32(block.timestamp);
        emit EpochRaised(++current.epoch, tag);
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

    /// @notice Begins the transfer of the admin's role, as OpenZeppelin's, but not to this contract: then nothing would wait
    /// for the delay any more that the admin's own calls could ask for.
    /// @dev Reverts `AccessControlUnauthorizedAccount`, `AccessControlInvalidDefaultAdmin`.
    /// @param newAdmin who may accept it after the delay
    function beginDefaultAdminTransfer(address newAdmin) public override {
        if (newAdmin == address(this)) revert AccessControlInvalidDefaultAdmin(newAdmin);
        super.beginDefaultAdminTransfer(newAdmin);
    }

    /// @notice Begins a change of the admin's delay, as OpenZeppelin's, but to a year at most: beyond that nothing would ever be
    /// due again. A longer delay waits for itself, a shorter one for all of the present one.
    /// @dev Reverts `AccessControlUnauthorizedAccount`, `InvalidAdminDelay`.
    /// @param newDelay seconds
    function changeDefaultAdminDelay(uint48 newDelay) public override {
        if (newDelay > MAX_ADMIN_DELAY) revert InvalidAdminDelay(newDelay);
        super.changeDefaultAdminDelay(newDelay);
    }

    /// @notice The most that a longer delay waits until it is in force: all of itself, so never less than the one before it.
    /// @return seconds
    function defaultAdminDelayIncreaseWait() public pure override returns (uint48) {
        return MAX_ADMIN_DELAY;
    }

    /// @dev OpenZeppelin's waits for the difference: a delay that is one second shorter is in force before anybody can cancel it, and so
    /// is the next one.
    function _delayChangeWait(uint48 newDelay) internal view override returns (uint48) {
        uint48 present = defaultAdminDelay();
        return newDelay > present ? super._delayChangeWait(newDelay) : present;
    }

    /// @notice Cancels the transfer of the admin's role, as OpenZeppelin's. Only for guardians and the admin.
    /// @dev Reverts `AccessControlUnauthorizedAccount`.
    function cancelDefaultAdminTransfer() public override {
        _checkGuardian();
        _cancelDefaultAdminTransfer();
    }

    /// @notice Cancels a change of the delay, as OpenZeppelin's. Only for guardians and the admin.
    /// @dev Reverts `AccessControlUnauthorizedAccount`.
    function rollbackDefaultAdminDelay() public override {
        _checkGuardian();
        _rollbackDefaultAdminDelay();
    }

    /// @inheritdoc IOperator
    function scheduleId(address target, bytes calldata data) public pure returns (bytes32) {
        return keccak256(abi.encode(target, data));
    }

    /// @inheritdoc IOperator
    function dueAt(bytes32 id) external view returns (uint256) {
        return announced[id].due;
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
        return _isAllowed(selector, control.hasForbiddenVerbs);
    }

    /// @inheritdoc IOperator
    function intentDone(uint256 intent) external view returns (bool) {
        return intentWords[intent >> 8] & _markOf(intent) != 0;
    }

    /// @inheritdoc IOperator
    function intentWord(uint256 wordIndex) external view returns (uint256) {
        return intentWords[wordIndex];
    }

    /// @dev Runs the call at this place in calldata. Returns the new end of the memory in use.
    function _runCall(Batch memory batch, uint256 one, uint256 end) private returns (uint256) {
        (address target, uint256 gasCap, uint256 number) = CallBatch.read(one);
        uint256 key = number >> NUMBER_BITS;
        if (key > type(uint64).max) revert InvalidNumber(number);
        uint256 intent = batch.firstIntent | (number & MAX_NUMBER);
        _load(batch, intent);
        uint256 size = CallBatch.copyData(one, end);
        bool allowed = _isAllowed(CallBatch.selectorAt(end), batch.hasForbiddenVerbs);
        return _run(batch, intent, key, target, gasCap, allowed, end, size);
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
        bool allowed = amountBytes == 0 ? batch.mayMint : batch.mayMintAmounts;
        end = _run(batch, intent, MintList.keyOf(mint), token, gasCap, allowed, end, size);
        return (MintList.next(mint, amountBytes), end);
    }

    /// @dev Runs or refuses the call of an intent of the word that is loaded, whose data is at the end of the memory in use,
    /// and writes its `Result` in its place. Returns the new end.
    function _run(
        Batch memory batch,
        uint256 intent,
        uint256 key,
        address target,
        uint256 gasCap,
        bool allowed,
        uint256 end,
        uint256 size
    ) private returns (uint256 newEnd) {
        if (_isDone(batch, intent)) return _refuse(intent, end, IntentAlreadyDone.selector, intent);
        if (!allowed || target == address(this))
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
        else _record(batch, intent, key, gasUsed, CallBatch.firstWord(end));
    }

    /// @dev Reverts unless rows can be run at all.
    function _requireRunnable(Rows calldata rows, bytes4 selector, Batch memory batch) private view {
        if (rows.token == address(this) || !_isAllowed(selector, batch.hasForbiddenVerbs))
            revert SelectorNotAllowed(selector);
        if (!_isPossible(rows.gasCap)) revert InvalidGasCap(rows.gasCap);
        if (rows.token.code.length == 0) revert TargetWithoutCode(rows.token);
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

    /// @dev Whether executors may call the function. What is allowed from the start needs no word of storage.
    function _isAllowed(bytes4 selector, bool hasForbiddenVerbs) private view returns (bool) {
        uint256 lanes = AllowList.eightTimes(selector);
        bool fromTheStart =
            AllowList.contains(VERBS_0, lanes) ||
                AllowList.contains(VERBS_1, lanes) ||
                AllowList.contains(VERBS_2, lanes) ||
                AllowList.contains(VERBS_3, lanes);
        if (!fromTheStart) return allowances[selector] == Allowance.Allowed;
        return !hasForbiddenVerbs || allowances[selector] != Allowance.Forbidden;
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
    /// in the order of the marks, and a word beyond 2^64 - 1, which no token id is, as that.
    function _record(
        Batch memory batch,
        uint256 intent,
        uint256 key,
        uint256 gasUsed,
        uint256 result
    ) private {
        uint256 mark = _markOf(intent);
        batch.marks |= mark;
        if (!batch.isPacked) {
            emit CallExecuted(intent, (key << NUMBER_BITS) | gasUsed, result);
            return;
        }
        if (mark < batch.untold) _tell(batch);
        batch.untold |= mark;
        if (result > MAX_NUMBER) result = MAX_NUMBER;
        CallBatch.appendPacked(batch.results, gasUsed, result, key);
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
        batch.firstIntent = uint256(ofEpoch) << NUMBER_BITS;
        batch.hasForbiddenVerbs = current.hasForbiddenVerbs;
        batch.gasReserve = GAS_RESERVE;
        if (!current.hasBegun) current.hasBegun = true;
        _enter();
    }

    function _finish(Batch memory batch) private {
        _store(batch);
        _leave();
    }

    /// @dev Keeps `control.executor` an address that has the role. An executor may raise the epoch too: its service has to,
    /// and whoever took its key could do more than that anyway.
    function _grantRole(bytes32 role, address account) internal override returns (bool granted) {
        if (role == SELF_ROLE && account != address(this))
            revert AccessControlUnauthorizedAccount(account, role);
        granted = super._grantRole(role, account);
        if (!granted || role != EXECUTOR_ROLE) return granted;
        control.executor = account;
        super._grantRole(EPOCH_ROLE, account);
    }

    /// @dev Likewise; {renounceRole} ends here too. Else a key whose role was taken at once could end epochs until the delay of
    /// the other one is over.
    function _revokeRole(bytes32 role, address account) internal override returns (bool revoked) {
        if (role == SELF_ROLE) revert AccessControlUnauthorizedAccount(account, role);
        revoked = super._revokeRole(role, account);
        if (!revoked || role != EXECUTOR_ROLE) return revoked;
        if (control.executor == account) control.executor = address(0);
        super._revokeRole(EPOCH_ROLE, account);
    }

    /// @dev Whether a call of the admin needs no delay: it only takes powers away, or nothing was executed yet that a thief
    /// could want.
    function _actsAtOnce(address target, bytes calldata data) private view returns (bool) {
        if (!control.hasBegun) return true;
        bytes4 selector = bytes4(data);
        if (target == address(this)) {
            if (selector == IAccessControl.revokeRole.selector) return bytes32(data[4:36]) == EXECUTOR_ROLE;
            return selector == IOperator.setSelectorAllowed.selector && uint256(bytes32(data[36:68])) == 0;
        }
        return
            selector == IManagedToken.pause.selector ||
            selector == IManagedToken.lockTransfers.selector ||
            selector == IManagedToken.freeze.selector ||
            selector == IManagedToken.lowerMintLimit.selector ||
            selector == ICloneFactory.pauseCreation.selector;
    }

    /// @dev Whether a call ends the role of a guardian.
    function _endsGuardian(address target, bytes calldata data) private view returns (bool) {
        if (target != address(this) || data.length < 36) return false;
        return bytes4(data) == IAccessControl.revokeRole.selector && bytes32(data[4:36]) == GUARDIAN_ROLE;
    }

    /// @dev Reverts unless what was scheduled is due, and takes it off the schedule. Without a delay nothing has to be on it.
    function _useSchedule(bytes32 id) private {
        uint256 due = announced[id].due;
        if (due == 0) {
            if (defaultAdminDelay() != 0) revert NotScheduled(id);
            return;
        }
        if (block.timestamp < due) revert NotDue(id, due);
        delete announced[id];
    }

    /// @dev The admin may do what a guardian may.
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
