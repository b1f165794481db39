import { randomUUID } from 'node:crypto';
import {
  encodeSetContractMetadata,
  encodeSetMetadata,
  entriesView,
  estimateMetadataGas,
  keysView,
  uriView,
} from '../../chain/abi/metadata.ts';
import { fromEntries, toEntries } from '../../chain/abi/metadata-rules.ts';
import type { Metadata, MetadataInput } from '../../chain/abi/metadata-rules.ts';
import { isNonexistentToken } from '../../chain/abi/reverts.ts';
import { RpcRefused } from '../../chain/rpc/rpc.ts';
import type { View } from '../../chain/abi/view.ts';
import type { BlockCache } from '../../chain/rpc/block-cache.ts';
import type { Hex } from '../../lib/hex.ts';
import type { Engine, Environment, Intent, NewIntent } from '../../engine/index.ts';
import { AppError } from '../../errors.ts';

interface Owner {
  accountId: string;
  environment: Environment;
}

/** As much of a token as metadata need. */
interface Token {
  address: Hex;
  type: 'ERC20' | 'ERC721';
}

/** What TokenDescriptor writes, and nothing else does: its code cannot be changed. */
interface Rendered {
  name: string;
  symbol?: string;
  description?: string;
  image?: string;
  attributes?: { trait_type: string; value: string | number | boolean }[];
}

/** Token ids are decimal strings here, and null for the metadata of a contract. */
export interface MetadataService {
  /**
   * Replaces the metadata of an ERC-20 contract, or of one NFT.
   * @throws AppError VALIDATION_ERROR, NOT_FOUND, FORBIDDEN
   */
  set(
    owner: Owner,
    address: string,
    request: MetadataInput & { tokenId?: string | undefined },
    options: Pick<NewIntent, 'idempotency'> & { respondAsync: boolean },
  ): Promise<Intent>;
  /** The values on the chain. @throws AppError NOT_FOUND, FORBIDDEN, VALIDATION_ERROR, CHAIN_ERROR */
  read(owner: Owner, address: string, tokenId: string | null): Promise<Metadata>;
  /**
   * The keys in the order of the chain; of an ERC-721 without an id those most recently written in the contract.
   * @throws AppError NOT_FOUND, FORBIDDEN, VALIDATION_ERROR, CHAIN_ERROR
   */
  listKeys(owner: Owner, address: string, tokenId: string | null): Promise<string[]>;
  /** The JSON that the contract renders, for anybody. @throws AppError NOT_FOUND, VALIDATION_ERROR, CHAIN_ERROR */
  render(address: string, tokenId: string | null): Promise<Rendered>;
}

const JSON_URI = 'data:application/json;base64,';
const MAX_TOKEN_ID = 2n ** 256n - 1n;

export function createMetadataService(parts: {
  engine: Engine;
  blockCache: BlockCache;
  /** Handed over from the tokens: an own token. @throws AppError NOT_FOUND, FORBIDDEN */
  findOwn(owner: Owner, address: string): Promise<Token>;
  /** Handed over from the tokens: any token on the chain. @throws AppError NOT_FOUND */
  findAny(address: string): Promise<Token>;
}): MetadataService {
  const { engine, blockCache, findOwn, findAny } = parts;

  const ask = async <Answer>(
    { address }: Token,
    tokenId: bigint | null,
    view: View<Answer>,
  ): Promise<Answer> => {
    try {
      return await blockCache.read(address, view);
    } catch (cause) {
      if (cause instanceof RpcRefused && isNonexistentToken(cause.data)) throw neverMinted(tokenId);
      throw new AppError('CHAIN_ERROR', 'The chain does not answer at the moment', { cause });
    }
  };

  return {
    set: async (owner, address, { tokenId = null, ...input }, options) => {
      const entries = toEntries(input);
      const token = await findOwn(owner, address);
      const id = readTokenId(token, tokenId, 'required');
      return engine.submit(
        {
          id: randomUUID(),
          ...owner,
          kind: 'set_metadata',
          contract: token.address,
          call: {
            target: token.address,
            data: id === null ? encodeSetContractMetadata(entries) : encodeSetMetadata(id, entries),
            gasEstimate: estimateMetadataGas(entries),
            unpaidError: 'CHAIN_ERROR',
          },
          arguments: { tokenId },
          cost: null,
          idempotency: options.idempotency,
        },
        options.respondAsync,
      );
    },

    read: async (owner, address, tokenId) => {
      const token = await findOwn(owner, address);
      const id = readTokenId(token, tokenId, 'required');
      const entries = await ask(token, id, entriesView(id));
      return fromEntries(entries);
    },

    listKeys: async (owner, address, tokenId) => {
      const token = await findOwn(owner, address);
      const id = readTokenId(token, tokenId, 'optional');
      return ask(token, id, keysView(id));
    },

    render: async (address, tokenId) => {
      const token = await findAny(address);
      const id = readTokenId(token, tokenId, 'optional');
      const uri = await ask(token, id, uriView(id));
      if (!uri.startsWith(JSON_URI)) {
        throw new AppError('NOT_FOUND', `The contract renders no JSON for this token; it points to ${uri}`);
      }
      return JSON.parse(Buffer.from(uri.slice(JSON_URI.length), 'base64').toString()) as Rendered;
    },
  };
}

/** The token id as a number; null where there is none. @throws AppError VALIDATION_ERROR when it does not fit the type */
function readTokenId({ type }: Token, tokenId: string | null, need: 'required' | 'optional'): bigint | null {
  if (type === 'ERC20') {
    if (tokenId === null) return null;
    throw new AppError('VALIDATION_ERROR', 'tokenId does not go with an ERC-20 token');
  }
  if (tokenId === null) {
    if (need === 'optional') return null;
    throw new AppError('VALIDATION_ERROR', 'tokenId is required for an ERC-721 token');
  }
  const id = BigInt(tokenId);
  if (id > MAX_TOKEN_ID) throw neverMinted(id);
  return id;
}

const neverMinted = (tokenId: bigint | null): AppError =>
  new AppError('VALIDATION_ERROR', `tokenId ${tokenId} was never minted, or is burned`);
