// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IERC721Receiver} from "@openzeppelin/contracts/token/ERC721/IERC721Receiver.sol";

/// @notice Takes every token.
contract GoodReceiver is IERC721Receiver {
    uint256 public received;

    function onERC721Received(address, address, uint256, bytes calldata) external virtual returns (bytes4) {
        received += 1;
        return IERC721Receiver.onERC721Received.selector;
    }
}

/// @notice Returns something else than the magic value.
contract WrongReceiver is IERC721Receiver {
    function onERC721Received(address, address, uint256, bytes calldata) external pure returns (bytes4) {
        return 0xdeadbeef;
    }
}

/// @notice Has code but nothing that receives.
contract NoReceiver {}

/// @notice Says why not.
contract RevertingReceiver is IERC721Receiver {
    error NotToday();

    function onERC721Received(address, address, uint256, bytes calldata) external pure returns (bytes4) {
        revert NotToday();
    }
}

/// @notice Uses up all the gas that it gets.
contract BurningReceiver is IERC721Receiver {
    uint256 private sink;

    function onERC721Received(address, address, uint256, bytes calldata) external returns (bytes4) {
        for (;;) sink += 1;
        return 0x00000000;
    }
}

/// @notice Returns or reverts with as many bytes as it is told.
contract LongWindedReceiver is IERC721Receiver {
    uint256 private immutable size;
    bool private immutable reverts;

    constructor(uint256 size_, bool reverts_) {
        size = size_;
        reverts = reverts_;
    }

    function onERC721Received(address, address, uint256, bytes calldata) external view returns (bytes4) {
        uint256 length = size;
        if (reverts) {
            assembly {
                revert(0, length)
            }
        }
        assembly {
            mstore(0, shl(224, 0x150b7a02))
            return(0, length)
        }
    }
}

/// @notice Calls back while it is called, and takes the token whatever comes of that.
contract ReenteringReceiver is GoodReceiver {
    struct Step {
        address target;
        bytes data;
    }

    Step[] private steps;
    bool[] public outcomes;

    function plan(address target, bytes calldata data) external {
        steps.push(Step(target, data));
    }

    function onERC721Received(
        address from,
        address to,
        uint256 tokenId,
        bytes calldata data
    ) external override returns (bytes4) {
        for (uint256 i; i < steps.length; ++i) {
            (bool ok, ) = steps[i].target.call(steps[i].data);
            outcomes.push(ok);
        }
        return this.acknowledge(from, to, tokenId, data);
    }

    function acknowledge(address, address, uint256, bytes calldata) external returns (bytes4) {
        received += 1;
        return IERC721Receiver.onERC721Received.selector;
    }
}

/// @notice A target that is no token: returns, reverts, burns gas or starves as asked.
contract Target {
    uint256 public calls;

    error Refused(uint256 code);

    function poke() external returns (uint256) {
        return ++calls;
    }

    function fail(uint256 code) external {
        calls += 1;
        revert Refused(code);
    }

    function burnGas() external {
        for (;;) calls += 1;
    }

    function returnBytes(uint256 size) external pure {
        assembly {
            return(0, size)
        }
    }

    function revertBytes(uint256 size) external pure {
        assembly {
            revert(0, size)
        }
    }

    /// @dev Needs about this much gas.
    function need(uint256 gasNeeded) external {
        uint256 start = gasleft();
        while (start - gasleft() < gasNeeded) calls += 1;
    }
}
