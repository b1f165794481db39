import { readFileSync } from 'node:fs';
import { copyFile, mkdir, mkdtempDisposable, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { copyTree } from '../../lab/stage/copy-tree.ts';
import { applyMutant, readMutants } from '../../scripts/mutants/mutant.ts';
import { runSuite } from '../../scripts/mutants/run.ts';
import type { Outcome } from '../../scripts/mutants/run.ts';

const ROOT = path.join(import.meta.dirname, '../..');
const FOUND = readMutants('simulation').filter(({ found }) => found !== null);

describe('the simulation, of code with a fault', () => {
  const stack = new AsyncDisposableStack();
  let tree = '';
  const run = (suite: string): Promise<Outcome> => runSuite({ tree, suite, timeoutMs: 600_000 });
  /** What the worlds are without a fault. */
  const sound = new Map<string, Outcome>();

  beforeAll(async () => {
    const folder = stack.use(await mkdtempDisposable(path.join(tmpdir(), 'mintmark-put-in-')));
    tree = path.join(folder.path, 'tree');
    await mkdir(tree);
    await copyTree(tree);
  });
  afterAll(() => stack.disposeAsync());

  test.each(FOUND)('$name: $found, which is sound without it', async (mutant) => {
    const { suite, found } = mutant;
    if (!sound.has(suite)) sound.set(suite, await run(suite));
    expect(sound.get(suite)).toEqual({ fate: 'survived', by: '' });
    const changed = applyMutant(mutant, (file) => readFileSync(path.join(ROOT, file), 'utf8'));
    for (const [file, text] of changed) await writeFile(path.join(tree, file), text);
    const outcome = await run(suite);
    for (const file of changed.keys()) await copyFile(path.join(ROOT, file), path.join(tree, file));
    expect(outcome).toEqual({ fate: 'killed', by: found });
  });
});
