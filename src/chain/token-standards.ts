import { encodeCollectionCreation, encodeTokenCreation } from './abi/factory.ts';
import type { CloneArguments } from './abi/factory.ts';
import { encodeErc20Mint, encodeErc721Mint, estimateMintGas, maxMintGas } from './abi/mint.ts';
import { AppError } from '../errors.ts';
import type { Hex } from '../lib/hex.ts';

/** The standards whose tokens this service deploys, as the API spells them. */
export type TokenType = 'ERC20' | 'ERC721';

/** What some standards have and others do not. */
export interface TokenOptions {
  /** Null for ERC-721. */
  decimals: number | null;
  /** Null for ERC-20, and when none was given. */
  baseUri: string | null;
}

/** What a standard does differently from the others. */
interface TokenStandard {
  /** As people write it. */
  label: string;
  /** The contracts of the system that create its tokens, and whose code they run. */
  factory: 'tokenFactory' | 'collectionFactory';
  implementation: 'managedErc20' | 'managedErc721';
  /** Calldata that makes the factory create a token. */
  encodeCreation(salt: Hex, args: CloneArguments): Hex;
  /** A guess that fills a batch before its simulation. */
  deploymentGas: number;
  /** Tokens with ids, each with metadata of its own; else amounts, and metadata of the contract alone. */
  hasTokenIds: boolean;
  /** Reads from a request what the standard has, with its defaults. */
  readOptions(asked: { decimals?: number | undefined; baseUri?: string | undefined }): TokenOptions;
  /**
   * The call that mints `amount`, or the next id.
   * @throws AppError VALIDATION_ERROR for an amount that is missing, too large, or does not go with the standard
   */
  encodeMint(to: Hex, amount: string | undefined): { data: Hex; gasEstimate: number; gasMax: number };
}

const DEFAULT_DECIMALS = 18;
const ERC20_MINT_GAS = 50_000;
/** The contract keeps balances in 208 bits, next to what it must know of an account with each transfer. */
const MAX_AMOUNT = 2n ** 208n - 1n;

/**
 * Each standard once. Another one needs a row here with what it names, its contracts in `describeSystem`, and its name
 * in `openapi.yaml` and in the check of the table `tokens`.
 */
export const TOKEN_STANDARDS: Readonly<Record<TokenType, TokenStandard>> = {
  ERC20: {
    label: 'ERC-20',
    factory: 'tokenFactory',
    implementation: 'managedErc20',
    encodeCreation: encodeTokenCreation,
    // More than an ERC-721, for the domain of its permits.
    deploymentGas: 200_000,
    hasTokenIds: false,
    readOptions: ({ decimals = DEFAULT_DECIMALS }) => ({ decimals, baseUri: null }),
    encodeMint: (to, amount) => ({
      data: encodeErc20Mint(to, readAmount(amount)),
      gasEstimate: ERC20_MINT_GAS,
      gasMax: maxMintGas([{ to, entries: [] }]),
    }),
  },
  ERC721: {
    label: 'ERC-721',
    factory: 'collectionFactory',
    implementation: 'managedErc721',
    encodeCreation: encodeCollectionCreation,
    deploymentGas: 150_000,
    hasTokenIds: true,
    readOptions: ({ baseUri = null }) => ({ decimals: null, baseUri }),
    encodeMint: (to, amount) => {
      if (amount !== undefined) {
        throw refuse('amount belongs to ERC-20; an ERC-721 mint takes the next token id by itself');
      }
      const items = [{ to, entries: [] }];
      return {
        data: encodeErc721Mint(to),
        gasEstimate: estimateMintGas(items),
        gasMax: maxMintGas(items),
      };
    },
  },
};

/** All of them, in the order of the table. */
export const TOKEN_TYPES = Object.keys(TOKEN_STANDARDS) as TokenType[];

/** The factories of a system, one for each standard. */
export function factoriesOf(system: Record<TokenStandard['factory'], Hex>): Hex[] {
  return TOKEN_TYPES.map((type) => system[TOKEN_STANDARDS[type].factory]);
}

function readAmount(amount: string | undefined): bigint {
  if (amount === undefined) {
    throw refuse('amount is required for an ERC-20 token, as a decimal string in the smallest unit');
  }
  if (BigInt(amount) > MAX_AMOUNT) {
    throw refuse('amount is larger than a token of this service can hold, 2^208 - 1');
  }
  return BigInt(amount);
}

function refuse(message: string): AppError {
  return new AppError('VALIDATION_ERROR', message);
}
