import { Interface, id } from 'ethers';
import { operatorAbi } from '../../generated/contracts.ts';
import type { Hex } from '../db/bytes.ts';
import type { Logger } from '../logger.ts';
import type { Rpc } from './rpc.ts';
import type { Signer } from './signer.ts';
import { DETERMINISTIC_DEPLOYER } from './system-contracts.ts';
import type { System } from './system-contracts.ts';

const operator = new Interface(operatorAbi);
/** Hash of the role's name, as the Operator has it. */
const EXECUTOR_ROLE = id('EXECUTOR_ROLE');
const RECEIPT_LOOK_MS = 100;
const RECEIPT_LOOKS = 1_800;

/**
 * Makes sure that the chain has the whole system: deploys what is missing and makes the signers executors, each by
 * whoever of `signers` may. Finding everything in place costs one call a contract and one a signer.
 *
 * @param payer pays for deployments; on a chain where everything is in place it is never used.
 * @param admin the signer that is the Operator's admin, when this process has its key.
 * @throws Error with one sentence that says what is missing and what to do.
 */
export async function prepareSystem(parts: {
  rpc: Rpc;
  log: Logger;
  chainId: bigint;
  system: System;
  signers: readonly Signer[];
  payer: Signer;
  admin: Signer | null;
}): Promise<void> {
  const { rpc, log, system, signers, payer, admin } = parts;
  const codes = await Promise.all(
    system.contracts.map(({ address }) => rpc.call<Hex>('eth_getCode', [address, 'latest'])),
  );
  const missing = system.contracts.filter((_, index) => codes[index] === '0x');
  if (missing.length > 0) {
    if ((await rpc.call<Hex>('eth_getCode', [DETERMINISTIC_DEPLOYER, 'latest'])) === '0x') {
      throw new Error(
        `This chain lacks the deterministic deployer at ${DETERMINISTIC_DEPLOYER}: put it there first (see docs/operate.md)`,
      );
    }
    for (const { name, address, deployment } of missing) {
      log.debug({ contract: name, address }, 'deploying a system contract');
      await sendAndWait(parts, payer, DETERMINISTIC_DEPLOYER, deployment);
      if ((await rpc.call<Hex>('eth_getCode', [address, 'latest'])) === '0x') {
        throw new Error(
          `The deployment of ${name} left no code at ${address}: does the signer have enough gas?`,
        );
      }
    }
  }
  for (const signer of signers) {
    if (await isExecutor(rpc, system, signer.address)) continue;
    if (!admin) {
      throw new Error(
        `The signer ${signer.address} is no executor of the Operator ${system.operator}: run "npm run admin -- signers grant ${signer.address}"`,
      );
    }
    log.debug({ signer: signer.address }, 'making the signer an executor');
    const grant = operator.encodeFunctionData('grantRole', [EXECUTOR_ROLE, signer.address]) as Hex;
    await sendAndWait(parts, admin, system.operator, grant);
  }
}

/** Whether an address may call `Operator.execute`. */
export async function isExecutor(rpc: Rpc, system: System, address: Hex): Promise<boolean> {
  const data = operator.encodeFunctionData('hasRole', [EXECUTOR_ROLE, address]);
  return BigInt(await rpc.call<Hex>('eth_call', [{ to: system.operator, data }, 'latest'])) === 1n;
}

async function sendAndWait(
  { rpc, chainId }: { rpc: Rpc; chainId: bigint },
  signer: Signer,
  to: Hex,
  data: Hex,
): Promise<void> {
  const [nonce, gas, block, tip] = await Promise.all([
    rpc.call<Hex>('eth_getTransactionCount', [signer.address, 'pending']),
    rpc.call<Hex>('eth_estimateGas', [{ from: signer.address, to, data }]),
    rpc.call<{ baseFeePerGas: Hex }>('eth_getBlockByNumber', ['latest', false]),
    rpc.call<Hex>('eth_maxPriorityFeePerGas', []),
  ]);
  const { raw, hash } = await signer.sign({
    chainId,
    nonce: BigInt(nonce),
    to,
    data,
    gasLimit: (BigInt(gas) * 12n) / 10n,
    maxFeePerGas: 2n * BigInt(block.baseFeePerGas) + BigInt(tip),
    maxPriorityFeePerGas: BigInt(tip),
  });
  await rpc.call('eth_sendRawTransaction', [raw]);
  for (let look = 0; look < RECEIPT_LOOKS; look += 1) {
    const receipt = await rpc.call<{ status: Hex } | null>('eth_getTransactionReceipt', [hash]);
    if (receipt) {
      if (BigInt(receipt.status) === 1n) return;
      throw new Error(`The transaction ${hash} of the start was reverted`);
    }
    await new Promise((resolve) => setTimeout(resolve, RECEIPT_LOOK_MS));
  }
  throw new Error(`The transaction ${hash} of the start was not mined within three minutes`);
}
