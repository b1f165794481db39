// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// @title A token that is managed by its owner and by an operator
/// @notice Pause halts mint, burn, metadata, transfers and approvals. The transfer lock halts transfers and approvals
/// only. A frozen account neither sends nor receives, and cannot spend or approve on behalf of others.
///
/// What the operator may do is bounded here, so that everybody can see it: a cap on the supply, a limit on what it mints
/// in a day, a mint that is closed for ever, metadata that is frozen for ever. Only the owner raises the daily limit.
/// Whether holdings can be moved by force is fixed at deployment.
///
/// What is for ever is so at once when an owner asks who is not the operator. When the operator asks, who is the Operator
/// contract that hot keys act through, it holds at once too, but owner and operator can take it back until a delay is over
/// that is fixed for all tokens. The first operator counts as operator also when it is but the owner any more.
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

    /// @notice The bounds of a token, and where it is within them.
    /// @param totalSupply ERC-20: in the smallest unit; ERC-721: number of tokens that exist
    /// @param maxSupply see {maxSupply}; 2^256 - 1 for none
    /// @param mintLimit see {mintLimit}; 2^256 - 1 for none
    /// @param mintableNow see {mintableNow}; 2^256 - 1 without a limit
    /// @param fullAt when the whole limit can be minted at once again if nothing is minted until then, in seconds since 1970;
    /// the time of the block when it can be now, 0 without a limit
    /// @param mintClosed whether nothing can be minted
    /// @param mintClosedForGoodAt from when on that cannot be taken back, in seconds since 1970; 0 when it is not closed
    /// @param recoverable whether owner and operator may move or burn what others hold
    /// @param metadataFrozen whether no metadata can change
    /// @param metadataFrozenForGoodAt from when on that cannot be taken back; 0 when it is not frozen
    /// @param controlsRenounced whether nobody can pause, lock, freeze and move by force
    /// @param controlsRenouncedForGoodAt from when on that cannot be taken back; 0 when they are not renounced
    /// @param royaltyReceiver ERC-721: who receives royalties; zero for nobody and for ERC-20
    /// @param royaltyBasisPoints ERC-721: royalty in hundredths of a percent; 0 for ERC-20
    struct TokenLimits {
        uint256 totalSupply;
        uint256 maxSupply;
        uint256 mintLimit;
        uint256 mintableNow;
        uint256 fullAt;
        bool mintClosed;
        uint256 mintClosedForGoodAt;
        bool recoverable;
        bool metadataFrozen;
        uint256 metadataFrozenForGoodAt;
        bool controlsRenounced;
        uint256 controlsRenouncedForGoodAt;
        address royaltyReceiver;
        uint96 royaltyBasisPoints;
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

    /// @notice Nothing can be minted from now on.
    /// @param forGoodAt from when on that cannot be taken back, in seconds since 1970
    event MintingClosed(uint256 forGoodAt);

    /// @notice Minting goes on.
    event MintingReopened();

    /// @notice What the operator may mint in a day has changed.
    /// @param previousLimit the former limit; 2^256 - 1 for none
    /// @param newLimit the new one; 2^256 - 1 for none
    event MintLimitChanged(uint256 previousLimit, uint256 newLimit);

    /// @notice No metadata of the contract and of its tokens can change from now on.
    /// @param forGoodAt from when on that cannot be taken back, in seconds since 1970
    event AllMetadataFrozen(uint256 forGoodAt);

    /// @notice Metadata can change again, but that of tokens which are frozen on their own.
    event AllMetadataUnfrozen();

    /// @notice Nobody can pause, lock, freeze and move by force from now on.
    /// @param forGoodAt from when on that cannot be taken back, in seconds since 1970
    event AllControlsRenounced(uint256 forGoodAt);

    /// @notice The controls can be used again.
    event ControlsRestored();

    /// @notice The owner has offered the contract to another account, or withdrawn the offer.
    /// @param previousOwner the owner, as long as the offer is not accepted
    /// @param newOwner who may accept; zero when the offer is withdrawn
    event OwnershipTransferStarted(address indexed previousOwner, address indexed newOwner);

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

    /// @notice The contract was not offered to the caller.
    /// @param caller the caller
    error NotPendingOwner(address caller);

    /// @notice The zero address cannot be frozen.
    /// @param account the account given
    error InvalidAccount(address account);

    /// @notice The mint would exceed the cap of the supply.
    /// @param supply what the supply would be. ERC-20: in the smallest unit; ERC-721: tokens ever minted
    /// @param cap the cap, see {maxSupply}
    error SupplyCapExceeded(uint256 supply, uint256 cap);

    /// @notice The mint would exceed what the operator may mint now.
    /// @param amount what it would mint
    /// @param mintable see {mintableNow}
    error MintLimitExceeded(uint256 amount, uint256 mintable);

    /// @notice The mint is closed.
    error MintClosed();

    /// @notice The new daily limit is on the wrong side of the current one: {lowerMintLimit} cannot raise it,
    /// {raiseMintLimit} cannot lower it, and a limit is either below 2^198 or none.
    /// @param limit the limit given
    /// @param current the current one; 2^256 - 1 for none
    error InvalidMintLimit(uint256 limit, uint256 current);

    /// @notice The metadata is frozen.
    error MetadataFrozen();

    /// @notice The controls over holders are given up.
    error ControlsRenounced();

    /// @notice What was given up cannot be taken back any more.
    /// @param since seconds since 1970
    error Irrevocable(uint256 since);

    /// @notice Holdings of this token cannot be moved by force.
    error NotRecoverable();

    /// @notice The account may not receive tokens (ERC-7943): it is frozen.
    /// @param account the account
    error ERC7943CannotReceive(address account);

    /// @notice Halts mint, burn, metadata, transfers and approvals. Without effect when already paused.
    /// @dev Emits `Paused`. Reverts `NotOwnerOrOperator`, `ControlsRenounced`.
    function pause() external;

    /// @notice Ends the pause. Without effect when not paused.
    /// @dev Emits `Unpaused`. Reverts `NotOwnerOrOperator`.
    function unpause() external;

    /// @notice Halts transfers and approvals, including permit; an approval can still be taken back. Without effect when
    /// already locked.
    /// @dev Emits `TransferLockChanged`. Reverts `NotOwnerOrOperator`, `ControlsRenounced`.
    function lockTransfers() external;

    /// @notice Allows transfers and approvals again. Without effect when not locked.
    /// @dev Emits `TransferLockChanged`. Reverts `NotOwnerOrOperator`.
    function unlockTransfers() external;

    /// @notice Bars the account from sending, receiving and spending. Without effect when already frozen.
    /// @dev Emits `AccountFreezeChanged`. Reverts `NotOwnerOrOperator`, `ControlsRenounced`, `InvalidAccount` for the zero
    /// address.
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

    /// @notice Closes the mint for ever: at once, for good after the delay when the operator asks. For owner and operator,
    /// also while paused. Without effect when it is closed already and no later for good.
    /// @dev Emits `MintingClosed`. Reverts `NotOwnerOrOperator`.
    function closeMint() external;

    /// @notice Takes {closeMint} back until it is for good. For owner and operator, also while paused. Without effect when
    /// the mint is not closed.
    /// @dev Emits `MintingReopened`. Reverts `NotOwnerOrOperator`, `Irrevocable`.
    function reopenMint() external;

    /// @notice Gives the controls over holders up for ever, as {closeMint}: nobody pauses, locks, freezes or moves holdings by
    /// force any more. What is halted, locked or frozen then can still be released.
    /// @dev Emits `AllControlsRenounced`. Reverts `NotOwnerOrOperator`.
    function renounceControls() external;

    /// @notice Takes {renounceControls} back until it is for good, as {reopenMint}.
    /// @dev Emits `ControlsRestored`. Reverts `NotOwnerOrOperator`, `Irrevocable`.
    function restoreControls() external;

    /// @notice Lowers what the operator may mint in a day, at once. For owner and operator, also while paused.
    /// Without effect when it is the current limit.
    /// @dev Emits `MintLimitChanged`. Reverts `NotOwnerOrOperator`, `InvalidMintLimit` when it is above the current one.
    /// A token without a limit counts mints from its first limit on.
    /// @param newLimit the new limit, below 2^198. ERC-20: in the smallest unit; ERC-721: number of tokens
    function lowerMintLimit(uint256 newLimit) external;

    /// @notice Raises what the operator may mint in a day, at once. Only for the owner, also while paused. Without
    /// effect when it is the current limit. The operator cannot mint more at once than before: what it can mint from then on
    /// refills by the new limit. So a limit that was lowered and is raised again forgets nothing that was minted.
    /// @dev Emits `MintLimitChanged`. Reverts `NotOwner`, `InvalidMintLimit` when it is below the current one, and for
    /// 2^198 to 2^256 - 2. A function of its own, so that an owner that is a contract can tell who may call which.
    /// @param newLimit the new limit, below 2^198, or 2^256 - 1 for none
    function raiseMintLimit(uint256 newLimit) external;

    /// @notice Freezes all metadata for ever, as {closeMint}: that of the contract and that of each token. A token that is
    /// minted later still receives metadata with its mint.
    /// @dev Emits `AllMetadataFrozen`. Reverts `NotOwnerOrOperator`.
    function freezeMetadata() external;

    /// @notice Takes {freezeMetadata} back until it is for good, as {reopenMint}.
    /// @dev Emits `AllMetadataUnfrozen`. Reverts `NotOwnerOrOperator`, `Irrevocable`.
    function unfreezeMetadata() external;

    /// @notice Offers the contract to a new owner, who has to accept, or withdraws the offer with the zero address.
    /// Only for the owner, who stays the owner until then. A later offer replaces an earlier one.
    /// @dev Emits `OwnershipTransferStarted`. Reverts `NotOwner`.
    /// @param newOwner who may accept; zero for nobody
    function transferOwnership(address newOwner) external;

    /// @notice Accepts the contract, and settles in the same act who operates it. Only for the account that it was
    /// offered to. Without that choice, a new owner would share the contract with an operator of the former one.
    /// @dev Emits `OwnershipTransferred`, and `OperatorChanged` when the operator changes. Reverts `NotPendingOwner`.
    /// @param newOperator who operates it from now on: the current {operator} to keep it, zero for none
    function acceptOwnership(address newOperator) external;

    /// @notice Replaces the operator, or removes it with the zero address. Only for the owner.
    /// @dev Emits `OperatorChanged`. Reverts `NotOwner`.
    /// @param newOperator the new operator, or zero for none
    function setOperator(address newOperator) external;

    /// @notice The owner of the contract (ERC-173).
    /// @return the account
    function owner() external view returns (address);

    /// @notice Who may accept the contract.
    /// @return the account; zero for nobody
    function pendingOwner() external view returns (address);

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

    /// @notice Whether the account may send tokens (ERC-7943).
    /// @param account the account
    /// @return false when it is frozen
    function canSend(address account) external view returns (bool);

    /// @notice Whether the account may receive tokens (ERC-7943).
    /// @param account the account
    /// @return false when it is frozen, and for the zero address
    function canReceive(address account) external view returns (bool);

    /// @notice The cap on the supply. Fixed at deployment.
    /// @return ERC-20: most that exists at any time, in the smallest unit; ERC-721: most tokens that are ever minted,
    /// burned ones included, so that no id is above it; 2^256 - 1 for no cap
    function maxSupply() external view returns (uint256);

    /// @notice What the operator may mint in a day: at most this at once, and what it minted refills evenly over 24 hours of
    /// block time, so that it mints at most twice the limit in any 24 hours, the highest one where it was changed. Burned ones
    /// count. An owner who is not the operator is not limited.
    /// @return ERC-20: in the smallest unit; ERC-721: number of tokens; 2^256 - 1 for no limit
    function mintLimit() external view returns (uint256);

    /// @notice What the operator may mint at once in this block under {mintLimit}.
    /// @return ERC-20: in the smallest unit; ERC-721: number of tokens; 2^256 - 1 without a limit
    function mintableNow() external view returns (uint256);

    /// @notice Whether nothing can be minted.
    /// @return true while closed
    function mintClosed() external view returns (bool);

    /// @notice Whether no metadata can change.
    /// @return true while frozen
    function metadataFrozen() external view returns (bool);

    /// @notice Whether nobody can pause, lock, freeze and move by force.
    /// @return true while they are given up
    function controlsRenounced() external view returns (bool);

    /// @notice Whether owner and operator may move or burn what others hold. Fixed at deployment.
    /// @return true when they may
    function recoverable() external view returns (bool);

    /// @notice The bounds of the token, and where it is within them.
    /// @return limits see {TokenLimits}
    function tokenLimits() external view returns (TokenLimits memory limits);

    /// @notice The whole state of the token.
    /// @return state see {TokenState}
    function tokenState() external view returns (TokenState memory state);
}
