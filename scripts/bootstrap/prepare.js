import { alone } from './alone.js';
import { installPackages, packagesAreInstalled } from './packages.js';
import { findNode, getNode } from './toolchain.js';

/**
 * Returns `{ node, npm }`, the Node to run everything with and the command line of npm, after getting what is missing.
 * Touches no network when all is there.
 */
export async function prepare(root, { runtimeOnly }) {
  const here = await findNode(root);
  if (here && (await packagesAreInstalled(root, { runtimeOnly }))) return here;
  return alone(root, async () => {
    const toolchain = (await findNode(root)) ?? (await getNode(root));
    if (!(await packagesAreInstalled(root, { runtimeOnly }))) await installPackages(root, toolchain);
    return toolchain;
  });
}
