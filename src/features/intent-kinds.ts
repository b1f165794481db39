import type { NewIntent } from '../engine/index.ts';
import type { Hex } from '../lib/hex.ts';
import type { Royalty } from '../chain/abi/bounds.ts';
import type { TokenOptions, TokenType } from '../chain/token-standards.ts';

/*
 * Kinds of intents that several features write or read: what each keeps of its request. `ask...` writes it when the
 * intent is submitted, `read...` returns it later, or null for an intent of another kind. The kinds of one feature
 * alone are in its intents.ts.
 */

/** The parts of an intent that say what was asked for. */
export type Asked = Pick<NewIntent, 'kind' | 'arguments'>;

/** What bounds a new token; numbers as decimal strings, in the smallest unit or NFTs. */
export interface Bounds {
  /** Null for no cap. */
  maxSupply: string | null;
  /** What the operator may mint in a day; null for no limit. */
  mintLimitPerDay: string | null;
  recoverable: boolean;
  /** Null for none, and for ERC-20. */
  royalty: Royalty | null;
}

/** What a deployment was asked for. */
export interface Deployment extends TokenOptions {
  type: TokenType;
  name: string;
  symbol: string;
  permissionless: boolean;
  bounds: Bounds;
}

const DEPLOYMENTS = ['deploy_token', 'create_collection'] as const;

/** The token API deploys tokens, the collection API creates collections. */
export type DeploymentKind = (typeof DEPLOYMENTS)[number];

export function askDeployment(kind: DeploymentKind, deployment: Deployment): Asked {
  return { kind, arguments: { ...deployment } };
}

export function readDeployment({ kind, arguments: asked }: Asked): Deployment | null {
  if (!DEPLOYMENTS.some((each) => each === kind)) return null;
  return {
    type: asked['type'] as TokenType,
    name: asked['name'] as string,
    symbol: asked['symbol'] as string,
    decimals: asked['decimals'] as number | null,
    baseUri: asked['baseUri'] as string | null,
    permissionless: asked['permissionless'] as boolean,
    bounds: asked['bounds'] as Bounds,
  };
}

/** A mint of one token or amount. */
export interface AskedMint {
  type: TokenType;
  to: Hex;
}

export function askMint(mint: AskedMint): Asked {
  return { kind: 'mint', arguments: { ...mint } };
}

export function readAskedMint({ kind, arguments: asked }: Asked): AskedMint | null {
  return kind === 'mint' ? { type: asked['type'] as TokenType, to: asked['to'] as Hex } : null;
}

/** A mint of several NFTs, in the order of their ids. */
export function askBatchMint(recipients: readonly Hex[]): Asked {
  return { kind: 'batch_mint', arguments: { recipients } };
}

/** Whom a batch mints to. */
export function readBatchMint({ kind, arguments: asked }: Asked): Hex[] | null {
  return kind === 'batch_mint' ? (asked['recipients'] as Hex[]) : null;
}

/** What quotas and credits are counted by; a free write has none. */
export function unitsOf(asked: Asked): number {
  if (readDeployment(asked) || readAskedMint(asked)) return 1;
  return readBatchMint(asked)?.length ?? 0;
}

/** What is moved past its holder; numbers as decimal strings. */
export interface ForcedTransfer {
  from: Hex;
  /** Null for a burn. */
  to: Hex | null;
  /** Of an ERC-20. */
  amount?: string | undefined;
  /** Of an ERC-721. */
  tokenId?: string | undefined;
}

export function askForceTransfer(transfer: ForcedTransfer): Asked {
  return { kind: 'force_transfer', arguments: { ...transfer } };
}

export function readForceTransfer({ kind, arguments: asked }: Asked): ForcedTransfer | null {
  if (kind !== 'force_transfer') return null;
  return {
    from: asked['from'] as Hex,
    to: asked['to'] as Hex | null,
    amount: asked['amount'] as string | undefined,
    tokenId: asked['tokenId'] as string | undefined,
  };
}

/** @param tokenId null for the metadata of the contract */
export function askMetadata(tokenId: string | null): Asked {
  return { kind: 'set_metadata', arguments: { tokenId } };
}

/** @param tokenId null for all metadata of the contract */
export function askFreezeMetadata(tokenId: string | null, frozen: boolean): Asked {
  return { kind: frozen ? 'freeze_metadata' : 'unfreeze_metadata', arguments: { tokenId } };
}

const METADATA_KINDS = ['set_metadata', 'freeze_metadata', 'unfreeze_metadata'];

/**
 * The NFT whose metadata are written, frozen or unfrozen; null for those of a contract, and for another kind of intent.
 */
export function readMetadataTokenId({ kind, arguments: asked }: Asked): string | null {
  return METADATA_KINDS.includes(kind) ? (asked['tokenId'] as string | null) : null;
}
