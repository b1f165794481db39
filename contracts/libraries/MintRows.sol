// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// @title Reads rows of mints
/// @notice At most 256 without gaps between them: the recipient (20 bytes), and the amount in as many bytes as the caller says,
/// none for an ERC-721.
library MintRows {
    /// @notice The rows do not fill their bytes, are more than 256, or an amount has more bytes than a balance.
    error InvalidRows();

    uint256 private constant MAX_ROWS = 256;
    /// @dev Of a balance: 208 bits.
    uint256 private constant MAX_AMOUNT_BYTES = 26;
    uint256 private constant RECIPIENT_BYTES = 20;

    /// @dev How many rows there are. Reverts `InvalidRows`.
    function count(bytes calldata rows, uint256 amountBytes) internal pure returns (uint256 number) {
        if (amountBytes > MAX_AMOUNT_BYTES) revert InvalidRows();
        uint256 size = RECIPIENT_BYTES + amountBytes;
        number = rows.length / size;
        if (number > MAX_ROWS || number * size != rows.length) revert InvalidRows();
    }

    /// @dev A row below the count.
    function read(
        bytes calldata rows,
        uint256 amountBytes,
        uint256 index
    ) internal pure returns (address to, uint256 amount) {
        assembly ("memory-safe") {
            let row := add(rows.offset, mul(index, add(RECIPIENT_BYTES, amountBytes)))
            to := shr(96, calldataload(row))
            amount := shr(sub(256, shl(3, amountBytes)), calldataload(add(row, RECIPIENT_BYTES)))
        }
    }
}
