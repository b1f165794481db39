import { setTimeout as sleep } from 'node:timers/promises';
import { acceptLoss, findPendingEpochs } from '../../../src/engine/index.ts';
import { createDb } from '../../../src/db/client.ts';
import { DATABASE_URL, startSupervised } from '../service.ts';
import type { World } from '../world.ts';
import { cutOf } from './fault.ts';
import type { Make } from './fault.ts';

const REFUSED = [{ code: 'INTERNAL_ERROR' }];

/** A service that has to refuse the database has started, or not, by then. */
const RESTART_MS = 10_000;

/** Seconds of commits that a replica may lack. */
const MAX_BEHIND_MS = 3_000;

export const DATABASE_FAULTS = {
  'database crash': async ({ world, lastMs, window }) => {
    window.allows = REFUSED;
    window.cuts = [cutOf(null, false)];
    world.postgres.crash();
    world.postgres.isDown = true;
    await sleep(lastMs / 5);
    world.postgres.isDown = false;
  },
  'silent database': async ({ world, lastMs, window }) => {
    window.allows = REFUSED;
    window.cuts = [cutOf(null, false)];
    world.postgres.fallSilent();
    await sleep(lastMs);
    world.postgres.hear();
  },
  'lost notifications': async ({ world, lastMs }) => {
    world.postgres.losesNotifications = true;
    await sleep(lastMs);
    world.postgres.losesNotifications = false;
  },
  'lost commits': async ({ world, lastMs, which, window }) => {
    window.allows = REFUSED;
    window.cuts = [cutOf(null, false)];
    const loses = { from: world.scheduler.now, to: Infinity };
    window.loses = loses;
    const copy = world.postgres.copy();
    await sleep(which * (MAX_BEHIND_MS / 1_000));
    world.postgres.failOver(copy);
    loses.to = world.scheduler.now;
    await sleep(lastMs);
    await recover(world);
  },
} satisfies Record<string, Make>;

/** Drawn apart from all others. */
export const RESTORE_FAULTS = {
  'older backup': async ({ world, processes, lastMs, window }) => {
    const { scheduler, postgres } = world;
    window.allows = REFUSED;
    window.cuts = [cutOf(null, false)];
    const loses = { from: scheduler.now, to: Infinity };
    window.loses = loses;
    const backup = postgres.copy();
    await sleep(lastMs);
    const places = [...processes.keys()].filter((index) => !processes[index]!.machine.isDead);
    for (const index of places) world.kill(processes[index]!.machine);
    postgres.failOver(backup);
    loses.to = scheduler.now;
    const started = places.map((index) => {
      const { settings } = processes[index]!;
      return startSupervised(world, processes, { index, settings });
    });
    await sleep(RESTART_MS);
    window.refuses = { from: loses.to, to: scheduler.now };
    await recover(world);
    await Promise.all(started);
  },
} satisfies Record<string, Make>;

/** `npm run admin -- recover --accept-loss`, until it gets through and the new epoch has begun. */
async function recover(world: World): Promise<void> {
  let isAccepted = false;
  for (let hasBegun = false; !hasBegun; await sleep(5_000)) {
    await using db = createDb(DATABASE_URL, 2);
    try {
      if (!isAccepted) await acceptLoss(db);
      isAccepted = true;
      hasBegun = (await findPendingEpochs(db)).length === 0;
    } catch (error) {
      world.trace.note('admin', 'recover', String(error));
    }
  }
}
