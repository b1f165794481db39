import { Agent } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { get, percentile, post } from '../../lab/load/http.ts';
import { cpuSeconds } from '../bench/process.ts';
import { startAttacker } from './attacker.ts';
import type { Flood, Flooded } from './attacker.ts';
import type { Figure } from './outcome.ts';
import type { Caller, Client, Stage } from './stage.ts';

/** What somebody else asks of the service, again and again. */
interface Probe {
  what: string;
  everyMs: number;
  /** Whatever it was before, so much is no harm. */
  harmlessMs: number;
  /** Asks once. Returns the status. */
  ask(): Promise<number>;
}

/** Of the requests of a probe. */
export interface Times {
  p95: number;
  count: number;
  /** How many were not answered 200. */
  refused: number;
}

/** What an attack did to others. */
interface Harm<Result> {
  figure: Figure;
  flaws: string[];
  /** What the service itself worked meanwhile. */
  cpuSeconds: number;
  /** What the attack returned. */
  result: Result;
}

/** How many times as long as before an answer may take. */
const MAX_RATIO = 10;
const BEFORE_MS = 4_000;
/** The first requests of a process compile what checks them, and the rest is compiled meanwhile. */
const WARM_UP_MS = 5_000;

/** `GET /me`: what costs the service least. */
export function profileOf({ url }: Stage, { token, address }: Client): Probe {
  const agent = new Agent({ keepAlive: true });
  const headers = { Authorization: `Bearer ${token}`, 'X-Forwarded-For': address };
  return {
    ...{ what: 'another’s `GET /me`, p95, ms', everyMs: 25, harmlessMs: 100 },
    ask: async () => (await get(agent, `${url}/me`, headers)).status,
  };
}

/** A mint in the sandbox: a write that waits for nothing but the database. @param key of the sandbox */
export async function sandboxMintOf({ url, ask }: Stage, key: Caller): Promise<Probe> {
  const agent = new Agent({ keepAlive: true });
  const { body } = await ask(key, 'POST', '/v1/collections', { name: 'Art', symbol: 'A' });
  const { address } = body as { address: string };
  const headers = { Authorization: `Bearer ${key.token}`, 'X-Forwarded-For': key.address };
  return {
    ...{ what: 'another’s mint in the sandbox, p95, ms', everyMs: 100, harmlessMs: 150 },
    ask: async () => {
      const minted = await post(
        agent,
        `${url}/v1/collections/${address}/mint`,
        { to: '0x3440326f551B8A7ee198cEE35cb5D517f2d296a2' },
        headers,
      );
      return minted.status === 201 ? 200 : minted.status;
    },
  };
}

/** A sign-in with the right password, of several accounts in turn: each may do so 30 times a minute. */
export function signInOf({ url }: Stage, clients: readonly Client[]): Probe {
  const agent = new Agent({ keepAlive: true });
  let turn = 0;
  return {
    ...{ what: 'another’s sign-in, p95, ms', everyMs: 400, harmlessMs: 1_000 },
    ask: async () => {
      turn += 1;
      const { email, password, address } = clients[turn % clients.length]!;
      const headers = { 'X-Forwarded-For': address };
      return (await post(agent, `${url}/auth/signin`, { email, password }, headers)).status;
    },
  };
}

/** Asks once. A connection that breaks is no answer. */
async function timeOne(ask: Probe['ask'], due: number): Promise<{ ms: number; status: number }> {
  const status = await ask().catch(() => 0);
  return { ms: performance.now() - due, status };
}

/**
 * Asks on a schedule until the work is done, whatever became of the requests before: a service that is slow is asked as
 * often as one that is not, and what it is late with counts.
 */
export async function timeOthers(
  { ask, everyMs }: Pick<Probe, 'ask' | 'everyMs'>,
  work: Promise<unknown>,
): Promise<Times> {
  let isOver = false;
  const end = (): void => void (isOver = true);
  void work.then(end, end);
  const asked: Promise<{ ms: number; status: number }>[] = [];
  for (let due = performance.now(); !isOver; due += everyMs) {
    await sleep(Math.max(0, due - performance.now()));
    asked.push(timeOne(ask, due));
  }
  const answers = await Promise.all(asked);
  return {
    p95: percentile(
      answers.map(({ ms }) => ms),
      0.95,
    ),
    count: answers.length,
    refused: answers.filter(({ status }) => status !== 200).length,
  };
}

/** Measures a probe before an attack and during it. */
export async function measureHarm<Result>(
  { pid }: Stage,
  probe: Probe,
  attack: () => Promise<Result>,
): Promise<Harm<Result>> {
  await timeOthers(probe, sleep(WARM_UP_MS));
  const before = await timeOthers(probe, sleep(BEFORE_MS));
  const worked = await cpuSeconds(pid);
  const attacking = attack();
  const during = await timeOthers(probe, attacking);
  const result = await attacking;
  return {
    figure: {
      what: probe.what,
      before: before.p95,
      during: during.p95,
      bound: Math.max(probe.harmlessMs, MAX_RATIO * before.p95),
    },
    flaws:
      during.refused > 0 ? [`${during.refused} of ${during.count} requests of another were refused`] : [],
    cpuSeconds: (await cpuSeconds(pid)) - worked,
    result,
  };
}

/** The same of a flood, which a process of its own makes. */
export async function measureFlood(
  stage: Stage,
  probe: Probe,
  flood: Omit<Flood, 'port'>,
): Promise<Harm<Flooded>> {
  await using attacker = await startAttacker();
  return await measureHarm(stage, probe, () => attacker.flood({ port: stage.port, ...flood }));
}

/** What the service itself worked during an attack. */
export const showWork = (seconds: number, duringMs: number): string =>
  `${seconds.toFixed(1)} s of CPU in ${duringMs / 1_000} s`;

/** The same for each request of an attacker, those of others included. */
export const workFigure = (
  seconds: number,
  statuses: Readonly<Record<string, number>>,
  bound: number,
): Figure => ({
  ...{ what: 'CPU of the service for a request, ms', before: null, bound },
  during: (seconds * 1_000) / Object.values(statuses).reduce((sum, count) => sum + count, 0),
});
