import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { JsonRpcProvider, keccak256 } from 'ethers';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { buildContracts } from '../../scripts/packages/contracts.ts';
import { PROFILES } from '../../src/chain/profile.ts';
import { createRpc } from '../../src/chain/rpc/rpc.ts';
import { createKeySigner } from '../../src/chain/signing/signer.ts';
import type { Signer } from '../../src/chain/signing/signer.ts';
import { prepareSystem } from '../../src/chain/system/prepare.ts';
import { isExecutor } from '../../src/chain/system/roles.ts';
import { describeSystem } from '../../src/chain/system/system-contracts.ts';
import { computeAddresses } from '../../packages/contracts/src/compute-addresses.ts';
import { systemModule } from '../../packages/contracts/src/ignition.ts';
import { systemAddresses } from '../../packages/contracts/src/system-addresses.ts';
import { embeddedAccounts } from '../../src/embedded/accounts.ts';
import { readDeploymentId } from '../../src/engine/index.ts';
import { createLogger } from '../../src/telemetry/logger.ts';
import { openChain } from '../setup/chain.ts';
import { startHardhatNode } from '../setup/hardhat-node.ts';
import { execute, installInto, pack, root } from '../setup/npm.ts';
import { startTestService } from '../../lab/stage/service.ts';
import type { TestService } from '../../lab/stage/service.ts';

/** The package as npm would get it, in an empty project, with the programs of its README. */
const readme = await readFile(path.join(root, 'packages/contracts/README.md'), 'utf8');
const blocks = new Map(
  [...readme.matchAll(/^```\w+ (\S+)\n(.*?)^```$/gms)].map(([, name, code]) => [name!, code!]),
);

let mintmark: TestService;
let folder: string;
let project: string;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'mintmark-contracts-'));
  project = path.join(folder, 'project');
  [mintmark] = await Promise.all([startTestService(), install()]);
});

afterAll(async () => {
  await mintmark?.stop();
  if (folder) await rm(folder, { recursive: true, force: true });
});

async function install(): Promise<void> {
  const copy = path.join(folder, 'contracts');
  await cp(path.join(root, 'packages/contracts'), copy, { recursive: true });
  await buildContracts(copy);
  await installInto(project, await pack(path.join(folder, 'archives'), [copy]));
  // What a developer has beside it; taken from the clone, so that no registry is asked.
  await mkdir(path.join(project, 'node_modules/@openzeppelin'), { recursive: true });
  for (const name of ['viem', 'hardhat', '@nomicfoundation', '@openzeppelin/contracts', '@types'])
    await symlink(path.join(root, 'node_modules', name), path.join(project, 'node_modules', name));
}

async function run(args: string[], env: Record<string, string> = {}): Promise<string> {
  const { stdout } = await execute(process.execPath, args, {
    cwd: project,
    env: { ...process.env, ...env, HARDHAT_DISABLE_TELEMETRY: 'true' },
  }).catch(({ stdout: said, stderr }: { stdout: string; stderr: string }) => {
    throw new Error(`${said}\n${stderr}`);
  });
  return stdout;
}

async function writeBlock(name: string, to = name): Promise<void> {
  await mkdir(path.dirname(path.join(project, to)), { recursive: true });
  await writeFile(path.join(project, to), blocks.get(name)!);
}

test('the package has the version of the contract, and publint finds nothing', async () => {
  const pkgDir = path.join(project, 'node_modules/@mintmark/contracts');
  const { messages, pkg } = await publint({ pkgDir, pack: false, strict: true });
  expect(messages.map((message) => formatMessage(message, pkg ?? {}))).toEqual([]);
  const { info } = JSON.parse(await readFile(path.join(root, 'generated/openapi.json'), 'utf8')) as {
    info: { version: string };
  };
  expect(pkg?.['version']).toBe(info.version);
});

test('a Hardhat 3 project compiles a contract that imports an interface', async () => {
  await writeBlock('Doorman.sol', 'contracts/Doorman.sol');
  const compiler = { version: '0.8.37', path: path.join(root, 'node_modules/solc/soljson.js') };
  const config = `export default { solidity: ${JSON.stringify(compiler)} };`;
  await writeFile(path.join(project, 'hardhat.config.js'), config);
  await run(['node_modules/hardhat/dist/src/cli.js', 'build']);
  const artifact = path.join(project, 'artifacts/contracts/Doorman.sol/Doorman.json');
  const { abi, bytecode } = JSON.parse(await readFile(artifact, 'utf8')) as {
    abi: object[];
    bytecode: string;
  };
  expect(abi).toContainEqual(expect.objectContaining({ name: 'mayEnter' }));
  expect(bytecode.length).toBeGreaterThan(500);
});

test('viem mints and reads a token of the service, typed by the ABI', async () => {
  const [, , owner] = embeddedAccounts;
  const { api } = await mintmark.register();
  await api.PATCH('/me', { body: { walletAddress: owner.address } });
  const { data } = await api.POST('/tokens', { body: { type: 'ERC20', name: 'Alice Coin', symbol: 'ALC' } });
  if (!data || !('success' in data)) throw new Error('cannot deploy');
  const { address } = data.data;
  await api.POST('/tokens/{address}/mint', {
    params: { path: { address } },
    body: { owner: owner.address, amount: '7' },
  });

  await writeBlock('mint.ts');
  const wrong = blocks
    .get('mint.ts')!
    .replace('args: [owner.account.address, 5n]', "args: [owner.account.address, '5']");
  await writeFile(path.join(project, 'wrong.ts'), wrong);
  const options = [
    '--strict',
    '--module',
    'nodenext',
    '--target',
    'es2022',
    '--types',
    'node',
    '--skipLibCheck',
  ];
  const compiler = path.join(root, 'node_modules/typescript/bin/tsc');
  // What is wrong is said of the wrong one alone, and the other one is written all the same.
  const said = await run([compiler, ...options, 'mint.ts', 'wrong.ts']).catch(String);
  expect(said).toMatch(/wrong\.ts.*bigint/s);
  expect(said).not.toContain('mint.ts');
  const env = { RPC_URL: mintmark.chain.url, TOKEN: address, OWNER_KEY: owner.privateKey };
  expect(JSON.parse(await run(['mint.js'], env))).toEqual({
    status: 'success',
    balance: '12',
    name: 'Alice Coin',
    paused: false,
  });
  using chain = openChain(mintmark);
  expect(await chain.erc20(address).getFunction('totalSupply')()).toBe(12n);
});

test('the addresses are those of the service', async () => {
  await writeBlock('addresses.ts', 'addresses.mjs');
  const [computed, listed] = (await run(['addresses.mjs']))
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as object);
  const { contracts: _contracts, ...embedded } = describeSystem({
    admin: embeddedAccounts[1].address,
    adminDelay: 0,
    chainId: 31_337n,
  });
  expect(computed).toEqual(embedded);
  expect(listed).toEqual(embedded);

  const { operator, tokenFactory } = mintmark.service.context.system;
  const [admin] = embeddedAccounts;
  const { db } = mintmark.service.context;
  const found = systemAddresses({
    admin: admin.address,
    ...{ adminDelaySeconds: 0, revocableSeconds: 0, keccak256 },
    deploymentId: await readDeploymentId(db),
  });
  expect(found).toMatchObject({ operator, tokenFactory });
  const publicChain = systemAddresses({ admin: admin.address, keccak256 });
  expect(publicChain.operator).toBe(
    describeSystem({ admin: admin.address, adminDelay: 172_800, chainId: 1n }).operator,
  );
  expect(() => computeAddresses({ ...embedded }, { admin: '0x12', keccak256 })).toThrow(
    'admin must be an address, and is "0x12"',
  );
});

test('CommonJS and JSON have the same ABIs', async () => {
  const program = `
    const own = require('@mintmark/contracts');
    const same = (name, abi) => JSON.stringify(require('@mintmark/contracts/abi/' + name + '.json')) === JSON.stringify(abi);
    console.log(JSON.stringify([same('ManagedERC20', own.managedErc20Abi), same('ManagedERC721', own.managedErc721Abi),
      same('Operator', own.operatorAbi), same('TokenFactory', own.tokenFactoryAbi),
      same('CollectionFactory', own.collectionFactoryAbi), same('TokenDescriptor', own.tokenDescriptorAbi)]));
  `;
  await writeFile(path.join(project, 'common.cjs'), program);
  expect(JSON.parse(await run(['common.cjs']))).toEqual(Array.from({ length: 6 }, () => true));
});

/**
 * A project of Hardhat with the module of the README, for the node at `url`. Returns a way to run a command of the
 * README.
 */
async function writeIgnitionProject(
  to: string,
  url: string,
): Promise<(name: string, option?: string) => Promise<string>> {
  await mkdir(path.join(to, 'ignition/modules'), { recursive: true });
  await symlink(path.join(project, 'node_modules'), path.join(to, 'node_modules'));
  await writeFile(path.join(to, 'package.json'), '{ "type": "module" }');
  const networks = JSON.stringify({ localhost: { type: 'http', url } });
  const config = `import ignition from '@nomicfoundation/hardhat-ignition';
    export default { plugins: [ignition], networks: ${networks} };`;
  await writeFile(path.join(to, 'hardhat.config.js'), config);
  const module = 'ignition/modules/Mintmark.ts';
  await writeFile(path.join(to, module), blocks.get(module)!);
  return async (name, option = '') => {
    const lines = blocks
      .get(name)!
      .replace('npx hardhat', 'node node_modules/hardhat/dist/src/cli.js')
      .replace('http://127.0.0.1:8545', url);
    const env = { ...process.env, HARDHAT_DISABLE_TELEMETRY: 'true' };
    const { stdout, stderr } = await execute('sh', ['-eu', '-c', `${lines.trimEnd()} ${option}`], {
      cwd: to,
      env,
    }).catch((failed: { stdout: string; stderr: string }) => failed);
    return stdout + stderr;
  };
}

test('Hardhat Ignition puts the system where the service does, whose start then deploys nothing more', async () => {
  await using node = await startHardhatNode();
  const own = path.join(folder, 'ignition');
  const play = await writeIgnitionProject(own, node.url);
  expect(await play('ignition')).toMatch(/Mintmark#needsDeterministicDeployer: Static call failed/);
  const provider = new JsonRpcProvider(node.url, undefined, { staticNetwork: true });
  await using stack = new AsyncDisposableStack();
  stack.defer(() => provider.destroy());
  expect(await provider.getTransactionCount(embeddedAccounts[0].address)).toBe(1);

  await play('deployer');
  expect(await play('ignition', '--reset')).toContain('Mintmark#CollectionFactory');
  const addresses = path.join(own, 'ignition/deployments/chain-31337/deployed_addresses.json');
  const deployed = Object.values(JSON.parse(await readFile(addresses, 'utf8')) as Record<string, string>);
  const system = describeSystem({ admin: embeddedAccounts[1].address, adminDelay: 0, chainId: 31_337n });
  expect(new Set(deployed.map((address) => address.toLowerCase()))).toEqual(
    new Set(system.contracts.map(({ address }) => address)),
  );
  for (const { address } of system.contracts) expect(await provider.getCode(address)).not.toBe('0x');

  const [signer, admin] = embeddedAccounts.map(({ privateKey }) => createKeySigner(privateKey)) as [
    Signer,
    Signer,
  ];
  const rpc = stack.use(createRpc([node.url]));
  const sent = await provider.getTransactionCount(signer.address);
  await prepareSystem({
    ...{ rpc, chainId: 31_337n, profile: PROFILES['hardhat']!, log: createLogger('silent') },
    ...{ system, operators: [system.operator], signers: [signer], payer: signer, admin },
  });
  expect(await provider.getTransactionCount(signer.address)).toBe(sent);
  expect(await isExecutor(rpc, system.operator, signer.address)).toBe(true);
});

test('the module leaves out what it is told is there already', () => {
  const [, admin] = embeddedAccounts;
  const present = ['descriptor', 'managedErc20', 'managedErc721'] as const;
  const { futures } = systemModule({ admin: admin.address, keccak256, present });
  const sent = [...futures].flatMap(({ id }) => /^Mintmark#deploy(.+)/.exec(id)?.[1] ?? []);
  expect(sent.sort()).toEqual(['CollectionFactory', 'Operator', 'TokenFactory']);
});
