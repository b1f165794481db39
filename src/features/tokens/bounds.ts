import { parseAddress } from '../../chain/address.ts';
import {
  MAX_MINT_LIMIT,
  MAX_SUPPLY,
  TOKEN_LIMITS,
  encodeForcedTransfer,
  encodeLowerMintLimit,
  encodeSetRoyalty,
} from '../../chain/abi/bounds.ts';
import { TOKEN_STANDARDS } from '../../chain/token-standards.ts';
import type { TokenType } from '../../chain/token-standards.ts';
import type { Db } from '../../db/client.ts';
import { findRecords } from '../../db/idempotency.ts';
import type { Intent } from '../../engine/index.ts';
import { AppError } from '../../errors.ts';
import type { Owner } from '../../lib/owner.ts';
import type { WriteOptions } from '../../lib/write-options.ts';
import { MAX_TOKEN_ID } from '../metadata-call.ts';
import { CHANGE_GAS } from '../token-changes.ts';
import type { Changes } from '../token-changes.ts';
import type { TokenFinder } from './find-token.ts';
import { askForceTransfer } from '../intent-kinds.ts';
import { askMintLimit, askRoyalty } from './intents.ts';

/** A royalty as it is asked for: the receiver as the caller wrote it. */
export interface AskedRoyalty {
  receiver: string;
  basisPoints: number;
}

/** A forced transfer as it is asked for. Numbers are decimal strings. */
interface AskedTransfer {
  from: string;
  /** Null burns the holding. */
  to: string | null;
  /** ERC-20, in the smallest unit. */
  amount?: string | undefined;
  /** ERC-721. */
  tokenId?: string | undefined;
}

type Verb<Asked> = (owner: Owner, address: string, asked: Asked, options: WriteOptions) => Promise<Intent>;

/**
 * What changes the bounds of a token, and what they allow.
 * Each throws AppError VALIDATION_ERROR, NOT_FOUND, FORBIDDEN.
 */
export interface BoundVerbs {
  /** Lowers what may be minted in a day. @throws AppError FORBIDDEN for a higher limit */
  setMintLimit: Verb<{ perDay: string }>;
  /** Moves or burns a holding without the consent of its holder, where the token is recoverable. */
  forceTransfer: Verb<AskedTransfer>;
  /** Sets the royalty of an ERC-721. */
  setRoyalty: Verb<AskedRoyalty>;
}

/** Two balances, or an owner and two counts; their events. */
const FORCED_TRANSFER_GAS = 70_000;

export function createBoundVerbs(parts: {
  db: Db;
  changes: Changes;
  findOwn: TokenFinder['findOwn'];
}): BoundVerbs {
  const { db, changes, findOwn } = parts;
  const wasAccepted = async (owner: Owner, { idempotency }: WriteOptions): Promise<boolean> =>
    idempotency !== null && (await findRecords(db, [{ ...owner, key: idempotency.key }])).length > 0;

  return {
    setMintLimit: async (owner, address, { perDay }, options) => {
      const limit = readLimit(perDay, 'perDay');
      const { address: contract } = await findOwn(owner, address);
      const current = (await changes.readUndisputed(contract, TOKEN_LIMITS))?.mintLimit ?? null;
      // The contract refuses it as well. A repeated request gets its answer, whatever the limit is by now.
      if (current !== null && limit > current && !(await wasAccepted(owner, options))) throw noRaise(current);
      const [data, isApplied] = [encodeLowerMintLimit(limit), current === limit];
      const change = { contract, asked: askMintLimit(perDay), data, gasEstimate: CHANGE_GAS, isApplied };
      return changes.submit(owner, change, options);
    },

    forceTransfer: async (owner, address, { from, to, ...holding }, options) => {
      const holder = parseAddress(from, 'from');
      const receiver = to === null ? null : parseAddress(to, 'to');
      const { address: contract, type, recoverable } = await findOwn(owner, address);
      if (!recoverable) throw notRecoverable();
      const data = encodeForcedTransfer(holder, receiver, readHolding(type, holding));
      const asked = askForceTransfer({ from: holder, to: receiver, ...holding });
      const change = { contract, asked, data, gasEstimate: FORCED_TRANSFER_GAS, isApplied: false };
      return changes.submit(owner, change, options);
    },

    setRoyalty: async (owner, address, asked, options) => {
      const royalty = { ...asked, receiver: parseAddress(asked.receiver, 'receiver') };
      const { address: contract, type } = await findOwn(owner, address);
      const { hasTokenIds, label } = TOKEN_STANDARDS[type];
      if (!hasTokenIds) throw refuse(`A royalty does not go with an ${label} token`);
      const current = (await changes.readUndisputed(contract, TOKEN_LIMITS))?.royalty;
      const change = {
        contract,
        asked: askRoyalty(royalty),
        data: encodeSetRoyalty(royalty),
        gasEstimate: CHANGE_GAS,
        isApplied: current?.receiver === royalty.receiver && current.basisPoints === royalty.basisPoints,
      };
      return changes.submit(owner, change, options);
    },
  };
}

/** Reads a cap or an amount. @throws AppError VALIDATION_ERROR when no contract can keep it */
export function readBound(text: string, field: string): bigint {
  const bound = BigInt(text);
  if (bound > MAX_SUPPLY) throw refuse(`${field} is larger than a token of this service can hold, 2^208 - 1`);
  return bound;
}

/** Reads a limit of a day. @throws AppError VALIDATION_ERROR when no contract can keep it */
export function readLimit(text: string, field: string): bigint {
  const limit = BigInt(text);
  if (limit > MAX_MINT_LIMIT) throw refuse(`${field} is larger than a limit can be, 2^198 - 1`);
  return limit;
}

/** What is moved: an amount of an ERC-20, or the id of an NFT. @throws AppError VALIDATION_ERROR */
function readHolding(
  type: TokenType,
  { amount, tokenId }: Pick<AskedTransfer, 'amount' | 'tokenId'>,
): bigint {
  const { hasTokenIds, label } = TOKEN_STANDARDS[type];
  const [given, own, others] = hasTokenIds ? [tokenId, 'tokenId', 'amount'] : [amount, 'amount', 'tokenId'];
  if ((hasTokenIds ? amount : tokenId) !== undefined)
    throw refuse(`${others} does not go with an ${label} token`);
  if (given === undefined) throw refuse(`${own} is required for an ${label} token`);
  return hasTokenIds ? readTokenId(given) : readBound(given, 'amount');
}

function readTokenId(tokenId: string): bigint {
  const id = BigInt(tokenId);
  if (id > MAX_TOKEN_ID) throw refuse(`tokenId ${tokenId} was never minted, or is burned`);
  return id;
}

function noRaise(current: bigint): AppError {
  return new AppError(
    'FORBIDDEN',
    `The limit is ${current} a day and cannot be raised through the service: the owner of the contract can do that on ` +
      'the chain, and the administrator of the operator contract where that is the owner',
  );
}

function notRecoverable(): AppError {
  return refuse('This token was not deployed as recoverable, so that nobody can move the holdings of others');
}

function refuse(message: string): AppError {
  return new AppError('VALIDATION_ERROR', message);
}
