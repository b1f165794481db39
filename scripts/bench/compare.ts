import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { administer, databaseUrl } from '../../lab/stage/template.ts';
import { median } from '../../lab/load/http.ts';
import { startAnvilNode, startHardhat } from './nodes.ts';
import type { BenchNode } from './nodes.ts';
import { startOwn } from './own.ts';
import type { OwnService } from './own.ts';
import { SPEED_COLUMNS, measureScenario, report, scenariosAt, warmUp } from './scenario.ts';
import type { SpeedRow } from './scenario.ts';
import type { Settings } from './settings.ts';
import { say } from '../lib/say.ts';
import { renderTable } from './table.ts';

const HERE = path.resolve(import.meta.dirname, '../..');

/** A version with what it needs for itself: the other one's load is none of its own. */
interface Version {
  name: string;
  own: OwnService;
  node: BenchNode;
}

/** The commit of a checkout, for the table. */
async function nameOf(checkout: string): Promise<string> {
  const { stdout } = await promisify(execFile)('git', ['-C', checkout, 'rev-parse', '--short', 'HEAD']);
  return stdout.trim();
}

/**
 * ERC-20 mints by this checkout and by another one, whose packages are installed, in turns on the same machine: so that
 * "faster" is the word of one run.
 * @param other folder of the other checkout
 */
export async function measureCompare(other: string, { postgresUrl, scale, runs }: Settings): Promise<string> {
  const rows: SpeedRow[] = [];
  for (const [index, startNode] of [startHardhat, startAnvilNode].entries()) {
    const versions: Version[] = [];
    for (const [place, checkout] of [HERE, path.resolve(other)].entries()) {
      const database = `compare_${index}_${place}`;
      await administer(postgresUrl, `create database ${database}`);
      const node = await startNode();
      const main = path.join(checkout, 'src/main.ts');
      const own = await startOwn(databaseUrl(postgresUrl, database), node.url, 20, { main });
      await warmUp(own);
      versions.push({ name: await nameOf(checkout), own, node });
    }
    say(versions[0]!.node.name);
    for (const scenario of scenariosAt(scale)) {
      const results = versions.map((): SpeedRow[] => []);
      for (let run = 0; run < runs; run += 1) {
        // Each begins as often as the other.
        const turns = run % 2 === 0 ? [0, 1] : [1, 0];
        for (const turn of turns) {
          const { own, node, name } = versions[turn]!;
          results[turn]!.push(await measureScenario(own, node, name, scenario));
        }
      }
      rows.push(...results.map((each) => report(median(each))));
    }
    for (const { own, node } of versions) {
      await own.stop();
      await node.stop();
    }
  }
  return `ERC-20, existing holders; in turns.\n\n${renderTable(SPEED_COLUMNS, rows)}`;
}
