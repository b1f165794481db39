import { lstat, readdir } from 'node:fs/promises';
import path from 'node:path';
import type { Image } from './run-steps.ts';

/**
 * Bytes on the disk, uncompressed, of linux/amd64: "Virtual Size" in docker-library/repo-info,
 * repos/debian/local/bookworm-slim.md.
 */
const BASES: Record<string, number> = { 'debian:bookworm-20260918-slim': 74_830_000 };

/** What the image has to stay below, in bytes and uncompressed, as "docker image ls" counts it. */
export const MAX_BYTES = 250_000_000;

interface ImageSize {
  /** Bytes of the parts of the image. */
  parts: Record<'base' | 'node' | 'packages' | 'program', number>;
  total: number;
  /** How many packages there are. */
  packages: number;
}

/** Adds up the files that the steps added, and what the base is known to have. */
export async function measure({ base, root, workdir }: Image): Promise<ImageSize> {
  const known = BASES[base];
  if (known === undefined)
    throw new Error(`the size of ${base} is not known: add it to scripts/image/measure.ts`);
  const home = path.join(root, workdir);
  const modules = path.join(home, 'node_modules');
  const all = await listFiles(root);
  const sum = (wanted: (file: string) => boolean): number =>
    all.reduce((total, { file, bytes }) => total + (wanted(file) ? bytes : 0), 0);
  const packages = sum((file) => file.startsWith(`${modules}/`));
  const program = sum((file) => file.startsWith(`${home}/`)) - packages;
  const parts = { base: known, node: sum((file) => !file.startsWith(`${home}/`)), packages, program };
  const isPackage = /node_modules\/(@[^/]+\/)?[^/@]+\/package\.json$/;
  return {
    parts,
    total: Object.values(parts).reduce((one, other) => one + other, 0),
    packages: all.filter(({ file }) => isPackage.test(file)).length,
  };
}

async function listFiles(root: string): Promise<{ file: string; bytes: number }[]> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => !entry.isDirectory());
  return Promise.all(
    files.map(async ({ parentPath, name }) => {
      const file = path.join(parentPath, name);
      return { file, bytes: (await lstat(file)).size };
    }),
  );
}
