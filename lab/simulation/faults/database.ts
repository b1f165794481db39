import { setTimeout as sleep } from 'node:timers/promises';
import { acceptGap } from '../../../src/engine/index.ts';
import { createRpc } from '../../../src/chain/rpc/rpc.ts';
import { createDb } from '../../../src/db/client.ts';
import { ADMIN, POOR_SIGNER, SIGNERS, revoke, sendAsAdmin } from '../admin.ts';
import { DATABASE_URL, startSupervised } from '../service.ts';
import type { ServiceProcess } from '../service.ts';
import type { Hex } from '../../../src/lib/hex.ts';
import type { World } from '../world.ts';
import { cutOf } from './fault.ts';
import type { Make } from './fault.ts';
import { buryGone } from './operator.ts';

const REFUSED = [{ code: 'INTERNAL_ERROR' }];

/** More than a search of the numbers that follow looks through. */
const SANDBOX_NUMBERS = 20_000;
/** A service that has to refuse the database has started, or not, by then. */
const RESTART_MS = 10_000;

/** Seconds of commits that a replica may lack. */
const MAX_BEHIND_MS = 3_000;

export const DATABASE_FAULTS = {
  'database crash': async ({ world, lastMs, window }) => {
    window.allows = REFUSED;
    window.cuts = cutOf(null, false);
    world.postgres.crash();
    world.postgres.isDown = true;
    await sleep(lastMs / 5);
    world.postgres.isDown = false;
  },
  'silent database': async ({ world, lastMs, window }) => {
    window.allows = REFUSED;
    window.cuts = cutOf(null, false);
    world.postgres.fallSilent();
    await sleep(lastMs);
    world.postgres.hear();
  },
  'lost notifications': async ({ world, lastMs }) => {
    world.postgres.losesNotifications = true;
    await sleep(lastMs);
    world.postgres.losesNotifications = false;
  },
  'lost commits': async (parts) => {
    const { world, processes, lastMs, which, window } = parts;
    window.allows = REFUSED;
    window.cuts = cutOf(null, false);
    const loses = { from: world.scheduler.now, to: Infinity };
    window.loses = loses;
    const copy = world.postgres.copy();
    await sleep(which * (MAX_BEHIND_MS / 1_000));
    world.postgres.failOver(copy);
    loses.to = world.scheduler.now;
    await sleep(lastMs);
    await dismissIdle(world, processes);
    await recover(world);
    await buryGone(parts);
  },
} satisfies Record<string, Make>;

/** Drawn apart from all others. */
export const RESTORE_FAULTS = {
  // The sandbox has used so many numbers since that nothing leads from those of the backup to those of the chain.
  'older backup': async (parts) => {
    const { world, processes, lastMs, window } = parts;
    const { scheduler, postgres } = world;
    window.allows = REFUSED;
    window.cuts = cutOf(null, false);
    const loses = { from: scheduler.now, to: Infinity };
    window.loses = loses;
    const backup = postgres.copy();
    await postgres.ask(`select setval('intents_number_seq', nextval('intents_number_seq') + $1)`, [
      SANDBOX_NUMBERS,
    ]);
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
    await dismissIdle(world, processes);
    await recover(world);
    await buryGone(parts);
    await Promise.all(started);
  },
} satisfies Record<string, Make>;

/** What an executor that runs nowhere may have sent is waited for: the handbook has its role taken away. */
async function dismissIdle(world: World, processes: readonly ServiceProcess[]): Promise<void> {
  const running = processes.flatMap(({ settings }) => settings.signers);
  const isIdle = (signer: (typeof SIGNERS)[number]): boolean =>
    !running.includes(signer) && !world.appointed.has(signer.address.toLowerCase() as Hex);
  const idle = [...SIGNERS, POOR_SIGNER, ADMIN].filter(isIdle);
  await sendAsAdmin(
    world,
    idle.map(({ address }) => ({ to: world.operator, data: revoke(world.operator, address) })),
  );
}

/** `npm run admin -- recover --accept-gap`, until it gets through. */
async function recover(world: World): Promise<void> {
  const signers = SIGNERS.map(({ address }) => address.toLowerCase() as Hex);
  for (let isDone = false; !isDone; await sleep(5_000)) {
    await using stack = new AsyncDisposableStack();
    const rpc = stack.adopt(createRpc(world.nodes.map(({ url }) => url)), ({ close }) => close());
    const db = stack.use(createDb(DATABASE_URL, 2));
    try {
      await acceptGap(db, { rpc, operator: world.operator, maxInFlight: 16, signers });
      isDone = true;
    } catch (error) {
      world.trace.note('admin', 'recover', String(error));
    }
  }
}
