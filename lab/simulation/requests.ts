import type { Effect, Register } from '../judge/history.ts';
import type { Random } from '../random.ts';
import type { Hex } from '../../src/lib/hex.ts';
import type { Asked } from './call.ts';
import { codedRecipient } from './recipients.ts';
import type { Recipient } from './recipients.ts';

/** A request that a client means to send. */
export interface Planned {
  effect: Effect;
  /** How many NFTs it mints, when that is not one. */
  items?: number;
  /** What its recipient says, who refuses every token; null or left out where it takes them. */
  refusal?: string | null;
  asked: Omit<Asked, 'account' | 'environment' | 'key'>;
  /** When it is withdrawn, in milliseconds after it was accepted; never when left out. */
  cancelAfterMs?: number;
}

/** The token API with its two types, or a collection of `/v1`. */
type Family = 'ERC20' | 'ERC721' | 'collection' | 'sandbox';

/** What clients know of a token. */
interface PlannedToken {
  deployment: Planned;
  /** In lower case; empty before it is deployed. */
  contract: string;
  /** Ids that were answered. */
  minted: string[];
  /** The next request. */
  draw(): Planned;
  drawMint(): Planned;
}

const FAMILIES: readonly Family[] = ['ERC20', 'ERC721', 'collection', 'sandbox'];
/** How likely a request is withdrawn. */
const CANCELLED = 0.1;
const MAX_CANCEL_MS = 4_000;
const ASYNC = 0.3;
/** Accounts of a token that controls are about, so that several meet. */
const HOLDERS = 3;
const MAX_BATCH = 8;
/** How likely NFTs go to an account with code. */
const CODED = 0.25;

/** The first two tokens of a world are of the token API, one of each type. */
export const drawFamily = (random: Random, place: number): Family =>
  place < 2 ? FAMILIES[place]! : random.pick(FAMILIES);

export function createToken(random: Random, family: Family): PlannedToken {
  const symbol = `S${random.whole(0, 2 ** 31)}`;
  const isPermissionless = random.chance(0.8);
  const isOfApi = family === 'ERC20' || family === 'ERC721';
  const holders = Array.from({ length: HOLDERS }, () => addressOf(random));
  const described = { name: `Token ${symbol}`, symbol };
  const asked = isOfApi
    ? ({
        operation: 'deployToken',
        body: { ...described, type: family, isPermissionless, ...(family === 'ERC20' && { decimals: 18 }) },
      } as const)
    : ({ operation: 'createCollection', body: described } as const);
  const parts: Parts = {
    random,
    family,
    holders,
    isPermissionless: isPermissionless || !isOfApi,
    count: 0,
    minted: [],
    contract: '',
  };
  return {
    deployment: { effect: { kind: 'deploy', symbol }, asked },
    get contract() {
      return parts.contract;
    },
    set contract(address) {
      parts.contract = address;
    },
    minted: parts.minted,
    draw: () => drawRequest(parts),
    drawMint: () => {
      parts.count += 1;
      return drawMint(parts);
    },
  };
}

interface Parts {
  random: Random;
  family: Family;
  holders: readonly string[];
  /** Whether anybody may receive a mint. */
  isPermissionless: boolean;
  /** Requests so far: what each is told apart by. */
  count: number;
  minted: string[];
  contract: string;
}

function drawRequest(parts: Parts): Planned {
  const { random, family } = parts;
  parts.count += 1;
  const isOfApi = family === 'ERC20' || family === 'ERC721';
  const kind = random.fraction();
  const planned =
    kind < 0.55
      ? drawMint(parts)
      : kind < 0.7
        ? drawMetadata(parts)
        : isOfApi
          ? drawControl(parts)
          : drawBatch(parts);
  const asked = { ...planned.asked, respondAsync: random.chance(ASYNC) };
  const cancelAfterMs = random.chance(CANCELLED) ? random.whole(0, MAX_CANCEL_MS) : null;
  return { ...planned, asked, ...(cancelAfterMs !== null && { cancelAfterMs }) };
}

function drawMint(parts: Parts): Planned {
  const { random, family, holders, isPermissionless, contract, count } = parts;
  if (family !== 'ERC20') return drawNft(parts);
  const isToHolder = !isPermissionless || random.chance(0.4);
  const owner = isToHolder ? random.pick(holders) : addressOf(random);
  const amount = BigInt(count * 1_000 + random.whole(1, 999));
  const body = { owner, amount: String(amount) };
  const asked = { operation: 'mintToken', path: { address: contract }, body } as const;
  return { effect: mintOf(contract, owner, amount), asked };
}

/** An NFT is told by who gets it alone. */
function drawNft(parts: Parts): Planned {
  const { family, contract } = parts;
  const { address, refusal } = drawRecipient(parts);
  const path = { address: contract };
  const asked =
    family === 'ERC721'
      ? ({ operation: 'mintToken', path, body: { owner: address } } as const)
      : ({ operation: 'mintNft', path, body: { to: address } } as const);
  return { effect: mintOf(contract, address), refusal, asked };
}

function drawRecipient({ random, family, count }: Parts): Recipient {
  const isCoded = family !== 'sandbox' && random.chance(CODED);
  return isCoded ? codedRecipient(random, count) : { address: addressOf(random), refusal: null };
}

const mintOf = (contract: string, to: string, amount: bigint | null = null): Effect => ({
  kind: 'mint',
  contract,
  to,
  amount,
});

function drawBatch(parts: Parts): Planned {
  const { random, contract } = parts;
  const items = random.whole(2, MAX_BATCH);
  const { address: to, refusal } = drawRecipient(parts);
  const body = { items: Array.from({ length: items }, () => ({ to })) };
  const asked = { operation: 'mintNftBatch', path: { address: contract }, body } as const;
  return { effect: mintOf(contract, to), refusal, items, asked };
}

/** Of the contract, or of an NFT that a client knows of. */
function drawMetadata(parts: Parts): Planned {
  const { random, family, contract, count, minted } = parts;
  const value = `Name ${count} ${random.whole(0, 1_000_000)}`;
  const metadata = { name: value, description: 'Of a simulated world.' };
  const set = (register: Register): Effect => ({ kind: 'set', contract, register, value });
  const path = { address: contract };
  if (family === 'ERC20')
    return { effect: set('metadata'), asked: { operation: 'setMetadata', path, body: metadata } };
  const tokenId = minted.length > 0 ? random.pick(minted) : null;
  if (family === 'ERC721') {
    if (tokenId === null) return drawMint(parts);
    const body = { ...metadata, tokenId };
    return { effect: set(`metadata ${tokenId}`), asked: { operation: 'setMetadata', path, body } };
  }
  if (tokenId === null || random.chance(0.5))
    return { effect: set('metadata'), asked: { operation: 'setCollectionMetadata', path, body: metadata } };
  const asked = { operation: 'setNftMetadata', path: { ...path, tokenId }, body: metadata } as const;
  return { effect: set(`metadata ${tokenId}`), asked };
}

/** Controls of the whole token, and of one of its accounts; each with what it sets. */
const WHOLE = [
  ['pauseToken', 'paused', 'true'],
  ['unpauseToken', 'paused', 'false'],
  ['unpauseToken', 'paused', 'false'],
  ['lockTransfers', 'locked', 'true'],
  ['unlockTransfers', 'locked', 'false'],
] as const;
const OF_ACCOUNT = [
  ['freezeAccount', 'frozen', 'true'],
  ['unfreezeAccount', 'frozen', 'false'],
  ['approveAccount', 'approved', 'true'],
  ['approveAccount', 'approved', 'true'],
  ['unapproveAccount', 'approved', 'false'],
] as const;

function drawControl({ random, contract, holders }: Parts): Planned {
  const path = { address: contract };
  if (random.chance(0.4)) {
    const [operation, register, value] = random.pick(WHOLE);
    return { effect: { kind: 'set', contract, register, value }, asked: { operation, path } };
  }
  const [operation, mark, value] = random.pick(OF_ACCOUNT);
  const account = random.pick(holders);
  const effect: Effect = { kind: 'set', contract, register: `${mark} ${account}`, value };
  return { effect, asked: { operation, path, body: { account } } };
}

function addressOf(random: Random): Hex {
  const bytes = new Uint8Array(20);
  random.fill(bytes);
  return `0x${Buffer.from(bytes).toString('hex')}`;
}
