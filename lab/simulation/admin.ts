import { setTimeout as sleep } from 'node:timers/promises';
import { Interface, Wallet, id } from 'ethers';
import { embeddedAccounts } from '../../src/embedded/accounts.ts';
import type { Hex } from '../../src/lib/hex.ts';
import type { World } from './world.ts';

/** The administrator of the Operator contract, whom no process knows. */
export const ADMIN = embeddedAccounts[5];
/** Keys that may sign in a world. */
export const SIGNERS = embeddedAccounts.slice(0, 4);
/** May sign as well, and has nothing to pay with. */
export const POOR_SIGNER = embeddedAccounts[4];
/** None of the known chains. */
export const CHAIN_ID = 424_242n;

const OPERATOR = new Interface([
  'function adminExecute(address target, bytes data) payable returns (bytes)',
  'function grantRole(bytes32 role, address account)',
  'function revokeRole(bytes32 role, address account)',
  'function stopExecution()',
  'function startExecution()',
]);
const EXECUTOR_ROLE = id('EXECUTOR_ROLE');
const GWEI = 10n ** 9n;
/** Above every price of a world, and below a node's cap of a transaction's fee. */
const MAX_FEE = 2_000n * GWEI;
const LOOK_MS = 3_000;

interface Sent {
  to: string;
  data?: string;
  value?: bigint;
}

const ofOperator = (name: string, values: unknown[] = []) => OPERATOR.encodeFunctionData(name, values);

/** What an Operator does to itself for its admin. */
const ofItself = (operator: string, name: string, address: string): string =>
  ofOperator('adminExecute', [operator, ofOperator(name, [EXECUTOR_ROLE, address])]);

export const grant = (operator: string, address: string): string => ofItself(operator, 'grantRole', address);
export const revoke = (operator: string, address: string): string =>
  ofItself(operator, 'revokeRole', address);
export const stopExecution = (): string => ofOperator('stopExecution');
export const startExecution = (): string => ofOperator('startExecution');

/** Sends transactions of the administrator into the pool, which never forgets them. */
export async function submitAsAdmin({ chain }: Pick<World, 'chain'>, all: readonly Sent[]): Promise<void> {
  const admin = new Wallet(ADMIN.privateKey);
  const sender = admin.address.toLowerCase() as Hex;
  chain.steady.add(sender);
  let nonce = await chain.pendingNonce(sender);
  for (const sent of all) {
    const raw = await admin.signTransaction({
      ...sent,
      nonce,
      chainId: CHAIN_ID,
      gasLimit: 200_000,
      maxFeePerGas: MAX_FEE,
      maxPriorityFeePerGas: GWEI,
      type: 2,
    });
    await chain.submit(raw as Hex);
    nonce += 1;
  }
}

/** Likewise, and waits until they are in a block. */
export async function sendAsAdmin(world: World, all: readonly Sent[]): Promise<void> {
  const sender = ADMIN.address.toLowerCase() as Hex;
  await world.atomically(() => submitAsAdmin(world, all));
  const next = await world.chain.pendingNonce(sender);
  while ((await world.chain.minedNonce(sender)) < next) await sleep(LOOK_MS);
}
