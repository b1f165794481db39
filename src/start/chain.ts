import { createExplorerUrl } from '../chain/chain.ts';
import type { Chain } from '../chain/chain.ts';
import { createBlockCache } from '../chain/rpc/block-cache.ts';
import { RpcUnreachable, createRpc } from '../chain/rpc/rpc.ts';
import type { Rpc } from '../chain/rpc/rpc.ts';
import { LOCAL_CHAINS, isLocalNode } from '../chain/profile.ts';
import { createKeySigner } from '../chain/signing/signer.ts';
import type { Signer } from '../chain/signing/signer.ts';
import { isGuardian, mayStop } from '../chain/system/roles.ts';
import { prepareSystem } from '../chain/system/prepare.ts';
import { describeSystem, usualAdminDelay } from '../chain/system/system-contracts.ts';
import { ConfigError, NO_SIGNER } from '../config.ts';
import type { Config } from '../config.ts';
import type { Db } from '../db/client.ts';
import { embeddedAccounts } from '../embedded/accounts.ts';
import {
  checkChainIdentity,
  checkFinalBlock,
  findOperators,
  doubtWhatIsDone,
  readDeploymentId,
  refuseUnknown,
} from '../engine/index.ts';
import type { Hex } from '../lib/hex.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { Observe } from '../telemetry/observe.ts';
import { chooseProfile } from './chain-profile.ts';
import type { Embedded } from './embedded.ts';
import { probeNodes } from './probe-node.ts';

/** A chain before the service's contracts are known to be on it. */
interface BareChain extends Pick<Chain, 'chainId' | 'rpc' | 'profile'> {
  /** Where it answers: the first one for people. */
  urls: readonly string[];
  /** One sentence when the embedded chain ends by itself. */
  ended: Promise<string>;
}

/** Connects to the chain. @throws Error with one sentence */
export async function openChain(
  config: Config,
  embedded: Embedded['chain'],
  observe: Observe,
  stack: AsyncDisposableStack,
): Promise<BareChain> {
  const { urls, ended } = await findChain(config, embedded, stack);
  const rpc = stack.use(createRpc(urls, { observe }));
  try {
    const chainId = await rpc.identify();
    const profile = await chooseProfile(config, rpc, chainId);
    // Everybody could act for accounts whose keys are public.
    if (config.developing && !isLocalNode(chainId, profile)) throw new ConfigError(NO_SIGNER);
    rpc.limitBatches(profile.maxBatchCalls);
    return { rpc, chainId, profile, urls, ended };
  } catch (error) {
    if (!(error instanceof RpcUnreachable)) throw error;
    throw new ConfigError('The chain does not answer: check RPC_URL');
  }
}

/** The configured endpoints, or the embedded chain. */
async function findChain(
  { rpcUrls }: Config,
  embedded: Embedded['chain'],
  stack: AsyncDisposableStack,
): Promise<{ urls: string[]; ended: Promise<string> }> {
  const own = await embedded;
  if (!own) return { urls: rpcUrls!, ended: new Promise(() => undefined) };
  const { url, ended } = stack.use(own);
  return { urls: [url], ended };
}

/**
 * Makes sure that chain and database belong together, and that the service's contracts are on the chain.
 * @throws Error with one sentence
 */
export async function prepareChain(
  config: Config,
  log: Logger,
  { db, chain, signers }: { db: Db; chain: BareChain; signers: readonly Signer[] },
): Promise<Chain> {
  const { rpc, chainId, profile, urls } = chain;
  const admin = adminOf(config, chainId, signers);
  const adminDelay = config.operatorAdminDelay ?? usualAdminDelay(chainId);
  // Where public accounts sign, everybody finds the contracts: the console, and modules of Ignition.
  const own = config.developing ? {} : { deploymentId: await readDeploymentId(db) };
  const system = describeSystem({ admin: admin.address, adminDelay, chainId, ...own });
  await probeNodes(urls, profile, log);
  await checkAdmin(config, rpc);
  // Before anything is sent: and a start that has to wait for the admin leaves the command line a chain to work on.
  await checkChainIdentity(db, rpc, chainId, system.operator);
  await checkFinalBlock(db, rpc, profile);
  const [payer] = signers;
  const operators = (await findOperators(db)).map(({ operator }) => operator);
  if (payer) {
    const preparation = { rpc, log, chainId, profile, system, operators };
    await prepareSystem({ ...preparation, signers, payer, admin: admin.signer });
  }
  const isAdminMeant = config.network !== 'main' || LOCAL_CHAINS.includes(chainId);
  await refuseStarters(rpc, operators, signers, isAdminMeant ? isGuardian : mayStop);
  await refuseUnknown(db, rpc);
  await doubtWhatIsDone(db, rpc);
  rpc.expectContract(system.operator);
  const explorerUrl = createExplorerUrl(config.explorerUrl);
  const formerOperators = operators.filter((operator) => operator !== system.operator);
  return { chainId, rpc, profile, system, formerOperators, blockCache: createBlockCache(rpc), explorerUrl };
}

/** Code of an account with a delegation, which its key acts for all the same (EIP-7702). */
const DELEGATION = '0xef0100';

/** Where tokens have a price, one key may be the whole admin only if that is said. @throws ConfigError */
async function checkAdmin({ network, operatorAdmin, operatorAdminIsEoa }: Config, rpc: Rpc): Promise<void> {
  if (network !== 'main' || operatorAdmin === null || operatorAdminIsEoa) return;
  const code = await rpc.call<Hex>('eth_getCode', [operatorAdmin, 'latest']);
  if (code !== '0x' && !code.startsWith(DELEGATION)) return;
  throw new ConfigError(
    `OPERATOR_ADMIN ${operatorAdmin} is no contract, so that one key alone may change roles and owners: name a multisig wallet, or set OPERATOR_ADMIN_IS_EOA=true`,
  );
}

/** A thief of a signer's key could else start again what a guardian stopped. @throws Error with one sentence */
async function refuseStarters(
  rpc: Rpc,
  operators: readonly Hex[],
  signers: readonly Signer[],
  mayStart: typeof isGuardian,
): Promise<void> {
  for (const operator of operators)
    for (const { address } of signers)
      if (await mayStart(rpc, operator, address))
        throw new Error(
          `The signer ${address} may start the execution of the Operator ${operator}: take one that is neither its guardian nor its admin, for a thief of its key could start what a guardian stopped`,
        );
}

/** The Operator's admin, and its signer where this process has the key. */
function adminOf(
  config: Config,
  chainId: bigint,
  signers: readonly Signer[],
): { address: string; signer: Signer | null } {
  if (config.operatorAdmin) {
    const address = config.operatorAdmin.toLowerCase();
    return { address, signer: signers.find((signer) => signer.address === address) ?? null };
  }
  if (config.developing) {
    const signer = createKeySigner(embeddedAccounts[1].privateKey);
    return { address: signer.address, signer };
  }
  const [first] = signers;
  // There the first signer may be the Operator's admin.
  if (LOCAL_CHAINS.includes(chainId) && first) return { address: first.address, signer: first };
  throw new ConfigError(
    'OPERATOR_ADMIN is not set: it is the address that may change roles and owners on the chain',
  );
}
