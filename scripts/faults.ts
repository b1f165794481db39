import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Command, InvalidArgumentError } from 'commander';
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
import { entryOf, flawsOf, say, tableOf, writeEntries } from './faults/outcome.ts';
import type { Entry, Fault } from './faults/outcome.ts';
import { pauses } from './faults/pauses.ts';
import { quota } from './faults/quota.ts';
import { reorgs } from './faults/reorgs.ts';
import { rotation } from './faults/rotation.ts';
import { slowClients } from './faults/slow-clients.ts';
import { stops } from './faults/stops.ts';
import { stuck } from './faults/stuck.ts';
import { positiveNumber } from './options.ts';

const FAULTS: Record<string, Fault> = {
  'kill -9': kills,
  'faulty RPC': faultyRpc,
  'stuck transactions': stuck,
  reorgs,
  'restored backup': backup,
  'database crashes': database,
  'paused lane holders': pauses,
  'exact quota and credits': quota,
  idempotency,
  'deploy once': deploys,
  'login oracle': login,
  'invite once': invites,
  'slow clients': slowClients,
  'graceful stop': stops,
  'key rotation': rotation,
};

const names = Object.keys(FAULTS);

function faultNames(text: string): string[] {
  const wanted = text.split(',').map((name) => name.trim());
  const unknown = wanted.filter((name) => !(name in FAULTS));
  if (unknown.length > 0)
    throw new InvalidArgumentError(
      `There is no fault "${unknown.join(', ')}"; there are ${names.join(', ')}.`,
    );
  return wanted;
}

const {
  scale,
  only = names,
  write,
} = new Command('npm run faults --')
  .description(
    'Makes every fault against services of its own, and judges each run by the chain; takes hours in full.',
  )
  .option('--scale <number>', 'multiplies the full numbers', positiveNumber, 1)
  .option('--only <names>', `some of ${names.join(', ')}`, faultNames)
  .option('--write', 'puts what ran into the table and the list of docs/reliability.md')
  .parse()
  .opts<{ scale: number; only?: string[]; write?: true }>();

const dataDir = await mkdtemp(path.join(tmpdir(), 'mintmark-faults-'));
const postgres = await startEmbeddedPostgres({ dataDir, log: () => undefined });
process.env['TEST_DATABASE_URL'] = postgres.url;
try {
  await prepareTemplate(postgres.url);
  const entries = new Map<string, Entry>();
  for (const name of only) {
    say(name);
    const outcome = await FAULTS[name]!((full) => Math.max(1, Math.round(full * scale))).catch(say);
    // A run that failed is not measured; the others go on.
    if (!outcome) {
      process.exitCode = 1;
      continue;
    }
    const entry = entryOf(name, outcome, scale);
    entries.set(name, entry);
    say(`${entry.row}\n${entry.item}`);
    if (flawsOf(outcome).length > 0) process.exitCode = 1;
    if (write) {
      const document = path.join(import.meta.dirname, '../docs/reliability.md');
      await writeEntries(document, entries, names);
    }
  }
  process.stdout.write(`${tableOf([...entries.values()])}\n`);
} finally {
  await postgres.stop();
  await rm(dataDir, { recursive: true, force: true });
}
process.exit();
