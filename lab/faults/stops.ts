import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { openAgent, post } from '../load/http.ts';
import type { TestService } from '../stage/service.ts';
import { emptyLog } from '../load/load.ts';
import type { Target } from '../load/load.ts';
import type { ClientLog } from './judge.ts';
import { createTestRandom } from '../random.ts';
import type { Random } from '../random.ts';
import { spawnService } from '../stage/service-process.ts';
import type { Fault } from './outcome.ts';
import { say } from './outcome.ts';
import { judgeStage, prepare, withAnvil } from './stage.ts';

interface StopsReport {
  log: ClientLog;
  stops: number;
  /** Requests of which the service had the connection and gave no answer, with what the client was told. */
  resets: string[];
  /**
   * Those of them that began so late that the service was closing what is idle: HTTP/1.1 cannot tell (RFC 9112, 9.5).
   */
  late: number;
  /** Connections refused because nobody listened any more: nothing was sent, so nothing is lost. */
  turnedAway: number;
  /** Returns by status. */
  statuses: Record<number, number>;
  /** Milliseconds from SIGTERM to the end of the process. */
  stopMs: number[];
  exitCodes: (number | null)[];
}

/** Milliseconds after SIGTERM in which every request is answered: half the time that an idle connection stays open. */
const ANSWERED_MS = 1_000;

const MINT = { owner: '0x3440326f551B8A7ee198cEE35cb5D517f2d296a2', amount: '1' };

/**
 * Ends the service with SIGTERM again and again while `width` clients write as fast as they are answered, half of
 * them waiting for the verdict. Each life is a new process over the same database and chain.
 */
export async function runStops(
  mintmark: TestService,
  targets: readonly Target[],
  { stops, width, random = createTestRandom('stops') }: { stops: number; width: number; random?: Random },
  progress: (done: number) => void = () => undefined,
): Promise<StopsReport> {
  const report: StopsReport = {
    log: emptyLog(),
    stops: 0,
    resets: [],
    late: 0,
    turnedAway: 0,
    statuses: {},
    stopMs: [],
    exitCodes: [],
  };

  let stoppedAt = Infinity;
  /**
   * Writes until nobody listens, over one connection. A client that opens another one for each new request is reset
   * when the kernel has taken a connection that the service closes its port before: nobody can prevent that.
   */
  const client = async (index: number): Promise<void> => {
    const { account, address } = targets[index % targets.length]!;
    const agent = openAgent(1);
    const url = `${mintmark.url}/tokens/${address}/mint`;
    const headers = {
      Authorization: `Bearer ${account.token}`,
      ...(index % 2 && { Prefer: 'respond-async' }),
    };
    for (;;) {
      const beganAt = performance.now();
      try {
        const reply = await post(agent, url, MINT, { ...headers, 'Idempotency-Key': randomUUID() });
        report.statuses[reply.status] = (report.statuses[reply.status] ?? 0) + 1;
        const intent = reply.headers['intent-id'];
        if (reply.status < 300 && intent) report.log.acknowledged.add(String(intent));
        else report.log.refused.push(reply.status);
      } catch (error) {
        const { code = String(error) } = error as { code?: string };
        if (code === 'ECONNREFUSED') {
          report.turnedAway += 1;
          agent.destroy();
          return;
        }
        if (beganAt < stoppedAt + ANSWERED_MS) report.resets.push(code);
        else report.late += 1;
        report.log.unknown += 1;
      }
    }
  };

  while (report.stops < stops) {
    stoppedAt = Infinity;
    const life = await spawnService(mintmark.environment);
    const clients = Array.from({ length: width }, (_, index) => client(index));
    await sleep(random.whole(500, 1_500));
    stoppedAt = performance.now();
    await life.kill('SIGTERM');
    report.stopMs.push(Math.round(performance.now() - stoppedAt));
    report.exitCodes.push(life.child.exitCode);
    await Promise.all(clients);
    report.stops += 1;
    progress(report.stops);
  }
  return report;
}

/** SIGTERM while clients write, half of them waiting for the verdict. */
export const stops: Fault = ({ scaled, random }) =>
  withAnvil(async (anvil) => {
    const stage = await prepare(anvil.url);
    await stage.mintmark.service.stop();
    const wanted = scaled(50);
    const report = await runStops(
      stage.mintmark,
      stage.targets,
      { stops: wanted, width: 12, random },
      (done) => {
        if (done % 10 === 0) say(`  ${done} of ${wanted} stops`);
      },
    );
    stage.log = report.log;
    await stage.mintmark.restart();
    const judgement = await judgeStage(stage);
    await stage.mintmark.stop();
    const bad = report.exitCodes.filter((code) => code !== 0).length;
    return {
      made: `${report.stops} SIGTERMs while 12 clients write`,
      judgement,
      note: `${report.resets.length} resets${report.resets.length > 0 ? ` (${[...new Set(report.resets)].join(', ')})` : ''}, slowest stop ${(Math.max(...report.stopMs) / 1_000).toFixed(1)} s`,
      flaws: [
        ...(report.resets.length > 0 ? [`${report.resets.length} resets`] : []),
        ...(bad > 0 ? [`${bad} ends with another code than 0`] : []),
      ],
    };
  });
