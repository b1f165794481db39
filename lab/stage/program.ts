import { execFile } from 'node:child_process';
import { constants } from 'node:fs';
import { access, readFile, readdir } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Folders that are often not in PATH: of daemons such as nginx, and of each version of Debian's PostgreSQL. */
const SYSTEM_FOLDER = '/usr/sbin';
const POSTGRES_FOLDER = '/usr/lib/postgresql';

/** The package lists may be missing or old: they are updated only when the installation fails without. */
const INSTALL = `
  command -v "$1" && exit
  install() { apt-get install --yes --quiet --no-install-recommends -o DPkg::Lock::Timeout=300 "$1"; }
  install "$2" || { apt-get update --quiet && install "$2"; }
`;

/**
 * The path of a program that npm does not install, for a test that needs the real one. As root on Debian a missing
 * one is installed first, which may take a minute: call it outside of the tests, where no timeout runs.
 * @returns null when it is missing, after a sentence that says what to install: the test is to be skipped then
 */
export async function findProgram(name: string, debianPackage: string): Promise<string | null> {
  if (await mayInstall()) await install(name, debianPackage);
  const found = await locate(name);
  if (found !== null) return found;
  say(`Tests that need ${name} are skipped: install ${debianPackage} to run them.`);
  return null;
}

/** Takes the lock even when the program exists: another worker may still be installing it. */
async function install(name: string, debianPackage: string): Promise<void> {
  if ((await locate(name)) === null) say(`Installing ${debianPackage}, which tests need.`);
  const folders = await foldersToSearch();
  try {
    // A lock on a folder that always exists.
    await run('flock', ['/var/lib/apt', 'sh', '-c', INSTALL, 'sh', name, debianPackage], {
      // Run level 1 keeps a package from starting its daemon.
      env: {
        ...process.env,
        PATH: folders.join(path.delimiter),
        DEBIAN_FRONTEND: 'noninteractive',
        RUNLEVEL: '1',
      },
      maxBuffer: 64 << 20,
    });
  } catch (error) {
    const { stderr } = error as { stderr?: string };
    say(`${debianPackage} could not be installed: ${(stderr ?? String(error)).trim()}`);
  }
}

/** In this order; of several versions of PostgreSQL the newest first. */
async function foldersToSearch(): Promise<string[]> {
  const versions = await readdir(POSTGRES_FOLDER).catch(() => []);
  const newestFirst = versions.sort((one, other) => Number(other) - Number(one));
  return [
    ...(process.env['PATH'] ?? '').split(path.delimiter),
    SYSTEM_FOLDER,
    ...newestFirst.map((version) => path.join(POSTGRES_FOLDER, version, 'bin')),
  ];
}

async function locate(name: string): Promise<string | null> {
  for (const folder of await foldersToSearch()) {
    const file = path.join(folder, name);
    if (await isExecutable(file)) return file;
  }
  return null;
}

const isExecutable = (file: string): Promise<boolean> =>
  access(file, constants.X_OK).then(
    () => true,
    () => false,
  );

async function mayInstall(): Promise<boolean> {
  if (process.getuid?.() !== 0) return false;
  const release = await readFile('/etc/os-release', 'utf8').catch(() => '');
  return /^ID=debian$/m.test(release);
}

/** Written to the terminal directly: Jest would add a stack to console output. */
function say(sentence: string): void {
  process.stderr.write(`${sentence}\n`);
}
