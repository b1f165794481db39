import { useIsPast } from '../../parts/tick.ts';
import { When } from '../../parts/when.tsx';
import { describeAmount } from './token-state.ts';
import type { TokenState } from './token-state.ts';

/** What the limit of a day leaves now, and when all of it is there again. Nothing where there is no limit. */
export function MintableNow(state: TokenState) {
  const { mintableNow } = state.limits;
  if (mintableNow === null) return null;
  return (
    <>
      {describeAmount(mintableNow, state)} can be minted now
      <FullAgain {...state} />.
    </>
  );
}

/** When the whole limit can be minted at once. Nothing where that is so now. */
export function FullAgain({ limits: { fullAt } }: TokenState) {
  const isFull = useIsPast(fullAt);
  if (fullAt === null || isFull) return null;
  return (
    <>
      ; the whole limit <When at={fullAt} as="relative" />
    </>
  );
}
