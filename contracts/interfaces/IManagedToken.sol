// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// @title A token that is managed by its owner and by an operator
/// @notice Pause halts mint, burn, metadata, transfers and approvals. The transfer lock halts transfers and approvals
/// only. A frozen account neither sends nor receives, and cannot spend on behalf of others.
interface IManagedToken {
    /// @notice The state of a token.
    /// @param owner the owner of the contract
    /// @param operator the manager on behalf of the owner; zero when there is none
    /// @param paused whether everything is halted
    /// @param transferLocked whether transfers and approvals are halted
    /// @param permissioned whether only approved accounts may receive a mint
    /// @param supply ERC-20: total supply in the smallest unit; ERC-721: number of tokens ever minted
    /// @param name the name
    /// @param symbol the symbol
    /// @param decimals ERC-20: digits after the point; 0 for ERC-721
    struct TokenState {
        address owner;
        address operator;
        bool paused;
        bool transferLocked;
        bool permissioned;
        uint256 supply;
        string name;
        string symbol;
        uint8 decimals;
    }

    /// @notice Everything is halted.
    /// @param account who paused it
    event Paused(address account);

    /// @notice Operations resume.
    /// @param account who unpaused it
    event Unpaused(address account);

    /// @notice Transfers and approvals were locked or unlocked.
    /// @param locked the new state
    event TransferLockChanged(bool locked);

    /// @notice An account was frozen or unfrozen.
    /// @param account the account
    /// @param frozen the new state
    event AccountFreezeChanged(address indexed account, bool frozen);

    /// @notice An account was approved for permissioned mints, or no longer is.
    /// @param account the account
    /// @param approved the new state
    event AccountApprovalChanged(address indexed account, bool approved);

    /// @notice The contract has a new owner (ERC-173).
    /// @param previousOwner the former one
    /// @param newOwner the new one
    event OwnershipTransferred(address indexed previousOwner, address indexed newOwner);

    /// @notice The contract has a new operator.
    /// @param previousOperator the former one
    /// @param newOperator the new one; zero for none
    event OperatorChanged(address indexed previousOperator, address indexed newOperator);

    /// @notice The token is paused.
    error TokenPaused();

    /// @notice Transfers and approvals are locked.
    error TransfersLocked();

    /// @notice The account is frozen.
    /// @param account the account
    error AccountFrozen(address account);

    /// @notice The token is permissioned and the account is not approved to receive a mint.
    /// @param account the account
    error AccountNotApproved(address account);

    /// @notice Only the owner may do this.
    /// @param caller the caller
    error NotOwner(address caller);

    /// @notice Only the owner and the operator may do this.
    /// @param caller the caller
    error NotOwnerOrOperator(address caller);

    /// @notice This account cannot own the contract.
    /// @param owner the account given
    error InvalidOwner(address owner);

    /// @notice Halts mint, burn, metadata, transfers and approvals. Without effect when already paused.
    /// @dev Emits `Paused`. Reverts `NotOwnerOrOperator`.
    function pause() external;

    /// @notice Ends the pause. Without effect when not paused.
    /// @dev Emits `Unpaused`. Reverts `NotOwnerOrOperator`.
    function unpause() external;

    /// @notice Halts transfers and approvals, including permit. Without effect when already locked.
    /// @dev Emits `TransferLockChanged`. Reverts `NotOwnerOrOperator`.
    function lockTransfers() external;

    /// @notice Allows transfers and approvals again. Without effect when not locked.
    /// @dev Emits `TransferLockChanged`. Reverts `NotOwnerOrOperator`.
    function unlockTransfers() external;

    /// @notice Bars the account from sending, receiving and spending. Without effect when already frozen.
    /// @dev Emits `AccountFreezeChanged`. Reverts `NotOwnerOrOperator`.
    /// @param account the account
    function freeze(address account) external;

    /// @notice Ends the freeze. Without effect when not frozen.
    /// @dev Emits `AccountFreezeChanged`. Reverts `NotOwnerOrOperator`.
    /// @param account the account
    function unfreeze(address account) external;

    /// @notice Lets the account receive permissioned mints. Without effect when already approved.
    /// @dev Emits `AccountApprovalChanged`. Reverts `NotOwnerOrOperator`.
    /// @param account the account
    function approveAccount(address account) external;

    /// @notice Takes the approval back. Without effect when not approved.
    /// @dev Emits `AccountApprovalChanged`. Reverts `NotOwnerOrOperator`.
    /// @param account the account
    function unapproveAccount(address account) external;

    /// @notice Transfers the contract to a new owner. Only for the owner.
    /// @dev Emits `OwnershipTransferred`. Reverts `NotOwner`, `InvalidOwner` for the zero address.
    /// @param newOwner the new owner
    function transferOwnership(address newOwner) external;

    /// @notice Replaces the operator, or removes it with the zero address. Only for the owner.
    /// @dev Emits `OperatorChanged`. Reverts `NotOwner`.
    /// @param newOperator the new operator, or zero for none
    function setOperator(address newOperator) external;

    /// @notice The owner of the contract (ERC-173).
    /// @return the account
    function owner() external view returns (address);

    /// @notice Who manages the contract on behalf of the owner.
    /// @return the account; zero when there is none
    function operator() external view returns (address);

    /// @notice Whether everything is halted.
    /// @return true while paused
    function paused() external view returns (bool);

    /// @notice Whether transfers and approvals are halted.
    /// @return true while locked
    function transfersLocked() external view returns (bool);

    /// @notice Whether only approved accounts may receive a mint. Fixed at deployment.
    /// @return true when permissioned
    function isPermissioned() external view returns (bool);

    /// @notice Whether the account is frozen.
    /// @param account the account
    /// @return true while frozen
    function isFrozen(address account) external view returns (bool);

    /// @notice Whether the account is approved to receive permissioned mints.
    /// @param account the account
    /// @return true while approved
    function isApprovedAccount(address account) external view returns (bool);

    /// @notice The whole state of the token.
    /// @return state see {TokenState}
    function tokenState() external view returns (TokenState memory state);
}
