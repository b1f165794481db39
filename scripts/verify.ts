import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { setTimeout as sleep } from 'node:timers/promises';
import { Command, Option } from 'commander';
import { createHardhatRuntimeEnvironment } from 'hardhat/hre';
import type { CompilerInput } from 'hardhat/types/solidity';
import solc from 'solc';
import config from '../hardhat.config.ts';
import { createRpc } from '../src/chain/rpc/rpc.ts';
import { describeSystem, usualAdminDelay } from '../src/chain/system/system-contracts.ts';
import type { SystemContract } from '../src/chain/system/system-contracts.ts';
import { findDatabase } from '../src/admin/open.ts';
import { readAdminConfig } from '../src/config.ts';
import type { Config } from '../src/config.ts';
import { createDb } from '../src/db/client.ts';
import { readDeploymentId } from '../src/engine/index.ts';
import type { Hex } from '../src/lib/hex.ts';

/*
 * Publishes the sources of the system contracts. The plugin's own `verify` reads the compiler's version from metadata
 * behind the code, which ours leaves out, so that its bytes depend on nothing but the sources.
 */

type Provider = 'sourcify' | 'etherscan';

interface Submission {
  address: string;
  /** `contracts/Operator.sol:Operator`. */
  name: string;
  input: CompilerInput;
  /** `v0.8.37+commit.6a30ef38`. */
  compiler: string;
  /** ABI-encoded, without 0x. */
  constructorArguments: string;
}

const root = fileURLToPath(new URL('..', import.meta.url));

async function verify(provider: Provider): Promise<void> {
  const service = readAdminConfig();
  const { rpcUrls, operatorAdmin, operatorAdminDelay } = service;
  if (!rpcUrls || !operatorAdmin) throw new Error('Set RPC_URL and OPERATOR_ADMIN to those of the service');
  const rpc = createRpc(rpcUrls);
  const chainId = await rpc.identify();
  const hre = await createHardhatRuntimeEnvironment(
    {
      ...config,
      networks: { live: { type: 'http', url: rpcUrls[0]!, chainId: Number(chainId) } },
    },
    { buildProfile: 'deployed', network: 'live' },
    root,
  );
  const { contracts } = describeSystem({
    admin: operatorAdmin,
    adminDelay: operatorAdminDelay ?? usualAdminDelay(chainId),
    chainId,
    ...(await findDeployment(service)),
  });
  for (const [index, contract] of contracts.entries()) {
    const place = `${index + 1} of ${contracts.length}: ${contract.name} at ${contract.address}`;
    if ((await rpc.call('eth_getCode', [contract.address, 'latest'])) === '0x')
      throw new Error(`${place} is not there: start an engine once, which deploys it`);
    const submission = await prepare(hre, contract);
    const verdict =
      provider === 'sourcify'
        ? await submitToSourcify(hre.config.verify.sourcify.apiUrl!, chainId, submission)
        : await submitToEtherscan(hre, submission);
    process.stdout.write(`${place}: ${verdict}\n`);
  }
  rpc.close();
}

/**
 * What the Operator's address follows from beside its arguments. @throws ConfigError for a database that is not there
 */
async function findDeployment(service: Config): Promise<{ deploymentId?: Hex }> {
  if (service.developing) return {};
  await using stack = new AsyncDisposableStack();
  const db = stack.use(createDb(await findDatabase(service, stack), 1));
  return { deploymentId: await readDeploymentId(db) };
}

type Runtime = Awaited<ReturnType<typeof createHardhatRuntimeEnvironment>>;

/** Collects the sources; whoever verifies them compiles them. */
async function prepare(hre: Runtime, contract: SystemContract): Promise<Submission> {
  const sourceName = `contracts/${contract.name}.sol`;
  const file = path.join(root, sourceName);
  const jobs = await hre.solidity.getCompilationJobs([file], {
    buildProfile: 'deployed',
    quiet: true,
    force: true,
  });
  const job = jobs.success ? jobs.compilationJobsPerFile.get(file) : undefined;
  if (!job) throw new Error(`${sourceName} cannot be compiled`);
  const input = await job.getSolcInput();
  return {
    address: contract.address,
    name: `${Object.keys(input.sources).find((name) => name.endsWith(sourceName))}:${contract.name}`,
    input,
    compiler: `v${/^[\d.]+\+commit\.[0-9a-f]+/.exec((solc as { version(): string }).version())?.[0]}`,
    constructorArguments: contract.constructorArguments.slice(2),
  };
}

/** Version 2 of Sourcify's API. Returns the verdict in words. */
async function submitToSourcify(
  api: string,
  chainId: bigint,
  { address, name, input, compiler }: Submission,
): Promise<string> {
  interface Answer {
    verificationId?: string;
    customCode?: string;
    message?: string;
    isJobCompleted?: boolean;
    error?: { customCode: string; message: string };
    contract?: { match: string | null };
  }
  const ask = async (route: string, body?: unknown): Promise<Answer> => {
    const headers = { 'Content-Type': 'application/json' };
    const answer = await fetch(
      `${api}/v2/verify/${route}`,
      body ? { method: 'POST', headers, body: JSON.stringify(body) } : {},
    );
    return (await answer.json()) as Answer;
  };
  const body = { stdJsonInput: input, compilerVersion: compiler, contractIdentifier: name };
  const taken = await ask(`${chainId}/${address}`, body);
  if (taken.customCode === 'already_verified') return 'verified already';
  if (!taken.verificationId) throw new Error(`Sourcify refused ${name}: ${taken.message}`);
  for (;;) {
    const { isJobCompleted, error, contract } = await ask(taken.verificationId);
    if (error?.customCode === 'already_verified') return 'verified already';
    if (error) throw new Error(`Sourcify could not verify ${name}: ${error.message}`);
    if (isJobCompleted && contract?.match) return 'verified';
    await sleep(2_000);
  }
}

async function submitToEtherscan(hre: Runtime, submission: Submission): Promise<string> {
  const { verification } = await hre.network.create();
  const { etherscan } = verification;
  const { address, name, input, compiler, constructorArguments } = submission;
  if (await etherscan.isVerified(address)) return 'verified already';
  const id = await etherscan.verify({
    contractAddress: address,
    compilerInput: input,
    contractName: name,
    compilerVersion: compiler,
    constructorArguments,
  });
  const { success, message } = await etherscan.pollVerificationStatus(id, address, name);
  if (!success) throw new Error(`Etherscan could not verify ${name}: ${message}`);
  return 'verified';
}

const program = new Command('npm run verify --')
  .description(
    'Publishes the sources of the system contracts of the service that RPC_URL, DATABASE_URL and OPERATOR_ADMIN name.',
  )
  .addOption(new Option('--provider <name>', 'where').choices(['sourcify', 'etherscan']).default('sourcify'))
  .action(({ provider }: { provider: Provider }) => verify(provider));
try {
  await program.parseAsync();
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
