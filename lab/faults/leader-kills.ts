import { setTimeout as sleep } from 'node:timers/promises';
import { createMintmarkClient } from '../../generated/client.ts';
import { findFreePort } from '../../src/embedded/free-port.ts';
import type { Target } from '../load/load.ts';
import { startPatroniCluster } from '../stage/patroni/cluster.ts';
import type { PatroniCluster } from '../stage/patroni/cluster.ts';
import { findPatroni } from '../stage/patroni/site.ts';
import type { Random } from '../random.ts';
import { superviseService } from '../stage/supervisor.ts';
import type { SupervisedService } from '../stage/supervisor.ts';
import { cancelWrite, drawWrites, makeWrite } from '../load/writes.ts';
import type { Write } from '../load/writes.ts';
import { checkAlive } from './alive.ts';
import { say } from './outcome.ts';
import type { Fault } from './outcome.ts';
import { judgeStage, prepare, withAnvil } from './stage.ts';
import type { Stage } from './stage.ts';

const ROUNDS = 20;
const QUIET_MS = 180_000;
/** The promise: from the end of a leader to the next write that is accepted. */
const WRITES_MS = 30_000;
/** A write each time, to one service and the other in turn, whether earlier ones are answered or not. */
const EVERY_MS = 100;
/** Load after writes are accepted again. */
const AFTER_MS = 2_000;
const MAX_ROUND_MS = 120_000;
const VARIABLES = { CONFIRMATIONS: '3', WAIT_TIMEOUT_MS: '20000' };

/** Two services over one cluster: one through HAProxy, and one that chooses the leader itself. */
interface ClusterStand {
  cluster: PatroniCluster;
  stage: Stage;
  /** The targets of the stage, as each service serves them. */
  services: { targets: Target[]; life: SupervisedService }[];
}

/**
 * The machine with the leader of a Patroni cluster dies under load: its PostgreSQL, its Patroni and its etcd are
 * killed. Both services must go on with the next leader, and nothing that was acknowledged may be missing there.
 */
export const leaderKills: Fault = ({ scaled, random, isShort }) =>
  withAnvil(async (anvil) => {
    const programs = await findPatroni();
    if (!programs)
      throw new Error('this fault needs what Debian calls patroni, etcd-server, haproxy and postgresql');
    await using stack = new AsyncDisposableStack();
    const cluster = stack.use(await startPatroniCluster(programs));
    const stand = await openStand(anvil.url, cluster, stack);
    const rounds = scaled(ROUNDS);
    // Among the other tests of `npm test` nothing is on time.
    const limitMs = isShort ? MAX_ROUND_MS : WRITES_MS;
    const flaws: string[] = [];
    let [slowestMs, slowestMintMs] = [0, 0];
    for (let round = 0; round < rounds && flaws.length === 0; round += 1) {
      const killed = await cluster.complete();
      const tookMs = await killUnderLoad(stand, killed, random.fork(`round ${round}`));
      await cluster.start(killed);
      const alive = await checkAlive(stand.stage);
      const leader = await cluster.complete();
      slowestMs = Math.max(slowestMs, tookMs);
      slowestMintMs = Math.max(slowestMintMs, alive.slowestMs);
      if (leader === killed) alive.flaws.push(`${killed} leads again: nobody took its place`);
      if (tookMs > limitMs) alive.flaws.push(`no write was accepted for ${seconds(tookMs)} s`);
      flaws.push(...alive.flaws.map((flaw) => `round ${round + 1}: ${flaw}`));
      say(`  ${round + 1} of ${rounds} kills, writes after ${seconds(tookMs)} s`);
    }
    const judgement = await judgeStage(stand.stage, { quietMs: flaws.length > 0 ? 0 : QUIET_MS });
    const starts = stand.services.reduce((sum, { life }) => sum + life.starts() - 1, 0);
    return {
      made: `${rounds} machines with the leader of Patroni`,
      judgement,
      note: `back in ${seconds(slowestMs)} s, mints ${seconds(slowestMintMs)} s, ${starts} starts`,
      flaws,
    };
  });

const seconds = (ms: number): string => (ms / 1_000).toFixed(1);

async function openStand(
  nodeUrl: string,
  cluster: PatroniCluster,
  stack: AsyncDisposableStack,
): Promise<ClusterStand> {
  const variables = { ...VARIABLES, DATABASE_URL: cluster.proxied };
  const stage = await prepare(nodeUrl, { variables, hasNfts: true });
  stack.defer(() => stage.mintmark.stop().catch(say));
  await stage.mintmark.service.stop();
  const { environment } = stage.mintmark;
  const others = { ...environment, DATABASE_URL: cluster.named, PORT: String(await findFreePort()) };
  const services = [];
  for (const own of [environment, others]) {
    const life = await superviseService(own);
    stack.defer(() => life.end());
    const baseUrl = `http://127.0.0.1:${own['PORT']}`;
    const targets = stage.targets.map(({ account, ...target }) => ({
      ...target,
      account: { ...account, api: createMintmarkClient({ baseUrl, token: account.token }) },
    }));
    services.push({ targets, life });
  }
  return {
    cluster,
    stage: { ...stage, mintmark: { ...stage.mintmark, databaseUrl: cluster.proxied } },
    services,
  };
}

/**
 * Kills the machine while clients write, at a random moment, and lets them go on until both services have accepted
 * something since. Returns how long that took, milliseconds.
 */
async function killUnderLoad(
  { cluster, stage, services }: ClusterStand,
  name: string,
  random: Random,
): Promise<number> {
  const places = services.map(() => Infinity);
  const writes = drawWrites(random.fork('writes'), MAX_ROUND_MS / EVERY_MS, {
    targets: stage.targets.length,
    waiting: 0.2,
  });
  const pending: Promise<void>[] = [];
  let killedAt = Infinity;
  let isOver = false;
  const make = async (write: Write, place: number): Promise<void> => {
    const began = performance.now();
    const target = services[place]!.targets[write.target]!;
    const claim = await makeWrite(write, target, stage.log);
    const isAccepted = claim.status !== null && claim.status < 300;
    // A write that waits is answered after its verdict: when it was accepted is not known.
    if (isAccepted && !write.isWaiting && began > killedAt)
      places[place] = Math.min(places[place]!, performance.now() - killedAt);
    if (write.cancels === 0) await cancelWrite(claim, target.account);
  };
  const load = async (): Promise<void> => {
    for (const [index, write] of writes.entries()) {
      if (isOver) return;
      pending.push(make(write, index % services.length));
      await sleep(EVERY_MS);
    }
  };
  const loaded = load();
  await sleep(random.whole(2_000, 7_000));
  await cluster.kill(name);
  killedAt = performance.now();
  while (places.includes(Infinity) && performance.now() < killedAt + MAX_ROUND_MS) await sleep(EVERY_MS);
  await sleep(AFTER_MS);
  isOver = true;
  await loaded;
  await Promise.all(pending);
  return Math.max(...places);
}
