import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { MAX_BYTES, measure } from './image/measure.ts';
import { runSteps } from './image/run-steps.ts';

/*
 * Runs the steps of ops/container/Dockerfile in a temporary folder, without a container, and says what the image will
 * measure. Exit code 1 when that is too much.
 */

await using stack = new AsyncDisposableStack();
const folder = await mkdtemp(path.join(tmpdir(), 'mintmark-image-'));
stack.defer(() => rm(folder, { recursive: true, force: true }));
const { parts, total, packages } = await measure(await runSteps(folder));
const inMegabytes = (bytes: number): string => `${(bytes / 1_000_000).toFixed(1).padStart(6)} MB`;
for (const [name, bytes] of Object.entries(parts)) console.log(`${name.padEnd(10)}${inMegabytes(bytes)}`);
console.log(
  `${'total'.padEnd(10)}${inMegabytes(total)} of ${inMegabytes(MAX_BYTES).trim()}, ${packages} packages`,
);
if (total >= MAX_BYTES) process.exitCode = 1;
