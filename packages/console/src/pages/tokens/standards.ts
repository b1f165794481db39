import type { components } from '../../../../../generated/api.ts';

export type TokenType = components['schemas']['TokenType'];

const NAMES: Record<TokenType, string> = { ERC20: 'ERC-20', ERC721: 'ERC-721' };

export function nameStandard(type: TokenType): string {
  return NAMES[type];
}
