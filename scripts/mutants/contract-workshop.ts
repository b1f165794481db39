import { mkdir, mkdtempDisposable, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { copyTree } from './copy-tree.ts';
import { applyMutant } from './mutant.ts';
import { runSolidity } from './run-solidity.ts';
import type { Workshop } from './workshop.ts';

/** Opens a place for mutants of contracts: a copy of the repository, which is removed by disposal. */
export async function openContractWorkshop(signal: AbortSignal): Promise<Workshop> {
  await using opened = new AsyncDisposableStack();
  const { path: folder } = opened.use(await mkdtempDisposable(path.join(tmpdir(), 'mintmark-mutants-')));
  const tree = path.join(folder, 'tree');
  await mkdir(tree);
  await copyTree(tree);
  const closing = opened.move();
  return {
    runClean: (suites, timeoutMs) => runSolidity({ tree, suites, timeoutMs, signal }),
    runMutant: async (mutant, timeoutMs) => {
      const file = path.join(tree, mutant.file);
      const source = await readFile(file, 'utf8');
      await writeFile(file, applyMutant(mutant, source));
      try {
        return await runSolidity({ tree, suites: mutant.suites, timeoutMs, signal });
      } finally {
        await writeFile(file, source);
      }
    },
    [Symbol.asyncDispose]: () => closing.disposeAsync(),
  };
}
