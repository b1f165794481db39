import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtempDisposable, readFile, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
export const root = path.join(import.meta.dirname, '..', '..');

export interface Sources {
  /** Folder of the package: its `src` and `tsconfig.json` are compiled. */
  from: string;
  /** Where `dist` is made anew. */
  to: string;
  /** Files of the clone that take the place of files in `src`, by their names there. */
  replaced: Record<string, string>;
}

/** The endings of a sort of modules: of code and of types. */
const SORTS = { module: ['.js', '.d.ts'], commonjs: ['.cjs', '.d.cts'] } as const;

/**
 * Compiles a package twice into `dist`: as ES modules (`.js`) and as CommonJS (`.cjs`), each with its types. File by
 * file, not as bundles, so that two entrances of a package share their classes.
 * @throws Error with what the compiler says
 */
export async function compile({ from, to, replaced }: Sources): Promise<void> {
  await using stage = await mkdtempDisposable(path.join(tmpdir(), 'mintmark-package-'));
  await cp(path.join(from, 'src'), path.join(stage.path, 'src'), { recursive: true });
  await cp(path.join(from, 'tsconfig.json'), path.join(stage.path, 'tsconfig.json'));
  await symlink(path.join(root, 'node_modules'), path.join(stage.path, 'node_modules'));
  for (const [name, file] of Object.entries(replaced)) {
    await cp(path.join(root, file), path.join(stage.path, 'src', name));
  }
  const dist = path.join(to, 'dist');
  await rm(dist, { recursive: true, force: true });
  await mkdir(dist, { recursive: true });
  for (const type of ['module', 'commonjs'] as const) {
    await writeFile(path.join(stage.path, 'package.json'), JSON.stringify({ type }));
    const compiled = path.join(stage.path, type);
    const options = ['-p', stage.path, '--rootDir', path.join(stage.path, 'src'), '--outDir', compiled];
    const compiler = path.join(root, 'node_modules/typescript/bin/tsc');
    await run(process.execPath, [compiler, ...options], { cwd: stage.path }).catch(
      ({ stdout }: { stdout: string }) => {
        throw new Error(`${from} cannot be compiled:\n${stdout}`);
      },
    );
    for (const file of await readdir(compiled)) await moveInto(dist, path.join(compiled, file), type);
  }
}

/** Gives a compiled file the ending of its sort, and the files that it imports; types still name these `.ts`. */
async function moveInto(dist: string, file: string, type: keyof typeof SORTS): Promise<void> {
  const [ofCode, ofTypes] = SORTS[type];
  const name = path.basename(file);
  const target = name.endsWith('.d.ts') ? name.replace('.d.ts', ofTypes) : name.replace('.js', ofCode);
  const text = await readFile(file, 'utf8');
  const imports = /(\b(?:from |require\(|import\()['"]\.\/[\w-]+)\.(?:js|ts)(?=['"])/g;
  await writeFile(path.join(dist, target), text.replaceAll(imports, `$1${ofCode}`));
}
