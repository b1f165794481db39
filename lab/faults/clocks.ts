import { mkdtempDisposable, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { embeddedAccounts } from '../../src/embedded/accounts.ts';
import { spawnService } from '../stage/service-process.ts';
import type { ServiceProcess } from '../stage/service-process.ts';
import { drawWrites, makeWrites } from '../load/writes.ts';
import { checkAlive } from './alive.ts';
import { say } from './outcome.ts';
import type { Fault } from './outcome.ts';
import { judgeStage, prepare, withAnvil } from './stage.ts';

const ROUNDS = 20;
const SHORT_ROUNDS = 2;
const HOUR_MS = 3_600_000;
const FAKE_CLOCK = path.join(import.meta.dirname, 'fake-clock.ts');

/**
 * The wall clock of an engine jumps by an hour, forwards or back, while its lane is at work; another engine stands by.
 */
export const clocks: Fault = ({ scaled, random, isShort }) =>
  withAnvil(async (anvil) => {
    await using stack = new AsyncDisposableStack();
    const folder = stack.use(await mkdtempDisposable(path.join(tmpdir(), 'mintmark-clock-')));
    const file = path.join(folder.path, 'shift');
    const stage = await prepare(anvil.url, { variables: { CONFIRMATIONS: '3', WAIT_TIMEOUT_MS: '20000' } });
    stack.defer(() => stage.mintmark.stop().catch(say));
    await stage.mintmark.service.stop();
    const environment = { ...stage.mintmark.environment, OPERATOR_ADMIN: embeddedAccounts[0].address };
    const shifted = { ...environment, NODE_OPTIONS: `--import ${FAKE_CLOCK}`, FAKE_CLOCK_FILE: file };
    const start = async (variables: Record<string, string>, role: string): Promise<ServiceProcess> => {
      const life = await spawnService(variables, ['--role', role]);
      stack.defer(() => life.kill('SIGKILL'));
      return life;
    };
    await start(environment, 'api');
    const engine = await start(shifted, 'engine');
    await start(environment, 'engine');

    const rounds = isShort ? Math.min(SHORT_ROUNDS, scaled(ROUNDS)) : scaled(ROUNDS);
    const flaws: string[] = [];
    let slowestMs = 0;
    for (let round = 0; round < rounds && flaws.length === 0; round += 1) {
      const draw = random.fork(`round ${round}`);
      const writes = drawWrites(draw, 8, { targets: stage.targets.length, controls: 0.3, waiting: 0.3 });
      // Back at first: what was planned for later is then an hour away.
      const shiftMs = round === 0 ? -HOUR_MS : draw.pick([-HOUR_MS, 0, HOUR_MS]);
      await writeFile(file, String(shiftMs));
      let accepted = 0;
      await makeWrites(writes, stage.targets, stage.log, async () => {
        accepted += 1;
        if (accepted === 2) engine.child.kill('SIGUSR2');
      });
      const alive = await checkAlive(stage);
      slowestMs = Math.max(slowestMs, alive.slowestMs);
      flaws.push(...alive.flaws.map((flaw) => `round ${round + 1}, clock by ${shiftMs} ms: ${flaw}`));
      say(`  ${round + 1} of ${rounds} rounds`);
    }
    const judgement = await judgeStage(stage, { quietMs: flaws.length > 0 ? 0 : 180_000 });
    return {
      made: `${rounds} jumps by an hour, back and forwards`,
      judgement,
      note: `next mints after ${(slowestMs / 1_000).toFixed(1)} s`,
      flaws,
    };
  });
