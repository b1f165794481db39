import { encodeFreezeMetadata, metadataFrozenView } from '../../chain/abi/bounds.ts';
import { entriesView, keysView, uriView } from '../../chain/abi/metadata.ts';
import { fromEntries, toEntries } from '../../chain/abi/metadata-rules.ts';
import type { Metadata, MetadataInput } from '../../chain/abi/metadata-rules.ts';
import { isNonexistentToken } from '../../chain/abi/reverts.ts';
import { TOKEN_STATE } from '../../chain/abi/token.ts';
import type { View } from '../../chain/abi/view.ts';
import type { Chain } from '../../chain/chain.ts';
import { RpcRefused } from '../../chain/rpc/rpc.ts';
import type { Engine, Intent } from '../../engine/index.ts';
import { AppError } from '../../errors.ts';
import type { Hex } from '../../lib/hex.ts';
import type { Owner } from '../../lib/owner.ts';
import type { WriteOptions } from '../../lib/write-options.ts';
import { askFreezeMetadata, askMetadata } from '../intent-kinds.ts';
import { MAX_TOKEN_ID, metadataCall } from '../metadata-call.ts';
import { CHANGE_GAS, createChanges } from '../token-changes.ts';
import { JSON_URI, chainSilent, createPreview, readRendered } from './preview.ts';
import type { Preview, Rendered } from './preview.ts';
import { TOKEN_STANDARDS } from '../../chain/token-standards.ts';
import type { TokenType } from '../../chain/token-standards.ts';

/** As much of a token as metadata need. */
interface Token {
  address: Hex;
  type: TokenType;
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
    options: WriteOptions,
  ): Promise<Intent>;
  /**
   * Freezes the metadata of one NFT, or all metadata of a contract, or takes that back; sends nothing when it is so
   * already.
   * @throws AppError VALIDATION_ERROR, NOT_FOUND, FORBIDDEN
   */
  freeze(
    owner: Owner,
    address: string,
    asked: { tokenId: string | null; frozen: boolean },
    options: WriteOptions,
  ): Promise<Intent>;
  /** The values on the chain. @throws AppError NOT_FOUND, FORBIDDEN, VALIDATION_ERROR, CHAIN_ERROR */
  read(owner: Owner, address: string, tokenId: string | null): Promise<Metadata>;
  /**
   * The keys in the order of the chain; of an ERC-721 without an id those most recently written in the contract.
   * @throws AppError NOT_FOUND, FORBIDDEN, VALIDATION_ERROR, CHAIN_ERROR
   */
  listKeys(owner: Owner, address: string, tokenId: string | null): Promise<string[]>;
  preview: Preview;
  /** The JSON that the contract renders, for anybody. @throws AppError NOT_FOUND, VALIDATION_ERROR, CHAIN_ERROR */
  render(address: string, tokenId: string | null): Promise<Rendered>;
}

export function createMetadataService(parts: {
  engine: Engine;
  chain: Pick<Chain, 'blockCache' | 'rpc' | 'system'>;
  /** Handed over from the tokens: an own token. @throws AppError NOT_FOUND, FORBIDDEN */
  findOwn(owner: Owner, address: string): Promise<Token>;
  /** Handed over from the tokens: any token on the chain. @throws AppError NOT_FOUND */
  findAny(address: string): Promise<Token>;
}): MetadataService {
  const { engine, chain, findOwn, findAny } = parts;
  const changes = createChanges({ engine, rpc: chain.rpc });

  const ask = createAsk(chain);

  return {
    set: async (owner, address, { tokenId = null, ...input }, { respondAsync, ...write }) => {
      const entries = toEntries(input);
      const token = await findOwn(owner, address);
      const call = metadataCall(token.address, readTokenId(token, tokenId, 'required'), entries);
      return engine.submit(
        {
          ...owner,
          ...askMetadata(tokenId),
          contract: token.address,
          call,
          cost: null,
          ...write,
        },
        respondAsync,
      );
    },

    freeze: async (owner, address, { tokenId, frozen }, options) => {
      const token = await findOwn(owner, address);
      const { address: contract } = token;
      const id = readTokenId(token, tokenId, 'optional');
      const isApplied = (await changes.readUndisputed(contract, metadataFrozenView(id))) === frozen;
      const [data, asked] = [encodeFreezeMetadata(id, frozen), askFreezeMetadata(tokenId, frozen)];
      return changes.submit(owner, { contract, asked, data, gasEstimate: CHANGE_GAS, isApplied }, options);
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

    preview: createPreview(chain),

    render: async (address, tokenId) => {
      const token = await findAny(address);
      const id = readTokenId(token, tokenId, 'optional');
      const uri = await ask(token, id, uriView(id));
      if (!uri.startsWith(JSON_URI)) {
        throw new AppError('NOT_FOUND', `The contract renders no JSON for this token; it points to ${uri}`);
      }
      return readRendered(uri);
    },
  };
}

/** Makes what reads a view of a token, of one of its ids or of the contract. */
function createAsk({ blockCache }: Pick<Chain, 'blockCache'>) {
  return async <Answer>({ address }: Token, tokenId: bigint | null, view: View<Answer>): Promise<Answer> => {
    try {
      // Known of the whole contract for a block: ids that nobody has minted cost the node nothing, however many are
      // asked for.
      const isMinted = tokenId === null || tokenId <= (await blockCache.read(address, TOKEN_STATE)).supply;
      if (!isMinted) throw neverMinted(tokenId);
      return await blockCache.read(address, view);
    } catch (cause) {
      if (cause instanceof AppError) throw cause;
      if (cause instanceof RpcRefused && isNonexistentToken(cause.data)) throw neverMinted(tokenId);
      throw chainSilent(cause);
    }
  };
}

/**
 * The token id as a number; null where there is none. @throws AppError VALIDATION_ERROR when it does not fit the type
 */
function readTokenId({ type }: Token, tokenId: string | null, need: 'required' | 'optional'): bigint | null {
  const { hasTokenIds, label } = TOKEN_STANDARDS[type];
  if (!hasTokenIds) {
    if (tokenId === null) return null;
    throw new AppError('VALIDATION_ERROR', `tokenId does not go with an ${label} token`);
  }
  if (tokenId === null) {
    if (need === 'optional') return null;
    throw new AppError('VALIDATION_ERROR', `tokenId is required for an ${label} token`);
  }
  const id = BigInt(tokenId);
  if (id > MAX_TOKEN_ID) throw neverMinted(id);
  return id;
}

function neverMinted(tokenId: bigint | null): AppError {
  return new AppError('VALIDATION_ERROR', `tokenId ${tokenId} was never minted, or is burned`);
}
