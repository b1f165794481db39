// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {IERC20Metadata} from "@openzeppelin/contracts/token/ERC20/extensions/IERC20Metadata.sol";
import {ERC165, IERC165} from "@openzeppelin/contracts/utils/introspection/ERC165.sol";
import {ERC20Upgradeable} from "@openzeppelin/contracts-upgradeable/token/ERC20/ERC20Upgradeable.sol";
import {ERC20BurnableUpgradeable} from "@openzeppelin/contracts-upgradeable/token/ERC20/extensions/ERC20BurnableUpgradeable.sol";
import {ERC20PermitUpgradeable} from "@openzeppelin/contracts-upgradeable/token/ERC20/extensions/ERC20PermitUpgradeable.sol";
import {ManagedToken} from "./ManagedToken.sol";
import {IERC7572} from "./interfaces/IERC7572.sol";
import {IERC8049} from "./interfaces/IERC8049.sol";
import {Entry, IKeyedMetadata} from "./interfaces/IKeyedMetadata.sol";
import {IManagedERC20} from "./interfaces/IManagedERC20.sol";
import {ITokenDescriptor} from "./interfaces/ITokenDescriptor.sol";
import {MintRows} from "./libraries/MintRows.sol";

/// @title The managed ERC-20
/// @notice ERC-20 with ERC-2612 permit, burn, contract-level metadata (ERC-8049) and the controls of {ManagedToken}.
/// @dev OpenZeppelin's logic with two changes: balances and supply are stored in the packed words of {ManagedToken},
/// and every change of a balance goes through {_update}.
contract ManagedERC20 is
    IManagedERC20,
    ManagedToken,
    ERC20BurnableUpgradeable,
    ERC20PermitUpgradeable,
    ERC165
{
    /// @notice Sets what all clones share.
    /// @param firstOperator their operator until their owner sets another one
    /// @param descriptor renders their JSON
    /// @param revocableSeconds seconds in which what the operator gave up for ever can be taken back
    constructor(
        address firstOperator,
        ITokenDescriptor descriptor,
        uint40 revocableSeconds
    ) ManagedToken(firstOperator, descriptor, revocableSeconds) {}

    /// @inheritdoc IManagedERC20
    function mint(address to, uint256 amount) external {
        (uint256 state, uint256 settings) = _requireManager();
        _checkBounds(state, settings, amount);
        if (_isPermissioned(settings) && _account(to) & APPROVED == 0) revert AccountNotApproved(to);
        _mint(to, amount);
    }

    /// @inheritdoc IManagedERC20
    function mintRows(
        uint256 wanted,
        uint256 amountBytes,
        bytes calldata rows
    ) external returns (uint256 done, uint256) {
        (uint256 state, uint256 settings) = _requireManager();
        _requireNotPaused(state);
        uint256 total;
        (done, total) = _mintEach(_isPermissioned(settings) ? APPROVED : 0, wanted, amountBytes, rows);
        _checkBounds(state, settings, total);
        _managed().state = _withSupply(state, total);
        return (done, 0);
    }

    /// @inheritdoc IKeyedMetadata
    function setContractMetadata(Entry[] calldata entries) external {
        uint256 state = _requireMetadataManager();
        uint256 previous = _contractLayout();
        uint256 number;
        (_managed().state, number) = _countLayout(state, entries.length);
        _publish(0, previous, number, entries);
        emit ContractURIUpdated();
    }

    /// @inheritdoc IManagedERC20
    function forcedTransfer(address from, address to, uint256 amount) external returns (bool) {
        if (to == address(0)) revert ERC20InvalidReceiver(to);
        _forceMove(from, to, amount);
        return true;
    }

    /// @inheritdoc IManagedERC20
    function forcedBurn(address from, uint256 amount) external returns (bool) {
        _forceMove(from, address(0), amount);
        return true;
    }

    /// @inheritdoc IERC20
    /// @dev Reverts `TokenPaused`, `TransfersLocked`, `ERC20InvalidSpender`. An allowance of 0 passes under pause and lock:
    /// it grants nothing and moves nothing.
    function approve(
        address spender,
        uint256 value
    ) public override(ERC20Upgradeable, IERC20) returns (bool) {
        if (value != 0) _requireUnlocked(_state());
        return super.approve(spender, value);
    }

    /// @notice Sets an allowance by the owner's signature (ERC-2612).
    /// @dev Reverts `TokenPaused`, `TransfersLocked`, `ERC2612ExpiredSignature`, `ERC2612InvalidSigner`. As {approve} for 0.
    /// @param holder who signed
    /// @param spender who may spend
    /// @param value how much, in the smallest unit
    /// @param deadline last timestamp at which the signature is valid
    /// @param v of the signature
    /// @param r of the signature
    /// @param s of the signature
    function permit(
        address holder,
        address spender,
        uint256 value,
        uint256 deadline,
        uint8 v,
        bytes32 r,
        bytes32 s
    ) public override {
        if (value != 0) _requireUnlocked(_state());
        super.permit(holder, spender, value, deadline, v, r, s);
    }

    /// @inheritdoc IManagedERC20
    function canTransfer(address from, address to, uint256) external view returns (bool) {
        return _mayTransfer(from, to);
    }

    /// @inheritdoc IERC165
    function supportsInterface(bytes4 interfaceId) public view override returns (bool) {
        return
            interfaceId == type(IERC8049).interfaceId ||
            interfaceId == type(IERC7572).interfaceId ||
            interfaceId == type(IERC20).interfaceId ||
            interfaceId == type(IERC20Metadata).interfaceId ||
            super.supportsInterface(interfaceId);
    }

    /// @inheritdoc IERC20Metadata
    function name() public view override(ERC20Upgradeable, IERC20Metadata) returns (string memory) {
        return _name();
    }

    /// @inheritdoc IERC20Metadata
    function symbol() public view override(ERC20Upgradeable, IERC20Metadata) returns (string memory) {
        return _symbol();
    }

    /// @inheritdoc IERC20Metadata
    function decimals() public view override(ERC20Upgradeable, IERC20Metadata) returns (uint8) {
        return _decimals();
    }

    /// @inheritdoc IERC20
    function totalSupply() public view override(ERC20Upgradeable, IERC20) returns (uint256) {
        return _supplyOf(_state());
    }

    /// @inheritdoc IERC20
    function balanceOf(address account) public view override(ERC20Upgradeable, IERC20) returns (uint256) {
        return _account(account) & AMOUNT_MASK;
    }

    /// @dev Every transfer, mint (`from` zero) and burn (`to` zero), under the rules of {ManagedToken}.
    function _update(address from, address to, uint256 value) internal override {
        uint256 state = _state();
        _requireNotPaused(state);
        if (from != address(0)) {
            if (to != address(0)) _requireUnlocked(state);
            if (msg.sender != from) _requireNotFrozen(msg.sender, _account(msg.sender));
            _requireNotFrozen(from, _account(from));
        }
        if (to != address(0)) _requireNotFrozen(to, _account(to));
        _move(from, to, value);
    }

    /// @dev Mints the wanted rows whose recipients have the marks that are needed. Returns which, and how much together: below
    /// 2^216, and the supply is checked afterwards, so that no balance reaches the flags above it.
    function _mintEach(
        uint256 needed,
        uint256 wanted,
        uint256 amountBytes,
        bytes calldata rows
    ) private returns (uint256 done, uint256 total) {
        uint256 count = MintRows.count(rows, amountBytes);
        unchecked {
            for (uint256 i; i < count; ++i) {
                if ((wanted >> i) & 1 == 0) continue;
                (address to, uint256 amount) = MintRows.read(rows, amountBytes, i);
                Account storage receiver = _managed().accounts[to];
                uint256 word = receiver.word;
                if (to == address(0) || word & (FROZEN | needed) != needed) continue;
                total += amount;
                receiver.word = word + amount;
                done |= 1 << i;
                emit Transfer(address(0), to, amount);
            }
        }
    }

    /// @dev Changes balances of anything but rows, without rules.
    function _move(address from, address to, uint256 value) private {
        ManagedTokenStorage storage $ = _managed();
        if (from == address(0)) {
            $.state = _withSupply($.state, value);
        } else {
            Account storage sender = $.accounts[from];
            uint256 word = sender.word;
            uint256 balance = word & AMOUNT_MASK;
            if (balance < value) revert ERC20InsufficientBalance(from, balance, value);
            unchecked {
                sender.word = word - value;
            }
        }
        unchecked {
            if (to == address(0)) $.state -= value << SUPPLY_SHIFT;
            else $.accounts[to].word += value;
        }
        emit Transfer(from, to, value);
    }

    /// @dev The packed word of the contract once so much was minted. Also limits every balance, so that none reaches the flags
    /// above it.
    function _withSupply(uint256 state, uint256 value) private pure returns (uint256) {
        uint256 supply = _supplyOf(state);
        unchecked {
            if (value > AMOUNT_MASK - supply) {
                uint256 wanted = supply + value;
                revert ERC20ExceededSafeSupply(wanted < value ? type(uint256).max : wanted, AMOUNT_MASK);
            }
            return state + (value << SUPPLY_SHIFT);
        }
    }

    function _forceMove(address from, address to, uint256 amount) private {
        _requireRecovery(to);
        if (from == address(0)) revert ERC20InvalidSender(from);
        _move(from, to, amount);
        emit ForcedTransfer(from, to, amount);
    }

    /// @dev Only contract-level layouts are written here: the newest one is current.
    function _contractLayout() internal view override returns (uint256) {
        uint256 state = _state();
        return state & NEWEST_LAYOUT_EMPTY != 0 ? 0 : _layoutsOf(state);
    }

    // solhint-disable-next-line func-name-mixedcase
    function _EIP712Name() internal view override returns (string memory) {
        return _name();
    }

    // solhint-disable-next-line func-name-mixedcase
    function _EIP712Version() internal pure override returns (string memory) {
        return "1";
    }
}
