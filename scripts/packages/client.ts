import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { compile, root } from './compile.ts';

/** Writes `dist` of `@mintmark/client`. @param to the package's folder, or a copy of it */
export async function buildClient(to: string): Promise<void> {
  const from = path.join(root, 'packages/client');
  await compile({ from, to, replaced: { 'api.ts': 'generated/api.ts' } });
  // Types alone, and the largest file by far: both sorts of modules share one.
  const dist = path.join(to, 'dist');
  await rm(path.join(dist, 'api.js'));
  await rm(path.join(dist, 'api.cjs'));
  await writeFile(path.join(dist, 'api.d.ts'), "export type * from './api.cjs';\n");
}
