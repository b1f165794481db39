import files, { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';

/* A server that ends at once, and a process that is too busy to see it live. */

let isLate = false;

jest.unstable_mockModule('node:fs/promises', () => ({
  ...files,
  default: files,
  open: async (...asked: Parameters<typeof files.open>) => {
    const file = await files.open(...asked);
    const close = file.close.bind(file);
    file.close = async () => {
      if (isLate) await sleep(1_000);
      await close();
    };
    return file;
  },
}));

const { startEmbeddedPostgres } = await import('../../src/embedded/postgres.ts');
const { openSession } = await import('../../lab/stage/session.ts');

let dataDir: string;

beforeEach(async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'mintmark-embedded-'));
  // Else the PostgreSQL of root is elsewhere.
  await chmod(folder, 0o711);
  dataDir = path.join(folder, 'pg');
});

afterEach(() => rm(path.dirname(dataDir), { recursive: true, force: true }));

test('a server that ended before its log was closed here is noticed, and a new cluster is made', async () => {
  const start = () => startEmbeddedPostgres({ dataDir, data: 'reused', log: () => undefined });
  await (await start()).stop();
  await writeFile(path.join(dataDir, 'cluster', 'PG_VERSION'), '9');
  isLate = true;
  await using again = await start();
  isLate = false;
  await using session = await openSession(again.url);
  expect((await session.query('show server_version')).rows).toHaveLength(1);
});
