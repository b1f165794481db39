import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { startEmbeddedPostgres } from '../src/embedded/postgres.ts';
import { fuzz } from '../test/security/fuzz/run.ts';
import { prepareTemplate } from '../test/setup/template.ts';

/**
 * `npm run fuzz -- [--count N] [--seed S]`: sends generated requests to a service of its own and prints what it saw. The
 * seed that it prints makes the same requests again.
 */
const { values } = parseArgs({
  options: { count: { type: 'string', default: '100000' }, seed: { type: 'string' } },
});
const count = Number(values.count);
const seed = values.seed === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(values.seed);

const dataDir = await mkdtemp(path.join(tmpdir(), 'mintmark-fuzz-'));
const postgres = await startEmbeddedPostgres({ dataDir, data: 'throwaway', log: () => undefined });
try {
  process.env['TEST_DATABASE_URL'] = postgres.url;
  await prepareTemplate(postgres.url);
  console.log(`seed ${seed}`);
  const startedAt = performance.now();
  const { faults, ...numbers } = await fuzz({ count, seed }, (done, report) => {
    const rate = Math.round(done / ((performance.now() - startedAt) / 1_000));
    console.log(`${done} of ${count} requests, ${rate} a second, ${report.faults.length} faults`);
  });
  console.log(JSON.stringify(numbers, null, 2));
  for (const fault of faults.slice(0, 20)) console.log(`\n${fault}`);
  const unexplained = Object.values(numbers.unexplained).filter((rows) => rows !== 0).length;
  if (faults.length + unexplained > 0) process.exitCode = 1;
} finally {
  await postgres.stop();
  await rm(dataDir, { recursive: true, force: true });
}
