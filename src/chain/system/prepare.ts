import { DETERMINISTIC_DEPLOYER } from '../../lib/deterministic-deployer.ts';
import type { Hex } from '../../lib/hex.ts';
import type { Logger } from '../../telemetry/logger.ts';
import { createProgress } from '../../telemetry/progress.ts';
import { isLocalNode } from '../profile.ts';
import type { ChainProfile } from '../profile.ts';
import { encodeAdminExecute, grantOf, isExecutor, nextStepOf } from './roles.ts';
import type { Rpc } from '../rpc/rpc.ts';
import { sendAndWait } from './send-and-wait.ts';
import type { Signer } from '../signing/signer.ts';
import type { System } from './system-contracts.ts';

interface Preparation {
  rpc: Rpc;
  log: Logger;
  chainId: bigint;
  profile: ChainProfile;
  system: System;
  /** The Operators through which contracts are called. */
  operators: readonly Hex[];
  /** Signers to make executors. */
  signers: readonly Signer[];
  /** Pays for deployments; not used when nothing is missing. */
  payer: Signer;
  /** The Operator's admin, when this process has its key. */
  admin: Signer | null;
}

/**
 * Makes sure that the chain has the whole system: deploys what is missing and makes the signers executors. When nothing
 * is missing this costs one call a contract and one a signer.
 * @throws Error with one sentence that says what is missing and what to do
 */
export async function prepareSystem(preparation: Preparation): Promise<void> {
  await deployMissing(preparation);
  await makeExecutors(preparation);
}

async function deployMissing(preparation: Preparation): Promise<void> {
  const { rpc, log, system, payer } = preparation;
  const codes = await Promise.all(
    system.contracts.map(({ address }) => rpc.call<Hex>('eth_getCode', [address, 'latest'])),
  );
  const missing = system.contracts.filter((_, index) => codes[index] === '0x');
  if (missing.length === 0) return;
  await requireDeployer(preparation);
  const progress = createProgress(log);
  const began = performance.now();
  for (const [index, { name, address, deployment }] of missing.entries()) {
    const place = { contract: index + 1, of: missing.length, name };
    progress(place, 'deploying the system contracts, each in a block of its own');
    await sendAndWait(preparation, payer, { to: DETERMINISTIC_DEPLOYER.address, data: deployment });
    if ((await rpc.call<Hex>('eth_getCode', [address, 'latest'])) === '0x') {
      throw new Error(
        `The deployment of ${name} left no code at ${address}: does the signer have enough gas?`,
      );
    }
  }
  const seconds = Math.round((performance.now() - began) / 1_000);
  log.info({ contracts: missing.length, seconds }, 'deployed the system contracts');
}

/** Hardhat's node starts without the deployer, and anvil does too when it is told to: both let it be put there. */
async function requireDeployer({ rpc, log, chainId, profile }: Preparation): Promise<void> {
  const { address, code } = DETERMINISTIC_DEPLOYER;
  if ((await rpc.call<Hex>('eth_getCode', [address, 'latest'])) !== '0x') return;
  if (!isLocalNode(chainId, profile)) {
    throw new Error(
      `This chain lacks the deterministic deployer at ${address}: put it there first (see docs/operate.md)`,
    );
  }
  log.debug({ address }, 'putting the deterministic deployer on the chain');
  // Anvil knows the method by this name as well.
  await rpc.call('hardhat_setCode', [address, code]);
}

async function makeExecutors(preparation: Preparation): Promise<void> {
  const { rpc, log, operators, signers, admin } = preparation;
  for (const { address } of signers) {
    const roles = await Promise.all(operators.map((operator) => isExecutor(rpc, operator, address)));
    for (const operator of operators.filter((_, index) => !roles[index])) {
      const grant = grantOf(operator, address);
      if (admin && (await nextStepOf(rpc, operator, grant)) === 'execute') {
        log.debug({ signer: address, operator }, 'making the signer an executor');
        await sendAndWait(preparation, admin, { to: operator, data: encodeAdminExecute(grant) });
        continue;
      }
      const missing = `The signer ${address} is no executor of the Operator ${operator}: run "npm run admin -- signers grant ${address}"`;
      // Only the calls of that Operator wait for it.
      if (!roles.includes(true)) throw new Error(missing);
      log.warn(missing);
    }
  }
}
