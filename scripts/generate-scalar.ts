import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';

/**
 * Writes generated/scalar.js.gz: the one file of Scalar that the page at /docs needs. The package comes with 265
 * others, which a production installation would have for nothing; package-lock.json pins it by its hash.
 */
const entry = createRequire(import.meta.url).resolve('@scalar/api-reference');
const bundle = path.join(path.dirname(entry), 'browser', 'standalone.js');
const { version } = JSON.parse(await readFile(path.join(path.dirname(entry), '../package.json'), 'utf8')) as {
  version: string;
};

/** What the licence asks for, which the file itself does not say. */
const notice = `/*! @scalar/api-reference ${version} | MIT License | Copyright (c) 2023-present Scalar | https://github.com/scalar/scalar */\n`;

const target = process.argv[2] ?? path.join(import.meta.dirname, '..', 'generated');
await mkdir(target, { recursive: true });
const text = notice + (await readFile(bundle, 'utf8'));
await writeFile(path.join(target, 'scalar.js.gz'), await promisify(gzip)(text, { level: 9 }));
