import { cp, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { copyTree } from '../stage/copy-tree.ts';
import { release } from '../../src/db/release.ts';

/** Migrations of this folder: their file, and the list that the file exports. */
interface Further {
  file: string;
  name: string;
}

export interface MadeRelease {
  /** Where its sources are. */
  folder: string;
  version: string;
}

async function replaceIn(file: string, from: string, to: string): Promise<void> {
  const text = await readFile(file, 'utf8');
  if (text.split(from).length !== 2) throw new Error(`${file} does not say once: ${from}`);
  await writeFile(file, text.replace(from, to));
}

/**
 * Makes a later release of the sources as they are: with these migrations, and with code that writes a column of the
 * first of them, and so marks its rows.
 * @param folder an empty one
 */
export async function makeRelease(
  folder: string,
  version: string,
  further: readonly Further[],
): Promise<MadeRelease> {
  await copyTree(folder);
  const inside = (file: string): string => path.join(folder, file);
  for (const { file } of further) {
    const to = inside(`src/db/migrations/${file}`);
    await cp(path.join(import.meta.dirname, file), to);
    await replaceIn(to, '../../src/db/migration.ts', '../migration.ts');
  }
  const list = inside('src/db/release.ts');
  const imports = further.map(({ file, name }) => `import { ${name} } from './migrations/${file}';\n`);
  await replaceIn(list, `/** What a release knows`, `${imports.join('')}/** What a release knows`);
  await replaceIn(list, `version: '${release.version}'`, `version: '${version}'`);
  const lists = further.map(({ name }) => `...${name}`).join(', ');
  await replaceIn(list, `  oldestSchema: '${release.oldestSchema}'`, `  oldestSchema: '900-next-release'`);
  await writeFile(
    list,
    (await readFile(list, 'utf8')).replace(/(migrations: \[[^\]]*?),?\s*\]/, `$1, ${lists}]`),
  );
  const store = inside('src/engine/store/intents.ts');
  await replaceIn(store, 'insert into intents (number, id,', 'insert into intents (priority, number, id,');
  await replaceIn(store, 'select nextval(case', 'select 5, nextval(case');
  return { folder, version };
}
