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

/// @title The one caller through which the service acts
/// @notice Runs the calls of many users in one transaction. Each has its own gas cap and is caught alone; each intent
/// number has its effect at most once, whoever sends it and however often. A stolen executor key can mint and pause;
/// it cannot take a contract, since no function that changes an owner, an operator or a role can ever be allowed.
contract Operator is IOperator, AccessControl {
    /// @notice Who may call {execute}.
    bytes32 public constant EXECUTOR_ROLE = keccak256("EXECUTOR_ROLE");

    /// @dev So that a hostile answer cannot make the rest of the batch pay for its length.
    uint256 private constant MAX_RETURN_BYTES = 1024;
    /// @dev Gas kept back at each call: to reach a cold target, mark the intent and log 1,024 bytes.
    uint256 private constant GAS_RESERVE = 45_000;

    bool private transient executing;
    mapping(uint256 wordIndex => uint256) private intentWords;
    mapping(bytes4 selector => bool) private furtherSelectors;

    /// @param admin may grant and revoke roles, allow further functions and call anything
    constructor(address admin) {
        _grantRole(DEFAULT_ADMIN_ROLE, admin);
    }

    /// @inheritdoc IOperator
    function execute(Call[] calldata calls) external onlyRole(EXECUTOR_ROLE) returns (Result[] memory) {
        _enter();
        // The answer is written once, as the ABI encoding of `Result[]`: offset and length of the array, the offset of
        // each element, then the elements, each of which {_run} appends at `tail`.
        uint256 start;
        uint256 tail;
        uint256 heads;
        uint256 count = calls.length;
        assembly ("memory-safe") {
            start := mload(0x40)
            mstore(start, 0x20)
            mstore(add(start, 0x20), count)
            heads := add(start, 0x40)
            tail := add(heads, shl(5, count))
            mstore(0x40, tail)
        }
        for (uint256 i; i < count; ++i) {
            assembly ("memory-safe") {
                mstore(add(heads, shl(5, i)), sub(tail, heads))
            }
            tail = _run(calls[i], tail);
        }
        executing = false;
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
        executing = false;
    }

    /// @inheritdoc IOperator
    function setSelectorAllowed(bytes4 selector, bool allowed) external onlyRole(DEFAULT_ADMIN_ROLE) {
        if (_isDenied(selector)) revert SelectorDenied(selector);
        furtherSelectors[selector] = allowed;
        emit SelectorAllowanceChanged(selector, allowed);
    }

    /// @inheritdoc IOperator
    function isSelectorAllowed(bytes4 selector) public view returns (bool) {
        return _isBuiltIn(selector) || furtherSelectors[selector];
    }

    /// @inheritdoc IOperator
    function intentDone(uint256 intent) public view returns (bool) {
        return intentWords[intent >> 8] & (1 << (intent & 0xff)) != 0;
    }

    /// @inheritdoc IOperator
    function intentWord(uint256 wordIndex) external view returns (uint256) {
        return intentWords[wordIndex];
    }

    /// @dev Runs or refuses one call and writes its `Result` at `tail`, the end of the memory in use.
    /// @return end the new end
    function _run(Call calldata one, uint256 tail) private returns (uint256 end) {
        uint256 intent = one.intent;
        uint256 gasCap = one.gasCap;
        address target = one.target;
        bytes calldata data = one.data;
        uint256 word = intentWords[intent >> 8];
        uint256 mark = 1 << (intent & 0xff);
        if (word & mark != 0) return _refuse(intent, tail, IntentAlreadyDone.selector, intent);
        if (!isSelectorAllowed(bytes4(data))) {
            return _refuse(intent, tail, SelectorNotAllowed.selector, uint256(bytes32(bytes4(data))));
        }
        if (gasCap == 0) return _refuse(intent, tail, GasCapMissing.selector, intent);
        // EVM gives a call at most 63/64 of what is left. One that could not get its whole cap is never made, so that
        // running out of gas is always the call's own doing.
        uint256 available = gasleft();
        if (available <= GAS_RESERVE || gasCap > ((available - GAS_RESERVE) * 63) / 64)
            revert InsufficientGas();
        bool ok;
        uint256 gasUsed;
        uint256 size;
        uint256 result;
        // Calldata of the call at `tail`, then over it `Result`: ok, gasUsed, offset of returnData, its length, its
        // bytes with zeros up to the next word.
        assembly ("memory-safe") {
            calldatacopy(tail, data.offset, data.length)
            gasUsed := gas()
            ok := call(gasCap, target, 0, tail, data.length, 0, 0)
            gasUsed := sub(gasUsed, gas())
            size := returndatasize()
            if gt(size, MAX_RETURN_BYTES) {
                size := MAX_RETURN_BYTES
            }
            mstore(tail, ok)
            mstore(add(tail, 0x20), gasUsed)
            mstore(add(tail, 0x40), 0x60)
            mstore(add(tail, 0x60), size)
            end := add(tail, 0x80)
            mstore(end, 0)
            returndatacopy(end, 0, size)
            result := mload(end)
            mstore(add(end, size), 0)
            end := add(end, and(add(size, 0x1f), not(0x1f)))
            mstore(0x40, end)
        }
        if (!ok) {
            bytes memory reason;
            assembly ("memory-safe") {
                reason := add(tail, 0x60)
            }
            emit CallFailed(intent, gasUsed, reason);
        } else if (size == 0 && target.code.length == 0) {
            end = _refuse(intent, tail, TargetWithoutCode.selector, uint160(target));
        } else {
            intentWords[intent >> 8] = word | mark;
            emit CallExecuted(intent, size < 0x20 ? 0 : result);
        }
    }

    /// @dev Writes the `Result` of a call that was not made at `tail`.
    /// @param refusal a custom error with one word of argument
    /// @return end the new end of the memory in use
    function _refuse(
        uint256 intent,
        uint256 tail,
        bytes4 refusal,
        uint256 argument
    ) private returns (uint256 end) {
        bytes memory reason;
        assembly ("memory-safe") {
            mstore(tail, 0)
            mstore(add(tail, 0x20), 0)
            mstore(add(tail, 0x40), 0x60)
            reason := add(tail, 0x60)
            mstore(reason, 0x24)
            mstore(add(tail, 0x80), refusal)
            mstore(add(tail, 0x84), argument)
            mstore(add(tail, 0xa4), 0)
            end := add(tail, 0xc0)
            mstore(0x40, end)
        }
        emit CallFailed(intent, 0, reason);
    }

    function _enter() private {
        if (executing) revert ReentrantCall();
        executing = true;
    }

    /// @dev Mint first: the order of comparison is the order of how often they are called.
    function _isBuiltIn(bytes4 selector) private pure returns (bool) {
        return
            selector == IManagedERC721.mint.selector ||
            selector == IManagedERC20.mint.selector ||
            selector == IManagedERC721.mintWithMetadata.selector ||
            selector == IManagedERC721.mintBatch.selector ||
            selector == IManagedERC721.setMetadata.selector ||
            selector == IKeyedMetadata.setContractMetadata.selector ||
            selector == ICollectionFactory.createCollection.selector ||
            selector == ITokenFactory.createToken.selector ||
            selector == IManagedToken.approveAccount.selector ||
            selector == IManagedToken.unapproveAccount.selector ||
            selector == IManagedToken.freeze.selector ||
            selector == IManagedToken.unfreeze.selector ||
            selector == IManagedToken.pause.selector ||
            selector == IManagedToken.unpause.selector ||
            selector == IManagedToken.lockTransfers.selector ||
            selector == IManagedToken.unlockTransfers.selector;
    }

    /// @dev What changes an owner, an operator or a role stays with the admin for good.
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
            selector == IOperator.setSelectorAllowed.selector;
    }
}
