/**
 * What the error of a node means. No standard fixes codes or texts, so both are read: the codes of JSON-RPC 2.0,
 * EIP-1474 and geth, and the texts of the nodes, from their sources. Those of anvil 1.7 and Hardhat 3.18 are asserted
 * against the nodes in test/chain/node-errors.test.ts.
 */

/**
 * - `reverted`: the call ran and reverted. Another endpoint would say the same of the same block.
 * - `unknown-block`: the endpoint does not have the block, or has it no longer in its chain.
 * - `limited`: the endpoint takes no more calls for a time.
 * - `unavailable`: the endpoint cannot answer this call, another one may: pruned state, an index that is not ready, a
 *   range of blocks that is too wide for it, an internal error.
 * - `other`: an answer too, such as wrong parameters, or a transaction that the pool does not take.
 */
export type RefusalKind = 'reverted' | 'unknown-block' | 'limited' | 'unavailable' | 'other';

/**
 * Why a node does not take a transaction.
 * - `known`: its pool has it.
 * - `nonce-used`: a transaction with this nonce is mined.
 * - `underpriced`: its pool has another transaction with this nonce, which this one does not outbid by enough.
 * - `fee-too-low`: it bids less than the base fee, or than the least that the pool takes.
 * - `nonce-ahead`: the node keeps nothing that has to wait for an earlier nonce, or not for so many of them.
 * - `unpaid`: its sender cannot pay for it.
 */
export type SubmissionKind =
  'known' | 'nonce-used' | 'underpriced' | 'fee-too-low' | 'nonce-ahead' | 'unpaid' | 'other';

type Texts<Kind> = readonly (readonly [Kind, RegExp])[];

/** The first that fits counts. */
const SUBMISSIONS: Texts<SubmissionKind> = [
  // geth, Erigon, Nethermind: `already known`. Erigon: `existing txn with same hash`. Besu: `Known transaction`.
  // Hardhat: `Known transaction: 0x...`. anvil: `transaction already imported`. Nethermind before 2026: `AlreadyKnown`.
  [
    'known',
    /already known|\bknown transaction|already imported|existing txn with same hash|^AlreadyKnown\b/i,
  ],
  // All; Hardhat goes on with `Expected nonce to be`. Nethermind before 2026: `OldNonce`.
  ['nonce-used', /nonce too low|^OldNonce\b/i],
  // All; Hardhat goes on with the fee that is needed. Erigon has the next two as well. Nethermind before 2026:
  // `ReplacementNotAllowed`.
  [
    'underpriced',
    /replacement transaction underpriced|could not replace existing tx|replaced by transaction with higher tip|^ReplacementNotAllowed\b/i,
  ],
  // geth, Nethermind: `transaction underpriced`. Erigon: `underpriced`, `fee too low`. geth, anvil: `max fee per gas
  // less than block base fee`. Besu: `Gas price below current base fee`. Nethermind before 2026: `FeeTooLow`.
  ['fee-too-low', /\bunderpriced\b|fee too low|less than block base fee|gas price below|^FeeTooLow/i],
  // Nethermind, Besu, Hardhat with automine: `nonce too high`. Nethermind: `nonce too far in future`, `delegation nonce
  // gap`, before 2026 `NonceGap`. geth: `gapped-nonce tx from delegated accounts`. Besu: `Transaction nonce is too
  // distant from current sender nonce`.
  ['nonce-ahead', /nonce too (high|far)|nonce.?gap|gapped.nonce|nonce is too distant/i],
  // geth, Erigon, Nethermind, anvil: `insufficient funds`. Besu: `Upfront cost exceeds account balance`. Hardhat:
  // `Sender doesn't have enough funds to send tx`. Nethermind before 2026: `InsufficientFunds`.
  ['unpaid', /insufficient ?funds|upfront cost exceeds account balance|doesn't have enough funds/i],
];

/** @param message of the error that answered an `eth_sendRawTransaction` */
export const classifySubmission = (message: string): SubmissionKind =>
  SUBMISSIONS.find(([, text]) => text.test(message))?.[0] ?? 'other';

/**
 * geth, Erigon, Besu, anvil: `execution reverted`. Hardhat: `... reverted with ...`, `Transaction reverted without
 * ...`.
 */
const REVERTED = /\breverted\b/i;

/** The first that fits counts. */
const REFUSALS: Texts<RefusalKind> = [
  // anvil gives other ends of a call, such as `EVM error OutOfGas`, the code of an internal error.
  ['other', /^EVM error /],
  // geth: `header not found`, `header for hash not found`, `hash is not currently canonical`, `unknown block`. Erigon:
  // `block not found 123`. Nethermind: `0x... could not be found`. Besu: `Unknown block`, `Block not found`. anvil:
  // `unknown block` for logs, `Resource not found` for state at a hash, `BlockOutOfRangeError` for a number. Hardhat:
  // `blockHash cannot be found` for logs, `Received invalid block tag` for state.
  [
    'unknown-block',
    /header (for \w+ )?not found|not currently canonical|unknown block|\bblock (\S+ )?not found|could not be found|blockHash cannot be found|^resource not found$|^BlockOutOfRange|invalid block tag/i,
  ],
  // geth: `missing trie node`, `state 0x... is not available`, `historical state ... is not available`, `required
  // historical state unavailable`, `pruned history unavailable`, `state histories haven't been fully indexed yet`,
  // `transaction indexing is in progress`. Erigon: `old data not available due to pruning`. Nethermind: `No state
  // available for block`. Besu: `World state unavailable`, `Initial sync is still in progress`. Of receipts, also for
  // logs: Erigon: `getReceipts error: nonce too low: ...`. Nethermind: `Receipt not available for 'From' block '...'`.
  [
    'unavailable',
    /missing trie node|\bstate\b.* (not |un)available|no state available|\bprun(ed|ing)\b|fully indexed|indexing is in progress|sync is still in progress|\bgetReceipts error|\breceipts? .*not available/i,
  ],
  // Limits of the one call, not of a time: blocks and results of `eth_getLogs`, size, duration.
  [
    'unavailable',
    /block range|range (is too|exceeds)|more than \d+ (results|logs|blocks)|(request|response|batch)( is)? too (large|big)|timed out|timeout/i,
  ],
  ['limited', /too many requests|rate.?limit|compute units|quota|throttl/i],
];

/** geth's code for a revert, which Erigon, Nethermind, Hardhat and anvil use too; that of Nethermind before. */
const REVERT_CODES = new Set([3, -32_015]);
/** `Limit exceeded` of EIP-1474, two that providers use, and HTTP's own in the place of a code. */
const LIMIT_CODES = new Set([-32_005, -32_097, -32_029, 429]);
/** `Internal error` of JSON-RPC 2.0, and `Resource not found` and `Resource unavailable` of EIP-1474. */
const UNAVAILABLE_CODES = new Set([-32_603, -32_001, -32_002]);
/** HTTP statuses that say something of the endpoint and nothing of the call. */
const ENDPOINT_STATUS = /^(40[1-8]|413|5\d\d)$/;

/** @param status of the HTTP response */
export function classifyRefusal(
  method: string,
  { message, code }: { message: string; code: number | undefined },
  status: number,
): RefusalKind {
  // First: what follows in the message of a revert is the contract's own text, which may imitate all others.
  if (REVERT_CODES.has(code ?? 0) || REVERTED.test(message)) return 'reverted';
  // Of another call, such a text tells of the node: Erigon executes a block anew for its receipts, and may fail.
  if (method === 'eth_sendRawTransaction' && classifySubmission(message) !== 'other') return 'other';
  const known = REFUSALS.find(([, text]) => text.test(message));
  if (known) return known[0];
  if (status === 429 || LIMIT_CODES.has(code ?? 0)) return 'limited';
  return ENDPOINT_STATUS.test(String(status)) || UNAVAILABLE_CODES.has(code ?? 0) ? 'unavailable' : 'other';
}

/** Whether another endpoint may be able to answer. */
export const mayBeKnownElsewhere = (kind: RefusalKind): boolean => kind !== 'reverted' && kind !== 'other';

/**
 * What a node says of each call of a batch that is too large for it, or of those that it did not get to. geth: `batch
 * too large`, `response too large`, `request timed out`. Erigon: `batch limit 100 exceeded`. Besu: `Number of requests
 * exceeds max batch size`. Nodes built on jsonrpsee: `Batched requests are not supported by this server`, `... is too
 * big`.
 */
const BATCH_TOO_LARGE =
  /\bbatch(es|ed)?\b|(request|response)( is)? too (large|big)|content length too large|request timed out/i;

/** Whether the error of a call may be that of the whole batch. */
export const isOfBatch = (kind: RefusalKind, message: string): boolean =>
  kind !== 'reverted' && BATCH_TOO_LARGE.test(message);
