import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { query } from '../../src/db/client.ts';
import { startEmbeddedPostgres } from '../../src/embedded/postgres.ts';
import { readPostmaster } from '../../src/embedded/postmaster.ts';
import { inParallel, mintOnce } from '../load/load.ts';
import { untilAnswered } from '../load/until-answered.ts';
import type { Fault } from './outcome.ts';
import { say } from './outcome.ts';
import { judgeStage, prepare, withAnvil } from './stage.ts';

/** PostgreSQL is ended as by `pg_ctl stop -m immediate` and started again, while clients write. */
export const database: Fault = ({ scaled, random }) =>
  withAnvil(async (anvil) => {
    const dataDir = await mkdtemp(path.join(tmpdir(), 'mintmark-crashes-'));
    const start = () => startEmbeddedPostgres({ dataDir, log: () => undefined });
    let postgres = await start();
    const stage = await prepare(anvil.url, { variables: { DATABASE_URL: postgres.url } });
    const { db } = stage.mintmark.service.context;
    const wanted = scaled(50);
    let [replayed, slowest] = [0, 0];
    for (let crash = 0; crash < wanted; crash += 1) {
      const load = inParallel(40, 10, (index) =>
        mintOnce(stage.targets[index % stage.targets.length]!, stage.log, { retry: index % 2 === 0 }),
      );
      await sleep(random.whole(0, 300));
      const home = await readFile(path.join(dataDir, 'location'), 'utf8').catch(() => dataDir);
      const postmaster = await readPostmaster(path.join(home.trim(), 'cluster'));
      // What `-m immediate` sends.
      process.kill(postmaster!.pid, 'SIGQUIT');
      const startedAt = Date.now();
      await postgres.stop();
      const { url } = postgres;
      postgres = await start();
      if (postgres.url !== url) throw new Error('PostgreSQL came back at another address');
      await untilAnswered(() => query(db, 'select 1'));
      slowest = Math.max(slowest, Date.now() - startedAt);
      await load;
      const said = await readFile(path.join(dataDir, 'postgres.log'), 'utf8');
      replayed += Number(/not properly shut down/.test(said));
      if (crash % 10 === 9) say(`  ${crash + 1} of ${wanted} crashes`);
    }
    const judgement = await judgeStage({
      ...stage,
      mintmark: { ...stage.mintmark, databaseUrl: postgres.url },
    });
    await stage.mintmark.stop();
    await postgres.stop();
    await rm(dataDir, { recursive: true, force: true });
    return {
      made: `${wanted} immediate shutdowns of PostgreSQL`,
      judgement,
      note: `${replayed} logs replayed, longest outage ${(slowest / 1_000).toFixed(1)} s`,
      flaws: [],
    };
  });
