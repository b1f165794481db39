import { readFileSync } from 'node:fs';
import path from 'node:path';

const ROOT = path.resolve(import.meta.dirname, '../..');
const DIGITS = 12;

/**
 * The commit of the clone that this program runs from, 12 digits; null where there is no `.git`, as in an image. It is
 * read without git, which refuses a clone of another user.
 * @param root folder of the clone
 */
export function readRevision(root = ROOT): string | null {
  const git = path.join(root, '.git');
  const [, ref] = /^ref: (\S+)/.exec(read(path.join(git, 'HEAD'))) ?? [];
  const commit = ref
    ? read(path.join(git, ref)) || findPacked(read(path.join(git, 'packed-refs')), ref)
    : read(path.join(git, 'HEAD'));
  return /^[0-9a-f]{40}/.test(commit) ? commit.slice(0, DIGITS) : null;
}

/** Its lines are a hash, a blank and a name. */
const findPacked = (refs: string, name: string): string =>
  refs.split('\n').find((line) => line.endsWith(` ${name}`)) ?? '';

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
