import { mkdir, mkdtempDisposable, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startEmbeddedPostgres } from '../../src/embedded/postgres.ts';
import { openSession } from '../../test/setup/session.ts';
import { prepareTemplate } from '../../test/setup/template.ts';
import { copyTree } from './copy-tree.ts';
import { applyMutant } from './mutant.ts';
import type { Mutant } from './mutant.ts';
import { runJest } from './run.ts';
import type { Run } from './run.ts';

/** Where mutants are run: a copy of the repository, and a database server, both of its own. */
export interface Workshop extends AsyncDisposable {
  /** Runs suites of the unchanged tree, all of them to their end. */
  runClean(suites: readonly string[], timeoutMs: number): Promise<Run>;
  /** Runs a mutant's suites until one fails. */
  runMutant(mutant: Mutant, timeoutMs: number): Promise<Run>;
}

/** Jest as always, but for our reporter and, with a server that is there already, without the global setup. */
const jestConfig = (hasServer: boolean): string => `import config from './jest.config.js';
const { globalSetup, globalTeardown, ...rest } = config;
const own = ${hasServer ? '{}' : '{ globalSetup, globalTeardown }'};
export default { ...rest, ...own, reporters: ['<rootDir>/test/setup/mutant-reporter.ts'] };
`;

/** Drops what suites left behind that were ended in the middle. */
async function dropTestDatabases(url: string): Promise<void> {
  await using session = await openSession(url);
  const { rows } = await session.query<{ datname: string }>(
    `select datname from pg_database where datname like 'test\\_%'`,
  );
  for (const { datname } of rows) await session.query(`drop database if exists ${datname} with (force)`);
}

/** Mutants that the template database is made with need one of their own. */
const changesTemplate = ({ file }: Mutant): boolean => /^src\/(db\/mig|embedded\/)/.test(file);

/** Opens a workshop; it is closed by disposal. */
export async function openWorkshop(signal: AbortSignal): Promise<Workshop> {
  await using opened = new AsyncDisposableStack();
  const { path: folder } = opened.use(await mkdtempDisposable(path.join(tmpdir(), 'mintmark-mutants-')));
  const tree = path.join(folder, 'tree');
  await mkdir(tree);
  await copyTree(tree);
  await writeFile(path.join(tree, 'jest.mutants.config.js'), jestConfig(true));
  await writeFile(path.join(tree, 'jest.mutants-own.config.js'), jestConfig(false));
  const postgres = opened.use(
    await startEmbeddedPostgres({
      dataDir: path.join(folder, 'postgres'),
      data: 'throwaway',
      log: () => undefined,
    }),
  );
  await prepareTemplate(postgres.url);
  const closing = opened.move();

  const run = async (suites: readonly string[], timeoutMs: number, mutant: Mutant | null): Promise<Run> => {
    const databaseUrl = mutant && changesTemplate(mutant) ? null : postgres.url;
    try {
      return await runJest({
        ...{ tree, suites, databaseUrl, timeoutMs, signal },
        stopAtFailure: mutant !== null,
      });
    } finally {
      await dropTestDatabases(postgres.url);
    }
  };

  return {
    runClean: (suites, timeoutMs) => run(suites, timeoutMs, null),
    runMutant: async (mutant, timeoutMs) => {
      const file = path.join(tree, mutant.file);
      const source = await readFile(file, 'utf8');
      await writeFile(file, applyMutant(mutant, source));
      try {
        return await run(mutant.suites, timeoutMs, mutant);
      } finally {
        await writeFile(file, source);
      }
    },
    [Symbol.asyncDispose]: () => closing.disposeAsync(),
  };
}
