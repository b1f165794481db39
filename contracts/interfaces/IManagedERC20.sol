// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IERC20Metadata} from "@openzeppelin/contracts/token/ERC20/extensions/IERC20Metadata.sol";
import {IManagedToken} from "./IManagedToken.sol";

/// @title The managed ERC-20
/// @notice Functions beyond ERC-20 and the controls of {IManagedToken}.
interface IManagedERC20 is IManagedToken, IERC20Metadata {
    /// @notice Tokens were moved by force (ERC-7943).
    /// @param from whose they were
    /// @param to who received them; zero when they were burned
    /// @param amount in the smallest unit
    event ForcedTransfer(address indexed from, address indexed to, uint256 amount);

    /// @notice The supply would exceed what fits next to the flags.
    /// @param supply what it would be, in the smallest unit
    /// @param cap 2^208 - 1
    error ERC20ExceededSafeSupply(uint256 supply, uint256 cap);

    /// @notice Creates tokens. Only for owner and operator.
    /// @dev Emits `Transfer`. Reverts `NotOwnerOrOperator`, `TokenPaused`, `AccountFrozen`, `AccountNotApproved`,
    /// `ERC20InvalidReceiver` for the zero address, `ERC20ExceededSafeSupply`, `MintClosed`, `SupplyCapExceeded`,
    /// `MintLimitExceeded`.
    /// @param to who receives them
    /// @param amount in the smallest unit
    function mint(address to, uint256 amount) external;

    /// @notice Creates tokens for many, each a row. A row whose recipient may not receive them, or is the zero address, is left
    /// out; everything else that {mint} reverts for ends the whole call. Only for owner and operator.
    /// @dev Emits `Transfer` for each. Reverts `NotOwnerOrOperator`, `TokenPaused`, `InvalidRows`, `ERC20ExceededSafeSupply`,
    /// `MintClosed`, `SupplyCapExceeded`, `MintLimitExceeded`.
    /// @param wanted bit `i` is set when row `i` is to be minted; bits beyond the rows are passed over
    /// @param amountBytes bytes of an amount, at most 26; without any, all amounts are 0
    /// @param rows at most 256, without gaps: the recipient (20 bytes), and the amount in the smallest unit
    /// @return done bit `i` is set when row `i` was minted
    /// @return first 0
    function mintRows(
        uint256 wanted,
        uint256 amountBytes,
        bytes calldata rows
    ) external returns (uint256 done, uint256 first);

    /// @notice Moves what somebody holds to another account (ERC-7943), also when the holder is frozen or transfers are
    /// locked, but not while paused. Only for owner and operator of a recoverable token.
    /// @dev Emits `Transfer` and `ForcedTransfer`. Reverts `NotOwnerOrOperator`, `NotRecoverable`, `ControlsRenounced`, `TokenPaused`,
    /// `ERC7943CannotReceive`, `ERC20InsufficientBalance`, `ERC20InvalidSender` and `ERC20InvalidReceiver` for the zero
    /// address.
    /// @param from the holder
    /// @param to who receives it
    /// @param amount in the smallest unit
    /// @return true
    function forcedTransfer(address from, address to, uint256 amount) external returns (bool);

    /// @notice Burns what somebody holds, also when the holder is frozen or transfers are locked, but not while paused.
    /// Only for owner and operator of a recoverable token.
    /// @dev Emits `Transfer` and `ForcedTransfer`. Reverts `NotOwnerOrOperator`, `NotRecoverable`, `ControlsRenounced`, `TokenPaused`,
    /// `ERC20InsufficientBalance`, `ERC20InvalidSender` for the zero address.
    /// @param from the holder
    /// @param amount in the smallest unit
    /// @return true
    function forcedBurn(address from, uint256 amount) external returns (bool);

    /// @notice Whether the rules of the token let one account transfer to the other now (ERC-7943). Balances and allowances are
    /// not checked.
    /// @param from the sender
    /// @param to the account that receives
    /// @param amount in the smallest unit
    /// @return false while paused or locked, or when one of them is frozen
    function canTransfer(address from, address to, uint256 amount) external view returns (bool);
}
