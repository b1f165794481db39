import { renderingView } from '../../chain/abi/metadata.ts';
import { toEntries } from '../../chain/abi/metadata-rules.ts';
import type { MetadataInput } from '../../chain/abi/metadata-rules.ts';
import type { Chain } from '../../chain/chain.ts';
import { AppError } from '../../errors.ts';
import type { Schemas } from '../../http/operation.ts';
import type { Hex } from '../../lib/hex.ts';
import { parseExactly } from '../../lib/json-number.ts';
import { MAX_TOKEN_ID } from '../metadata-call.ts';

/** What TokenDescriptor writes, and nothing else does: its code cannot be changed. */
export type Rendered = Schemas['RenderedMetadata'];

/** How its data URIs begin. */
export const JSON_URI = 'data:application/json;base64,';

/** Opens a data URI of the descriptor. A number that a double cannot hold is text. */
export function readRendered(uri: string): Rendered {
  return parseExactly(Buffer.from(uri.slice(JSON_URI.length), 'base64').toString()) as Rendered;
}

export function chainSilent(cause: unknown): AppError {
  return new AppError('CHAIN_ERROR', 'The chain does not answer at the moment', { cause });
}

/**
 * The JSON that a contract would render, which need not exist: of itself without `tokenId`, which is decimal.
 * @throws AppError VALIDATION_ERROR, CHAIN_ERROR
 */
export type Preview = (asked: {
  name: string;
  symbol: string;
  tokenId?: string | undefined;
  metadata?: MetadataInput | undefined;
}) => Promise<Rendered>;

export function createPreview({ rpc, system }: Pick<Chain, 'rpc' | 'system'>): Preview {
  return async ({ tokenId, metadata, ...contract }) => {
    const id = tokenId === undefined ? null : BigInt(tokenId);
    if (id !== null && id > MAX_TOKEN_ID)
      throw new AppError('VALIDATION_ERROR', 'tokenId must be below 2^256');
    const { data, decode } = renderingView(contract, id, metadata ? toEntries(metadata, 'metadata.') : []);
    // Not through the cache of the block: hardly two previews are the same.
    const call = rpc.call<Hex>('eth_call', [{ to: system.descriptor, data }, 'latest']);
    const answer = await call.catch((cause: unknown) => {
      throw chainSilent(cause);
    });
    return readRendered(decode(answer));
  };
}
