import { DETERMINISTIC_DEPLOYER } from '../../lib/deterministic-deployer.ts';
import type { Hex } from '../../lib/hex.ts';
import type { Logger } from '../../telemetry/logger.ts';
import type { ChainProfile } from '../profile.ts';
import { encodeGrant, isExecutor } from './roles.ts';
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
  if ((await rpc.call<Hex>('eth_getCode', [DETERMINISTIC_DEPLOYER.address, 'latest'])) === '0x') {
    throw new Error(
      `This chain lacks the deterministic deployer at ${DETERMINISTIC_DEPLOYER.address}: put it there first (see docs/operate.md)`,
    );
  }
  for (const { name, address, deployment } of missing) {
    log.debug({ contract: name, address }, 'deploying a system contract');
    await sendAndWait(preparation, payer, { to: DETERMINISTIC_DEPLOYER.address, data: deployment });
    if ((await rpc.call<Hex>('eth_getCode', [address, 'latest'])) === '0x') {
      throw new Error(
        `The deployment of ${name} left no code at ${address}: does the signer have enough gas?`,
      );
    }
  }
}

async function makeExecutors(preparation: Preparation): Promise<void> {
  const { rpc, log, operators, signers, admin } = preparation;
  const wanted = operators.flatMap((operator) => signers.map((signer) => ({ operator, signer })));
  for (const { operator, signer } of wanted) {
    if (await isExecutor(rpc, operator, signer.address)) continue;
    if (!admin) {
      throw new Error(
        `The signer ${signer.address} is no executor of the Operator ${operator}: run "npm run admin -- signers grant ${signer.address}"`,
      );
    }
    log.debug({ signer: signer.address, operator }, 'making the signer an executor');
    await sendAndWait(preparation, admin, { to: operator, data: encodeGrant(signer.address) });
  }
}
