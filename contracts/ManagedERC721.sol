// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IERC165} from "@openzeppelin/contracts/interfaces/IERC165.sol";
import {IERC4906} from "@openzeppelin/contracts/interfaces/IERC4906.sol";
import {IERC721} from "@openzeppelin/contracts/token/ERC721/IERC721.sol";
import {IERC721Metadata} from "@openzeppelin/contracts/token/ERC721/extensions/IERC721Metadata.sol";
import {ERC721Utils} from "@openzeppelin/contracts/token/ERC721/utils/ERC721Utils.sol";
import {Strings} from "@openzeppelin/contracts/utils/Strings.sol";
import {ERC721Upgradeable} from "@openzeppelin/contracts-upgradeable/token/ERC721/ERC721Upgradeable.sol";
import {ERC721BurnableUpgradeable} from "@openzeppelin/contracts-upgradeable/token/ERC721/extensions/ERC721BurnableUpgradeable.sol";
import {ManagedToken} from "./ManagedToken.sol";
import {IERC6454} from "./interfaces/IERC6454.sol";
import {IERC7572} from "./interfaces/IERC7572.sol";
import {IERC8048} from "./interfaces/IERC8048.sol";
import {IERC8049} from "./interfaces/IERC8049.sol";
import {Entry, IKeyedMetadata} from "./interfaces/IKeyedMetadata.sol";
import {IManagedERC721, MintItem} from "./interfaces/IManagedERC721.sol";

/// @title The managed ERC-721
/// @notice ERC-721 with burn, sequential ids, metadata of tokens (ERC-8048) and of the contract (ERC-8049, ERC-7572)
/// and the controls of {ManagedToken}.
/// @dev OpenZeppelin's logic with two changes: balances are stored in the packed words of {ManagedToken}, and the owner
/// of a token shares its slot with the reference to the token's layout. Only {_issue} creates a token, only {_update}
/// transfers or burns one.
contract ManagedERC721 is
    IManagedERC721,
    ManagedToken,
    ERC721BurnableUpgradeable,
    IERC8048,
    IERC4906,
    IERC6454
{
    /// @custom:storage-location erc7201:mintmark.storage.ManagedERC721
    struct ManagedERC721Storage {
        /// @dev owner (160 bits), reference to the layout (96 bits)
        mapping(uint256 tokenId => uint256) tokens;
        /// @dev reference to the contract-level layout
        uint256 contractLayout;
    }

    // keccak256(abi.encode(uint256(keccak256("mintmark.storage.ManagedERC721")) - 1)) & ~bytes32(uint256(0xff))
    bytes32 private constant STORAGE_LOCATION =
        0x49acedb7eeaac962b008ae4939c119aba1a6bb6a5942493e5a58c4a3d5afc600;

    uint256 private constant LAYOUT_SHIFT = 160;
    /// @dev The supply bits have two numbers of 104 bits: minted in the lower half, burned in the upper one.
    uint256 private constant ONE_MINTED = 1 << SUPPLY_SHIFT;
    uint256 private constant BURNED_SHIFT = 152;

    /// @inheritdoc IManagedERC721
    function mint(address to) external returns (uint256 tokenId) {
        (uint256 state, uint256 settings) = _requireManager();
        _requireNotPaused(state);
        unchecked {
            state += ONE_MINTED;
        }
        _managed().state = state;
        tokenId = _supplyOf(state);
        _issue(to, tokenId, 0, _isPermissioned(settings));
        _checkReceiver(to, tokenId);
    }

    /// @inheritdoc IManagedERC721
    function mintWithMetadata(address to, Entry[] calldata newEntries) external returns (uint256 tokenId) {
        (uint256 state, uint256 settings) = _requireManager();
        _requireNotPaused(state);
        unchecked {
            state += ONE_MINTED + ONE_LAYOUT;
        }
        _managed().state = state;
        tokenId = _supplyOf(state);
        uint256 number = _layoutsOf(state);
        Draft memory draft = _compose(newEntries);
        _issue(to, tokenId, _referTo(draft, number), _isPermissioned(settings));
        _publish(tokenId, 0, number, draft);
        _checkReceiver(to, tokenId);
    }

    /// @inheritdoc IManagedERC721
    function mintBatch(MintItem[] calldata items) external returns (uint256 firstTokenId) {
        (uint256 state, uint256 settings) = _requireManager();
        _requireNotPaused(state);
        bool onlyApproved = _isPermissioned(settings);
        firstTokenId = _supplyOf(state) + 1;
        for (uint256 i; i < items.length; ++i) {
            MintItem calldata item = items[i];
            state += ONE_MINTED;
            if (item.metadata.length == 0) {
                _issue(item.to, firstTokenId + i, 0, onlyApproved);
            } else {
                state += ONE_LAYOUT;
                uint256 number = _layoutsOf(state);
                Draft memory draft = _compose(item.metadata);
                _issue(item.to, firstTokenId + i, _referTo(draft, number), onlyApproved);
                _publish(firstTokenId + i, 0, number, draft);
            }
        }
        // Before any receiver is called: it may reenter and burn, which changes the same word.
        _managed().state = state;
        for (uint256 i; i < items.length; ++i) {
            _checkReceiver(items[i].to, firstTokenId + i);
        }
    }

    /// @inheritdoc IManagedERC721
    function setMetadata(uint256 tokenId, Entry[] calldata newEntries) external {
        (uint256 state, ) = _requireManager();
        _requireNotPaused(state);
        ManagedERC721Storage storage $ = _collection();
        uint256 token = $.tokens[tokenId];
        if (token == 0) revert ERC721NonexistentToken(tokenId);
        state += ONE_LAYOUT;
        _managed().state = state;
        uint256 number = _layoutsOf(state);
        Draft memory draft = _compose(newEntries);
        $.tokens[tokenId] = uint160(token) | (_referTo(draft, number) << LAYOUT_SHIFT);
        _publish(tokenId, token >> LAYOUT_SHIFT, number, draft);
        emit MetadataUpdate(tokenId);
    }

    /// @inheritdoc IKeyedMetadata
    function setContractMetadata(Entry[] calldata newEntries) external {
        (uint256 state, ) = _requireManager();
        _requireNotPaused(state);
        ManagedERC721Storage storage $ = _collection();
        uint256 previous = $.contractLayout;
        state += ONE_LAYOUT;
        _managed().state = state;
        uint256 number = _layoutsOf(state);
        Draft memory draft = _compose(newEntries);
        $.contractLayout = _referTo(draft, number);
        _publish(0, previous, number, draft);
        emit ContractURIUpdated();
    }

    /// @inheritdoc IERC721
    function approve(address to, uint256 tokenId) public override(ERC721Upgradeable, IERC721) {
        _requireUnlocked(_state());
        super.approve(to, tokenId);
    }

    /// @inheritdoc IERC721
    function setApprovalForAll(address spender, bool approved) public override(ERC721Upgradeable, IERC721) {
        _requireUnlocked(_state());
        super.setApprovalForAll(spender, approved);
    }

    /// @inheritdoc IERC8048
    function metadata(uint256 tokenId, string calldata key) external view returns (bytes memory) {
        return _valueOf(_collection().tokens[tokenId] >> LAYOUT_SHIFT, key);
    }

    /// @inheritdoc IManagedERC721
    function metadataKeys(uint256 tokenId) external view returns (string[] memory keys) {
        return _keysOf(_layoutOf(tokenId));
    }

    /// @inheritdoc IManagedERC721
    function entries(uint256 tokenId) external view returns (Entry[] memory) {
        return _entriesOf(_layoutOf(tokenId));
    }

    /// @inheritdoc IManagedERC721
    function totalSupply() external view returns (uint256) {
        uint256 state = _state();
        return _supplyOf(state) - (state >> BURNED_SHIFT);
    }

    /// @inheritdoc IManagedERC721
    function canTransfer(address from, address to, uint256 tokenId) external view returns (bool) {
        return _mayTransfer(from, to) && _ownerOf(tokenId) == from;
    }

    /// @inheritdoc IERC6454
    function isTransferable(uint256 tokenId, address from, address to) external view returns (bool) {
        if (from != address(0)) _requireOwned(tokenId);
        uint256 receiver = _account(to);
        if (paused() || isFrozen(from) || receiver & FROZEN != 0) return false;
        if (from == address(0)) return !isPermissioned() || receiver & APPROVED != 0;
        return to == address(0) || !transfersLocked();
    }

    /// @inheritdoc IERC165
    function supportsInterface(
        bytes4 interfaceId
    ) public view override(ERC721Upgradeable, IERC165) returns (bool) {
        return
            interfaceId == type(IERC8048).interfaceId ||
            interfaceId == type(IERC8049).interfaceId ||
            interfaceId == type(IERC7572).interfaceId ||
            interfaceId == type(IERC6454).interfaceId ||
            interfaceId == bytes4(0x49064906) ||
            super.supportsInterface(interfaceId);
    }

    /// @inheritdoc IERC721Metadata
    function name() public view override(ERC721Upgradeable, IERC721Metadata) returns (string memory) {
        return _name();
    }

    /// @inheritdoc IERC721Metadata
    function symbol() public view override(ERC721Upgradeable, IERC721Metadata) returns (string memory) {
        return _symbol();
    }

    /// @inheritdoc IERC721
    function balanceOf(address account) public view override(ERC721Upgradeable, IERC721) returns (uint256) {
        if (account == address(0)) revert ERC721InvalidOwner(account);
        return _account(account) & BALANCE_MASK;
    }

    /// @notice The token's JSON: rendered from its metadata if it has any, else under the base URI if the contract has
    /// one, else with a drawing.
    /// @dev Reverts `ERC721NonexistentToken`.
    /// @param tokenId the token
    /// @return a data URI, or base URI and id
    function tokenURI(
        uint256 tokenId
    ) public view override(ERC721Upgradeable, IERC721Metadata) returns (string memory) {
        Entry[] memory given = _entriesOf(_layoutOf(tokenId));
        if (given.length == 0) {
            string memory base = _baseUri();
            if (bytes(base).length != 0) return string.concat(base, Strings.toString(tokenId));
        }
        return _descriptor().tokenURI(_name(), _symbol(), tokenId, given);
    }

    /// @dev The only function that creates tokens. An id is never used twice: the count of minted tokens only grows.
    function _issue(address to, uint256 tokenId, uint256 pointer, bool onlyApproved) private {
        if (to == address(0)) revert ERC721InvalidReceiver(to);
        ManagedTokenStorage storage $ = _managed();
        Account storage receiver = $.accounts[to];
        uint256 word = receiver.word;
        _requireNotFrozen(to, word);
        if (onlyApproved && word & APPROVED == 0) revert AccountNotApproved(to);
        unchecked {
            receiver.word = word + 1;
        }
        _collection().tokens[tokenId] = uint160(to) | (pointer << LAYOUT_SHIFT);
        emit Transfer(address(0), to, tokenId);
    }

    /// @dev The only function that transfers and burns (`to` zero).
    function _update(address to, uint256 tokenId, address auth) internal override returns (address from) {
        ManagedTokenStorage storage $ = _managed();
        ManagedERC721Storage storage collection = _collection();
        uint256 state = $.state;
        uint256 token = collection.tokens[tokenId];
        from = address(uint160(token));
        _checkAuthorized(from, auth, tokenId);
        if (auth != from) _requireNotFrozen(auth, _account(auth));
        Account storage sender = $.accounts[from];
        _requireNotFrozen(from, sender.word);
        unchecked {
            sender.word -= 1;
        }
        _approve(address(0), tokenId, address(0), false);
        if (to == address(0)) {
            _requireNotPaused(state);
            $.state = state + (1 << BURNED_SHIFT);
            collection.tokens[tokenId] = 0;
        } else {
            _requireUnlocked(state);
            Account storage receiver = $.accounts[to];
            _requireNotFrozen(to, receiver.word);
            unchecked {
                receiver.word += 1;
            }
            collection.tokens[tokenId] = (token & ~uint256(type(uint160).max)) | uint160(to);
        }
        emit Transfer(from, to, tokenId);
    }

    /// @dev Asks a receiving contract to accept the token. Checks for code first, which saves gas for other receivers.
    function _checkReceiver(address to, uint256 tokenId) private {
        if (to.code.length != 0) ERC721Utils.checkOnERC721Received(msg.sender, address(0), to, tokenId, "");
    }

    function _ownerOf(uint256 tokenId) internal view override returns (address) {
        return address(uint160(_collection().tokens[tokenId]));
    }

    function _contractLayout() internal view override returns (uint256) {
        return _collection().contractLayout;
    }

    function _supplyOf(uint256 state) internal pure override returns (uint256) {
        return uint104(state >> SUPPLY_SHIFT);
    }

    function _layoutOf(uint256 tokenId) private view returns (uint256) {
        _requireOwned(tokenId);
        return _collection().tokens[tokenId] >> LAYOUT_SHIFT;
    }

    function _collection() private pure returns (ManagedERC721Storage storage $) {
        assembly ("memory-safe") {
            $.slot := STORAGE_LOCATION
        }
    }
}
