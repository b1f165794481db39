import { expect, test } from '@jest/globals';
import { readConfig } from '../../src/config.ts';
import { release } from '../../src/db/release.ts';
import { createKnownCommits } from '../../src/engine/index.ts';
import { openDatabase } from '../../src/start/database.ts';
import { createLogger } from '../../src/telemetry/logger.ts';
import { createEmptyDatabase } from '../../lab/stage/database.ts';
import { createCli } from '../../lab/stage/cli.ts';

const schema = release.migrations.at(-1)!.name;

test('an empty database is prepared by the command, and a start that may not migrate waits for that', async () => {
  await using database = await createEmptyDatabase();
  const variables = {
    DATABASE_URL: database.url,
    RPC_URL: 'http://127.0.0.1:9',
    MIGRATE_AT_START: 'false',
  };
  const start = async (): Promise<void> => {
    await using stack = new AsyncDisposableStack();
    const config = readConfig(['--role', 'api'], variables);
    await openDatabase(config, createLogger('silent'), stack, {
      embedded: null,
      commits: createKnownCommits(),
      timings: {},
    });
  };
  await expect(start()).rejects.toThrow(
    `The database is empty, and this is release ${release.version}, which does not work without migration 001-schema: ` +
      'run "npm run admin -- migrate" of this release',
  );
  const cli = createCli(variables);
  for (let run = 0; run < 2; run += 1) {
    const { code, stdout } = await cli.run('migrate', '--json');
    expect({ code, answer: JSON.parse(stdout) as unknown }).toEqual({
      code: 0,
      answer: { release: release.version, schema },
    });
  }
  await start();
  const entries = await cli.ask<{ details: { command: string } }[]>('audit', 'list');
  expect(entries.map(({ details }) => details.command)).toEqual(['audit list', 'migrate', 'migrate']);
});
