import { describe, expect, test } from '@jest/globals';
import { classifyRefusal, classifySubmission } from '../../src/chain/rpc/classify.ts';
import type { RefusalKind, SubmissionKind } from '../../src/chain/rpc/classify.ts';

const OK = 200;

describe('a refusal', () => {
  test.each<[string, number | undefined, string, RefusalKind]>([
    ['geth', 3, 'execution reverted: Ownable', 'reverted'],
    ['geth', -32_000, 'execution reverted', 'reverted'],
    ['Besu', -32_000, 'Execution reverted', 'reverted'],
    ['Nethermind', -32_015, 'VM execution error.', 'reverted'],
    ['Hardhat', 3, "VM Exception while processing transaction: reverted with reason string 'no'", 'reverted'],
    ['Hardhat', 3, 'Transaction reverted without a reason string', 'reverted'],
    ['a contract that imitates', 3, 'execution reverted: missing trie node', 'reverted'],
    ['a contract that imitates', -32_000, 'execution reverted: nonce too low', 'reverted'],

    ['geth', -32_000, 'header not found', 'unknown-block'],
    ['geth', -32_000, 'header for hash not found', 'unknown-block'],
    ['geth', -32_000, 'hash is not currently canonical', 'unknown-block'],
    ['geth', -32_000, 'unknown block', 'unknown-block'],
    ['Erigon', -32_000, 'block not found 11185311', 'unknown-block'],
    ['Nethermind', -32_001, '0xabab could not be found', 'unknown-block'],
    ['Besu', -39_001, 'Unknown block', 'unknown-block'],
    ['Besu', -32_000, 'Block not found', 'unknown-block'],
    ['anvil', -32_001, 'Resource not found', 'unknown-block'],
    ['anvil', -32_602, 'BlockOutOfRangeError: block height is 2 but requested was 9', 'unknown-block'],
    ['Hardhat', -32_000, 'Received invalid block tag 0xab. Latest block number is 2', 'unknown-block'],
    ['Hardhat', -32_602, 'blockHash cannot be found', 'unknown-block'],

    ['geth', -32_000, 'missing trie node 0xb03d (path )', 'unavailable'],
    ['geth', -32_000, 'missing trie node b03d (path ) state 0xb03d is not available', 'unavailable'],
    ['geth', -32_000, 'historical state b03d is not available', 'unavailable'],
    ['geth', -32_000, 'required historical state unavailable (reexec=128)', 'unavailable'],
    ['geth', 4_444, 'pruned history unavailable', 'unavailable'],
    ['geth', -32_000, 'transaction indexing is in progress', 'unavailable'],
    ['geth', -32_002, 'request timed out', 'unavailable'],
    ['geth', -32_003, 'response too large', 'unavailable'],
    ['Erigon', -32_000, 'old data not available due to pruning: requested block 1', 'unavailable'],
    ['Erigon', -32_000, 'getReceipts error: nonce too low: address 0x00, tx: 1 state: 2', 'unavailable'],
    ['Nethermind', -32_001, "Receipt not available for 'From' block '18908896'", 'unavailable'],
    ['EIP-1474', -32_001, 'Resource not available', 'unavailable'],
    ['Nethermind', -32_002, 'No state available for block 0x3f9e', 'unavailable'],
    ['Nethermind', -32_603, 'Internal error', 'unavailable'],
    ['Besu', -32_000, 'World state unavailable', 'unavailable'],
    ['Besu', -32_008, 'Initial sync is still in progress', 'unavailable'],
    ['Besu', -32_005, 'Requested range exceeds maximum RPC range limit', 'unavailable'],
    ['a provider', -32_005, 'query exceeds max block range 1000', 'unavailable'],

    ['EIP-1474', -32_005, 'limit exceeded', 'limited'],
    ['a provider', 429, 'Your app has exceeded its compute units per second capacity', 'limited'],
    ['a provider', -32_000, 'Too Many Requests', 'limited'],
    ['a provider', undefined, 'daily request count exceeded, request rate limited', 'limited'],

    ['anvil', -32_603, 'EVM error OutOfGas', 'other'],
    ['anvil', -32_601, 'Method not found', 'other'],
    ['geth', -32_000, 'account limit exceeded', 'other'],
    ['geth', -32_000, 'tx fee (1.20 ether) exceeds the configured cap (1.00 ether)', 'other'],
    ['geth', -32_601, 'the method eth_x does not exist/is not available', 'other'],
    ['geth', -32_602, 'missing value for required argument 0', 'other'],
    ['Hardhat', -32_000, 'Transaction ran out of gas', 'other'],
  ])('of %s, %p: %s', (_node, code, message, kind) => {
    expect(classifyRefusal('eth_getLogs', { message, code }, OK)).toBe(kind);
  });

  test.each([
    ['anvil', -32_003, 'nonce too low'],
    ['Besu', -32_001, 'Nonce too low'],
    ['a provider', -32_603, 'already known'],
  ])('of %s, %p: %s, is an answer to who sent a transaction', (_node, code, message) => {
    expect(classifyRefusal('eth_sendRawTransaction', { message, code }, OK)).toBe('other');
  });

  test.each<[number, RefusalKind]>([
    [200, 'other'],
    [400, 'other'],
    [401, 'unavailable'],
    [403, 'unavailable'],
    [429, 'limited'],
    [500, 'unavailable'],
    [503, 'unavailable'],
  ])('with HTTP %i and words that say nothing', (status, kind) => {
    expect(classifyRefusal('eth_getLogs', { message: 'no', code: -32_000 }, status)).toBe(kind);
  });

  test('that is a revert stays one with HTTP 500', () => {
    expect(classifyRefusal('eth_call', { message: 'execution reverted', code: 3 }, 500)).toBe('reverted');
  });
});

test.each<[string, string, SubmissionKind]>([
  ['geth', 'already known', 'known'],
  ['Erigon', 'existing txn with same hash', 'known'],
  ['Nethermind', 'AlreadyKnown', 'known'],
  ['Besu', 'Known transaction', 'known'],
  ['Hardhat', 'Known transaction: 0x830b', 'known'],
  ['anvil', 'transaction already imported', 'known'],

  ['geth', 'nonce too low: next nonce 5, tx nonce 4', 'nonce-used'],
  ['Nethermind', 'OldNonce, Current nonce: 5, nonce of rejected tx: 4', 'nonce-used'],
  ['Besu', 'Nonce too low', 'nonce-used'],
  ['Hardhat', 'Nonce too low. Expected nonce to be 1 but got 0.', 'nonce-used'],
  ['anvil', 'nonce too low', 'nonce-used'],

  ['geth', 'replacement transaction underpriced', 'underpriced'],
  ['Erigon', 'could not replace existing tx', 'underpriced'],
  ['Nethermind', 'ReplacementNotAllowed', 'underpriced'],
  ['Besu', 'Replacement transaction underpriced', 'underpriced'],
  ['Hardhat', 'Replacement transaction underpriced. A gasPrice/maxFeePerGas of at least 3', 'underpriced'],

  ['geth', 'transaction underpriced: gas tip cap 0, minimum needed 1', 'fee-too-low'],
  ['geth', 'max fee per gas less than block base fee: address 0x00, maxFeePerGas: 1', 'fee-too-low'],
  ['Erigon', 'fee too low', 'fee-too-low'],
  ['Nethermind', 'FeeTooLowToCompete', 'fee-too-low'],
  ['Besu', 'Gas price below current base fee', 'fee-too-low'],

  ['Nethermind', 'nonce too high', 'nonce-ahead'],
  ['Nethermind', 'NonceGap, Future nonce. Expected nonce: 5', 'nonce-ahead'],
  ['Nethermind', 'nonce too far in future', 'nonce-ahead'],
  ['Besu', 'Transaction nonce is too distant from current sender nonce', 'nonce-ahead'],
  [
    'Hardhat',
    "Nonce too high. Expected nonce to be 1 but got 5. Note that transactions can't be queued",
    'nonce-ahead',
  ],

  ['geth', 'insufficient funds for gas * price + value: balance 0, tx cost 1, overshot 1', 'unpaid'],
  ['Nethermind', 'InsufficientFunds, Account balance: 0', 'unpaid'],
  ['Besu', 'Upfront cost exceeds account balance', 'unpaid'],
  ['Hardhat', "Sender doesn't have enough funds to send tx. The max upfront cost is: 63", 'unpaid'],

  ['geth', 'txpool is full', 'other'],
  ['Hardhat', 'Unknown transaction type: 9', 'other'],
])('a transaction that %s does not take: %s', (_node, message, kind) => {
  expect(classifySubmission(message)).toBe(kind);
});
