import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { runNpm } from './npm.js';

const stamp = (root) => path.join(root, 'node_modules', '.mintmark-lock');

async function expectedStamp(root) {
  const lock = await readFile(path.join(root, 'package-lock.json'));
  return `${process.platform} ${process.arch} ${createHash('sha256').update(lock).digest('hex')}\n`;
}

/**
 * Whether node_modules is what package-lock.json says: by our own stamp, or, for packages that somebody installed with
 * npm itself, by the record that npm leaves once an installation is complete.
 * With `runtimeOnly`, packages for development may be missing.
 */
export async function packagesAreInstalled(root, { runtimeOnly }) {
  const expected = await expectedStamp(root);
  if ((await readFile(stamp(root), 'utf8').catch(() => '')) === expected) return true;
  const record = await readFile(path.join(root, 'node_modules', '.package-lock.json'), 'utf8').catch(
    () => '',
  );
  if (!record) return false;
  const { packages: wanted } = JSON.parse(await readFile(path.join(root, 'package-lock.json'), 'utf8'));
  const { packages: present } = JSON.parse(record);
  return Object.entries(wanted).every(([place, entry]) => {
    if (place === '' || present[place]?.version === entry.version) return true;
    // A folder of the clone that stands for a package has its own entry, which says what it is for.
    const { dev, devOptional } = entry.link ? (wanted[entry.resolved] ?? entry) : entry;
    const mayLack = (entry.optional && !isForThisMachine(entry)) || (runtimeOnly && (dev || devOptional));
    return !present[place] && Boolean(mayLack);
  });
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

/** Returns how many of the packages for this machine are unpacked: `640 of 1312`. */
async function createCount(root) {
  const { packages } = JSON.parse(await readFile(path.join(root, 'package-lock.json'), 'utf8'));
  const files = Object.entries(packages)
    .filter(([place, { link }]) => place.startsWith('node_modules/') && !link)
    .filter(([, entry]) => !(entry.optional && !isForThisMachine(entry)))
    .map(([place]) => path.join(root, place, 'package.json'));
  return () => `${files.filter((file) => existsSync(file)).length} of ${files.length}`;
}

/** The stamp goes first and comes back last: an interrupted installation is begun anew. */
export async function installPackages(root, { node, npm }) {
  console.error('Installing packages ...');
  await rm(stamp(root), { force: true });
  const env = { ...process.env, PATH: [path.dirname(node), process.env.PATH].join(path.delimiter) };
  await runNpm(root, npm, ['ci', '--include=dev', '--include=optional'], {
    what: 'Installing packages',
    env,
    howFar: await createCount(root),
  });
  await writeFile(stamp(root), await expectedStamp(root));
}
