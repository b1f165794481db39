import { findFreePort } from '../../src/embedded/free-port.ts';
import { administer, databaseUrl } from '../../lab/stage/template.ts';
import { spawnService } from '../../lab/stage/service-process.ts';
import { median } from '../../lab/load/http.ts';
import { startAnvilNode } from './nodes.ts';
import { inProduction } from '../../lab/stage/production.ts';
import { UNLIMITED, findPostmaster, mintOverHttp, startOwn } from './own.ts';
import { clusterCpuSeconds, cpuSeconds } from './process.ts';
import { warmUp } from './scenario.ts';
import type { Settings } from './settings.ts';
import { say } from '../lib/say.ts';
import { renderTable } from './table.ts';

const MINTS = 15_000;
const CONNECTIONS = 100;
const MS = 1_000;

interface Row {
  apis: number;
  perSecond: number;
  /** CPU milliseconds a mint: of the API's processes together, the engine, and the database. */
  api: number;
  engine: number;
  database: number;
}

/** What API, engine and database need for a mint when each is a process of its own: by that they are given cores. */
export async function measureProcesses({ postgresUrl, scale, runs }: Settings): Promise<string> {
  const rows: Row[] = [];
  for (const apis of [1, 2]) {
    const url = databaseUrl(postgresUrl, `processes_${apis}`);
    await administer(postgresUrl, `create database processes_${apis}`);
    const node = await startAnvilNode();
    await using engine = await spawnService(
      { ...inProduction(url, node.url, await findFreePort()), ...UNLIMITED },
      ['--role', 'engine'],
    );
    const own = await startOwn(url, node.url, 20, { args: ['--role', 'api'] });
    const ports = await Promise.all(Array.from({ length: apis - 1 }, () => findFreePort()));
    await using stack = new AsyncDisposableStack();
    const others = await Promise.all(
      ports.map(async (port) =>
        stack.use(
          await spawnService({ ...inProduction(url, node.url, port), ...UNLIMITED }, ['--role', 'api']),
        ),
      ),
    );
    const urls = [own.url, ...ports.map((port) => `http://127.0.0.1:${port}`)];
    const pids = [own.pid, ...others.map(({ child }) => child.pid!)];
    const postmaster = await findPostmaster(own.db);
    await warmUp(own);
    const cpu = async (): Promise<number[]> => {
      const each = await Promise.all(pids.map(cpuSeconds));
      const api = each.reduce((sum, seconds) => sum + seconds, 0);
      return [api, await cpuSeconds(engine.child.pid!), await clusterCpuSeconds(postmaster)];
    };
    const mints = Math.ceil(MINTS * scale);
    const results: Row[] = [];
    for (let run = 0; run < runs; run += 1) {
      const before = await cpu();
      const { seconds } = await mintOverHttp(own, {
        mints,
        connections: CONNECTIONS,
        respondAsync: true,
        urls,
      });
      const used = (await cpu()).map((after, index) => ((after - before[index]!) * MS) / mints);
      const [api, engineUse, database] = used as [number, number, number];
      results.push({ apis, perSecond: Math.round(mints / seconds), api, engine: engineUse, database });
    }
    const row = median(results);
    say(`  ${apis} API processes: ${row.perSecond} a second`);
    rows.push(row);
    await own.stop();
    await node.stop();
  }
  return `anvil, 1 s blocks; asynchronous mints at ${CONNECTIONS} connections, which share the API's processes; one engine.\n\n${renderTable(
    [
      ['Processes of the API', ({ apis }) => apis],
      ['Confirmed a second', ({ perSecond }) => perSecond],
      ['API, CPU ms a mint', ({ api }) => api.toFixed(3)],
      ['Engine, CPU ms a mint', ({ engine }) => engine.toFixed(3)],
      ['Database, CPU ms a mint', ({ database }) => database.toFixed(3)],
    ],
    rows,
  )}`;
}
