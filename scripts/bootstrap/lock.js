import { readFile } from 'node:fs/promises';
import path from 'node:path';

/** The packages of the lock file of the clone, by their places: `node_modules/a/node_modules/b`. */
export async function readLock(root) {
  return JSON.parse(await readFile(path.join(root, 'package-lock.json'), 'utf8')).packages;
}

/** The places of these packages of the clone, and of all that they need: what npm installs for them. */
export function collectPlaces(packages, names) {
  const found = new Set();
  const collect = (name, from) => {
    const place = findPlace(packages, name, from);
    if (place === undefined || found.has(place)) return;
    found.add(place);
    const { dependencies = {}, optionalDependencies = {}, peerDependencies = {} } = packages[place];
    for (const each of Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies }))
      collect(each, place);
  };
  for (const name of names) collect(name, '');
  return found;
}

/** Where Node finds a package from a place: there, or further up. An optional peer may be nowhere. */
function findPlace(packages, name, from) {
  const place = `${from && `${from}/`}node_modules/${name}`;
  if (packages[place]) return place;
  if (from === '') return undefined;
  return findPlace(packages, name, from.slice(0, Math.max(0, from.lastIndexOf('/node_modules/'))) || '');
}
