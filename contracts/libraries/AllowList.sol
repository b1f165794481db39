// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IAccessControl} from "@openzeppelin/contracts/access/IAccessControl.sol";
import {IAccessControlDefaultAdminRules} from "@openzeppelin/contracts/access/extensions/IAccessControlDefaultAdminRules.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {IERC721} from "@openzeppelin/contracts/token/ERC721/IERC721.sol";
import {ICloneFactory} from "../interfaces/ICloneFactory.sol";
import {ICollectionFactory} from "../interfaces/ICollectionFactory.sol";
import {IKeyedMetadata} from "../interfaces/IKeyedMetadata.sol";
import {IManagedERC20} from "../interfaces/IManagedERC20.sol";
import {IManagedERC721} from "../interfaces/IManagedERC721.sol";
import {IManagedToken} from "../interfaces/IManagedToken.sol";
import {IOperator} from "../interfaces/IOperator.sol";
import {ITokenFactory} from "../interfaces/ITokenFactory.sol";

/// @title Which functions executors may call
/// @notice Those that they may call from the start, and those that nobody can ever allow them.
library AllowList {
    /// @dev Of `mint(address)` and `mintNext(address)`, which do the same.
    uint40 internal constant MINT_BIT = 1;
    /// @dev Of `mint(address,uint256)`.
    uint40 internal constant MINT_AMOUNT_BIT = 2;

    // Functions of one name cannot be told apart by it.
    bytes4 private constant SAFE_TRANSFER = bytes4(keccak256("safeTransferFrom(address,address,uint256)"));
    bytes4 private constant SAFE_TRANSFER_WITH_DATA = bytes4(
        keccak256("safeTransferFrom(address,address,uint256,bytes)")
    );
    bytes4 private constant FREEZE_METADATA = bytes4(keccak256("freezeMetadata()"));
    bytes4 private constant FREEZE_TOKEN_METADATA = bytes4(keccak256("freezeMetadata(uint256)"));

    bytes4 private constant CLOSE_MINT = bytes4(keccak256("closeMint()"));
    bytes4 private constant LOWER_MINT_LIMIT = bytes4(keccak256("lowerMintLimit(uint256)"));
    bytes4 private constant RAISE_MINT_LIMIT = bytes4(keccak256("raiseMintLimit(uint256)"));
    bytes4 private constant MINT_RUN = bytes4(keccak256("mintRun(address,uint256)"));
    bytes4 private constant FORCED_TRANSFER = bytes4(keccak256("forcedTransfer(address,address,uint256)"));
    bytes4 private constant FORCED_BURN = bytes4(keccak256("forcedBurn(address,uint256)"));
    bytes4 private constant SET_ROYALTY = bytes4(keccak256("setRoyalty(address,uint96)"));
    bytes4 private constant ACCEPT_OWNERSHIP = bytes4(keccak256("acceptOwnership(address)"));

    /// @dev A bit of its own for each function that is allowed from the start, 0 for any other. It stands for the
    /// function in the denials of the Operator, so that it must not change. The most frequent first, each with its own
    /// return: a chain of `||` would compare all of them.
    function builtInBit(bytes4 selector) internal pure returns (uint40) {
        if (selector == IManagedERC721.mint.selector) return MINT_BIT;
        if (selector == IManagedERC20.mint.selector) return MINT_AMOUNT_BIT;
        if (selector == IManagedERC721.setMetadata.selector) return 1 << 4;
        if (selector == ICollectionFactory.createCollection.selector) return 1 << 6;
        if (selector == IManagedERC721.mintWithMetadata.selector) return 1 << 2;
        if (selector == IManagedERC721.mintBatch.selector) return 1 << 3;
        if (selector == IKeyedMetadata.setContractMetadata.selector) return 1 << 5;
        if (selector == ITokenFactory.createToken.selector) return 1 << 7;
        if (selector == IManagedToken.approveAccount.selector) return 1 << 8;
        if (selector == IManagedToken.unapproveAccount.selector) return 1 << 9;
        if (selector == IManagedToken.freeze.selector) return 1 << 10;
        if (selector == IManagedToken.unfreeze.selector) return 1 << 11;
        if (selector == IManagedToken.pause.selector) return 1 << 12;
        if (selector == IManagedToken.unpause.selector) return 1 << 13;
        if (selector == IManagedToken.lockTransfers.selector) return 1 << 14;
        if (selector == IManagedToken.unlockTransfers.selector) return 1 << 15;
        if (selector == MINT_RUN) return 1 << 16;
        if (selector == CLOSE_MINT) return 1 << 17;
        if (selector == LOWER_MINT_LIMIT) return 1 << 18;
        if (selector == FREEZE_METADATA) return 1 << 19;
        if (selector == FREEZE_TOKEN_METADATA) return 1 << 20;
        if (selector == SET_ROYALTY) return 1 << 21;
        if (selector == FORCED_TRANSFER) return 1 << 22;
        if (selector == FORCED_BURN) return 1 << 23;
        if (selector == IManagedERC721.mintNext.selector) return MINT_BIT;
        return 0;
    }

    /// @dev Functions that change an owner, an operator, a role, the epoch or the stop, or give away what the Operator
    /// holds or may move for others: they are for the admin, and for guardians.
    function isDenied(bytes4 selector) internal pure returns (bool) {
        return _isOwners(selector) || _isHolders(selector) || _isOperators(selector);
    }

    /// @dev Of tokens and factories, for their owner.
    function _isOwners(bytes4 selector) private pure returns (bool) {
        return
            selector == IManagedToken.transferOwnership.selector ||
            selector == ACCEPT_OWNERSHIP ||
            selector == IManagedToken.setOperator.selector ||
            selector == RAISE_MINT_LIMIT ||
            selector == ICloneFactory.pauseCreation.selector ||
            selector == ICloneFactory.resumeCreation.selector;
    }

    /// @dev Of tokens, for whoever holds them or was approved.
    function _isHolders(bytes4 selector) private pure returns (bool) {
        return
            selector == IERC20.transfer.selector ||
            selector == IERC20.transferFrom.selector ||
            selector == IERC20.approve.selector ||
            selector == IERC721.setApprovalForAll.selector ||
            selector == SAFE_TRANSFER ||
            selector == SAFE_TRANSFER_WITH_DATA;
    }

    /// @dev Of the Operator itself.
    function _isOperators(bytes4 selector) private pure returns (bool) {
        return
            selector == IAccessControl.grantRole.selector ||
            selector == IAccessControl.revokeRole.selector ||
            selector == IAccessControl.renounceRole.selector ||
            selector == IAccessControlDefaultAdminRules.beginDefaultAdminTransfer.selector ||
            selector == IAccessControlDefaultAdminRules.cancelDefaultAdminTransfer.selector ||
            selector == IAccessControlDefaultAdminRules.acceptDefaultAdminTransfer.selector ||
            selector == IAccessControlDefaultAdminRules.changeDefaultAdminDelay.selector ||
            selector == IAccessControlDefaultAdminRules.rollbackDefaultAdminDelay.selector ||
            selector == IOperator.execute.selector ||
            selector == IOperator.executeMints.selector ||
            selector == IOperator.adminExecute.selector ||
            selector == IOperator.setSelectorAllowed.selector ||
            selector == IOperator.raiseEpoch.selector ||
            selector == IOperator.stopExecution.selector ||
            selector == IOperator.startExecution.selector;
    }
}
