import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { collectPlaces, readLock } from './lock.js';
import { runNpm } from './npm.js';

/**
 * Parts of the packages, each with all of the one before: what a service with a database and a chain of its own needs, what
 * `npm start` needs in a clone, what `npm test` needs too, which the workspace `test/outside` names, and the programs that
 * tools and `npm run test:all` call, which `test/programs` names.
 */
const PARTS = ['runtime', 'root', 'tests', 'all'];

/** What npm is told to install each part. */
const WORKSPACES = {
  root: ['--workspaces=false'],
  tests: ['--workspace=mintmark-outside', '--include-workspace-root'],
  all: [],
};

const stamp = (root) => path.join(root, 'node_modules', '.mintmark-lock');

async function expectedStamp(root) {
  const lock = await readFile(path.join(root, 'package-lock.json'));
  return `${process.platform} ${process.arch} ${createHash('sha256').update(lock).digest('hex')}`;
}

const readText = (file) => readFile(file, 'utf8').catch(() => '');

/** The part that our own stamp says is there. */
async function findStamped(root) {
  const expected = await expectedStamp(root);
  const text = await readText(stamp(root));
  return PARTS.find((part) => text === `${expected} ${part}\n`);
}

/**
 * Whether node_modules has a part of what package-lock.json says: by our own stamp, or, for packages that somebody installed
 * with npm itself, by the record that npm leaves once an installation is complete.
 */
export async function packagesAreInstalled(root, part) {
  const stamped = await findStamped(root);
  if (stamped && PARTS.indexOf(stamped) >= PARTS.indexOf(part)) return true;
  const record = await readText(path.join(root, 'node_modules', '.package-lock.json'));
  if (!record) return false;
  const wanted = await readLock(root);
  const { packages: present } = JSON.parse(record);
  const places = placesOf(wanted, part);
  return Object.entries(wanted).every(([place, entry]) => {
    if (place === '' || present[place]?.version === entry.version) return true;
    const mayLack =
      !places.has(place) ||
      (entry.optional && !isForThisMachine(entry)) ||
      (part === 'runtime' && entry.devOptional);
    return !present[place] && Boolean(mayLack);
  });
}

function placesOf(packages, part) {
  if (part === 'all') return new Set(Object.keys(packages));
  const { dependencies, optionalDependencies, devDependencies } = packages[''];
  const names = { ...dependencies, ...optionalDependencies };
  if (part !== 'runtime') Object.assign(names, devDependencies);
  if (part === 'tests') Object.assign(names, packages['test/outside'].devDependencies);
  return collectPlaces(packages, Object.keys(names));
}

/** Only a native part says which machines it is for. One for this machine is missing when an older Node installed. */
function isForThisMachine({ os, cpu, libc }) {
  const fits = (list, value) => !list || list.includes(value);
  if (!os && !cpu) return false;
  return fits(os, process.platform) && fits(cpu, process.arch) && fits(libc, machineLibc());
}

function machineLibc() {
  return process.report.getReport().header.glibcVersionRuntime ? 'glibc' : 'musl';
}

/** Returns how many of the packages of a part, for this machine, are unpacked: `640 of 1312`. */
async function createCount(root, part) {
  const packages = await readLock(root);
  const files = [...placesOf(packages, part)]
    .filter((place) => place.startsWith('node_modules/') && !packages[place].link)
    .filter((place) => !(packages[place].optional && !isForThisMachine(packages[place])))
    .map((place) => path.join(root, place, 'package.json'));
  return () => `${files.filter((file) => existsSync(file)).length} of ${files.length}`;
}

/**
 * Installs a part, at least the root's own. The stamp goes first and comes back last: an interrupted installation is begun anew.
 * What a service may be running from stays where it is when only the rest is missing: `npm ci` would remove it first.
 */
export async function installPackages(root, { node, npm }, part) {
  const installed = part === 'runtime' ? 'root' : part;
  const command = (await findStamped(root)) ? ['install', '--no-save'] : ['ci'];
  await rm(stamp(root), { force: true });
  const env = { ...process.env, PATH: [path.dirname(node), process.env.PATH].join(path.delimiter) };
  const which = ['--include=dev', '--include=optional', ...WORKSPACES[installed]];
  await runNpm(root, npm, [...command, ...which], {
    what: 'Installing packages',
    first: 'Installing packages ...',
    env,
    howFar: await createCount(root, installed),
  });
  await writeFile(stamp(root), `${await expectedStamp(root)} ${installed}\n`);
}
