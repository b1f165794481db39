/**
 * Adds to package-lock.json what npm left out: packages with native parts for other machines, which it omits when the
 * registry it asked did not have them, and their hashes. Without the first `npm ci` refuses to install on any machine,
 * without the second it installs what a registry delivers. `node scripts/complete-lock.ts --check` only looks.
 */
import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { findUnpinned, isPinned } from './unpinned.ts';
import type { LockEntry } from './unpinned.ts';

interface Entry extends LockEntry {
  version?: string;
  dev?: boolean;
  optional?: boolean;
  libc?: string[];
  optionalDependencies?: Record<string, string>;
}

const systems = [
  'aix',
  'android',
  'darwin',
  'freebsd',
  'linux',
  'netbsd',
  'openbsd',
  'openharmony',
  'sunos',
  'win32',
];
const processors = ['arm64', 'arm', 'ia32', 'loong64', 'ppc64', 'riscv64', 's390x', 'wasm32', 'x64'];

const execute = promisify(execFile);

const file = fileURLToPath(new URL('../package-lock.json', import.meta.url));
const lock = JSON.parse(readFileSync(file, 'utf8')) as { packages: Record<string, Entry> };
const missing = missingEntries(lock.packages);

if (process.argv.includes('--check')) {
  if (missing.length > 0)
    complain(`package-lock.json lacks ${missing.length} packages for other machines, so npm ci would fail`);
} else {
  const packages = await addHashes({ ...lock.packages, ...Object.fromEntries(missing) });
  const sorted = Object.entries(packages).sort(([one], [other]) => one.localeCompare(other, 'en'));
  lock.packages = Object.fromEntries(sorted);
  writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`);
}
const unpinned = findUnpinned(lock.packages);
for (const sentence of unpinned) console.error(sentence);
if (unpinned.length > 0) complain(`package-lock.json lacks the hashes of ${unpinned.length} packages`);
if (process.exitCode === undefined) console.log('package-lock.json is complete.');

function complain(sentence: string): void {
  console.error(`${sentence}; run: node scripts/complete-lock.ts`);
  process.exitCode = 1;
}

/** Asks the registry for the hashes that are missing, one after the other. What it does not have stays without. */
async function addHashes(packages: Record<string, Entry>): Promise<Record<string, Entry>> {
  const completed: Record<string, Entry> = {};
  for (const [place, entry] of Object.entries(packages)) {
    const name = place.slice(place.lastIndexOf('node_modules/') + 'node_modules/'.length);
    const { version } = entry;
    const integrity = place === '' || isPinned(entry) ? undefined : await askHash(`${name}@${version}`);
    completed[place] = integrity && version ? inOrder({ ...entry, version, integrity }) : entry;
  }
  return completed;
}

async function askHash(specification: string): Promise<string | undefined> {
  const asked = execute('npm', ['view', specification, 'dist.integrity']);
  return asked.then(
    ({ stdout }) => stdout.trim() || undefined,
    () => undefined,
  );
}

function missingEntries(packages: Record<string, Entry>): [string, Entry][] {
  return Object.entries(packages).flatMap(([place, { dev, optionalDependencies = {} }]) =>
    Object.entries(optionalDependencies)
      .filter(([name]) => !packages[`node_modules/${name}`] && !packages[`${place}/node_modules/${name}`])
      .map(([name, version]): [string, Entry] => [
        `node_modules/${name}`,
        inOrder({
          version: exact(name, version),
          ...(dev ? { dev } : {}),
          optional: true,
          ...machineOf(name),
        }),
      ]),
  );
}

/** As npm orders them: version and hash, then by name. */
function inOrder({ version, integrity, ...rest }: Entry & { version: string }): Entry {
  return {
    version,
    ...(integrity && { integrity }),
    ...Object.fromEntries(Object.entries(rest).sort(([one], [other]) => one.localeCompare(other, 'en'))),
  };
}

/** Parents of native parts ask for exactly their own version, so the right one is known without a registry. */
function exact(name: string, version: string): string {
  if (/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version)) return version;
  throw new Error(`package-lock.json lacks ${name} ${version}; run npm install.`);
}

/** Returns the machine that a package is for, as in the registry: the name of a native part contains it. */
function machineOf(name: string): Pick<Entry, 'os' | 'cpu' | 'libc'> {
  const words = name.replace('amd64', 'x64').split(/[/-]/);
  const os = systems.filter((system) => words.includes(system));
  const cpu = processors.filter((processor) => words.includes(processor));
  if (os.length === 0 && cpu.length === 0)
    throw new Error(`package-lock.json lacks ${name}; run npm install.`);
  const libc = words.some((word) => word.startsWith('gnu'))
    ? ['glibc']
    : words.some((word) => word.startsWith('musl'))
      ? ['musl']
      : [];
  return {
    ...(cpu.length > 0 ? { cpu } : {}),
    ...(libc.length > 0 && os.includes('linux') ? { libc } : {}),
    ...(os.length > 0 ? { os } : {}),
  };
}
