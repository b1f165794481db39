// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// @title The contract through which the service makes all its calls
/// @notice Executors (hot) run allowed functions, each intent at most once in an epoch. Guardians stop and start that, cancel
/// what the admin scheduled, and take back what was given up for ever. The epoch's role raises the epoch. The admin (cold)
/// does anything else after a delay, and at once what guardians may and what only takes powers away. Another admin takes
/// over in two steps, with the same delay between them (`AccessControlDefaultAdminRules` of OpenZeppelin).
/// @dev An intent is named by one word: its epoch, shifted left by 64 bits, and its number, which is below 2^64. The
/// first epoch is 1.
interface IOperator {
    /// @notice One call of a batch.
    /// @param target the contract to call
    /// @param gasCap the most gas that the call may use; not zero
    /// @param number of the intent in the epoch of the batch, below 2^64, marked once the call has succeeded; above it the
    /// client's key, 64 bits that the event repeats, and nothing else depends on
    /// @param data selector and arguments
    struct Call {
        address target;
        uint64 gasCap;
        uint256 number;
        bytes data;
    }

    /// @notice Mints of one token, one to a recipient each, whose numbers share a word of the bitmap.
    /// @param token the contract to call
    /// @param gasCap the most gas that all of them may use; not zero
    /// @param firstNumber number of the intent of the first row, a multiple of 256
    /// @param wanted bit `i` is set when row `i` is to be minted, unless it was before
    /// @param key of the client, below 2^64
    /// @param amountBytes how many bytes an amount has, at most 26; 0 for an ERC-721
    /// @param rows at most 256, without gaps: the recipient (20 bytes), and the amount
    struct Rows {
        address token;
        uint64 gasCap;
        uint256 firstNumber;
        uint256 wanted;
        uint64 key;
        uint256 amountBytes;
        bytes rows;
    }

    /// @notice The outcome of a call.
    /// @param ok whether it succeeded
    /// @param gasUsed gas that the call used; 0 when it was refused
    /// @param returnData what it returned, or its revert data, or the refusal as a custom error; first 1,024 bytes
    struct Result {
        bool ok;
        uint256 gasUsed;
        bytes returnData;
    }

    /// @notice A call succeeded and its intent is marked as done.
    /// @param intent epoch and number of the intent
    /// @param keyAndGas gas that the call used (64 bits), and above it the client's key
    /// @param result the first word that the call returned, such as a token id or an address; 0 when it returned none
    event CallExecuted(uint256 indexed intent, uint256 keyAndGas, uint256 result);

    /// @notice Mints of one {executeMints} succeeded and their intents are marked as done.
    /// @param wordIndex epoch and number of the intents without their last 8 bits, as {intentWord} takes it
    /// @param mask bit `i` is set when the intent whose last 8 bits are `i` is among them
    /// @param results 20 bytes for each of them, in the order of the bits: gas that the call used (4 bytes), the first word
    /// that it returned, such as the token id (8 bytes; 2^64 - 1 for what does not fit), the client's key (8 bytes)
    event MintsExecuted(uint256 indexed wordIndex, uint256 mask, bytes results);

    /// @notice Rows of one {executeRows} were minted and their intents are marked as done.
    /// @param wordIndex epoch and number of the intents without their last 8 bits, as {intentWord} takes it
    /// @param done bit `i` is set when row `i` was minted by this call
    /// @param gasUsed gas that the call used
    /// @param first ERC-721: id of the first token, the others follow in the order of the rows; 0 for ERC-20
    /// @param key of the client
    event RowsExecuted(uint256 indexed wordIndex, uint256 done, uint256 gasUsed, uint256 first, uint64 key);

    /// @notice A call failed or was refused, without an effect.
    /// @param intent epoch and number of the intent
    /// @param gasUsed gas that the call used; 0 when it was refused
    /// @param reason its revert data or the refusal as a custom error; first 1,024 bytes
    event CallFailed(uint256 indexed intent, uint256 gasUsed, bytes reason);

    /// @notice The admin wants to call a contract once the delay is over.
    /// @param id see {scheduleId}
    /// @param target the contract
    /// @param data selector and arguments
    /// @param due seconds since 1970
    event AdminScheduled(bytes32 indexed id, address indexed target, bytes data, uint256 due);

    /// @notice What the admin wanted to call was cancelled.
    /// @param id see {scheduleId}
    /// @param by the guardian or admin
    event AdminCancelled(bytes32 indexed id, address indexed by);

    /// @notice The admin called a contract.
    /// @param target the contract
    /// @param value wei sent along
    /// @param data selector and arguments
    event AdminExecuted(address indexed target, uint256 value, bytes data);

    /// @notice A function was allowed to executors, or no longer is. Also said of one that is allowed from the start.
    /// @param selector the function
    /// @param allowed the new state
    event SelectorAllowanceChanged(bytes4 indexed selector, bool allowed);

    /// @notice An epoch began. What was signed for an earlier one reverts from now on.
    /// @param epoch the new one
    /// @param tag drawn by whoever raised it, so that a database knows its own raise from others
    event EpochRaised(uint64 indexed epoch, bytes32 indexed tag);

    /// @notice Execution was stopped or started.
    /// @param by the guardian or admin
    /// @param stopped the new state, which may be the one before
    event ExecutionStopChanged(address indexed by, bool stopped);

    /// @notice Execution is stopped; the whole batch reverts.
    error ExecutionStopped();

    /// @notice The batch is of another epoch than the current one; all of it reverts.
    /// @param current the current epoch
    error WrongEpoch(uint64 current);

    /// @notice The number of a call has more than 128 bits, the first one of mints leaves no room below 2^64 for 2^16 more,
    /// or the first one of rows is no multiple of 256 below 2^64; the whole batch reverts.
    /// @param number the number given
    error InvalidNumber(uint256 number);

    /// @notice A mint is of a token that is not in the list; the whole batch reverts.
    /// @param index the index given
    error InvalidTarget(uint256 index);

    /// @notice The epoch was raised less than ten minutes ago.
    /// @param next when it can be raised again, in seconds since 1970
    error RaisedRecently(uint256 next);

    /// @notice The admin has to schedule the call first.
    /// @param id see {scheduleId}
    error NotScheduled(bytes32 id);

    /// @notice The call is scheduled already.
    /// @param id see {scheduleId}
    error AlreadyScheduled(bytes32 id);

    /// @notice The delay of the call is not over.
    /// @param id see {scheduleId}
    /// @param due seconds since 1970
    error NotDue(bytes32 id, uint256 due);

    /// @notice The remaining gas cannot give a call its cap; the whole batch reverts.
    error InsufficientGas();

    /// @notice The batch was called from within itself.
    error ReentrantCall();

    /// @notice A token answered rows with less than two words; all of it reverts.
    /// @param token the token
    error InvalidAnswer(address token);

    /// @notice Refusal: the intent had its effect before.
    /// @param intent epoch and number of the intent
    error IntentAlreadyDone(uint256 intent);

    /// @notice Refusal: there is no contract at the target.
    /// @param target the address
    error TargetWithoutCode(address target);

    /// @notice Refusal: executors may not call this function, or none of the Operator itself. Also what a guardian may not call.
    /// @param selector the function
    error SelectorNotAllowed(bytes4 selector);

    /// @notice Refusal: the call's gas cap is zero or more than 2^31.
    /// @param gasCap the cap given
    error InvalidGasCap(uint256 gasCap);

    /// @notice The function changes an owner or an operator, or gives away what this contract holds or was approved for, or is
    /// none, and can never be allowed to executors.
    /// @param selector the function
    error SelectorDenied(bytes4 selector);

    /// @notice No delay of the admin may be that long.
    /// @param delay seconds
    error InvalidAdminDelay(uint48 delay);

    /// @notice Runs calls one after the other. Only for executors, in the current epoch, while execution is not stopped.
    /// @dev Emits `CallExecuted` or `CallFailed` for each call. A refused or failed call does not affect the others.
    /// Reverts only `AccessControlUnauthorizedAccount`, `ExecutionStopped`, `WrongEpoch`, `ReentrantCall`,
    /// `InvalidNumber` and `InsufficientGas`. Under `eth_call` it is the simulation of the batch.
    /// @param ofEpoch the epoch that all of the calls belong to
    /// @param calls the calls
    /// @return results one for each call, in order
    function execute(uint48 ofEpoch, Call[] calldata calls) external returns (Result[] memory results);

    /// @notice Mints tokens, one to a recipient each. Does what {execute} does with calls of `mintNext(address)` and
    /// `mint(address,uint256)`, for less gas. Only for executors, in the current epoch, while execution is not stopped.
    /// @dev Emits `MintsExecuted` for the successes of each 256 numbers, again where a number is below the one before,
    /// and `CallFailed` for each other call. A refused or failed mint does not affect the others. Reverts as {execute}
    /// does, and `InvalidTarget`. Under `eth_call` it is the
    /// simulation of the batch.
    /// @param ofEpoch the epoch that all of the mints belong to
    /// @param firstNumber the number that those of the intents are counted from
    /// @param count how many mints there are
    /// @param mints how many tokens there are (1 byte), the tokens and the mints, without gaps between them. A token is its
    /// address (20 bytes), the most gas that each of its mints may use (4 bytes, not zero), and how many bytes an amount of
    /// it has (1 byte, at most 32; 0 for an ERC-721, which has no amounts). A mint is the index of its token (1 byte), the
    /// number of the intent less `firstNumber` (2 bytes), the client's key (8 bytes), the recipient (20 bytes), and the amount
    /// @return results one for each mint, in order
    function executeMints(
        uint48 ofEpoch,
        uint64 firstNumber,
        uint256 count,
        bytes calldata mints
    ) external returns (Result[] memory results);

    /// @notice Mints rows of one token by one call of its `mintRows`: those that are wanted and not done before. A row that the
    /// token leaves out is not marked. Only for executors, in the current epoch, while execution is not stopped.
    /// @dev Emits `RowsExecuted`, or `CallFailed` for the first row when all of them fail. Reverts as {execute} does, and
    /// `SelectorNotAllowed`, `InvalidGasCap`, `TargetWithoutCode`, `InvalidAnswer`. Under `eth_call` it is the simulation.
    /// @param ofEpoch the epoch that all of the rows belong to
    /// @param rows see {Rows}
    /// @return result of the call: rows done (a word of bits) and the first id
    function executeRows(uint48 ofEpoch, Rows calldata rows) external returns (Result memory result);

    /// @notice Announces a call of {adminExecute}, which can be made from `due` on. Only for the admin.
    /// @dev Emits `AdminScheduled`. Reverts `AccessControlUnauthorizedAccount`, `AlreadyScheduled`.
    /// @param target the contract to call
    /// @param data selector and arguments
    /// @return id see {scheduleId}
    function schedule(address target, bytes calldata data) external returns (bytes32 id);

    /// @notice Takes a call off the schedule. Only for guardians and the admin; the end of a guardian's role only for the admin.
    /// @dev Emits `AdminCancelled`. Reverts `AccessControlUnauthorizedAccount`, `NotScheduled`.
    /// @param id see {scheduleId}
    function cancel(bytes32 id) external;

    /// @notice Takes back what was given up for ever and is not so for good yet: `reopenMint`, `unfreezeMetadata`,
    /// `restoreControls` of a token that this contract operates or owns. Only for guardians and the admin.
    /// @dev Reverts `AccessControlUnauthorizedAccount`, `SelectorNotAllowed`, and as the token.
    /// @param target the token
    /// @param data selector and arguments
    /// @return what it returned
    function takeBack(address target, bytes calldata data) external returns (bytes memory);

    /// @notice Calls any contract in the name of this one, with the value sent along. Only for the admin, also while
    /// execution is stopped, once the call was scheduled and is due. At once, as long as nothing was executed; and what only
    /// takes powers away: `pause`, `lockTransfers`, `freeze`, `lowerMintLimit`, `pauseCreation`, and of this contract the end
    /// of an executor's role and of a function's allowance. Roles and functions are changed by calls of this contract itself.
    /// @dev Emits `AdminExecuted`. Reverts `AccessControlUnauthorizedAccount`, `ReentrantCall`, `TargetWithoutCode`,
    /// `NotScheduled`, `NotDue`, and as the contract called.
    /// @param target the contract to call
    /// @param data selector and arguments
    /// @return what it returned
    function adminExecute(address target, bytes calldata data) external payable returns (bytes memory);

    /// @notice Allows executors a further function, or forbids it again; forbids one that is allowed from the start, or
    /// allows it again. Only for this contract itself, by {adminExecute}.
    /// @dev Emits `SelectorAllowanceChanged`. Reverts `AccessControlUnauthorizedAccount`, `SelectorDenied`.
    /// @param selector the function
    /// @param allowed whether they may call it
    function setSelectorAllowed(bytes4 selector, bool allowed) external;

    /// @notice Begins the next epoch: batches of the current one revert from now on, and no number is marked in the new
    /// one. Only for the epoch's role, at most once in ten minutes.
    /// @dev Emits `EpochRaised`. Reverts `AccessControlUnauthorizedAccount`, `WrongEpoch`, `RaisedRecently`.
    /// @param expected the current epoch, so that two raises for one incident are one
    /// @param tag repeated in the event
    function raiseEpoch(uint48 expected, bytes32 tag) external;

    /// @notice Stops {execute}, {executeMints} and {executeRows} until it is started again. Only for guardians and the admin.
    /// @dev Emits `ExecutionStopChanged`, also when it is stopped already. Reverts `AccessControlUnauthorizedAccount`.
    function stopExecution() external;

    /// @notice Lets them run again. Only for guardians and the admin.
    /// @dev Emits `ExecutionStopChanged`, also when it was not stopped. Reverts `AccessControlUnauthorizedAccount`.
    function startExecution() external;

    /// @notice What {schedule} names a call by.
    /// @param target the contract to call
    /// @param data selector and arguments
    /// @return a hash
    function scheduleId(address target, bytes calldata data) external pure returns (bytes32);

    /// @notice From when on {adminExecute} makes a scheduled call.
    /// @param id see {scheduleId}
    /// @return seconds since 1970; 0 when it is not scheduled
    function dueAt(bytes32 id) external view returns (uint256);

    /// @notice The epoch whose batches {execute} runs.
    /// @return the current epoch; the first one is 1
    function epoch() external view returns (uint64);

    /// @notice Whether execution is stopped.
    /// @return true while {execute} reverts `ExecutionStopped`
    function stopped() external view returns (bool);

    /// @notice Whether executors may call the function.
    /// @param selector the function
    /// @return true for the built-in functions that the admin has not forbidden, and those that it allowed
    function isSelectorAllowed(bytes4 selector) external view returns (bool);

    /// @notice Whether the intent had its effect.
    /// @param intent epoch and number of the intent
    /// @return true once its call has succeeded
    function intentDone(uint256 intent) external view returns (bool);

    /// @notice 256 marks at once: bit `i` of word `w` is the intent with epoch and number `256 * w + i`.
    /// @param wordIndex number of the word: the epoch shifted left by 56 bits, and the number of the intent over 256
    /// @return the marks
    function intentWord(uint256 wordIndex) external view returns (uint256);
}
