// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IERC20Metadata} from "@openzeppelin/contracts/token/ERC20/extensions/IERC20Metadata.sol";
import {IManagedToken} from "./IManagedToken.sol";

/// @title The managed ERC-20
/// @notice Functions beyond ERC-20 and the controls of {IManagedToken}.
interface IManagedERC20 is IManagedToken, IERC20Metadata {
    /// @notice The supply would exceed what fits next to the flags.
    /// @param supply what it would be, in the smallest unit
    /// @param cap 2^208 - 1
    error ERC20ExceededSafeSupply(uint256 supply, uint256 cap);

    /// @notice Creates tokens. Only for owner and operator.
    /// @dev Emits `Transfer`. Reverts `NotOwnerOrOperator`, `TokenPaused`, `AccountFrozen`, `AccountNotApproved`,
    /// `ERC20InvalidReceiver` for the zero address, `ERC20ExceededSafeSupply`.
    /// @param to who receives them
    /// @param amount in the smallest unit
    function mint(address to, uint256 amount) external;

    /// @notice Whether the amount can be transferred from one account to the other now. Allowances are not checked.
    /// @param from the sender
    /// @param to the account that receives
    /// @param amount in the smallest unit
    /// @return false while paused or locked, when one of them is frozen, or the balance is too low
    function canTransfer(address from, address to, uint256 amount) external view returns (bool);
}
