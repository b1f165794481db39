import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync } from 'node:fs';
import { mkdtempDisposable, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { gunzipSync } from 'node:zlib';

const root = join(import.meta.dirname, '..');

/** Every committed file that `npm run generate` writes, besides the collection for Bruno. */
const written = [
  'generated/api.ts',
  'generated/client.ts',
  'generated/contracts.ts',
  'generated/openapi.json',
  'generated/scalar.js.gz',
  'generated/tables.ts',
  'packages/client/src/keyless.ts',
  'packages/contracts/src/addresses.ts',
  'src/db/schema.sql',
  'docs/engine.md',
];

/** Each version of zlib compresses in its own way: what is packed is compared unpacked. */
const read = (file: string): Promise<string | null> =>
  readFile(file).then(
    (bytes) => (file.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString(),
    () => null,
  );

/** Where the collection for Bruno is in the clone; elsewhere it is generated into `bruno`. */
const COLLECTION = 'examples/bruno';

/** Committed files with their fresh copies. */
function pairsIn(folder: string): [committed: string, fresh: string][] {
  const requests = new Set(
    [join(root, COLLECTION), join(folder, 'bruno')].flatMap((cwd) => globSync('**/*.yml', { cwd })),
  );
  return [
    ...written.map((file): [string, string] => [file, basename(file)]),
    ...[...requests].map((file): [string, string] => [join(COLLECTION, file), join('bruno', file)]),
  ];
}

/** Generates the committed files again into a folder, and returns which of them differ. */
async function findDrift(folder: string): Promise<string[]> {
  const generating = spawn(process.execPath, [join(root, 'scripts', 'generate.ts'), folder], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const [code] = (await once(generating, 'close')) as [number | null];
  if (code !== 0) return ['What is generated cannot be compared: npm run generate fails'];
  const complaints = pairsIn(folder).map(async ([file, copy]) => {
    const [committed, fresh] = await Promise.all([read(join(root, file)), read(join(folder, copy))]);
    return committed === fresh ? [] : [`${file} is out of date. Repair it with: npm run generate`];
  });
  return (await Promise.all(complaints)).flat();
}

await using folder = await mkdtempDisposable(join(tmpdir(), 'mintmark-drift-'));
const complaints = await findDrift(folder.path);
for (const complaint of complaints) console.error(complaint);
if (complaints.length > 0) process.exitCode = 1;
