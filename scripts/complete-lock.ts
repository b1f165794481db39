/**
 * Adds to package-lock.json the packages with native parts for other machines that npm left out, which it does when the
 * registry it asked did not have them. Without them `npm ci` refuses to install on any machine.
 * `node scripts/complete-lock.ts --check` only looks.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

interface Entry {
  version?: string;
  dev?: boolean;
  optional?: boolean;
  os?: string[];
  cpu?: string[];
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

const file = fileURLToPath(new URL('../package-lock.json', import.meta.url));
const lock = JSON.parse(readFileSync(file, 'utf8')) as { packages: Record<string, Entry> };
const missing = missingEntries(lock.packages);

if (missing.length === 0) {
  console.log('package-lock.json is complete.');
} else if (process.argv.includes('--check')) {
  console.error(
    `package-lock.json lacks ${missing.length} packages for other machines, so npm ci would fail; run: node scripts/complete-lock.ts`,
  );
  process.exitCode = 1;
} else {
  Object.assign(lock.packages, Object.fromEntries(missing));
  const sorted = Object.entries(lock.packages).sort(([one], [other]) => one.localeCompare(other, 'en'));
  writeFileSync(file, `${JSON.stringify({ ...lock, packages: Object.fromEntries(sorted) }, null, 2)}\n`);
  console.log(`Added ${missing.length} packages for other machines to package-lock.json.`);
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

/** As npm orders them: the version, then by name. */
function inOrder({ version, ...rest }: Entry & { version: string }): Entry {
  return {
    version,
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
