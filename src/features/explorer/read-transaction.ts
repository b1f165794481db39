import { isPartOf } from '../../chain/system/system-contracts.ts';
import { decodeError } from '../../chain/abi/decode.ts';
import type { Chain } from '../../chain/chain.ts';
import { RpcRefused } from '../../chain/rpc/rpc.ts';
import type { Rpc } from '../../chain/rpc/rpc.ts';
import type { Db } from '../../db/client.ts';
import type { Hex } from '../../lib/hex.ts';
import { operatorsOf } from '../../lib/operators.ts';
import { addressesOf, decodeTransaction, withoutForeign } from './decode-transaction.ts';
import type { ChainReceipt, ChainTransaction, Revert, ShownTransaction } from './shown-transaction.ts';
import { contractsOf, findAttempt, findKnownTokens, readFinalBlock } from './store.ts';
import type { SentTransaction } from './store.ts';

interface Parts {
  db: Db;
  chain: Pick<Chain, 'rpc' | 'system' | 'formerOperators'>;
}

/**
 * Reads a transaction: three calls in one request to the node, then one more, and one more still to find out why a
 * transaction reverted. Returns what the database knows of a hash that the node does not know.
 * @throws RpcUnreachable, RpcRefused
 */
export async function readTransaction(
  parts: Parts,
  hash: Hex,
): Promise<{ found: ShownTransaction } | { sent: SentTransaction | undefined }> {
  const { db } = parts;
  const { rpc, system, formerOperators } = parts.chain;
  const operators = operatorsOf({ operator: system.operator, formerOperators });
  const [transaction, receipt, head, final, sent] = await Promise.all([
    rpc.call<ChainTransaction | null>('eth_getTransactionByHash', [hash]),
    rpc.call<ChainReceipt | null>('eth_getTransactionReceipt', [hash]),
    rpc.call<Hex>('eth_blockNumber', []),
    // Before the tokens are looked up: those that final blocks made are among them then.
    readFinalBlock(db),
    findAttempt(db, hash),
  ]);
  if (!transaction) return { sent };
  const decoded = decodeTransaction(transaction, receipt?.logs ?? [], operators);
  const [mined, tokens] = await Promise.all([
    receipt && readMined(rpc, transaction, receipt, { head: BigInt(head), final }),
    findKnownTokens(db, [...addressesOf(decoded), ...(sent ? contractsOf([sent]) : [])]),
  ]);
  const isOurs = (address: Hex): boolean =>
    tokens.has(address) || operators.includes(address) || isPartOf(system, address);
  const contents = sent?.contents ?? null;
  return { found: { transaction, mined, ...withoutForeign(decoded, isOurs), tokens, contents } };
}

/**
 * Numbers of the newest block, and of the last one that the service has settled for good; null before the first one.
 */
interface Blocks {
  head: bigint;
  final: bigint | null;
}

/** What became of a transaction. */
async function readMined(
  rpc: Rpc,
  transaction: ChainTransaction,
  receipt: ChainReceipt,
  { head, final }: Blocks,
): Promise<ShownTransaction['mined']> {
  const block = BigInt(receipt.blockNumber);
  const succeeded = BigInt(receipt.status) === 1n;
  const [header, revert] = await Promise.all([
    rpc.call<{ timestamp: Hex } | null>('eth_getBlockByNumber', [receipt.blockNumber, false]),
    succeeded ? null : replay(rpc, transaction, block),
  ]);
  return {
    succeeded,
    block,
    confirmations: head - block + 1n,
    // A node that has lost the block is in the middle of a reorg.
    isFinal: header !== null && final !== null && block <= final,
    logs: receipt.logs.length,
    at: header && new Date(Number(header.timestamp) * 1_000),
    gasUsed: BigInt(receipt.gasUsed),
    gasPrice: BigInt(receipt.effectiveGasPrice),
    contractAddress: receipt.contractAddress,
    revert,
  };
}

/**
 * Finds out why a transaction reverted: runs it again on the block before its own. That gives the reason unless an
 * earlier transaction of the same block had a part in it.
 */
async function replay(
  rpc: Rpc,
  { from, to, value, gas, input }: ChainTransaction,
  block: bigint,
): Promise<Revert | null> {
  try {
    const call = { from, ...(to ? { to } : {}), value, gas, data: input };
    await rpc.call('eth_call', [call, `0x${(block - 1n).toString(16)}`]);
    return null;
  } catch (error) {
    if (!(error instanceof RpcRefused)) throw error;
    const data = error.data as Hex | undefined;
    return data ? { data, error: decodeError(data) } : null;
  }
}
