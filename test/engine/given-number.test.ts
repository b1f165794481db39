import { expect, test } from '@jest/globals';
import { encodeExecution } from '../../src/chain/abi/execution.ts';
import { OPERATOR } from '../../src/chain/abi/interfaces.ts';
import { intentId } from '../../src/chain/abi/operator.ts';
import { query } from '../../src/db/client.ts';
import { keyOf } from '../../src/engine/intent.ts';
import { openLane } from '../../src/engine/lane/lane.ts';
import { settleInEpoch } from '../../src/engine/send/already-done.ts';
import { toBytes } from '../../src/lib/hex.ts';
import { createLaneParts, insertChain, insertLane } from '../setup/lanes.ts';
import { insertAccount } from '../../lab/stage/accounts.ts';
import { queueIntent } from '../setup/queue.ts';
import { useSuiteDatabase } from '../setup/suite-database.ts';
import { ENGINE_CONFIG } from './engine-config.ts';

/* A database that lost commits gave a request's number to another: the Operator has done the lost one under it. */

const SIGNER = `0x${'01'.repeat(20)}` as const;
const CONTRACT = `0x${'c0'.repeat(20)}` as const;
const HASH = `0x${'aa'.repeat(32)}` as const;
const BLOCK = { number: 2n, hash: `0x${'bb'.repeat(32)}` } as const;
const DATA = '0x40c10f19' as const;

const { db } = useSuiteDatabase(2);

/** A chain on which a transaction has done a call under a number, and the lane that asks it. */
function openLaneOn(number: bigint, key: bigint) {
  const { data, topics } = OPERATOR.encodeEventLog('CallExecuted', [intentId(1n, number), 50_000n, 0n]);
  const call = { target: CONTRACT, data: DATA, gasCap: 60_000, number, key };
  const answers: Record<string, unknown> = {
    eth_call: `0x${(1n << (number % 256n)).toString(16)}`,
    eth_getLogs: [{ address: CONTRACT, data, topics, transactionHash: HASH, blockNumber: '0x2' }],
    eth_getTransactionByHash: { to: CONTRACT, input: encodeExecution(1n, [call]) },
  };
  const parts = createLaneParts(db, SIGNER, {
    config: ENGINE_CONFIG,
    rpc: { call: async <Result>(method: string) => answers[method] as Result },
    chain: { fresh: async () => ({ final: BLOCK, head: BLOCK }), expectBlock: () => undefined },
  });
  return openLane(parts, { term: 1n, nextNonce: 0n });
}

test.each([
  ['the same request', (id: string) => keyOf(id), 'confirmed', 'confirmed'],
  ['another request with an equal call', (id: string) => keyOf(id) ^ 1n, 'another', 'queued'],
] as const)('an effect under the number of an intent, of %s', async (_whose, keyFor, found, status) => {
  await db.raw('truncate accounts, chain, operators, intents, lanes, transactions, contracts cascade');
  await insertAccount(db);
  await insertChain(db, CONTRACT);
  await insertLane(db, SIGNER);
  const { id, number } = await queueIntent(db, CONTRACT);
  const bindings = { number: String(number), data: toBytes(DATA) };
  await query(db, 'update intents set calldata = :data where number = :number', bindings);
  const intent = {
    ...{ id, number, epoch: 1n, data: DATA },
    ...{ operator: CONTRACT, contract: CONTRACT, target: CONTRACT },
  };
  const lane = openLaneOn(number, keyFor(id));
  expect(await settleInEpoch(lane, { final: BLOCK, head: BLOCK }, intent)).toBe(found);
  expect(await query(db, 'select status from intents')).toEqual([{ status }]);
});
