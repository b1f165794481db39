import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Command } from 'commander';
import { startEmbeddedPostgres } from '../src/embedded/postgres.ts';
import { startAnvil } from '../lab/stage/anvil.ts';
import { startTestService } from '../lab/stage/service.ts';
import { prepareTemplate } from '../lab/stage/template.ts';
import { leaveWork } from '../lab/upgrade/leave-work.ts';
import { keepSnapshot } from '../lab/upgrade/snapshot.ts';

const [version = ''] = new Command('npm run keep-upgrade --')
  .description(
    'Leaves a database and a chain in the middle of work, as lab/upgrade/VERSION.json.gz: the versions after this one are tested by going on with it.',
  )
  .argument('<version>', 'name of the file, such as 0.1')
  .parse().args;

async function keep(): Promise<void> {
  await using folder = await mkdtempDisposable(path.join(tmpdir(), 'mintmark-upgrade-'));
  await using postgres = await startEmbeddedPostgres({ dataDir: folder.path, log: () => undefined });
  process.env['TEST_DATABASE_URL'] = postgres.url;
  await prepareTemplate(postgres.url);
  await using anvil = await startAnvil();
  await using mintmark = await startTestService({ MAX_IN_FLIGHT: '1' }, { rpcUrl: anvil.url });
  const snapshot = await leaveWork(mintmark, anvil);
  await keepSnapshot(version, snapshot);
  const intents = JSON.parse(snapshot.tables['intents']!) as { status: string }[];
  const states = Map.groupBy(intents, ({ status }) => status);
  process.stdout.write(`${[...states].map(([status, of]) => `${of.length} ${status}`).join(', ')}\n`);
}

await keep();
process.exit();
