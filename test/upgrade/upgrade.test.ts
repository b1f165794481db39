import { describe, expect, test } from '@jest/globals';
import type { Contract } from 'ethers';
import { waitForQuiet } from '../../lab/faults/books.ts';
import { judge } from '../../lab/faults/judge.ts';
import { flawsOf } from '../../lab/faults/outcome.ts';
import { startAnvil } from '../../lab/stage/anvil.ts';
import { waitForStatus } from '../../lab/stage/intents.ts';
import { startTestService } from '../../lab/stage/service.ts';
import { requestMint } from '../../lab/stage/tokens.ts';
import { leaveWork } from '../../lab/upgrade/leave-work.ts';
import { readSnapshot, versions } from '../../lab/upgrade/snapshot.ts';
import type { Snapshot } from '../../lab/upgrade/snapshot.ts';
import { release } from '../../src/db/release.ts';
import { openChain } from '../setup/chain.ts';
import { goOn, signIn } from './go-on.ts';

const QUIET_MS = 60_000;

/** What this version leaves: the versions after it are tested with it, once it is released. */
async function leaveOwn(): Promise<Snapshot> {
  await using anvil = await startAnvil();
  await using mintmark = await startTestService({ MAX_IN_FLIGHT: '1' }, { rpcUrl: anvil.url });
  return await leaveWork(mintmark, anvil);
}

const SNAPSHOTS: [string, () => Promise<Snapshot>][] = [
  ...versions.map((version): [string, () => Promise<Snapshot>] => [version, () => readSnapshot(version)]),
  [release.version, leaveOwn],
];

describe.each(SNAPSHOTS)('over what version %s left', (_version, read) => {
  test('what was queued or in flight is done exactly once, and its tokens go on', async () => {
    await using stand = await goOn(await read());
    const { mintmark, story, anvil } = stand;
    const account = await signIn(mintmark, story);
    for (const id of story.open) await waitForStatus(account, id, 'confirmed');
    using chain = openChain(mintmark);
    const [coin, art] = [chain.erc20(story.coin), chain.erc721(story.art)];
    const suppliesOf = (contracts: Contract[]) =>
      Promise.all(contracts.map(async (contract) => String(await contract['totalSupply']!())));
    expect(await suppliesOf([coin, art])).toEqual([story.units, story.tokens]);
    expect((await requestMint(account, story.coin, { amount: '5' })).status).toBe(200);
    expect(await suppliesOf([coin])).toEqual([String(BigInt(story.units) + 5n)]);
    const { db } = mintmark.service.context;
    expect(await waitForQuiet(db, QUIET_MS)).toBe(0);
    const log = { acknowledged: new Set(story.open), unknown: 0, refused: [], claims: [] };
    const judgement = await judge(db, anvil.url, story.operator, log);
    expect(flawsOf({ judgement, flaws: [] })).toEqual([]);

    await mintmark.restart();
    expect((await requestMint(account, story.coin, { amount: '5' })).status).toBe(200);
  });
});
