import { startAnvil } from '../../lab/stage/anvil.ts';
import { administer, databaseUrl } from '../../lab/stage/template.ts';
import { mintOverHttp, startOwn } from './own.ts';
import { SPEED_COLUMNS, measureScenario, report } from './scenario.ts';
import type { SpeedRow } from './scenario.ts';
import type { Settings } from './settings.ts';
import { renderTable } from './table.ts';

/** A local chain may make blocks for transactions alone, so that no gap is learnt there. */
const SEPOLIA = 11155111;
/** Mints from which the gap between blocks is learnt. */
const LEARNT = 10;

/**
 * What one client costs that mints, waits for the answer, and mints again: it pays for all looks at the chain alone.
 */
export async function measureLone({ postgresUrl, scale }: Settings): Promise<string> {
  const rows: SpeedRow[] = [];
  for (const [blockTimeSeconds, count] of [
    [1, 60],
    [2, 30],
    [12, 10],
  ] as const) {
    const database = `lone_${blockTimeSeconds}`;
    await administer(postgresUrl, `create database ${database}`);
    const node = await startAnvil({ blockTimeSeconds, chainId: SEPOLIA });
    const own = await startOwn(databaseUrl(postgresUrl, database), node.url, 1);
    const load = { connections: 1, respondAsync: false };
    await mintOverHttp(own, { mints: LEARNT, ...load });
    const mints = Math.ceil(count * scale);
    const named = { ...node, name: `anvil, ${blockTimeSeconds} s blocks` };
    rows.push(report(await measureScenario(own, named, 'Mintmark', { mints, ...load })));
    await own.stop();
    await node.stop();
  }
  return `One client, one mint after the other.\n\n${renderTable(SPEED_COLUMNS, rows)}`;
}
