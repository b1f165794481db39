import type { components } from '../../../../../generated/api.ts';
import { formatAmount } from '../../parts/amount-text.ts';

/** A token and what bounds it, as the chain has both. */
export interface TokenState {
  token: components['schemas']['Token'];
  limits: components['schemas']['TokenLimits'] & Pick<components['schemas']['TokenSummary'], 'decimals'>;
}

/** @param raw units of an ERC-20, or NFTs. @returns like `1,234.5 ALC` or `3 NFTs` */
export function describeAmount(raw: string, { token, limits }: TokenState): string {
  if (limits.decimals === null) return `${formatAmount(raw, 0)} ${raw === '1' ? 'NFT' : 'NFTs'}`;
  return `${formatAmount(raw, limits.decimals)} ${token.symbol}`;
}

/** How much of a bound is used, from 0 to 100; 100 for a bound of 0. */
export function percentOf(part: string, whole: string): number {
  const [used, all] = [BigInt(part), BigInt(whole)];
  if (all === 0n || used >= all) return 100;
  return Number((used * 10_000n) / all) / 100;
}
