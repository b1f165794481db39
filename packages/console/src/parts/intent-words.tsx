import type { ReactNode } from 'react';
import type { components } from '../../../../generated/api.ts';
import { shorten } from './address.tsx';
import { formatAmount, groupDigits } from './amount-text.ts';
import { nameKind } from './intent-kinds.ts';

type Intent = Pick<components['schemas']['Intent'], 'kind' | 'token' | 'to' | 'amount' | 'tokenId'>;

/** Verbs before what they are done to; the others are done to a part of it, as in "Set mint limit of HARB". */
const TAKE_AN_OBJECT = new Set<Intent['kind']>([
  'deploy_token',
  'create_collection',
  'mint',
  'pause',
  'unpause',
]);

/** What an intent does, as every list of intents says it: "Mint 500 HARB to 0x344032…96a2". */
export function IntentWords({ intent }: { intent: Intent }) {
  const { symbol } = intent.token;
  if (symbol === null) return nameKind(intent.kind);
  return (
    <span className="break">
      {verbOf(intent)} {nameObject(intent, <bdi>{symbol}</bdi>)}
      {intent.to && (
        <>
          {' '}
          to <bdi className="mono one-line">{shorten(intent.to)}</bdi>
        </>
      )}
    </span>
  );
}

function verbOf({ kind, to }: Intent): string {
  if (kind === 'force_transfer') return to === null ? 'Burn' : 'Move';
  if (kind === 'batch_mint') return 'Mint';
  return TAKE_AN_OBJECT.has(kind) ? nameKind(kind) : `${nameKind(kind)} of`;
}

function nameObject({ token: { decimals }, amount, tokenId }: Intent, symbol: ReactNode): ReactNode {
  if (amount !== undefined) {
    if (decimals !== null)
      return (
        <>
          {formatAmount(amount, decimals)} {symbol}
        </>
      );
    return (
      <>
        {groupDigits(amount)} {amount === '1' ? 'NFT' : 'NFTs'} of {symbol}
      </>
    );
  }
  if (tokenId === undefined) return symbol;
  return tokenId === null ? (
    <>an NFT of {symbol}</>
  ) : (
    <>
      {symbol} #{tokenId}
    </>
  );
}
