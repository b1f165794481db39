import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findFreePort } from '../../../src/embedded/free-port.ts';
import { openSession } from '../session.ts';
import { untilAnswered } from '../../load/until-answered.ts';
import { createMachine, startDaemon } from './machine.ts';
import { MACHINES, openSite } from './site.ts';
import type { PatroniPrograms } from './site.ts';

/** Three database machines as ops/patroni configures them, and a HAProxy; all of them on this machine. */
export interface PatroniCluster extends AsyncDisposable {
  /** The database of the service, through HAProxy. */
  proxied: string;
  /** The same, with the three servers by name. */
  named: string;
  /** Waits until one leads and both others follow, one of them synchronously. Returns the name of the leader. */
  complete(): Promise<string>;
  /** Kills a machine: its etcd, its Patroni, its PostgreSQL. */
  kill(name: string): Promise<void>;
  /** Turns it on again. */
  start(name: string): Promise<void>;
}

/** What Patroni tells of a machine. */
interface Member {
  name: string;
  role: string;
  state: string;
  timeline?: number;
  lag?: number | string;
}

/** Newer versions of Patroni say the second. */
const FOLLOWS = ['running', 'streaming'];
const COMPLETE_MS = 180_000;
const LOOK_MS = 250;
const HEALTH = '10.0.0.1:8008,10.0.0.2:8008,10.0.0.3:8008';

export async function startPatroniCluster(programs: PatroniPrograms): Promise<PatroniCluster> {
  await using opening = new AsyncDisposableStack();
  const site = await openSite(programs);
  opening.defer(() => rm(site.folder, { recursive: true, force: true }));
  const machines = new Map(MACHINES.map((name) => [name as string, createMachine(site, name)]));
  for (const machine of machines.values()) {
    opening.defer(() => machine.kill());
    await machine.start();
  }
  const port = await findFreePort();
  const proxy = path.join(site.folder, 'haproxy.cfg');
  const text = site.configure('haproxy.cfg', '').replace(/bind .*/, `bind 127.0.0.1:${port}`);
  await writeFile(proxy, text, { mode: 0o644 });
  const haproxy = await startDaemon(site, site.folder, 'haproxy', [programs.haproxy, '-db', '-f', proxy], {});
  opening.defer(() => void haproxy.shell.stdin!.end());

  const complete = async (): Promise<string> => {
    let members: Member[] = [];
    for (const end = performance.now() + COMPLETE_MS; performance.now() < end; await sleep(LOOK_MS)) {
      members = await readMembers(site.at(HEALTH).split(','));
      const leader = leaderOf(members);
      if (leader !== null) return leader;
    }
    throw new Error(`The cluster of ${site.folder} is not complete: ${JSON.stringify(members)}`);
  };
  await complete();
  const { password, at } = site;
  const superuser = `postgres://postgres:${password}@127.0.0.1:${port}`;
  await createDatabase(superuser, password);
  const opened = opening.move();
  return {
    proxied: `postgres://mintmark:${password}@127.0.0.1:${port}/mintmark`,
    named: `postgres://mintmark:${password}@${at('10.0.0.1:5432,10.0.0.2:5432,10.0.0.3:5432')}/mintmark?target_session_attrs=read-write`,
    complete,
    kill: (name) => machines.get(name)!.kill(),
    start: (name) => machines.get(name)!.start(),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

/** The name of the leader of a complete cluster; null when it is not. */
function leaderOf(members: readonly Member[]): string | null {
  const leader = members.find(({ role }) => role === 'leader');
  const followers = members.filter(({ role }) => role !== 'leader');
  const isComplete =
    leader?.state === 'running' &&
    followers.length === MACHINES.length - 1 &&
    followers.some(({ role }) => role === 'sync_standby') &&
    followers.every(({ state, timeline }) => FOLLOWS.includes(state) && timeline === leader.timeline);
  return isComplete ? leader.name : null;
}

/** What the first of them that answers says of all. */
async function readMembers(addresses: readonly string[]): Promise<Member[]> {
  for (const address of addresses) {
    try {
      const answer = await fetch(`http://${address}/cluster`, { signal: AbortSignal.timeout(5_000) });
      return ((await answer.json()) as { members: Member[] }).members;
    } catch {
      // It is off, or starts.
    }
  }
  return [];
}

/** HAProxy may not have found the leader yet. */
async function createDatabase(superuser: string, password: string): Promise<void> {
  const url = `${superuser}/postgres`;
  await using session = await untilAnswered(() => openSession(url));
  await session.query(`create role mintmark login password '${password}'`);
  await session.query('create database mintmark owner mintmark');
}
