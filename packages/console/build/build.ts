import { readFile, readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { build } from 'vite';
import { CONFIG, DIST } from './config.ts';

/*
 * Builds the console (packages/console) into packages/console/dist, each file packed beside itself as well.
 * `npm run console:build` does it and leaves a stamp, by which a start sees whether it has to be built again.
 */

await build(CONFIG);
await pack();

/** Packs once what would else be packed at each answer. The page itself changes with each answer. */
async function pack(): Promise<void> {
  const names = await readdir(DIST, { recursive: true });
  const packable = names.filter((name) => /\.(js|css|svg)$/.test(name));
  await Promise.all(
    packable.map(async (name) => {
      const file = path.join(DIST, name);
      const content = await readFile(file);
      const params = {
        [constants.BROTLI_PARAM_QUALITY]: 9,
        [constants.BROTLI_PARAM_SIZE_HINT]: content.length,
      };
      await writeFile(`${file}.gz`, await promisify(gzip)(content, { level: 9 }));
      await writeFile(`${file}.br`, await promisify(brotliCompress)(content, { params }));
    }),
  );
}
