import { Interface } from 'ethers';
import type { ChainEffect, Effect, Register } from './history.ts';

/** As `eth_getLogs` gives it. */
export interface Log {
  address: string;
  topics: string[];
  data: string;
  transactionHash: string;
  blockNumber: string;
  logIndex: string;
}

/** Asks a node. */
type AskNode = <Result>(method: string, params: readonly unknown[]) => Promise<Result>;

/**
 * From the interfaces of the contracts. Both transfers, and both forced ones, have the topic of ERC-20's; an NFT's has
 * its id as a third topic.
 */
const EVENTS = new Interface([
  'event TokenCreated(address indexed token, address indexed owner, address indexed creator, bytes32 salt)',
  'event Transfer(address indexed from, address indexed to, uint256 amount)',
  'event Paused(address account)',
  'event Unpaused(address account)',
  'event TransferLockChanged(bool locked)',
  'event AccountFreezeChanged(address indexed account, bool frozen)',
  'event AccountApprovalChanged(address indexed account, bool approved)',
  'event MintingClosed(uint256 forGoodAt)',
  'event MintingReopened()',
  'event MintLimitChanged(uint256 previousLimit, uint256 newLimit)',
  'event RoyaltyChanged(address indexed receiver, uint96 basisPoints)',
  'event AllMetadataFrozen(uint256 forGoodAt)',
  'event AllMetadataUnfrozen()',
  'event AllControlsRenounced(uint256 forGoodAt)',
  'event ControlsRestored()',
  'event TokenMetadataFrozen(uint256 indexed tokenId, uint256 forGoodAt)',
  'event TokenMetadataUnfrozen(uint256 indexed tokenId)',
  'event ForcedTransfer(address indexed from, address indexed to, uint256 amount)',
  'event ContractMetadataUpdated(string indexed indexedKey, string key, bytes value)',
  'event MetadataSet(uint256 indexed tokenId, string indexed indexedKey, string key, bytes value)',
  // Of the Operator, at the end of each call that is not one of many mints alone.
  'event CallExecuted(uint256 indexed intent, uint256 keyAndGas, uint256 result)',
  'function symbol() view returns (string)',
]);
const ZERO = `0x${'0'.repeat(64)}`;
const topicOf = (name: string): string => EVENTS.getEvent(name)!.topicHash;
const addressIn = (topic: string): string => `0x${topic.slice(26)}`;

/** Reads from the canonical chain everything that requests may have done, in its order. */
export async function readEffects(ask: AskNode, fromBlock: number): Promise<ChainEffect[]> {
  const range = { fromBlock: `0x${fromBlock.toString(16)}`, toBlock: 'latest' };
  const logs = await ask<Log[]>('eth_getLogs', [range]);
  const found: CallEffect[] = [];
  let call = 0;
  for (const log of logs) {
    if (log.topics[0] === topicOf('CallExecuted')) call += 1;
    const { transactionHash, blockNumber, logIndex } = log;
    const place = { transactionHash, block: Number(blockNumber), logIndex: Number(logIndex) };
    const known = await effectOf(ask, log);
    if (known) found.push({ ...known, ...place, call });
  }
  return found.filter((each) => !isPartOfMint(each, found)).map(({ call: _call, ...effect }) => effect);
}

/** An effect, and how many calls the Operator had ended before. */
type CallEffect = ChainEffect & { call: number };

/** Metadata that come with a mint are a part of it; one transaction may have a call of their own for them, too. */
const isPartOfMint = (
  { effect, contract, transactionHash, call }: CallEffect,
  all: readonly CallEffect[],
): boolean =>
  effect.kind === 'set' &&
  effect.register.startsWith('metadata ') &&
  all.some(
    (mint) =>
      mint.transactionHash === transactionHash &&
      mint.call === call &&
      mint.contract === contract &&
      `metadata ${mint.tokenId}` === effect.register,
  );

type Known = Pick<ChainEffect, 'effect' | 'contract' | 'tokenId'>;

async function effectOf(ask: AskNode, log: Log): Promise<Known | null> {
  const { address, topics, data } = log;
  const [topic, first, second, third] = topics as [string, string, string, string?];
  const contract = address.toLowerCase();
  if (topic === topicOf('TokenCreated')) {
    const call = { to: addressIn(first), data: EVENTS.encodeFunctionData('symbol') };
    const answer = await ask<string>('eth_call', [call, 'latest']);
    const symbol = String(EVENTS.decodeFunctionResult('symbol', answer)[0]);
    return { effect: { kind: 'deploy', symbol }, contract: addressIn(first), tokenId: null };
  }
  if (topic === topicOf('Transfer') && first === ZERO) {
    const amount = third === undefined ? BigInt(data) : null;
    const effect: Effect = { kind: 'mint', contract, to: addressIn(second), amount };
    return { effect, contract, tokenId: third === undefined ? null : String(BigInt(third)) };
  }
  if (topic === topicOf('ForcedTransfer')) {
    const amount = BigInt(third ?? data);
    const effect: Effect = { kind: 'move', contract, from: addressIn(first), to: addressIn(second), amount };
    return { effect, contract, tokenId: null };
  }
  const set = setOf(log);
  return set && { effect: { kind: 'set', contract, ...set }, contract, tokenId: null };
}

/** What a contract remembers from now on; null for other events. */
function setOf({ topics, data }: Log): { register: Register; value: string } | null {
  const parsed = EVENTS.parseLog({ topics, data });
  if (!parsed) return null;
  const { name, args } = parsed;
  const account = (): string => String(args.account).toLowerCase();
  const text = (): string => Buffer.from(String(args.value).slice(2), 'hex').toString();
  if (name === 'Paused') return { register: 'paused', value: 'true' };
  if (name === 'Unpaused') return { register: 'paused', value: 'false' };
  if (name === 'TransferLockChanged') return { register: 'locked', value: String(args.locked) };
  if (name === 'AccountFreezeChanged') return { register: `frozen ${account()}`, value: String(args.frozen) };
  if (name === 'AccountApprovalChanged')
    return { register: `approved ${account()}`, value: String(args.approved) };
  if (name === 'MintingClosed') return { register: 'closed', value: 'true' };
  if (name === 'MintingReopened') return { register: 'closed', value: 'false' };
  if (name === 'AllControlsRenounced') return { register: 'renounced', value: 'true' };
  if (name === 'ControlsRestored') return { register: 'renounced', value: 'false' };
  if (name === 'MintLimitChanged') return { register: 'limit', value: String(args.newLimit) };
  if (name === 'RoyaltyChanged') {
    return { register: 'royalty', value: `${String(args.receiver).toLowerCase()} ${args.basisPoints}` };
  }
  if (name === 'AllMetadataFrozen') return { register: 'metadata frozen', value: 'true' };
  if (name === 'AllMetadataUnfrozen') return { register: 'metadata frozen', value: 'false' };
  if (name === 'TokenMetadataFrozen')
    return { register: `metadata frozen ${String(args.tokenId)}`, value: 'true' };
  if (name === 'TokenMetadataUnfrozen')
    return { register: `metadata frozen ${String(args.tokenId)}`, value: 'false' };
  if (name === 'ContractMetadataUpdated' && args.key === 'name')
    return { register: 'metadata', value: text() };
  if (name === 'MetadataSet' && args.key === 'name')
    return { register: `metadata ${String(args.tokenId)}`, value: text() };
  return null;
}
