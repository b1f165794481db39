import { getCreate2Address, keccak256, zeroPadValue } from 'ethers';
import { OPERATOR } from '../chain/abi/interfaces.ts';
import { presentAddress } from '../chain/address.ts';
import { toQuantity } from '../chain/follower/block.ts';
import { adoptOperator } from '../engine/index.ts';
import type { BlockId } from '../lib/block-id.ts';
import { DETERMINISTIC_DEPLOYER } from '../lib/deterministic-deployer.ts';
import type { Hex } from '../lib/hex.ts';
import type { AdminContext, AdministeredChain } from './open.ts';
import type { Report } from './report.ts';

/**
 * Lets a new database go on with an Operator whose database is gone without a backup: what it did is read from the
 * chain, and the same request under the same key of its client is not done again.
 * @throws Error with one sentence
 */
export async function adopt(context: AdminContext, operator: Hex): Promise<Report> {
  const { webhookSecretKeyFile, databaseUrl } = context.config;
  if (databaseUrl && !webhookSecretKeyFile)
    throw new Error(
      'Set WEBHOOK_SECRET_KEY_FILE as it was: the ids of accounts and requests are made with that key',
    );
  const chain = await context.chain();
  const { salt, createdIn } = await findCreation(chain, operator);
  const before = await findBlockBefore(chain, createdIn);
  const isAdopted = await adoptOperator(context.db, { operator, deploymentId: salt, before });
  if (!isAdopted)
    throw new Error(
      'This database has intents or contracts: only one that nobody has used adopts an Operator',
    );
  return {
    json: { operator: presentAddress(operator), fromBlock: Number(before.number) + 1 },
    text:
      `The Operator ${presentAddress(operator)} belongs to this database, which reads the chain from block ${before.number + 1n} on. ` +
      'Start the service: it begins a new epoch, and accepts writes when it has read the rest. Give each account an invite, to register ' +
      'with the e-mail that it had.',
  };
}

interface Creation {
  /** Of CREATE2. */
  salt: Hex;
  /** Number of its block. */
  createdIn: bigint;
}

async function findCreation({ rpc }: AdministeredChain, operator: Hex): Promise<Creation> {
  const address = presentAddress(operator);
  const [granted] = await rpc.call<{ transactionHash: Hex; blockNumber: Hex }[]>('eth_getLogs', [
    {
      address: operator,
      // The role of the admin is given when the contract is made.
      topics: [OPERATOR.getEvent('RoleGranted')!.topicHash, zeroPadValue('0x00', 32)],
      fromBlock: 'earliest',
      toBlock: 'latest',
    },
  ]);
  if (!granted) throw new Error(`The endpoints of RPC_URL show no contract of this service at ${address}`);
  const { to, input } = await rpc.call<{ to: Hex | null; input: Hex }>('eth_getTransactionByHash', [
    granted.transactionHash,
  ]);
  const salt = input.slice(0, 66) as Hex;
  const initcode = `0x${input.slice(66)}`;
  const isOurs =
    to?.toLowerCase() === DETERMINISTIC_DEPLOYER.address &&
    getCreate2Address(to, salt, keccak256(initcode)).toLowerCase() === operator.toLowerCase();
  if (!isOurs) throw new Error(`${address} was not made by a start of this service`);
  return { salt, createdIn: BigInt(granted.blockNumber) };
}

/** As old as an effect may be that a request is compared with, and a day. */
const READ_SECONDS = 2 * 86_400;

/** The last block that need not be read: the one before the Operator's, or of two days ago. */
async function findBlockBefore({ rpc }: AdministeredChain, createdIn: bigint): Promise<BlockId> {
  const read = async (block: bigint | 'latest'): Promise<BlockId & { seconds: number }> => {
    const at = typeof block === 'bigint' ? toQuantity(block) : block;
    const { number, hash, timestamp } = await rpc.call<Record<'number' | 'hash' | 'timestamp', Hex>>(
      'eth_getBlockByNumber',
      [at, false],
    );
    return { number: BigInt(number), hash, seconds: Number(timestamp) };
  };
  let before = await read(createdIn - 1n);
  const latest = await read('latest');
  let after = latest.number;
  while (after - before.number > 1n) {
    const middle = await read((before.number + after) / 2n);
    if (latest.seconds - middle.seconds > READ_SECONDS) before = middle;
    else after = middle.number;
  }
  return { number: before.number, hash: before.hash };
}
