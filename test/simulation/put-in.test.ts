import { readFileSync } from 'node:fs';
import { copyFile, mkdir, mkdtempDisposable, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { copyTree } from '../../lab/stage/copy-tree.ts';
import { applyMutant, readMutants } from '../../scripts/mutants/mutant.ts';
import { runSuite } from '../../scripts/mutants/run.ts';
import { runSeeds } from './run.ts';

const ROOT = path.join(import.meta.dirname, '../..');
const FOUND = readMutants('simulation').filter(({ found }) => found !== null);

/** `many-seeds` and `more-seeds` show that the worlds up to this one are sound without a fault. */
const SOUND_SEEDS = 300;

describe('the simulation, of code with a fault', () => {
  const stack = new AsyncDisposableStack();
  let tree = '';

  beforeAll(async () => {
    const folder = stack.use(await mkdtempDisposable(path.join(tmpdir(), 'mintmark-put-in-')));
    tree = path.join(folder.path, 'tree');
    await mkdir(tree);
    await copyTree(tree);
    // So that there is a template of the sound service.
    await runSeeds('--seed', '1', '--until', '1');
  });
  afterAll(() => stack.disposeAsync());

  test.each(FOUND)('$name: $found', async (mutant) => {
    const { suite, found } = mutant;
    expect(Number(/^seed (\d+):/.exec(found!)![1])).toBeLessThanOrEqual(SOUND_SEEDS);
    const changed = applyMutant(mutant, (file) => readFileSync(path.join(ROOT, file), 'utf8'));
    for (const [file, text] of changed) await writeFile(path.join(tree, file), text);
    const outcome = await runSuite({ tree, suite, timeoutMs: 600_000 });
    for (const file of changed.keys()) await copyFile(path.join(ROOT, file), path.join(tree, file));
    expect(outcome).toEqual({ fate: 'killed', by: found });
  });
});
