import { readFileSync } from 'node:fs';
import { copyFile, mkdir, mkdtempDisposable, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { copyTree } from '../../lab/stage/copy-tree.ts';
import { applyMutant, readMutants, SIMULATION } from '../../scripts/mutants/mutant.ts';
import { runSuite } from '../../scripts/mutants/run.ts';
import { runSeeds } from './run.ts';

const ROOT = path.join(import.meta.dirname, '../..');
/** Of all that `npm run mutants -- simulation` goes through, what the first seeds show, and the rule that it breaks. */
const FOUND = [
  ['every third call fails, though nothing is wrong with it', /: false failure$/],
  ['keys that are forgotten: what is sent again under one is done again', /: (once|one intent a key)$/],
  ['a message of each fifth intent that is lost', /: the last word of the webhooks$/],
  ['a standby that never takes over: leases of more than an hour', /: settled$/],
  ['quota of a failure that is not given back', /: quota$/],
] as const;

describe('the simulation, of code with a fault', () => {
  const stack = new AsyncDisposableStack();
  let tree = '';

  beforeAll(async () => {
    // Makes the template of all worlds, where there is none yet: made by code with a fault, it would have the fault for everybody.
    await runSeeds('--seed', '1', '--requests', '1');
    const folder = stack.use(await mkdtempDisposable(path.join(tmpdir(), 'mintmark-put-in-')));
    tree = path.join(folder.path, 'tree');
    await mkdir(tree);
    await copyTree(tree);
  });
  afterAll(() => stack.disposeAsync());

  test.each(FOUND)('%s: a seed breaks the promise', async (name, rule) => {
    const mutant = readMutants('simulation').find((each) => each.name === name)!;
    const changed = applyMutant(mutant, (file) => readFileSync(path.join(ROOT, file), 'utf8'));
    for (const [file, text] of changed) await writeFile(path.join(tree, file), text);
    const { fate, by } = await runSuite({ tree, suite: SIMULATION, timeoutMs: 600_000 });
    for (const file of changed.keys()) await copyFile(path.join(ROOT, file), path.join(tree, file));
    expect({ fate, by }).toEqual({ fate: 'killed', by: expect.stringMatching(rule) });
  });
});
