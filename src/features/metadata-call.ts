import { encodeSetContractMetadata, encodeSetMetadata, estimateMetadataGas } from '../chain/abi/metadata.ts';
import type { Entry } from '../chain/abi/metadata.ts';
import type { IntentCall } from '../engine/index.ts';
import type { Hex } from '../lib/hex.ts';
import { MAX_GAS } from '../lib/max-gas.ts';

/** Every id that a contract can have. */
export const MAX_TOKEN_ID = 2n ** 256n - 1n;

/** The call that replaces the metadata of an NFT, or, without a token id, of the contract. */
export function metadataCall(contract: Hex, tokenId: bigint | null, entries: readonly Entry[]): IntentCall {
  return {
    target: contract,
    data: tokenId === null ? encodeSetContractMetadata(entries) : encodeSetMetadata(tokenId, entries),
    gasEstimate: estimateMetadataGas(entries),
    gasMax: estimateMetadataGas(entries) + MAX_GAS.other,
    isControl: true,
  };
}
