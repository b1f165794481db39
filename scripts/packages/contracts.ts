import { cp, mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import * as generated from '../../generated/contracts.ts';
import { compile, root } from './compile.ts';

const ABIS = {
  CollectionFactory: generated.collectionFactoryAbi,
  ManagedERC20: generated.managedErc20Abi,
  ManagedERC721: generated.managedErc721Abi,
  Operator: generated.operatorAbi,
  TokenDescriptor: generated.tokenDescriptorAbi,
  TokenFactory: generated.tokenFactoryAbi,
};

/** Writes `dist`, `abi` and `interfaces` of `@mintmark/contracts`. @param to the package's folder, or a copy of it */
export async function buildContracts(to: string): Promise<void> {
  const from = path.join(root, 'packages/contracts');
  await compile({ from, to, replaced: { 'contracts.ts': 'generated/contracts.ts' } });
  // Hardhat 3 and Ignition are ES modules alone.
  for (const ending of ['cjs', 'd.cts']) await rm(path.join(to, 'dist', `ignition.${ending}`));
  for (const folder of ['abi', 'interfaces'])
    await rm(path.join(to, folder), { recursive: true, force: true });
  await cp(path.join(root, 'contracts/interfaces'), path.join(to, 'interfaces'), { recursive: true });
  await mkdir(path.join(to, 'abi'));
  for (const [name, abi] of Object.entries(ABIS))
    await writeFile(path.join(to, 'abi', `${name}.json`), `${JSON.stringify(abi, null, 2)}\n`);
}
