import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { keccak256 } from 'ethers';
import { createHardhatRuntimeEnvironment } from 'hardhat/hre';
import config from '../hardhat.config.ts';
import { computeAddresses } from '../packages/contracts/src/compute-addresses.ts';
import { embeddedAccounts } from '../src/embedded/accounts.ts';

/**
 * Compiles the contracts and writes ABI and creation bytecode of each one that the service or its tests speak to, and
 * for `@mintmark/contracts` the addresses on the embedded chain.
 */
const contracts = [
  'Operator',
  'TokenFactory',
  'CollectionFactory',
  'ManagedERC20',
  'ManagedERC721',
  'TokenDescriptor',
];

/** EIP-170: what is longer cannot be deployed. */
const MAX_CODE_BYTES = 24_576;

const root = fileURLToPath(new URL('..', import.meta.url));
const hre = await createHardhatRuntimeEnvironment(
  // Apart from what tests compile, so that neither takes the other's for its own.
  { ...config, paths: { ...config.paths, artifacts: 'cache/deployed/artifacts', cache: 'cache/deployed' } },
  { buildProfile: 'deployed' },
  root,
);

/** `ManagedERC20` becomes `managedErc20`. */
function exportName(contract: string): string {
  return contract[0]!.toLowerCase() + contract.slice(1).replace('ERC', 'Erc');
}

async function render(contract: string): Promise<string> {
  const { abi, bytecode, deployedBytecode } = await hre.artifacts.readArtifact(contract);
  const size = (deployedBytecode.length - 2) / 2;
  if (size > MAX_CODE_BYTES) {
    throw new Error(`${contract} has ${size} bytes of code; a chain takes at most ${MAX_CODE_BYTES}.`);
  }
  const items = (abi as unknown[]).map((item) => `  ${JSON.stringify(item)},\n`).join('');
  const name = exportName(contract);
  return `export const ${name}Abi = [\n${items}] as const;\n\nexport const ${name}Bytecode =\n  '${bytecode}';\n`;
}

/** The system of the chain that `npm start` brings along. */
async function renderAddresses(): Promise<string> {
  const bytecodeOf = async (contract: string) => (await hre.artifacts.readArtifact(contract)).bytecode;
  const computed = computeAddresses(
    {
      operator: await bytecodeOf('Operator'),
      tokenFactory: await bytecodeOf('TokenFactory'),
      collectionFactory: await bytecodeOf('CollectionFactory'),
      managedErc20: await bytecodeOf('ManagedERC20'),
      managedErc721: await bytecodeOf('ManagedERC721'),
      descriptor: await bytecodeOf('TokenDescriptor'),
    },
    { admin: embeddedAccounts[1].address, adminDelaySeconds: 0, revocableSeconds: 0, keccak256 },
  );
  const lines = Object.entries(computed).map(([name, address]) => `    ${name}: '${address}',\n`);
  return `/**
 * The system by chain id: that of the chain which \`npm start\` brings along. Elsewhere it depends on the service's
 * admin, see \`systemAddresses\`.
 */
export const addresses = {
  31337: {
${lines.join('')}  },
} as const;
`;
}

await hre.tasks.getTask('build').run({ quiet: true, noTests: true });
const parts: string[] = [];
for (const contract of contracts) parts.push(await render(contract));
const header = '// Written by `npm run generate`. Do not edit.\n\n';
await writeFile(
  path.join(process.argv[2] ?? path.join(root, 'generated'), 'contracts.ts'),
  header + parts.join('\n'),
);
await writeFile(
  path.join(process.argv[2] ?? path.join(root, 'packages/contracts/src'), 'addresses.ts'),
  header + (await renderAddresses()),
);
