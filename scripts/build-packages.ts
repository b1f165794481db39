import path from 'node:path';
import { buildClient } from './packages/client.ts';
import { root } from './packages/compile.ts';
import { buildContracts } from './packages/contracts.ts';

/**
 * Builds the packages under packages/ where they are, as `npm pack` and `npm publish` do first:
 *
 *   node scripts/build-packages.ts [client] [contracts]
 */
const builders: Record<string, (to: string) => Promise<void>> = {
  client: buildClient,
  contracts: buildContracts,
};

const asked = process.argv.slice(2);
for (const name of asked.length > 0 ? asked : Object.keys(builders)) {
  const build = builders[name];
  if (!build) throw new Error(`There is no package ${name}: say ${Object.keys(builders).join(' or ')}`);
  await build(path.join(root, 'packages', name));
}
