import { setTimeout as sleep } from 'node:timers/promises';
import { residentMemory } from '../bench/process.ts';
import { headOf, startAttacker } from './attacker.ts';
import { measureFlood, profileOf, workFigure } from './others.ts';
import type { Attack } from './outcome.ts';
import { checkStatuses, createKey, deploy, showStatuses, withStage } from './stage.ts';

const MIB = 1_048_576;
const ANY_ADDRESS = '0x3440326f551B8A7ee198cEE35cb5D517f2d296a2';
const BATCH = `POST /v1/collections/${ANY_ADDRESS}/mint/batch`;
/** What costs a parser most for its size, nearly as large as the largest body. */
const DEAR = `{"items":[${'{},'.repeat(345_000)}{}]}`;
const LOOK_MS = 100;

/** Bodies that take long to parse, without a credential. */
export const bodiesWithoutCredential: Attack = () =>
  withStage({}, async (stage) => {
    const [connections, forMs] = [4, 15_000];
    const other = await stage.register();
    const flood = { connections, forMs, head: headOf(BATCH, { bytes: DEAR.length }), body: DEAR };
    const measured = await measureFlood(stage, profileOf(stage, other), flood);
    const { figure, flaws, result, cpuSeconds } = measured;
    return {
      made: `${connections} connections, 1 MB each time: ${showStatuses(result.statuses)}`,
      figures: [figure, workFigure(cpuSeconds, result.statuses, 15)],
      flaws: [...flaws, ...checkStatuses(result.statuses, [401, 429, 'none', 'open'])],
    };
  });

/** The most memory that a process has until the work is done, MiB. */
async function peakDuring(pid: number, work: Promise<unknown>): Promise<number> {
  let [peak, isOver] = [0, false];
  const end = (): void => void (isOver = true);
  void work.then(end, end);
  for (; !isOver; await sleep(LOOK_MS)) peak = Math.max(peak, await residentMemory(pid));
  return peak;
}

/** Bodies of a megabyte with the right credential, whose last bytes never come. */
export const unfinishedBodies: Attack = () =>
  withStage({}, async (stage) => {
    const [connections, forMs, growth] = [600, 15_000, 150];
    const own = await stage.register();
    const key = (await createKey(stage, own))!;
    await using attacker = await startAttacker();
    const head = headOf(BATCH, { bytes: MIB, headers: { Authorization: `Bearer ${key.token}` } });
    const before = await residentMemory(stage.pid);
    const flooding = attacker.flood({
      ...{ port: stage.port, connections, forMs, pauseMs: forMs, head },
      body: DEAR.slice(0, 1_000_000),
    });
    const during = await peakDuring(stage.pid, flooding);
    const { statuses } = await flooding;
    return {
      made: `${connections} connections, 1 MB each: ${showStatuses(statuses)}`,
      figures: [{ what: 'memory, MiB', before, during, bound: before + growth }],
      flaws: checkStatuses(statuses, [429, 'none', 'open']),
    };
  });

/** A body that is announced with 2 GiB, and sent. */
export const endlessBody: Attack = () =>
  withStage({}, async (stage) => {
    const forMs = 8_000;
    const own = await stage.register();
    const token = await deploy(stage, own);
    await using attacker = await startAttacker();
    const head = headOf(`POST /tokens/${token}/mint`, {
      bytes: 2_048 * MIB,
      headers: { Authorization: `Bearer ${own.token}` },
    });
    const { statuses, maxBytes } = await attacker.flood({
      ...{ port: stage.port, connections: 1, forMs, head, body: ' '.repeat(MIB), isEndless: true },
    });
    const what = 'taken of a body of 2 GiB, MiB';
    return {
      made: `one after the other: ${showStatuses(statuses)}`,
      // Some megabytes are in the buffers of the system, and some come while the connection ends.
      figures: [{ what, before: null, during: maxBytes / MIB, bound: 64 }],
      flaws: checkStatuses(statuses, [422, 'none', 'open']),
    };
  });
