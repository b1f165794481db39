import type { components } from '../../../../../generated/api.ts';
import { formatAmount } from '../../parts/amount-text.ts';
import type { Settled } from '../../parts/bounds/what-stays.tsx';
import type { DeployDraft } from './deploy-draft.ts';
import { nameStandard } from './standards.ts';

const WHOLE = /^\d+$/;

/** What a deployment settles for ever, and what it leaves open. */
export function settledBy(
  { type, decimals, isPermissionless, recoverable, name, symbol }: DeployDraft,
  { maxSupply, mintLimitPerDay, ...rest }: components['schemas']['DeployTokenRequest'],
): Settled {
  const unit = symbol === '' ? (type === 'ERC20' ? 'tokens' : 'NFTs') : symbol;
  const amount = (raw: string | undefined, none: string): string => {
    if (raw === undefined) return none;
    return WHOLE.test(raw) ? `${formatAmount(raw, type === 'ERC20' ? decimals : 0)} ${unit}` : '?';
  };
  const royalty = 'royalty' in rest ? rest.royalty : undefined;
  return {
    never: [
      ['Standard', nameStandard(type)],
      ['Name', name === '' ? '…' : name],
      ['Symbol', symbol === '' ? '…' : symbol],
      ...(type === 'ERC20' ? ([['Decimals', String(decimals)]] as const) : []),
      ['Mints go to', isPermissionless ? 'anyone' : 'approved accounts'],
      ['Cap', amount(maxSupply, 'none')],
      ['Recoverable', recoverable ? 'yes' : 'no'],
      ...(type === 'ERC721' ? ([['Base URI', ('baseUri' in rest && rest.baseUri) || 'none']] as const) : []),
    ],
    later: [
      [
        'Limit per day',
        mintLimitPerDay === undefined ? 'none; can be set' : `${amount(mintLimitPerDay, '')}; only lower`,
      ],
      ...(type === 'ERC721'
        ? ([['Royalty', royalty ? `${royalty.basisPoints / 100} %` : 'none; can be set']] as const)
        : []),
      ['Metadata', 'until frozen'],
      ['Minting', 'until closed'],
      ['Pause and lock', 'until given up'],
    ],
  };
}
