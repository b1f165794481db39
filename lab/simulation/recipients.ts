import { Interface } from 'ethers';
import type { Random } from '../random.ts';
import type { Hex } from '../../src/lib/hex.ts';

/** A kind of account with code that NFTs are minted to. */
interface Kind {
  /** Of the contract at its addresses. */
  code: string;
  /** What it says when it refuses every token; null: it takes them all. */
  refusal: string | null;
}

/** What ERC-721's `onERC721Received` returns when it takes a token. */
const TAKE = '63150b7a0260e01b5f5260205ff3';
/**
 * Demands 240,000 gas in each second block: the hook of a receiver is promised 250,000, whatever it made do with in a
 * simulation. number push1 1 and iszero push1 20 jumpi push3 240,000 gas gt push1 20 jumpi push0 push0 revert jumpdest
 */
const DEMANDING = `43600116156014576203a9805a116014575f5ffd5b${TAKE}`;
/**
 * Calls itself with 8 bytes, that with 7, and so on; the innermost call, without any, loops 6,000 times for 156,000
 * gas. Each one reverts when the one below did, with gas left.
 */
const DEEP = `361560345760083611601357600136036016565b60085b5f5f825f5f305af16025575f5ffd5b${TAKE}5b6117705b600190038060385700`;

const REASON = 'not today';
const ERROR = new Interface(['error Error(string)']).encodeErrorResult('Error', [REASON]).slice(2);
/** push1 size push1 10 push0 codecopy push1 size push0 revert, and what it reverts with. */
const REFUSING = `6064600a5f3960645ffd${ERROR}`;

const KINDS: readonly Kind[] = [
  { code: DEMANDING, refusal: null },
  { code: DEEP, refusal: null },
  { code: REFUSING, refusal: REASON },
];
/** Of each kind, since a mint is told by who gets it. */
const OF_EACH = 40;

export interface Recipient {
  address: Hex;
  refusal: string | null;
}

const addressOf = (kind: number, index: number): Hex =>
  `0xc0de${String(kind).padStart(4, '0')}${String(index).padStart(32, '0')}`;

/** Those with code, and the code, from the first block of a chain on. */
export const CODED: readonly { address: Hex; code: Hex }[] = KINDS.flatMap(({ code }, kind) =>
  Array.from({ length: OF_EACH }, (_, index) => ({
    address: addressOf(kind, index),
    code: `0x${code}` as const,
  })),
);

/** @param which any number: each of 40 in a row has an address of its own */
export function codedRecipient(random: Random, which: number): Recipient {
  const kind = random.whole(0, KINDS.length - 1);
  return { address: addressOf(kind, which % OF_EACH), refusal: KINDS[kind]!.refusal };
}
