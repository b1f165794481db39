// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IERC165} from "@openzeppelin/contracts/interfaces/IERC165.sol";
import {IERC2981} from "@openzeppelin/contracts/interfaces/IERC2981.sol";
import {IERC4906} from "@openzeppelin/contracts/interfaces/IERC4906.sol";
import {IERC721} from "@openzeppelin/contracts/token/ERC721/IERC721.sol";
import {IERC721Metadata} from "@openzeppelin/contracts/token/ERC721/extensions/IERC721Metadata.sol";
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
import {ITokenDescriptor} from "./interfaces/ITokenDescriptor.sol";
import {CloneArguments} from "./libraries/CloneArguments.sol";
import {MintRows} from "./libraries/MintRows.sol";
import {Receivers} from "./libraries/Receivers.sol";
import {TokenRuns} from "./libraries/TokenRuns.sol";

/// @title The managed ERC-721
/// @notice ERC-721 with burn, sequential ids, metadata of tokens (ERC-8048) and of the contract (ERC-8049, ERC-7572),
/// royalties (ERC-2981) and the controls of {ManagedToken}.
/// @dev OpenZeppelin's logic with three changes: balances are stored in the packed words of {ManagedToken}, the owner of
/// a token shares its slot with the number of the token's layout, and tokens of a run have no slot until they change.
contract ManagedERC721 is
    IManagedERC721,
    ManagedToken,
    ERC721BurnableUpgradeable,
    IERC8048,
    IERC2981,
    IERC4906,
    IERC6454
{
    using TokenRuns for TokenRuns.Runs;

    /// @custom:storage-location erc7201:mintmark.storage.ManagedERC721
    struct ManagedERC721Storage {
        /// @dev owner (160 bits), number of the layout (40 bits), when its metadata is frozen for good (48 bits), unused, in a
        /// run (1 bit), metadata frozen (1 bit)
        mapping(uint256 tokenId => uint256) tokens;
        /// @dev number of the contract-level layout
        uint256 contractLayout;
        /// @dev receiver (160 bits), basis points (96 bits); valid once the flag says that it was replaced
        uint256 royalty;
        TokenRuns.Runs runs;
    }

    // keccak256(abi.encode(uint256(keccak256("mintmark.storage.ManagedERC721")) - 1)) & ~bytes32(uint256(0xff))
    bytes32 private constant STORAGE_LOCATION =
        0x49acedb7eeaac962b008ae4939c119aba1a6bb6a5942493e5a58c4a3d5afc600;

    uint256 private constant LAYOUT_SHIFT = 160;
    uint256 private constant LAYOUT_MASK = (1 << 40) - 1;
    uint256 private constant FOR_GOOD_SHIFT = 200;
    uint256 private constant FOR_GOOD_MASK = (1 << 48) - 1;
    /// @dev Also the whole word of a burned token that was in a run, which has an owner as long as its word is 0.
    uint256 private constant IN_RUN = 1 << 254;
    uint256 private constant TOKEN_METADATA_FROZEN = 1 << 255;
    /// @dev The supply bits have two numbers of 104 bits: minted in the lower half, burned in the upper one.
    uint256 private constant ONE_MINTED = 1 << SUPPLY_SHIFT;
    uint256 private constant BURNED_SHIFT = 152;
    uint96 private constant MAX_ROYALTY = 1_000;
    uint256 private constant BASIS_POINTS = 10_000;

    /// @notice Sets what all clones share.
    /// @param firstOperator their operator until their owner sets another one
    /// @param descriptor renders their JSON
    /// @param revocableSeconds seconds in which what the operator gave up for ever can be taken back
    constructor(
        address firstOperator,
        ITokenDescriptor descriptor,
        uint40 revocableSeconds
    ) ManagedToken(firstOperator, descriptor, revocableSeconds) {}

    /// @inheritdoc IManagedERC721
    function mint(address to) external returns (uint256 tokenId) {
        return mintNext(to);
    }

    /// @inheritdoc IManagedERC721
    function mintNext(address to) public returns (uint256 tokenId) {
        (uint256 state, bool onlyApproved) = _requireMint(1);
        unchecked {
            state += ONE_MINTED;
        }
        _managed().state = state;
        tokenId = _supplyOf(state);
        _issue(to, tokenId, 0, onlyApproved);
        Receivers.check(to, tokenId);
    }

    /// @inheritdoc IManagedERC721
    function mintWithMetadata(address to, Entry[] calldata newEntries) external returns (uint256 tokenId) {
        (uint256 state, bool onlyApproved) = _requireMint(1);
        unchecked {
            state += ONE_MINTED;
        }
        tokenId = _supplyOf(state);
        _managed().state = _issueWith(to, tokenId, newEntries, state, onlyApproved);
        Receivers.check(to, tokenId);
    }

    /// @inheritdoc IManagedERC721
    function mintBatch(MintItem[] calldata items) external returns (uint256 firstTokenId) {
        (uint256 state, bool onlyApproved) = _requireMint(items.length);
        unchecked {
            firstTokenId = _supplyOf(state) + 1;
            for (uint256 i; i < items.length; ++i) {
                MintItem calldata item = items[i];
                state += ONE_MINTED;
                state = _issueWith(item.to, firstTokenId + i, item.metadata, state, onlyApproved);
            }
            // Before any receiver is called: it may reenter and burn, which changes the same word.
            _managed().state = state;
            for (uint256 i; i < items.length; ++i) {
                Receivers.check(items[i].to, firstTokenId + i);
            }
        }
    }

    /// @inheritdoc IManagedERC721
    function mintRun(address to, uint256 count) external returns (uint256 firstTokenId) {
        if (count == 0 || count > TokenRuns.MAX_LENGTH) revert InvalidRunLength(count);
        (uint256 state, bool onlyApproved) = _requireMint(count);
        unchecked {
            firstTokenId = _supplyOf(state) + 1;
            _managed().state = state + count * ONE_MINTED;
            _credit(to, count, onlyApproved);
            _collection().runs.add(firstTokenId, count, to);
            uint256 end = firstTokenId + count;
            for (uint256 tokenId = firstTokenId; tokenId < end; ++tokenId) {
                emit Transfer(address(0), to, tokenId);
            }
            if (to.code.length == 0) return firstTokenId;
            for (uint256 tokenId = firstTokenId; tokenId < end; ++tokenId) {
                Receivers.check(to, tokenId);
            }
        }
    }

    /// @inheritdoc IManagedERC721
    function mintRows(uint256 wanted, bytes calldata rows) external returns (uint256 done, uint256 first) {
        (uint256 state, uint256 settings) = _requireManager();
        _requireNotPaused(state);
        uint256 count = MintRows.count(rows, 0);
        uint256 needed = _isPermissioned(settings) ? APPROVED : 0;
        uint256 minted;
        unchecked {
            first = _supplyOf(state) + 1;
            for (uint256 i; i < count; ++i) {
                if ((wanted >> i) & 1 == 0) continue;
                (address to, ) = MintRows.read(rows, 0, i);
                Account storage receiver = _managed().accounts[to];
                uint256 word = receiver.word;
                if (to == address(0) || word & (FROZEN | needed) != needed || to.code.length != 0) continue;
                receiver.word = word + 1;
                _collection().tokens[first + minted] = uint160(to);
                emit Transfer(address(0), to, first + minted);
                ++minted;
                done |= 1 << i;
            }
            _checkBounds(state, settings, minted);
            _managed().state = state + minted * ONE_MINTED;
        }
    }

    /// @inheritdoc IManagedERC721
    function setMetadata(uint256 tokenId, Entry[] calldata newEntries) external {
        uint256 state = _requireMetadataManager();
        uint256 token = _requireToken(tokenId);
        if (token & TOKEN_METADATA_FROZEN != 0) revert MetadataFrozen();
        uint256 number;
        (_managed().state, number) = _countLayout(state, newEntries.length);
        _collection().tokens[tokenId] = (token & ~(LAYOUT_MASK << LAYOUT_SHIFT)) | (number << LAYOUT_SHIFT);
        _publish(tokenId, _layoutNumber(token), number, newEntries);
        emit MetadataUpdate(tokenId);
    }

    /// @inheritdoc IKeyedMetadata
    function setContractMetadata(Entry[] calldata newEntries) external {
        uint256 state = _requireMetadataManager();
        ManagedERC721Storage storage $ = _collection();
        uint256 previous = $.contractLayout;
        uint256 number;
        (_managed().state, number) = _countLayout(state, newEntries.length);
        $.contractLayout = number;
        _publish(0, previous, number, newEntries);
        emit ContractURIUpdated();
    }

    /// @inheritdoc IManagedERC721
    function freezeMetadata(uint256 tokenId) external {
        _requireManager();
        uint256 token = _requireToken(tokenId);
        uint256 forGood = _forGoodFrom();
        if (token & TOKEN_METADATA_FROZEN != 0 && _tokenForGoodAt(token) <= forGood) return;
        token &= ~(FOR_GOOD_MASK << FOR_GOOD_SHIFT);
        _collection().tokens[tokenId] = token | (forGood << FOR_GOOD_SHIFT) | TOKEN_METADATA_FROZEN;
        emit TokenMetadataFrozen(tokenId, forGood);
    }

    /// @inheritdoc IManagedERC721
    function unfreezeMetadata(uint256 tokenId) external {
        _requireManager();
        uint256 token = _requireToken(tokenId);
        if (token & TOKEN_METADATA_FROZEN == 0) return;
        _requireRevocable(_tokenForGoodAt(token));
        _collection().tokens[tokenId] = token & ~((FOR_GOOD_MASK << FOR_GOOD_SHIFT) | TOKEN_METADATA_FROZEN);
        emit TokenMetadataUnfrozen(tokenId);
    }

    /// @inheritdoc IManagedERC721
    function setRoyalty(address receiver, uint96 basisPoints) external {
        _requireManager();
        if (basisPoints > MAX_ROYALTY || (receiver == address(0) && basisPoints != 0)) {
            revert InvalidRoyalty(receiver, basisPoints);
        }
        (address current, uint96 currentBasisPoints) = _royalty();
        if (receiver == current && basisPoints == currentBasisPoints) return;
        _collection().royalty = (uint256(uint160(receiver)) << 96) | basisPoints;
        _managed().state |= ROYALTY_REPLACED;
        emit RoyaltyChanged(receiver, basisPoints);
    }

    /// @inheritdoc IManagedERC721
    function forcedTransfer(address from, address to, uint256 tokenId) external returns (bool) {
        if (to == address(0)) revert ERC721InvalidReceiver(to);
        _forceMove(from, to, tokenId);
        return true;
    }

    /// @inheritdoc IManagedERC721
    function forcedBurn(address from, uint256 tokenId) external returns (bool) {
        _forceMove(from, address(0), tokenId);
        return true;
    }

    /// @inheritdoc IERC721
    /// @dev Reverts `TokenPaused`, `TransfersLocked`, `AccountFrozen`, and as OpenZeppelin's. An approval is taken back under pause
    /// and lock too: that grants nothing and moves nothing. A frozen holder may take back its own, a frozen operator of the
    /// holder nothing.
    function approve(address to, uint256 tokenId) public override(ERC721Upgradeable, IERC721) {
        if (to != address(0)) _requireUnlocked(_state());
        if (to != address(0) || msg.sender != _ownerOf(tokenId))
            _requireNotFrozen(msg.sender, _account(msg.sender));
        super.approve(to, tokenId);
    }

    /// @inheritdoc IERC721
    /// @dev Reverts `TokenPaused`, `TransfersLocked`, and as OpenZeppelin's. It is taken back under pause and lock too.
    function setApprovalForAll(address spender, bool approved) public override(ERC721Upgradeable, IERC721) {
        if (approved) _requireUnlocked(_state());
        super.setApprovalForAll(spender, approved);
    }

    /// @inheritdoc IERC8048
    function metadata(uint256 tokenId, string calldata key) external view returns (bytes memory) {
        return _valueOf(_layoutNumber(_collection().tokens[tokenId]), key);
    }

    /// @inheritdoc IManagedERC721
    function metadataKeys(uint256 tokenId) external view returns (string[] memory keys) {
        return _keysOf(_layoutNumber(_requireToken(tokenId)));
    }

    /// @inheritdoc IManagedERC721
    function entries(uint256 tokenId) external view returns (Entry[] memory) {
        return _entriesOf(_layoutNumber(_requireToken(tokenId)));
    }

    /// @inheritdoc IManagedERC721
    function isMetadataFrozen(uint256 tokenId) external view returns (bool) {
        return _requireToken(tokenId) & TOKEN_METADATA_FROZEN != 0 || metadataFrozen();
    }

    /// @inheritdoc IERC2981
    function royaltyInfo(
        uint256,
        uint256 salePrice
    ) external view returns (address receiver, uint256 amount) {
        uint96 basisPoints;
        (receiver, basisPoints) = _royalty();
        unchecked {
            // In two parts, so that no price is too high.
            amount = (salePrice / BASIS_POINTS) * basisPoints;
            amount += ((salePrice % BASIS_POINTS) * basisPoints) / BASIS_POINTS;
        }
    }

    /// @inheritdoc IManagedERC721
    function totalSupply() external view returns (uint256) {
        return _existingOf(_state());
    }

    /// @inheritdoc IManagedERC721
    function canTransfer(address from, address to, uint256) external view returns (bool) {
        return _mayTransfer(from, to);
    }

    /// @inheritdoc IERC6454
    function isTransferable(uint256 tokenId, address from, address to) external view returns (bool) {
        bool inGeneral = from == address(0) && to == address(0);
        if (from != address(0) || inGeneral) _requireOwned(tokenId);
        uint256 receiver = _account(to);
        if (paused() || isFrozen(from) || receiver & FROZEN != 0) return false;
        if (inGeneral) return !transfersLocked() && !isFrozen(_ownerOf(tokenId));
        if (from == address(0))
            return _isMintable(tokenId) && (!isPermissioned() || receiver & APPROVED != 0);
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
            (interfaceId == type(IERC6454).interfaceId && !recoverable()) ||
            interfaceId == type(IERC2981).interfaceId ||
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
        return _account(account) & AMOUNT_MASK;
    }

    /// @notice The token's JSON: rendered from its metadata if it has any, else under the base URI if the contract has
    /// one, else with a drawing.
    /// @dev Reverts `ERC721NonexistentToken`.
    /// @param tokenId the token
    /// @return a data URI, or base URI and id
    function tokenURI(
        uint256 tokenId
    ) public view override(ERC721Upgradeable, IERC721Metadata) returns (string memory) {
        Entry[] memory given = _entriesOf(_layoutNumber(_requireToken(tokenId)));
        if (given.length == 0) {
            string memory base = CloneArguments.baseUriOf(_settings());
            if (bytes(base).length != 0) return string.concat(base, Strings.toString(tokenId));
        }
        return _descriptor().tokenURI(_name(), _symbol(), tokenId, given);
    }

    /// @dev Before a mint: who calls, and whether all that bounds mints allows `count` more.
    function _requireMint(uint256 count) private returns (uint256 state, bool onlyApproved) {
        uint256 settings;
        (state, settings) = _requireManager();
        _checkBounds(state, settings, count);
        onlyApproved = _isPermissioned(settings);
    }

    /// @dev Whether the next mint, if there can be one, makes this token.
    function _isMintable(uint256 tokenId) private view returns (bool) {
        uint256 minted = _supplyOf(_state());
        return tokenId == minted + 1 && minted < maxSupply() && !mintClosed();
    }

    /// @dev Creates a token with a layout, none if that is empty. Returns the packed word of the contract to be stored.
    function _issueWith(
        address to,
        uint256 tokenId,
        Entry[] calldata newEntries,
        uint256 state,
        bool onlyApproved
    ) private returns (uint256) {
        if (newEntries.length == 0) {
            _issue(to, tokenId, 0, onlyApproved);
            return state;
        }
        uint256 number;
        (state, number) = _countLayout(state, newEntries.length);
        _issue(to, tokenId, number, onlyApproved);
        _publish(tokenId, 0, number, newEntries);
        return state;
    }

    /// @dev Creates a token. An id is never used twice: the count of minted tokens only grows.
    function _issue(address to, uint256 tokenId, uint256 number, bool onlyApproved) private {
        _credit(to, 1, onlyApproved);
        _collection().tokens[tokenId] = uint160(to) | (number << LAYOUT_SHIFT);
        emit Transfer(address(0), to, tokenId);
    }

    /// @dev Adds to the balance of somebody who may receive a mint.
    function _credit(address to, uint256 count, bool onlyApproved) private {
        if (to == address(0)) revert ERC721InvalidReceiver(to);
        Account storage receiver = _managed().accounts[to];
        uint256 word = receiver.word;
        _requireNotFrozen(to, word);
        if (onlyApproved && word & APPROVED == 0) revert AccountNotApproved(to);
        unchecked {
            receiver.word = word + count;
        }
    }

    /// @dev Every transfer and burn (`to` zero) by a holder or whom it approved, under the rules of {ManagedToken}. As in
    /// OpenZeppelin's contract, `auth` is checked unless it is zero, and a token without an owner is minted.
    function _update(address to, uint256 tokenId, address auth) internal override returns (address from) {
        uint256 token = _tokenOf(tokenId);
        from = address(uint160(token));
        if (auth != address(0)) _checkAuthorized(from, auth, tokenId);
        uint256 state = _state();
        if (from == address(0) || to == address(0)) _requireNotPaused(state);
        else _requireUnlocked(state);
        if (auth != from) _requireNotFrozen(auth, _account(auth));
        _requireNotFrozen(from, _account(from));
        if (to != address(0)) _requireNotFrozen(to, _account(to));
        _move(from, to, tokenId, token);
    }

    /// @dev Changes the owner of a token, without rules.
    function _move(address from, address to, uint256 tokenId, uint256 token) private {
        ManagedTokenStorage storage $ = _managed();
        unchecked {
            if (from != address(0)) {
                $.accounts[from].word -= 1;
                _approve(address(0), tokenId, address(0), false);
            } else if (to != address(0)) {
                $.state += ONE_MINTED;
            }
            if (to != address(0)) {
                $.accounts[to].word += 1;
                _collection().tokens[tokenId] = (token & ~uint256(type(uint160).max)) | uint160(to);
            } else if (from != address(0)) {
                $.state += 1 << BURNED_SHIFT;
                _collection().tokens[tokenId] = token & IN_RUN;
            }
        }
        emit Transfer(from, to, tokenId);
    }

    function _forceMove(address from, address to, uint256 tokenId) private {
        _requireRecovery(to);
        uint256 token = _requireToken(tokenId);
        address holder = address(uint160(token));
        if (holder != from) revert ERC721IncorrectOwner(from, tokenId, holder);
        _move(from, to, tokenId, token);
        emit ForcedTransfer(from, to, tokenId);
    }

    function _ownerOf(uint256 tokenId) internal view override returns (address) {
        return address(uint160(_tokenOf(tokenId)));
    }

    function _contractLayout() internal view override returns (uint256) {
        return _collection().contractLayout;
    }

    function _supplyOf(uint256 state) internal pure override returns (uint256) {
        return uint104(state >> SUPPLY_SHIFT);
    }

    function _existingOf(uint256 state) internal pure override returns (uint256) {
        return _supplyOf(state) - (state >> BURNED_SHIFT);
    }

    function _royalty() internal view override returns (address, uint96) {
        uint256 royalty;
        uint256 settings = _settings();
        if (_state() & ROYALTY_REPLACED != 0) royalty = _collection().royalty;
        else if (settings & CloneArguments.ROYALTY != 0)
            royalty = CloneArguments.valueOf(settings, CloneArguments.ROYALTY);
        return (address(uint160(royalty >> 96)), uint96(royalty));
    }

    /// @dev The word of a token, made from its run when it has none of its own; without an owner when it does not exist.
    function _tokenOf(uint256 tokenId) private view returns (uint256 token) {
        ManagedERC721Storage storage $ = _collection();
        token = $.tokens[tokenId];
        if (token != 0) return token;
        address holder = $.runs.ownerOf(tokenId);
        if (holder != address(0)) token = uint160(holder) | IN_RUN;
    }

    function _requireToken(uint256 tokenId) private view returns (uint256 token) {
        token = _tokenOf(tokenId);
        if (uint160(token) == 0) revert ERC721NonexistentToken(tokenId);
    }

    /// @dev When the frozen metadata of a token is so for good.
    function _tokenForGoodAt(uint256 token) private pure returns (uint256) {
        return (token >> FOR_GOOD_SHIFT) & FOR_GOOD_MASK;
    }

    function _layoutNumber(uint256 token) private pure returns (uint256) {
        return (token >> LAYOUT_SHIFT) & LAYOUT_MASK;
    }

    function _collection() private pure returns (ManagedERC721Storage storage $) {
        assembly ("memory-safe") {
            $.slot := STORAGE_LOCATION
        }
    }
}
