import { COLLECTION_FACTORY, ERC20, ERC721, TOKEN_FACTORY } from './interfaces.ts';

/** Selectors of 4 bytes in a word. */
const PER_WORD = 8;
const WORDS = 4;

/*
 * What executors may call from the start, as the constructor of the Operator takes it. A verb that comes later is
 * allowed by the admin of each Operator (`setSelectorAllowed`), so that no address moves: this list stays as it is.
 */

const ofNfts = (...names: string[]): string[] => names.map((name) => ERC721.getFunction(name)!.selector);
const ofTokens = (...names: string[]): string[] => names.map((name) => ERC20.getFunction(name)!.selector);

/** The most frequent first: a word costs 40 gas to look through. */
const SELECTORS = [
  ...ofNfts('mint(address)', 'mintNext', 'mintWithMetadata', 'mintBatch', 'setMetadata'),
  ...ofTokens('mint'),
  TOKEN_FACTORY.getFunction('createToken')!.selector,
  COLLECTION_FACTORY.getFunction('createCollection')!.selector,
  ...ofNfts('mintRun', 'mintRows'),
  ...ofTokens('mintRows', 'setContractMetadata', 'approveAccount', 'unapproveAccount'),
  ...ofTokens('pause', 'unpause', 'lockTransfers', 'unlockTransfers', 'freeze', 'unfreeze', 'lowerMintLimit'),
  ...ofTokens('closeMint', 'reopenMint', 'freezeMetadata', 'unfreezeMetadata'),
  ...ofNfts('freezeMetadata(uint256)', 'unfreezeMetadata(uint256)', 'setRoyalty'),
  ...ofTokens('renounceControls', 'restoreControls', 'forcedTransfer', 'forcedBurn'),
];

/** The words of the constructor: eight selectors each, the first one lowest. */
export const VERBS: readonly bigint[] = pack(SELECTORS);

function pack(selectors: readonly string[]): bigint[] {
  if (selectors.length !== PER_WORD * WORDS) throw new RangeError('an Operator takes 32 verbs');
  const lane = (place: number): bigint => BigInt(selectors[place]!) << BigInt(32 * (place % PER_WORD));
  return Array.from({ length: WORDS }, (_, word) =>
    Array.from({ length: PER_WORD }, (_, place) => lane(PER_WORD * word + place)).reduce(
      (sum, each) => sum | each,
    ),
  );
}
