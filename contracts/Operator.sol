// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {AccessControl} from "@openzeppelin/contracts/access/AccessControl.sol";
import {IAccessControl} from "@openzeppelin/contracts/access/IAccessControl.sol";
import {Address} from "@openzeppelin/contracts/utils/Address.sol";
import {ICloneFactory} from "./interfaces/ICloneFactory.sol";
import {ICollectionFactory} from "./interfaces/ICollectionFactory.sol";
import {IKeyedMetadata} from "./interfaces/IKeyedMetadata.sol";
import {IManagedERC20} from "./interfaces/IManagedERC20.sol";
import {IManagedERC721} from "./interfaces/IManagedERC721.sol";
import {IManagedToken} from "./interfaces/IManagedToken.sol";
import {IOperator} from "./interfaces/IOperator.sol";
import {ITokenFactory} from "./interfaces/ITokenFactory.sol";

/// @title The contract through which the service makes all its calls
/// @notice Runs the calls of many users in one transaction. Each has its own gas cap and may fail alone. Each intent
/// number has its effect at most once in its epoch, whoever sends it and however often. A stolen executor key can mint
/// and pause; it cannot take a contract, since no function that changes an owner, an operator, a role, the epoch or the
/// stop can ever be allowed. A guardian can stop execution at once, and the admin can end an epoch: what was signed for
/// it has no effect any more, and marks that a thief set in it are of no use.
contract Operator is IOperator, AccessControl {
    /// @notice Who may call {execute}.
    bytes32 public constant EXECUTOR_ROLE = keccak256("EXECUTOR_ROLE");
    /// @notice Who may call {stopExecution} and {startExecution}, and nothing else.
    bytes32 public constant GUARDIAN_ROLE = keccak256("GUARDIAN_ROLE");

    /// @dev Limit of copied return data, so that a hostile answer cannot use the gas of the other calls.
    uint256 private constant MAX_RETURN_BYTES = 1024;
    /// @dev Gas reserved at each call: to access a cold target, mark the intent and log 1,024 bytes.
    uint256 private constant GAS_RESERVE = 45_000;
    /// @dev Far above the gas limit of any chain; prevents overflows of the sums below.
    uint256 private constant MAX_GAS_CAP = 1 << 40;
    /// @dev Highest address of a precompile, which may answer without code.
    uint160 private constant LAST_PRECOMPILE = 0xffff;
    /// @dev Bits of an intent's number. Above them its id has the epoch.
    uint256 private constant NUMBER_BITS = 64;

    /// @dev 256 marks. A struct, so that its slot is computed once for reading and writing.
    struct IntentWord {
        uint256 marks;
    }

    /// @dev What each execution looks at, in one word. `executor` is the one whose role was granted last, so that its
    /// role needs no other word; the zero address, which sends no transaction, once that role is gone.
    struct Control {
        uint64 epoch;
        bool stopped;
        address executor;
    }

    uint256 private transient executing;
    Control private control = Control(1, false, address(0));
    mapping(uint256 wordIndex => IntentWord) private intentWords;
    mapping(bytes4 selector => bool) private furtherSelectors;

    /// @notice Starts with an admin and no executor.
    /// @param admin may grant and revoke roles, allow further functions and call anything
    constructor(address admin) {
        _grantRole(DEFAULT_ADMIN_ROLE, admin);
    }

    /// @inheritdoc IOperator
    function execute(uint64 ofEpoch, Call[] calldata calls) external returns (Result[] memory) {
        _checkControl(ofEpoch);
        _enter();
        // The result is written in place as the ABI encoding of `Result[]`: offset and length of the array, the offset
        // of each element, then the elements, each appended by `_run` at `tail`.
        uint256 start;
        uint256 tail;
        uint256 heads;
        uint256 last;
        assembly ("memory-safe") {
            start := mload(0x40)
            mstore(start, 0x20)
            mstore(add(start, 0x20), calls.length)
            heads := add(start, 0x40)
            last := shl(5, calls.length)
            tail := add(heads, last)
            mstore(0x40, tail)
        }
        for (uint256 next; next != last;) {
            // Offsets are not checked: one that points elsewhere, or past the end where all is zero, gives a call that
            // the executor could have encoded properly as well.
            uint256 one;
            assembly ("memory-safe") {
                mstore(add(heads, next), sub(tail, heads))
                one := add(calls.offset, calldataload(add(calls.offset, next)))
                next := add(next, 0x20)
            }
            tail = _run(ofEpoch, one, tail);
        }
        _leave();
        assembly ("memory-safe") {
            return(start, sub(tail, start))
        }
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
        if (_isDenied(selector)) revert SelectorDenied(selector);
        furtherSelectors[selector] = allowed;
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
    function isSelectorAllowed(bytes4 selector) public view returns (bool) {
        return _isBuiltIn(selector) || furtherSelectors[selector];
    }

    /// @inheritdoc IOperator
    function intentDone(uint256 intent) external view returns (bool) {
        return intentWords[intent >> 8].marks & (1 << (intent & 0xff)) != 0;
    }

    /// @inheritdoc IOperator
    function intentWord(uint256 wordIndex) external view returns (uint256) {
        return intentWords[wordIndex].marks;
    }

    /// @dev Runs or refuses the call that starts at `one` in calldata, and writes its `Result` at `tail`, the end of
    /// the memory in use. Returns the new end.
    function _run(uint256 ofEpoch, uint256 one, uint256 tail) private returns (uint256 end) {
        uint256 intent;
        uint256 gasCap;
        uint256 data;
        bytes32 head;
        assembly ("memory-safe") {
            gasCap := calldataload(add(one, 0x20))
            intent := calldataload(add(one, 0x40))
            data := add(one, calldataload(add(one, 0x60)))
            head := calldataload(add(data, 0x20))
        }
        if (intent >> NUMBER_BITS != 0) revert InvalidNumber(intent);
        intent |= ofEpoch << NUMBER_BITS;
        IntentWord storage word = intentWords[intent >> 8];
        uint256 marks = word.marks;
        uint256 mark = 1 << (intent & 0xff);
        if (marks & mark != 0) return _refuse(intent, tail, IntentAlreadyDone.selector, intent);
        if (bytes4(head) != IManagedERC721.mint.selector && !isSelectorAllowed(bytes4(head))) {
            return _refuse(intent, tail, SelectorNotAllowed.selector, uint256(bytes32(bytes4(head))));
        }
        unchecked {
            if (gasCap - 1 >= MAX_GAS_CAP) return _refuse(intent, tail, InvalidGasCap.selector, gasCap);
        }
        uint256 size;
        assembly ("memory-safe") {
            size := calldataload(data)
            calldatacopy(tail, add(data, 0x20), size)
        }
        unchecked {
            // The EVM gives a call at most 63/64 of the remaining gas. A call that cannot get its whole cap is not
            // made, so that a call only runs out of gas when its cap is too low. Looked at once the calldata is
            // copied, for that may cost more than the reserve.
            if (gasleft() < gasCap + gasCap / 63 + GAS_RESERVE) revert InsufficientGas();
        }
        address target;
        bool ok;
        uint256 gasUsed;
        // The calldata of the call is at `tail`; then in its place the `Result`: ok, gasUsed, offset of returnData, its
        // length, its bytes with zeros up to the next word.
        assembly ("memory-safe") {
            target := shr(96, shl(96, calldataload(one)))
            gasUsed := gas()
            ok := call(gasCap, target, 0, tail, size, 0, 0)
            gasUsed := sub(gasUsed, gas())
            mstore(tail, ok)
            mstore(add(tail, 0x20), gasUsed)
            mstore(add(tail, 0x40), 0x60)
            size := returndatasize()
            if gt(size, MAX_RETURN_BYTES) {
                size := MAX_RETURN_BYTES
            }
            mstore(add(tail, 0x60), size)
            end := add(tail, 0x80)
            mstore(end, 0)
            mstore(add(end, size), 0)
            returndatacopy(end, 0, size)
            end := add(end, shl(5, shr(5, add(size, 0x1f))))
            mstore(0x40, end)
        }
        if (!ok) {
            _emitFailed(intent, gasUsed, tail);
            return end;
        }
        // A call to an account without code returns nothing, a precompile may return anything: neither has an effect.
        if ((size == 0 || uint160(target) <= LAST_PRECOMPILE) && target.code.length == 0) {
            return _refuse(intent, tail, TargetWithoutCode.selector, uint160(target));
        }
        word.marks = marks | mark;
        uint256 result;
        assembly ("memory-safe") {
            result := mload(add(tail, 0x80))
        }
        emit CallExecuted(intent, gasUsed, size == 0 ? 0 : result);
    }

    /// @dev A function of its own: without the IR pipeline, as tests compile it, {_run} has no place left on the stack.
    function _emitFailed(uint256 intent, uint256 gasUsed, uint256 tail) private {
        emit CallFailed(intent, gasUsed, _returned(tail));
    }

    /// @dev The `returnData` of the `Result` at `tail`.
    function _returned(uint256 tail) private pure returns (bytes memory data) {
        assembly ("memory-safe") {
            data := add(tail, 0x60)
        }
    }

    /// @dev Writes the `Result` of a call that was not made at `tail`: a custom error with one word of argument.
    function _refuse(
        uint256 intent,
        uint256 tail,
        bytes4 refusal,
        uint256 argument
    ) private returns (uint256 end) {
        assembly ("memory-safe") {
            mstore(tail, 0)
            mstore(add(tail, 0x20), 0)
            mstore(add(tail, 0x40), 0x60)
            mstore(add(tail, 0x60), 0x24)
            mstore(add(tail, 0x80), refusal)
            mstore(add(tail, 0x84), argument)
            mstore(add(tail, 0xa4), 0)
            end := add(tail, 0xc0)
            mstore(0x40, end)
        }
        _emitFailed(intent, 0, tail);
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

    function _checkControl(uint64 ofEpoch) private view {
        Control memory current = control;
        if (msg.sender != current.executor) _checkRole(EXECUTOR_ROLE, msg.sender);
        if (current.stopped) revert ExecutionStopped();
        if (current.epoch != ofEpoch) revert WrongEpoch(current.epoch);
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

    /// @dev The most frequent first, each with its own return: a chain of `||` would compare all of them.
    function _isBuiltIn(bytes4 selector) private pure returns (bool) {
        if (selector == IManagedERC721.mint.selector) return true;
        if (selector == IManagedERC20.mint.selector) return true;
        if (selector == IManagedERC721.mintWithMetadata.selector) return true;
        if (selector == IManagedERC721.mintBatch.selector) return true;
        if (selector == IManagedERC721.setMetadata.selector) return true;
        if (selector == IKeyedMetadata.setContractMetadata.selector) return true;
        if (selector == ICollectionFactory.createCollection.selector) return true;
        if (selector == ITokenFactory.createToken.selector) return true;
        if (selector == IManagedToken.approveAccount.selector) return true;
        if (selector == IManagedToken.unapproveAccount.selector) return true;
        if (selector == IManagedToken.freeze.selector) return true;
        if (selector == IManagedToken.unfreeze.selector) return true;
        if (selector == IManagedToken.pause.selector) return true;
        if (selector == IManagedToken.unpause.selector) return true;
        if (selector == IManagedToken.lockTransfers.selector) return true;
        if (selector == IManagedToken.unlockTransfers.selector) return true;
        return false;
    }

    /// @dev Functions that change an owner, an operator, a role, the epoch or the stop can never be allowed: they are for
    /// the admin, and for guardians.
    function _isDenied(bytes4 selector) private pure returns (bool) {
        return
            selector == IManagedToken.transferOwnership.selector ||
            selector == IManagedToken.setOperator.selector ||
            selector == ICloneFactory.pauseCreation.selector ||
            selector == ICloneFactory.resumeCreation.selector ||
            selector == IAccessControl.grantRole.selector ||
            selector == IAccessControl.revokeRole.selector ||
            selector == IAccessControl.renounceRole.selector ||
            selector == IOperator.execute.selector ||
            selector == IOperator.adminExecute.selector ||
            selector == IOperator.setSelectorAllowed.selector ||
            selector == IOperator.raiseEpoch.selector ||
            selector == IOperator.stopExecution.selector ||
            selector == IOperator.startExecution.selector;
    }
}
