import {
  copyFileSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';

/*
 * A stand-in for `npm ci` without a network: what package-lock.json of a folder asks for, out of the packages of the
 * clone that runs the tests. It leaves out what npm leaves out with `--omit=dev`, and with NODE_ENV=production unless
 * `--include=dev` is said, and the workspaces themselves with `--workspaces=false`.
 *   install.ts FOLDER [arguments of npm]
 */

interface Entry {
  dev?: boolean;
  devOptional?: boolean;
  link?: boolean;
  resolved?: string;
  workspaces?: string[];
}

const from = path.resolve(import.meta.dirname, '../../..');
const [, , folder = '', ...words] = process.argv;
const omitsDev =
  words.includes('--omit=dev') ||
  (process.env['NODE_ENV'] === 'production' && !words.includes('--include=dev'));
process.chdir(folder);

/** Without the packages inside it, which have entries of their own. */
function copyPackage(source: string, target: string, depth = 0): void {
  mkdirSync(target, { recursive: true });
  for (const name of readdirSync(source)) {
    if (depth === 0 && name === 'node_modules') continue;
    const [one, other] = [path.join(source, name), path.join(target, name)];
    const file = lstatSync(one);
    if (file.isDirectory()) copyPackage(one, other, depth + 1);
    else if (file.isSymbolicLink()) symlinkSync(readlinkSync(one), other);
    else copyFile(one, other);
  }
}

function copyFile(source: string, target: string): void {
  try {
    linkSync(source, target);
  } catch {
    copyFileSync(source, target);
  }
}

const lock = JSON.parse(readFileSync('package-lock.json', 'utf8')) as { packages: Record<string, Entry> };
rmSync('node_modules', { recursive: true, force: true });
const present: Record<string, Entry> = {};
const left = words.includes('--workspaces=false') ? lock.packages['']!.workspaces! : [];
for (const [place, entry] of Object.entries(lock.packages)) {
  // devOptional is what both development and an optional package need: npm installs it with either.
  const { dev } = entry.link ? lock.packages[entry.resolved!]! : entry;
  if (place === '' || (omitsDev && dev) || left.includes(entry.resolved ?? place)) continue;
  // A folder of the clone, which a link stands for.
  if (!place.startsWith('node_modules/')) {
    present[place] = entry;
    continue;
  }
  const source = path.join(from, place);
  if (entry.link) {
    mkdirSync(path.dirname(place), { recursive: true });
    symlinkSync(path.relative(path.dirname(place), entry.resolved!), place);
  } else if (lstatSync(source, { throwIfNoEntry: false })) copyPackage(source, place);
  else continue;
  present[place] = entry;
}
writeFileSync('node_modules/.package-lock.json', JSON.stringify({ ...lock, packages: present }));
