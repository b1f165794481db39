import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createMintmarkClient } from '../../generated/client.ts';
import { query } from '../../src/db/client.ts';
import { embeddedAccounts } from '../../src/embedded/accounts.ts';
import { findFreePort } from '../../src/embedded/free-port.ts';
import { startEmbeddedPostgres } from '../../src/embedded/postgres.ts';
import { createCli, runAsProcess } from '../stage/cli.ts';
import { readSent } from './books.ts';
import type { Judgement } from './judge.ts';
import { emptyLog } from '../load/load.ts';
import { startPostgresProxy } from '../proxies/postgres-proxy.ts';
import type { PostgresProxy } from '../proxies/postgres-proxy.ts';
import type { Random } from '../random.ts';
import { spawnService } from '../stage/service-process.ts';
import { startStandby } from './standby.ts';
import { superviseService } from '../stage/supervisor.ts';
import type { SupervisedService } from '../stage/supervisor.ts';
import { cancelWrite, drawWrites, makeWrites } from '../load/writes.ts';
import type { Claim } from '../load/writes.ts';
import { createTestDatabase } from '../stage/database.ts';
import { checkAlive, commandIn } from './alive.ts';
import { addJudgements, say } from './outcome.ts';
import type { Fault } from './outcome.ts';
import { count, judgeStage, prepare, withAnvil, withDb } from './stage.ts';
import type { Stage } from './stage.ts';

const ROUNDS = 20;
const SHORT_ROUNDS = 2;
const QUIET_MS = 180_000;
const VARIABLES = { CONFIRMATIONS: '3', WAIT_TIMEOUT_MS: '20000' };
/** The promises: answers again, and an end by SIGTERM while the database is silent. */
const ANSWERS_MS = 45_000;
const STOP_MS = 20_000;

/** A service as a process of its own, which starts again when it ends, behind a proxy of its database. */
interface DatabaseStand {
  stage: Stage;
  life: SupervisedService;
  proxy: PostgresProxy;
}

async function openStand(
  nodeUrl: string,
  databaseUrl: string,
  stack: AsyncDisposableStack,
): Promise<DatabaseStand> {
  const proxy = stack.use(await startPostgresProxy(databaseUrl));
  const stage = await prepare(nodeUrl, { variables: { ...VARIABLES, DATABASE_URL: proxy.url } });
  stack.defer(() => stage.mintmark.stop().catch(say));
  await stage.mintmark.service.stop();
  const life = await superviseService(stage.mintmark.environment);
  stack.defer(() => life.end());
  return { stage: { ...stage, mintmark: { ...stage.mintmark, databaseUrl } }, life, proxy };
}

/** Connections that acknowledge and say nothing: those that are open, or all, for a while; and a SIGTERM meanwhile. */
export const silentDatabase: Fault = ({ scaled, random, isShort }) =>
  withAnvil(async (anvil) => {
    await using stack = new AsyncDisposableStack();
    const database = stack.use(await createTestDatabase());
    const stand = await openStand(anvil.url, database.url, stack);
    const { stage, life } = stand;
    const rounds = isShort ? Math.min(SHORT_ROUNDS, scaled(ROUNDS)) : scaled(ROUNDS);
    const flaws: string[] = [];
    let [slowestMs, slowestStopMs] = [0, 0];
    for (let round = 0; round < rounds && flaws.length === 0; round += 1) {
      const draw = random.fork(`round ${round}`);
      const isTermed = round === rounds - 1 || draw.chance(0.3);
      const kind = round === 0 ? 'forget' : draw.pick(['forget', 'silence'] as const);
      slowestMs = Math.max(slowestMs, await goSilent(stand, kind, draw));
      if (isTermed) slowestStopMs = Math.max(slowestStopMs, await stopWhileSilent(stand));
      const alive = await checkAlive(stage);
      flaws.push(...alive.flaws.map((flaw) => `round ${round + 1}, ${kind}: ${flaw}`));
      if (slowestMs > ANSWERS_MS)
        flaws.push(`round ${round + 1}, ${kind}: no answer for ${seconds(slowestMs)} s`);
      if (slowestStopMs > STOP_MS)
        flaws.push(`SIGTERM took ${seconds(slowestStopMs)} s while the database was silent`);
      say(`  ${round + 1} of ${rounds} rounds`);
    }
    const judgement = await judgeStage(stage, { quietMs: flaws.length > 0 ? 0 : QUIET_MS });
    return {
      made: `${rounds} times, under load and during SIGTERM`,
      judgement,
      note: `back in ${seconds(slowestMs)} s, stop ${seconds(slowestStopMs)} s, ${life.starts() - 1} starts`,
      flaws,
    };
  });

const seconds = (ms: number): string => (ms / 1_000).toFixed(1);

/** Returns how long nobody was answered after new connections worked again, milliseconds. */
async function goSilent(
  { stage, proxy }: DatabaseStand,
  kind: 'forget' | 'silence',
  random: Random,
): Promise<number> {
  const writes = drawWrites(random, 12, { targets: stage.targets.length, waiting: 0.3 });
  const at = random.whole(2, 6);
  const lastsMs = random.whole(5_000, 40_000);
  let accepted = 0;
  const load = makeWrites(writes, stage.targets, stage.log, async () => {
    accepted += 1;
    if (accepted !== at) return;
    proxy[kind]();
  });
  await Promise.race([load, untilTrue(async () => accepted >= at)]);
  if (kind === 'silence') {
    await sleep(lastsMs);
    proxy.speak();
  }
  const began = performance.now();
  await untilTrue(async () => {
    const { status } = await fetch(new URL('/ready', stage.mintmark.url), {
      signal: AbortSignal.timeout(5_000),
    });
    return status === 200;
  });
  const silentMs = performance.now() - began;
  await load;
  return silentMs;
}

/** SIGTERM while all connections are silent. Returns how long the end took, milliseconds. */
async function stopWhileSilent({ life, proxy }: DatabaseStand): Promise<number> {
  proxy.silence();
  await sleep(1_000);
  const began = performance.now();
  await life.term(2 * STOP_MS);
  const tookMs = performance.now() - began;
  proxy.speak();
  await life.begin();
  return tookMs;
}

/** Waits up to twice the promise; an error counts as no. */
async function untilTrue(question: () => Promise<boolean>): Promise<void> {
  for (const end = performance.now() + 2 * ANSWERS_MS; performance.now() < end; await sleep(250)) {
    if (await question().catch(() => false)) return;
  }
}

/**
 * The database fails over to a replica that lacks the newest commits, and the service is not restarted. It must refuse
 * writes until the operator has accepted the gap; what it answers then must be true.
 */
export const lossyFailover: Fault = async ({ scaled, random, isShort }) => {
  const rounds = isShort ? 1 : scaled(ROUNDS);
  const judgements: Judgement[] = [];
  const flaws: string[] = [];
  let lost = 0;
  for (let round = 0; round < rounds; round += 1) {
    const result = await failOver(random.fork(`round ${round}`));
    judgements.push(result.judgement);
    lost += result.lost;
    flaws.push(...result.flaws.map((flaw) => `round ${round + 1}: ${flaw}`));
    say(`  ${round + 1} of ${rounds} rounds`);
  }
  return {
    made: `${rounds} failovers without a restart`,
    judgement: addJudgements(judgements),
    note: `${lost} writes unknown to the replica`,
    flaws,
  };
};

/** An API process that writes nothing before the failover: it knows none of the commits that are lost. */
interface Replica {
  url: string;
  proxy: PostgresProxy;
}

async function openReplica(
  { mintmark }: Stage,
  databaseUrl: string,
  stack: AsyncDisposableStack,
): Promise<Replica> {
  const proxy = stack.use(await startPostgresProxy(databaseUrl));
  const port = await findFreePort();
  const [admin] = embeddedAccounts;
  const own = { DATABASE_URL: proxy.url, PORT: `${port}`, SIGNER_KEY: '', OPERATOR_ADMIN: admin.address };
  stack.use(await spawnService({ ...mintmark.environment, ...own }, ['--role', 'api']));
  return { url: `http://127.0.0.1:${port}`, proxy };
}

/** Makes writes that wait in the queue for as long as nobody may take a lane. Returns what the client knows of them. */
async function queueWrites({ targets, log }: Stage, databaseUrl: string, random: Random): Promise<Claim[]> {
  await setLease(databaseUrl, `now() + interval '1 hour'`);
  const first = log.claims.length;
  const options = { targets: targets.length, waiting: 0, cancels: 0 };
  await makeWrites(drawWrites(random, random.whole(1, 4), options), targets, log);
  return log.claims.slice(first);
}

/** Takes the lanes from their holders until then. */
const setLease = (databaseUrl: string, until: string): Promise<unknown> =>
  withDb(databaseUrl, (db) =>
    query(
      db,
      `update lanes set term = term + 1, holder = 'another', lease_until = ${until}, lease_ms = 3600000`,
    ),
  );

/** Lets the lanes go, and waits until everything that is queued is sent. */
async function sendQueued(databaseUrl: string): Promise<void> {
  await setLease(databaseUrl, `'-infinity'`);
  await withDb(databaseUrl, (db) =>
    untilTrue(
      async () => (await count(db, `select count(*) as n from intents where status = 'queued'`)) === 0,
    ),
  );
}

/** Cancels writes through the other process. */
async function cancelThrough({ url }: Replica, { targets }: Stage, claims: readonly Claim[]): Promise<void> {
  for (const claim of claims) {
    const { account } = targets.find(({ address }) => address === claim.unit?.contract)!;
    await cancelWrite(claim, { api: createMintmarkClient({ baseUrl: url, token: account.token }) });
  }
}

function failOver(random: Random): Promise<{ judgement: Judgement; lost: number; flaws: string[] }> {
  return withAnvil(async (anvil) => {
    await using stack = new AsyncDisposableStack();
    const { path: dataDir } = stack.use(await mkdtempDisposable(path.join(tmpdir(), 'mintmark-primary-')));
    const primary = stack.use(await startEmbeddedPostgres({ dataDir, log: () => undefined }));
    const { stage, proxy } = await openStand(anvil.url, primary.url, stack);
    const standby = stack.use(await startStandby(primary.url));
    const write = (count: number, name: string, log = stage.log) =>
      makeWrites(
        drawWrites(random.fork(name), count, { targets: stage.targets.length, waiting: 0.3 }),
        stage.targets,
        log,
      );

    const replica = await openReplica(stage, primary.url, stack);
    await write(8, 'before');
    const queued = await queueWrites(stage, primary.url, random.fork('queued'));
    await standby.catchUp();
    standby.cutStream();
    replica.proxy.refuse(); // It looks every few seconds, and would see the commits.
    await sendQueued(primary.url);
    const lostLog = emptyLog();
    await write(random.whole(3, 12), 'lost', lostLog);
    await standby.promote();
    const isNoticed = random.chance(0.5);
    if (isNoticed) {
      proxy.switchTo(standby.url);
      await readRefusal(stage);
    }
    replica.proxy.switchTo(standby.url);
    replica.proxy.accept();
    await cancelThrough(replica, stage, queued);
    if (!isNoticed) proxy.switchTo(standby.url);
    const after = { ...stage, mintmark: { ...stage.mintmark, databaseUrl: standby.url } };
    await write(8, 'after');

    const flaws: string[] = [];
    const refusal = await readRefusal(stage);
    const command = commandIn(refusal);
    if (command) {
      await createCli(stage.mintmark.environment, runAsProcess).run(...command);
    } else flaws.push(`after the failover nothing names a command: ${refusal}`);
    const alive = await checkAlive(after);
    flaws.push(...alive.flaws);
    const judgement = await judgeStage(after, {
      quietMs: alive.flaws.length > 0 ? 0 : QUIET_MS,
      lost: await withDb(primary.url, readSent),
    });
    // What the replica does not know is on the chain all the same: it is outside the promise, but not twice.
    return { judgement, lost: lostLog.acknowledged.size, flaws };
  });
}

/** What the service says about itself: not ready, and why. */
async function readRefusal({ mintmark }: Stage): Promise<string> {
  let text = 'no answer';
  await untilTrue(async () => {
    const response = await fetch(new URL('/ready', mintmark.url), { signal: AbortSignal.timeout(5_000) });
    text = `${response.status} ${await response.text()}`;
    return response.status !== 200;
  });
  return text;
}
