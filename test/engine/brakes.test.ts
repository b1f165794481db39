import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test } from '@jest/globals';
import { query } from '../../src/db/client.ts';
import { deployTargets, emptyLog, mintOnce } from '../../lab/load/load.ts';
import type { Target } from '../../lab/load/load.ts';
import { startStand } from '../setup/stand.ts';
import type { Stand } from '../setup/stand.ts';
import { RECIPIENT } from '../../lab/stage/tokens.ts';

/* What stops or bounds a token goes before what else of it waits. */

let stand: Stand;
afterEach(() => stand.stop());

/** Lets a node make blocks on command, and queues as many mints of the token as are asked for. */
async function queueMints(count: number): Promise<Target> {
  stand = await startStand({});
  const [target] = (await deployTargets([await stand.mintmark.register()])) as [Target];
  await mintOnce(target, emptyLog());
  await stand.quiet();
  await stand.anvil.call('evm_setAutomine', [false]);
  await query(
    stand.mintmark.service.context.db,
    `with queued as (
       insert into intents (id, account_id, environment, kind, contract, target, calldata, operator, epoch, arguments, gas_estimate, gas_max, status)
       select gen_random_uuid(), account_id, environment, kind, contract, target, calldata, operator, epoch, arguments, gas_estimate, gas_max, 'queued'
         from intents, generate_series(1, :count::int) where kind = 'mint' returning contract
     )
     update contracts c set waiting = true from (select distinct contract from queued) q where c.contract = q.contract`,
    { count },
  );
  await stand.waitForRow(`select 1 from transactions where status = 'open'`);
  // It sends what a block takes.
  await sleep(1_000);
  return target;
}

/** Asks for a control that is carried out later. */
async function control(
  { account: { api }, address }: Target,
  path: `/tokens/{address}/${'pause' | 'unpause' | 'lock-transfers' | 'freeze' | 'unfreeze'}`,
): Promise<void> {
  const { response } = await api.POST(path, {
    params: { path: { address }, header: { Prefer: 'respond-async' } },
    ...(path.endsWith('freeze') ? { body: { account: RECIPIENT } } : {}),
  });
  expect(response.status).toBe(202);
}

/** Waits until the last intent of a kind is signed, and its bytes are with the node. */
async function untilBroadcast(kind: string): Promise<void> {
  const [row] = await stand.waitForRow<{ hash: string }>(
    `select '0x' || encode(transaction_hash, 'hex') as hash from (
       select status, transaction_hash from intents where kind = '${kind}' order by number desc limit 1) last
      where status <> 'queued'`,
  );
  while (!(await stand.anvil.call('eth_getTransactionByHash', [row!.hash]))) await sleep(20);
}

const mine = () => stand.anvil.call('evm_mine');
async function countOf(condition: string): Promise<number> {
  const [row] = await query<{ count: number }>(
    stand.mintmark.service.context.db,
    `select count(*)::int as count from intents where ${condition}`,
  );
  return row!.count;
}

test('a pause is in the second block behind 10,000 mints of its contract, and those that were not sent before it fail', async () => {
  const target = await queueMints(10_000);
  await control(target, '/tokens/{address}/pause');
  await sleep(500);
  await mine();
  await untilBroadcast('pause');
  await mine();
  await stand.waitForRow(`select 1 from intents where kind = 'pause' and status = 'confirmed'`);
  // What was sent before it is in the same block at the latest.
  const SENT = `kind = 'mint' and status in ('submitted', 'confirmed')`;
  const sent = await countOf(SENT);
  await stand.waitForRow(`select 1 from intents where kind = 'mint' and status = 'failed' offset 500`);
  expect(await countOf(SENT)).toBe(sent);
});

test('a control that was asked before a brake comes along, in their order', async () => {
  const target = await queueMints(6_000);
  for (const verb of ['lock-transfers', 'freeze', 'unfreeze', 'freeze'] as const)
    await control(target, `/tokens/{address}/${verb}`);
  await sleep(500);
  await mine();
  await untilBroadcast('freeze');
  await mine();
  await stand.waitForRow(
    `select 1 where not exists (select 1 from intents where kind like '%freeze' and status <> 'confirmed')`,
  );
  expect(await countOf(`kind = 'mint' and status = 'queued'`)).toBeGreaterThan(0);
  const logs = await stand.anvil.call<{ topics: string[]; data: string }[]>('eth_getLogs', [
    { address: target.address, fromBlock: 'earliest', toBlock: 'latest' },
  ]);
  const states = logs.filter(({ topics }) => topics.length === 2).map(({ data }) => Number(data));
  expect(states.slice(-3)).toEqual([1, 0, 1]);
});

test('a control that no brake is behind takes its turn', async () => {
  const target = await queueMints(6_000);
  await control(target, '/tokens/{address}/pause');
  await control(target, '/tokens/{address}/unpause');
  await sleep(500);
  await mine();
  await untilBroadcast('pause');
  await mine();
  await stand.waitForRow(`select 1 from intents where kind = 'mint' and status = 'failed'`);
  expect(await countOf(`kind = 'unpause' and status = 'queued'`)).toBe(1);
});
