import { keccak256 } from 'ethers';
import type { BlockId } from '../../lib/block-id.ts';
import { toBytes } from '../../lib/hex.ts';
import type { Hex } from '../../lib/hex.ts';
import type { Log } from '../abi/operator.ts';

/** A block header, as far as it is read. */
export interface Header extends BlockId {
  parentHash: Hex;
  /** Seconds since 1970. */
  timestamp: number;
  /** Bloom filter of all logs in the block, 256 bytes. */
  logsBloom: Hex;
}

/** A log with the transaction that it belongs to. */
export interface BlockLog extends Log {
  transactionHash: Hex;
}

/** A block with logs of the Operators in it. */
export interface Block extends BlockId {
  logs: readonly BlockLog[];
  /** Of those that were read, logs of transactions that are not known here. */
  unknown?: readonly BlockLog[];
  /** No endpoint keeps its logs any longer: that there are none here says nothing. */
  isPruned?: boolean;
}

/** The answer to eth_getBlockByNumber or eth_getBlockByHash, without transactions. */
export interface RpcHeader {
  number: Hex;
  hash: Hex;
  parentHash: Hex;
  timestamp: Hex;
  logsBloom: Hex;
}

export function toHeader({ number, hash, parentHash, timestamp, logsBloom }: RpcHeader): Header {
  return { number: BigInt(number), hash, parentHash, timestamp: Number(timestamp), logsBloom };
}

/** What names a block, of whatever more is known of it. */
export const toBlockId = ({ number, hash }: BlockId): BlockId => ({ number, hash });

/** A block number as JSON-RPC wants it. */
export function toQuantity(number: bigint): Hex {
  return `0x${number.toString(16)}`;
}

/**
 * Whether a block may have logs of a contract, by the header's bloom filter: three bits of 2,048 for each address
 * (Ethereum Yellow Paper, 4.3.1). A bloom that is missing excludes nothing.
 */
export function mayHaveLogsOf({ logsBloom }: Header, address: Hex): boolean {
  const bloom = toBytes(logsBloom ?? '0x');
  if (bloom.length !== 256) return true;
  const hash = toBytes(keccak256(address));
  return [0, 2, 4].every((at) => {
    const bit = hash.readUInt16BE(at) & 2047;
    return (bloom[255 - (bit >> 3)]! & (1 << (bit & 7))) !== 0;
  });
}
