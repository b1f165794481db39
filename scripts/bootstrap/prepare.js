import { alone } from './alone.js';
import { installPackages, packagesAreInstalled } from './packages.js';
import { findNode, getNode } from './toolchain.js';

/**
 * Returns `{ node, npm }`, the Node to run everything with and the command line of npm, after getting what is missing of that
 * and of a part of the packages, see `packages.js`. Touches no network when all is there. Another bootstrap that
 * calls this one has seen to it, for what it needs itself.
 */
export async function prepare(root, { part }) {
  const here = await findNode(root);
  const isPrepared = Boolean(process.env.MINTMARK_PREPARED);
  if (here && (isPrepared || (await packagesAreInstalled(root, part)))) return here;
  return alone(root, async () => {
    const toolchain = (await findNode(root)) ?? (await getNode(root));
    if (!(await packagesAreInstalled(root, part))) await installPackages(root, toolchain, part);
    return toolchain;
  });
}
