import { isForgotten } from './case.ts';
import type { Case, Matter, Violation } from './case.ts';

/** On the test network. */
const COLLECTION_CREDITS = 5;

interface Price {
  mints: number;
  credits: number;
}

function priceOf({ wish: { operation, environment, items } }: Matter): Price {
  if (environment === 'sandbox') return { mints: 0, credits: 0 };
  const mints = operation === 'deployToken' || operation === 'mintToken' ? 1 : 0;
  if (operation === 'createCollection') return { mints, credits: COLLECTION_CREDITS };
  const isNftMint = operation === 'mintNft' || operation === 'mintNftBatch';
  return { mints, credits: isNftMint ? items : 0 };
}

/** Quota and credits count what is under way or done, and nothing that failed, was withdrawn, or never accepted. */
export function judgeMeters({ history, matters }: Case): Violation[] {
  return history.meters.flatMap(({ account, mints, credits }) => {
    const own = matters.filter(({ wish }) => wish.account === account);
    const isCounted = (matter: Matter): boolean => {
      if (isForgotten(matter)) return false;
      const { verdict, effects } = matter;
      return verdict === 'confirmed' || verdict === 'open' || (verdict === 'unknown' && effects.length > 0);
    };
    const sum = (some: readonly Matter[], unit: keyof Price): number =>
      some.reduce((total, each) => total + priceOf(each)[unit], 0);
    const counted = own.filter(isCounted);
    const unsure = own.filter(
      (each) => isForgotten(each) || (each.verdict === 'unknown' && !isCounted(each)),
    );
    const judge = (rule: string, unit: keyof Price, shown: number): Violation[] => {
      const [least, most] = [sum(counted, unit), sum([...counted, ...unsure], unit)];
      if (shown >= least && shown <= most) return [];
      const due = least === most ? String(least) : `${least} to ${most}`;
      return [{ rule, subject: account, detail: `it says ${shown}, and ${due} are due` }];
    };
    return [...judge('quota', 'mints', mints), ...judge('credits', 'credits', credits)];
  });
}

/**
 * A withdrawn request stays withdrawn, unless that is lost and the request was repeated; and none is that nobody
 * withdrew.
 */
export function judgeCancels({ matters }: Case): Violation[] {
  return matters.flatMap(({ wish, verdict, lost }) => {
    const isGranted = wish.cancels.some(({ status, at }) => status === 200 && !(lost && at <= lost.to));
    const violation = (detail: string): Violation[] => [{ rule: 'cancel', subject: wish.key, detail }];
    if (isGranted && verdict !== 'cancelled')
      return violation(`its cancel was granted, and it is ${verdict}`);
    const isAsked = wish.cancels.length > 0;
    return verdict === 'cancelled' && !isAsked ? violation('cancelled, and nobody asked for it') : [];
  });
}
