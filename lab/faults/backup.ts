import { randomUUID } from 'node:crypto';
import { acceptLoss } from '../../src/engine/index.ts';
import { readSent, waitForQuiet } from './books.ts';
import { inParallel } from '../load/load.ts';
import { countEffects } from './operator-events.ts';
import { copyDatabase } from '../stage/database.ts';
import { requestMint } from '../stage/tokens.ts';
import type { Fault } from './outcome.ts';
import { judgeStage, prepare, withAnvil, withDb } from './stage.ts';

/** Part of the clients' work is in the backup, part of it under way in it, the rest is done after it was taken. */
export const backup: Fault = ({ scaled }) =>
  withAnvil(async (anvil) => {
    // Small batches, so that much is still under way when the service ends.
    const stage = await prepare(anvil.url, { variables: { MAX_BATCH: '5' } });
    const { mintmark, targets } = stage;
    const { operator } = mintmark.service.context.system;
    const targetOf = (index: number) => targets[index % targets.length]!;
    const half = scaled(500);
    const keys = Array.from({ length: 2 * half }, () => randomUUID());
    const intents = new Map<string, string>();
    const send = (from: number, to: number, seen: (key: string, intent: string) => void): Promise<void> =>
      inParallel(to - from, 20, async (place) => {
        const index = from + place;
        const { account, address } = targetOf(index);
        const write = { key: keys[index]!, prefer: 'respond-async' };
        const { intentId } = await requestMint(account, address, write);
        if (intentId) seen(keys[index]!, intentId);
      });
    const record = (key: string, intent: string): void => void intents.set(key, intent);

    // The service stops in the middle of the work: the backup is taken now.
    await send(0, half, record);
    await mintmark.service.stop();
    const url = await copyDatabase(mintmark.databaseUrl);
    const underWay = await withDb(url, (db) => waitForQuiet(db, 0));
    await mintmark.restart();
    await send(half, 2 * half, record);
    const { db: lost } = mintmark.service.context;
    const unfinished = await waitForQuiet(lost, 120_000);
    const before = await countEffects(anvil, operator);
    const forgotten = await readSent(lost);
    await mintmark.service.stop();

    const restored = { DATABASE_URL: url };
    const refusal = await mintmark.restart(restored).then(
      () => 'it started',
      (error: unknown) => String(error),
    );
    const refused = refusal.includes('recover --accept-loss');
    await withDb(url, acceptLoss);
    if (refused) await mintmark.restart(restored);
    let changed = 0;
    await send(0, half, (key, intent) => (changed += Number(intents.get(key) !== intent)));
    stage.log.acknowledged = new Set(keys.slice(0, half).map((key) => intents.get(key)!));
    const judgement = await judgeStage(
      { ...stage, mintmark: { ...mintmark, databaseUrl: url } },
      // What the backup does not know is on the chain all the same: it is outside the promise.
      { lost: forgotten },
    );
    const after = await countEffects(anvil, operator);
    await mintmark.stop();
    return {
      made: `dump of ${half}, ${underWay} open, then ${half} more`,
      judgement,
      note: `${half} retries: ${after - before} effects; ${half} unknown`,
      flaws: [
        ...(refused ? [] : [`the start was not refused: ${refusal}`]),
        ...(after === before ? [] : [`${after - before} effects after the restoration`]),
        ...(changed === 0 ? [] : [`${changed} retries made a new intent`]),
        ...(unfinished === 0 ? [] : [`${unfinished} without a verdict before the restoration`]),
      ],
    };
  });
