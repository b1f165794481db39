import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { startEmbeddedPostgres } from '../src/embedded/postgres.ts';
import { prepareTemplate } from '../test/setup/template.ts';
import { backup } from './faults/backup.ts';
import { database } from './faults/database.ts';
import { deploys } from './faults/deploys.ts';
import { faultyRpc } from './faults/faulty-rpc.ts';
import { idempotency } from './faults/idempotency.ts';
import { invites } from './faults/invites.ts';
import { kills } from './faults/kills.ts';
import { login } from './faults/login.ts';
import { flawsOf, rowOf, say, tableOf, writeRows } from './faults/outcome.ts';
import type { Fault } from './faults/outcome.ts';
import { pauses } from './faults/pauses.ts';
import { quota } from './faults/quota.ts';
import { reorgs } from './faults/reorgs.ts';
import { rotation } from './faults/rotation.ts';
import { slowClients } from './faults/slow-clients.ts';
import { stops } from './faults/stops.ts';
import { stuck } from './faults/stuck.ts';

/**
 * `npm run faults -- [--scale S] [--only NAME,NAME] [--write]`: makes every fault and judges each run by the chain.
 * `--scale` multiplies the full numbers; `--write` puts the rows of what ran into docs/reliability.md.
 */
const FAULTS: Record<string, Fault> = {
  'kill -9': kills,
  'faulty RPC': faultyRpc,
  'stuck transactions': stuck,
  reorgs,
  'restored backup': backup,
  'database crashes': database,
  'paused leaders': pauses,
  'exact quota and credits': quota,
  idempotency,
  'deploy once': deploys,
  'login oracle': login,
  'invite once': invites,
  'slow clients': slowClients,
  'graceful stop': stops,
  'key rotation': rotation,
};

const { values } = parseArgs({
  options: {
    scale: { type: 'string', default: '1' },
    only: { type: 'string' },
    write: { type: 'boolean', default: false },
  },
});
const scale = Number(values.scale);
const wanted = values.only?.split(',') ?? Object.keys(FAULTS);
const unknown = wanted.filter((name) => !(name in FAULTS));
if (unknown.length > 0 || !(scale > 0)) {
  say(
    `There is no fault "${unknown.join(', ')}": use ${Object.keys(FAULTS).join(', ')}, and a --scale above 0`,
  );
  process.exit(1);
}

const dataDir = await mkdtemp(path.join(tmpdir(), 'mintmark-faults-'));
const postgres = await startEmbeddedPostgres({ dataDir, log: () => undefined });
process.env['TEST_DATABASE_URL'] = postgres.url;
try {
  await prepareTemplate(postgres.url);
  const rows = new Map<string, string>();
  for (const name of wanted) {
    say(name);
    const outcome = await FAULTS[name]!((full) => Math.max(1, Math.round(full * scale))).catch(say);
    // A run that broke is no measurement, and no reason to leave out the others.
    if (!outcome) {
      process.exitCode = 1;
      continue;
    }
    const row = rowOf(name, outcome, scale);
    rows.set(name, row);
    say(row);
    if (flawsOf(outcome).length > 0) process.exitCode = 1;
    if (values.write) {
      const document = path.join(import.meta.dirname, '../docs/reliability.md');
      await writeRows(document, rows, Object.keys(FAULTS));
    }
  }
  process.stdout.write(`${tableOf([...rows.values()])}\n`);
} finally {
  await postgres.stop();
  await rm(dataDir, { recursive: true, force: true });
}
process.exit();
