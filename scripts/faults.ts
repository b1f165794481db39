import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { CRASH_POINTS } from '../src/crash-points.ts';
import { createDb, query } from '../src/db/client.ts';
import { embeddedAccounts } from '../src/embedded/accounts.ts';
import { startEmbeddedPostgres } from '../src/embedded/postgres.ts';
import { startAnvil } from '../test/faults/anvil.ts';
import type { AnvilOptions } from '../test/faults/anvil.ts';
import { judge, waitForQuiet } from '../test/faults/judge.ts';
import type { ClientLog, Judgement } from '../test/faults/judge.ts';
import { runKills } from '../test/faults/kills.ts';
import type { Death } from '../test/faults/kills.ts';
import { deployTargets, emptyLog, inParallel, mintOnce } from '../test/faults/load.ts';
import type { Target } from '../test/faults/load.ts';
import { untilAnswered } from '../test/faults/patience.ts';
import { randomFaults, startRpcProxy } from '../test/faults/rpc-proxy.ts';
import type { Fault } from '../test/faults/rpc-proxy.ts';
import { spawnService } from '../test/faults/service-process.ts';
import { startTestService } from '../test/setup/service.ts';
import type { TestService } from '../test/setup/service.ts';
import { prepareTemplate } from '../test/setup/template.ts';

/**
 * `npm run faults -- [--scale S] [--only NAME] [--write]`: makes every fault and judges each run by the chain. `--scale`
 * multiplies the numbers of docs/reliability.md; `--write` puts the table there.
 */
const { values } = parseArgs({
  options: {
    scale: { type: 'string', default: '1' },
    only: { type: 'string' },
    write: { type: 'boolean', default: false },
  },
});
const scaled = (number: number): number => Math.max(1, Math.round(number * Number(values.scale)));
const say = (text: string): void => void process.stderr.write(`${text}\n`);

interface Outcome {
  fault: string;
  made: string;
  judgement: Judgement;
  note: string;
}

interface Stage {
  mintmark: TestService;
  targets: Target[];
  nodeUrl: string;
  log: ClientLog;
}

/** Boots the service in this process, with accounts that have a token each and a quota for everything. */
async function prepare(
  rpcUrl: string,
  nodeUrl: string,
  variables: Record<string, string> = {},
): Promise<Stage> {
  const mintmark = await startTestService({ LOG_LEVEL: 'silent', ...variables }, { rpcUrl });
  const accounts = await Promise.all(Array.from({ length: 4 }, () => mintmark.register()));
  await query(mintmark.service.context.db, `update accounts set plan = 'PRO_PLUS'`);
  return { mintmark, targets: await deployTargets(accounts), nodeUrl, log: emptyLog() };
}

async function judged({ mintmark, nodeUrl, log }: Stage): Promise<Judgement> {
  const { db, system } = mintmark.service.context;
  const open = await waitForQuiet(db, 180_000);
  const judgement = await judge(db, nodeUrl, system.operator, log);
  return { ...judgement, lost: judgement.lost + open };
}

async function withAnvil<Result>(
  options: AnvilOptions,
  run: (anvil: Awaited<ReturnType<typeof startAnvil>>) => Promise<Result>,
) {
  const anvil = await startAnvil(options);
  try {
    return await run(anvil);
  } finally {
    await anvil.stop();
  }
}

const mintAll = (stage: Stage, count: number, width: number): Promise<void> =>
  inParallel(count, width, (index) => mintOnce(stage.targets[index % stage.targets.length]!, stage.log));

const faults: Record<string, () => Promise<Outcome>> = {
  'kill -9': () =>
    withAnvil({ blockTimeSeconds: 1 }, async (anvil) => {
      const stage = await prepare(anvil.url, anvil.url);
      await stage.mintmark.service.stop();
      const db = createDb(stage.mintmark.databaseUrl, 2);
      const kills = scaled(200);
      const deaths = Array.from({ length: kills }, (_, index): Death => {
        const point = CRASH_POINTS[index % (CRASH_POINTS.length + 1)];
        return point ? { point, pass: 1 + (index % 3) } : 'random';
      });
      const settings = { deaths, writes: scaled(10_000), width: 20 };
      const report = await runKills(stage.mintmark, db, stage.targets, settings, (done) => {
        if (done % 10 === 0) say(`  ${done} of ${kills} kills`);
      });
      await db.destroy();
      await stage.mintmark.restart();
      stage.log = report.log;
      const judgement = await judged(stage);
      await stage.mintmark.stop();
      const slowest = Math.max(0, ...report.recoveries) / 1_000;
      return {
        fault: 'kill -9',
        made: `${report.kills} kills at ${CRASH_POINTS.length} named points and at random, ${settings.writes} writes`,
        judgement,
        note: `slowest start to first verdict ${slowest.toFixed(1)} s`,
      };
    }),

  'faulty RPC': () =>
    withAnvil({ blockTimeSeconds: 1 }, async (anvil) => {
      const proxy = await startRpcProxy({ target: anvil.url, faultFor: () => null, maxDelayMs: 60_000 });
      const stage = await prepare(proxy.url, anvil.url, { MAX_BATCH: '2' });
      proxy.options.faultFor = randomFaults(0.2);
      await mintAll(stage, scaled(4_000), 50);
      const judgement = await judged(stage);
      await stage.mintmark.stop();
      await proxy.stop();
      const made = Object.values(proxy.counts).reduce((sum, count) => sum + count, 0);
      return {
        fault: 'faulty RPC',
        made: `${made} of all calls, 8 kinds`,
        judgement,
        note: JSON.stringify(proxy.counts),
      };
    }),

  'stuck transactions': () =>
    withAnvil({ blockTimeSeconds: 1 }, async (anvil) => {
      const proxy = await startRpcProxy({ target: anvil.url, faultFor: () => null, gethReplacement: true });
      const stage = await prepare(proxy.url, anvil.url, { MAX_BATCH: '1' });
      const withheld = new Set<string>();
      // The pool drops the first bid of each slot; only another attempt with legal fees gets in.
      proxy.options.faultFor = (method, [raw]): Fault | null => {
        if (method !== 'eth_sendRawTransaction' || withheld.has(String(raw))) return null;
        if (withheld.size >= scaled(500)) return null;
        withheld.add(String(raw));
        return 'withhold';
      };
      await mintAll(stage, scaled(500), 50);
      const judgement = await judged(stage);
      await stage.mintmark.stop();
      await proxy.stop();
      return {
        fault: 'stuck transactions',
        made: `${withheld.size} first bids dropped, geth's replacement rule`,
        judgement,
        note: `${proxy.counts['underpriced'] ?? 0} replacements refused`,
      };
    }),

  reorgs: () =>
    withAnvil({ blockTimeSeconds: 1 }, async (anvil) => {
      const stage = await prepare(anvil.url, anvil.url, { CONFIRMATIONS: '6' });
      const reorgs = scaled(100);
      for (let reorg = 0; reorg < reorgs; reorg += 1) {
        await mintAll(stage, 5, 5);
        await sleep(1_200);
        await anvil.call('anvil_reorg', [1 + (reorg % 5), []]);
        if (reorg % 10 === 9) say(`  ${reorg + 1} of ${reorgs} reorgs`);
      }
      const judgement = await judged(stage);
      await stage.mintmark.stop();
      return {
        fault: 'reorgs',
        made: `${reorgs} reorgs of depth 1 to 5`,
        judgement,
        note: '6 confirmations',
      };
    }),

  'paused leaders': () =>
    withAnvil({ blockTimeSeconds: 1 }, async (anvil) => {
      const stage = await prepare(anvil.url, anvil.url);
      await stage.mintmark.service.stop();
      const environment = { ...stage.mintmark.environment, OPERATOR_ADMIN: embeddedAccounts[0].address };
      const api = await spawnService(environment, ['--role', 'api']);
      const engines = [
        await spawnService(environment, ['--role', 'engine']),
        await spawnService(environment, ['--role', 'engine']),
      ];
      const pauses = scaled(50);
      const load = mintAll(stage, scaled(1_000), 10);
      for (let pause = 0; pause < pauses; pause += 1) {
        const engine = engines[pause % 2]!;
        engine.child.kill('SIGSTOP');
        await sleep(6_500);
        engine.child.kill('SIGCONT');
        await sleep(500);
        if (pause % 10 === 9) say(`  ${pause + 1} of ${pauses} pauses`);
      }
      await load;
      const db = createDb(stage.mintmark.databaseUrl, 1);
      await waitForQuiet(db, 60_000);
      await db.destroy();
      for (const { kill } of [api, ...engines]) await kill('SIGTERM');
      await stage.mintmark.restart();
      const judgement = await judged(stage);
      await stage.mintmark.stop();
      return {
        fault: 'paused leaders',
        made: `${pauses} SIGSTOPs past the lease, two engines and one signer`,
        judgement,
        note: '',
      };
    }),

  'database crashes': () =>
    withAnvil({ blockTimeSeconds: 1 }, async (anvil) => {
      const stage = await prepare(anvil.url, anvil.url);
      const { db } = stage.mintmark.service.context;
      const crashes = scaled(50);
      for (let crash = 0; crash < crashes; crash += 1) {
        const load = mintAll(stage, 20, 10);
        await sleep(Math.random() * 400);
        // PostgreSQL answers the violent death of a backend as it does a crash of the machine: every connection ends, and
        // it recovers from its log.
        const [backend] = await untilAnswered(() =>
          query<{ pid: number }>(db, 'select pg_backend_pid() as pid'),
        );
        process.kill(backend!.pid, 'SIGKILL');
        await load;
        await untilAnswered(() => query(db, 'select 1'));
        if (crash % 10 === 9) say(`  ${crash + 1} of ${crashes} crashes`);
      }
      const judgement = await judged(stage);
      await stage.mintmark.stop();
      return {
        fault: 'database crashes',
        made: `${crashes} crashes with recovery from the log, under load`,
        judgement,
        note: '',
      };
    }),
};

function table(outcomes: readonly Outcome[]): string {
  const counts: [string, keyof Judgement][] = [
    ['Acknowledged', 'acknowledged'],
    ['Unknown', 'unknown'],
    ['Refused', 'refused'],
    ['Lost', 'lost'],
    ['Doubled', 'doubled'],
    ['Unasked', 'unasked'],
    ['False failures', 'falseFailures'],
    ['Nonce gaps', 'nonceGaps'],
    ['Ledger errors', 'ledgerErrors'],
  ];
  const line = (cells: (string | number)[]): string => `| ${cells.join(' | ')} |`;
  return [
    line(['Fault', 'Made', ...counts.map(([name]) => name), 'Note']),
    line(Array.from({ length: counts.length + 3 }, () => '---')),
    ...outcomes.map(({ fault, made, judgement, note }) =>
      line([fault, made, ...counts.map(([, key]) => judgement[key]), note]),
    ),
  ].join('\n');
}

const dataDir = await mkdtemp(path.join(tmpdir(), 'mintmark-faults-'));
const postgres = await startEmbeddedPostgres({ dataDir, log: () => undefined });
process.env['TEST_DATABASE_URL'] = postgres.url;
try {
  await prepareTemplate(postgres.url);
  const outcomes: Outcome[] = [];
  for (const [name, run] of Object.entries(faults)) {
    if (values.only !== undefined && values.only !== name) continue;
    say(name);
    outcomes.push(await run());
  }
  const result = table(outcomes);
  process.stdout.write(`${result}\n`);
  if (values.write) {
    const file = path.join(import.meta.dirname, '../docs/reliability.md');
    const [head, , tail] = (await readFile(file, 'utf8')).split(/<!-- (?:begin|end) of the table -->/);
    await writeFile(
      file,
      `${head}<!-- begin of the table -->\n\n${result}\n\n<!-- end of the table -->${tail}`,
    );
  }
  const flawed = outcomes.some(
    ({ judgement: { lost, doubled, unasked, falseFailures, nonceGaps, ledgerErrors } }) =>
      [lost, doubled, unasked, falseFailures, nonceGaps, ledgerErrors].some((count) => count > 0),
  );
  if (flawed) process.exitCode = 1;
} finally {
  await postgres.stop();
  await rm(dataDir, { recursive: true, force: true });
}
process.exit();
