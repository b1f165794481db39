/** Everything that differs from chain to chain. Where each figure comes from: docs/chains.md. */
export interface ChainProfile {
  name: string;
  /** Blocks, the one itself included, after which a block is final; or a block tag. */
  finality: number | 'safe' | 'finalized';
  /**
   * Milliseconds for which one endpoint must show a head that is not higher than the canonical one before it counts; 0:
   * at once.
   */
  forkChoiceMs: number;
  /** Milliseconds without progress after which a transaction counts as stuck. */
  stuckMs: number;
  /** `none`: gas costs nothing, base fee and tip are 0. */
  feeModel: 'eip1559' | 'legacy' | 'none';
  /** Wei per gas that is bid for what was never signed; null: no limit. */
  maxFeePerGas: bigint | null;
  /** Wei: gas limit times fee per gas beyond which the node refuses a transaction. */
  maxTransactionFee: bigint;
  /** Where the cost of L1 data comes from: there is none, the OP stack's oracle tells it, or it is part of the gas. */
  l1Fee: 'none' | 'op-stack' | 'in-gas';
  maxTransactionGas: number;
  maxCalldataBytes: number;
  /** Calls in one JSON-RPC batch, at most. */
  maxBatchCalls: number;
  /** Whether a header's bloom excludes only what has no event in the block. */
  honestBlooms: boolean;
  /** Hardhat's node gives zero parents after `hardhat_mine` of 8 or more. */
  mayHaveZeroParents: boolean;
  /** Blocks may come only with a transaction, so that what waits for later blocks would wait for ever. */
  minesOnDemand: boolean;
}

const GWEI = 10n ** 9n;
const COIN = 10n ** 18n;

const ETHEREUM: ChainProfile = {
  name: 'ethereum',
  finality: 3,
  forkChoiceMs: 36_000,
  stuckMs: 60_000,
  feeModel: 'eip1559',
  maxFeePerGas: 1_000n * GWEI,
  maxTransactionFee: COIN,
  l1Fee: 'none',
  maxTransactionGas: 16_777_216,
  maxCalldataBytes: 100_000,
  maxBatchCalls: 100,
  honestBlooms: true,
  mayHaveZeroParents: false,
  minesOnDemand: false,
};

const OP_STACK: ChainProfile = {
  ...ETHEREUM,
  name: 'optimism',
  finality: 15,
  forkChoiceMs: 20_000,
  stuckMs: 20_000,
  maxFeePerGas: 200n * GWEI,
  l1Fee: 'op-stack',
};

const ARBITRUM: ChainProfile = {
  ...ETHEREUM,
  name: 'arbitrum',
  finality: 80,
  forkChoiceMs: 20_000,
  stuckMs: 20_000,
  maxFeePerGas: 200n * GWEI,
  l1Fee: 'in-gas',
  maxCalldataBytes: 90_000,
};

const POLYGON: ChainProfile = {
  ...ETHEREUM,
  name: 'polygon',
  finality: 20,
  forkChoiceMs: 20_000,
  stuckMs: 20_000,
  maxFeePerGas: 10_000n * GWEI,
};

const AVALANCHE: ChainProfile = {
  ...ETHEREUM,
  name: 'avalanche',
  // The nodes show accepted blocks only, and those are final.
  finality: 1,
  forkChoiceMs: 20_000,
  stuckMs: 20_000,
  maxFeePerGas: 1_000n * GWEI,
  maxTransactionGas: 7_500_000,
};

const BNB: ChainProfile = {
  ...ETHEREUM,
  name: 'bnb',
  finality: 30,
  forkChoiceMs: 20_000,
  stuckMs: 20_000,
  maxFeePerGas: 100n * GWEI,
};

/** QBFT or IBFT: a block that is there is final. */
const BESU_GASLESS: ChainProfile = {
  ...ETHEREUM,
  name: 'besu-gasless',
  finality: 1,
  forkChoiceMs: 20_000,
  stuckMs: 20_000,
  feeModel: 'none',
  maxFeePerGas: null,
};

/** A node on the developer's machine, which mines when there is something to mine. */
const ANVIL: ChainProfile = {
  ...ETHEREUM,
  name: 'anvil',
  finality: 1,
  forkChoiceMs: 0,
  stuckMs: 5_000,
  maxFeePerGas: null,
  minesOnDemand: true,
};

const HARDHAT: ChainProfile = {
  ...ANVIL,
  name: 'hardhat',
  mayHaveZeroParents: true,
};

/** For chains that are not in the table: Ethereum's rules, without what only honest and well-kept nodes do. */
const UNKNOWN: ChainProfile = { ...ETHEREUM, name: 'unknown', honestBlooms: false };

/** The built-in profiles, by the names that `CHAIN_PROFILE` may have. */
export const PROFILES: Readonly<Record<string, ChainProfile>> = Object.fromEntries(
  [
    ETHEREUM,
    { ...ETHEREUM, name: 'sepolia' },
    { ...OP_STACK, name: 'base' },
    { ...OP_STACK, name: 'base-sepolia' },
    OP_STACK,
    ARBITRUM,
    POLYGON,
    AVALANCHE,
    BNB,
    BESU_GASLESS,
    ANVIL,
    HARDHAT,
    UNKNOWN,
  ].map((profile) => [profile.name, profile]),
);

const BY_CHAIN_ID = new Map<bigint, string>([
  [1n, 'ethereum'],
  [11_155_111n, 'sepolia'],
  [8_453n, 'base'],
  [84_532n, 'base-sepolia'],
  [10n, 'optimism'],
  [42_161n, 'arbitrum'],
  [137n, 'polygon'],
  [43_114n, 'avalanche'],
  [56n, 'bnb'],
]);

/** Chain ids that the nodes on developers' machines share: which of them it is, it tells itself. */
export const LOCAL_CHAINS: readonly bigint[] = [31_337n, 1_337n];

/** Whether it is anvil or Hardhat's node, whose accounts have public keys and ether that is worth nothing. */
export function isLocalNode(chainId: bigint, { minesOnDemand }: ChainProfile): boolean {
  return LOCAL_CHAINS.includes(chainId) && minesOnDemand;
}

/** What an operator asks for: another profile than the chain id's, and fields that are not as in it. */
export interface ProfileChoice {
  name?: string;
  fields?: Partial<ChainProfile>;
}

/**
 * Returns the profile of a chain.
 * @param clientVersion what `web3_clientVersion` answers; only needed for the local chains
 */
export function profileOf(
  chainId: bigint,
  { name, fields }: ProfileChoice = {},
  clientVersion = '',
): ChainProfile {
  const base = PROFILES[name ?? BY_CHAIN_ID.get(chainId) ?? localNode(chainId, clientVersion)]!;
  return { ...base, ...fields };
}

function localNode(chainId: bigint, clientVersion: string): string {
  if (!LOCAL_CHAINS.includes(chainId)) return 'unknown';
  if (/^anvil/i.test(clientVersion)) return 'anvil';
  return /hardhat/i.test(clientVersion) ? 'hardhat' : 'unknown';
}
