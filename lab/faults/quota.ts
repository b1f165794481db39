import { createCollection, creditsLeft, requestNft, sessionOf } from '../stage/collections.ts';
import { requestMint } from '../stage/tokens.ts';
import type { Fault } from './outcome.ts';
import { judgeStage, prepare, withAnvil } from './stage.ts';
import type { Stage } from './stage.ts';

interface Answer {
  status: number;
  headers: Headers;
}

/**
 * Two races at once for what an account has left: for its mint quota, and for its credits. A collection is paid for
 * with credits, so the quota of its owner is whole.
 */
export const quota: Fault = ({ scaled }) =>
  withAnvil(async (anvil) => {
    const stage = await prepare(anvil.url);
    const { mintmark } = stage;
    const spends = scaled(1_000);
    const account = await mintmark.register();
    const address = await createCollection(sessionOf(mintmark, account));
    const credits = await creditsLeft(mintmark, account);
    const mints = (await account.api.GET('/stats')).data!.mintsRemaining;
    const [byQuota, byCredits] = await Promise.all([
      race(stage, spends, () => requestMint(account, address, { amount: null })),
      race(stage, spends, () => requestNft(sessionOf(mintmark, account), address)),
    ]);
    const judgement = await judgeStage(stage);
    await mintmark.stop();
    const expected = { quota: Math.min(mints, spends), credits: Math.min(credits, spends) };
    return {
      made: `${spends} spends of ${mints}, ${spends} of ${credits}`,
      judgement,
      note: `${byQuota} and ${byCredits} won`,
      flaws: [
        ...(byQuota === expected.quota ? [] : [`${byQuota} of ${expected.quota} won the quota`]),
        ...(byCredits === expected.credits ? [] : [`${byCredits} of ${expected.credits} won credits`]),
      ],
    };
  });

/** Returns how many won; the log records each answer. */
async function race({ log }: Stage, spends: number, spend: () => Promise<Answer>): Promise<number> {
  const answers = await Promise.all(Array.from({ length: spends }, spend));
  let won = 0;
  for (const { status, headers } of answers) {
    const intent = headers.get('Intent-Id');
    if (status < 300 && intent) {
      log.acknowledged.add(intent);
      won += 1;
    } else log.refused.push(status);
  }
  return won;
}
