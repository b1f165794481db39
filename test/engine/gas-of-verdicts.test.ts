import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test } from '@jest/globals';
import { query } from '../../src/db/client.ts';
import type { Hex } from '../../src/lib/hex.ts';
import { createCli } from '../../lab/stage/cli.ts';
import { FLAWLESS } from '../../lab/faults/judge.ts';
import { deployTargets, emptyLog, inParallel, mintOnce } from '../../lab/load/load.ts';
import type { Target } from '../../lab/load/load.ts';
import { EXECUTED_TOPIC } from '../../lab/faults/operator-events.ts';
import { refuseVerdicts } from '../../lab/faults/refused-verdicts.ts';
import { replaceFrom } from '../../lab/faults/reorgs.ts';
import { startStand } from '../setup/stand.ts';
import type { Stand } from '../setup/stand.ts';
import { waitForStatus } from '../../lab/stage/intents.ts';
import { createAsk } from '../../lab/stage/request.ts';
import { SHORT_TIMINGS } from './timings.ts';

/* What faults make of the gas that free writes hold, and are charged. */

const FINALITY = 3;

let stand: Stand;
afterEach(() => stand.stop());

async function boot(more: Record<string, string> = {}): Promise<Target> {
  const variables = { CONFIRMATIONS: String(FINALITY), ...more };
  stand = await startStand({ blockTimeSeconds: 0.25 }, variables, { timings: SHORT_TIMINGS });
  const [target] = await deployTargets([await stand.mintmark.register()]);
  await stand.quiet();
  return target!;
}

const sql = <Row>(text: string): Promise<Row[]> => query<Row>(stand.mintmark.service.context.db, text);
const gasOf = async ({ account }: Target) => (await account.api.GET('/stats/gas')).data!;

async function putMetadata({ account, address }: Target, description = 'd'): Promise<string> {
  const ask = createAsk(stand.mintmark.url);
  const body = { name: 'n', description };
  const headers = { Prefer: 'respond-async' };
  return (await ask(account, 'PUT', `/tokens/${address}/metadata`, body, headers)).intentId!;
}

const ledgerOf = (intent: string) =>
  sql(
    `select l.held, l.committed from ledger l join intents i on i.number = l.intent_number where i.id = '${intent}'`,
  );

/** The gas of the transaction that an intent, alone in it, is confirmed by. */
async function gasUsed({ account }: Target, intent: string): Promise<number> {
  const { transaction } = await waitForStatus(account, intent, 'confirmed');
  const receipt = await stand.anvil.call<{ gasUsed: Hex }>('eth_getTransactionReceipt', [transaction!.hash]);
  return Number(receipt.gasUsed);
}

test('a deep reorg takes a charge back with its verdict, and it is charged again', async () => {
  const target = await boot();
  const intent = await putMetadata(target);
  await stand.quiet();
  expect(await gasOf(target)).toMatchObject({ used: await gasUsed(target, intent), held: 0 });
  const [mined] = await sql<{ block: bigint }>(
    `select t.block_number as block from transactions t join transaction_intents m on m.transaction_id = t.id
       join intents i on i.number = m.intent_number where i.id = '${intent}'`,
  );
  const height = async (): Promise<bigint> => BigInt(await stand.anvil.call<Hex>('eth_blockNumber'));
  while ((await height()) < mined!.block + BigInt(FINALITY) - 1n) await sleep(20);
  stand.proxy.options.faultFor = (method) => (method === 'eth_sendRawTransaction' ? 'withhold' : null);
  await replaceFrom(stand.anvil, mined!.block);
  const log = emptyLog();
  await mintOnce(target, log);
  await stand.waitForRow('select 1 from deep_reorgs where resolved_at is not null');
  await waitForStatus(target.account, intent, 'submitted');
  const { used, held } = await gasOf(target);
  expect(used).toBe(0);
  expect(held).toBeGreaterThan(0);
  expect(await ledgerOf(intent)).toEqual([{ held, committed: 0 }]);
  stand.proxy.options.faultFor = () => null;
  expect(await stand.verdict(log)).toMatchObject({ ...FLAWLESS, acknowledged: 1 });
  const charged = await gasUsed(target, intent);
  expect(await ledgerOf(intent)).toEqual([{ held: 0, committed: charged }]);
  expect(await gasOf(target)).toMatchObject({ used: charged, held: 0 });
});

test('a verdict that the database refuses keeps its gas held, and a retry charges it', async () => {
  const target = await boot();
  const { mintmark, verdict, waitForRow } = stand;
  const { db } = mintmark.service.context;
  await refuseVerdicts(db);
  stand.proxy.options.faultFor = (method) => (method === 'eth_sendRawTransaction' ? 'withhold' : null);
  const intent = await putMetadata(target);
  const { held } = await gasOf(target);
  await query(db, 'insert into refused values (:intent)', { intent });
  stand.proxy.options.faultFor = () => null;
  await waitForRow('select 1 from quarantined');
  expect(await gasOf(target)).toMatchObject({ used: 0, held });
  await query(db, 'delete from refused');
  await createCli(mintmark.environment).ask('intents', 'retry', intent);
  expect(await verdict(emptyLog())).toMatchObject(FLAWLESS);
  expect(await gasOf(target)).toMatchObject({ used: await gasUsed(target, intent), held: 0 });
});

test('only what has to be paid is asked for: no receipt for a mint, one for the transaction of a free write', async () => {
  const target = await boot();
  const asked: string[] = [];
  stand.proxy.options.before = async (method) => void asked.push(method);
  const log = emptyLog();
  await inParallel(10, 5, () => mintOnce(target, log));
  await stand.quiet();
  expect(asked).not.toContain('eth_getTransactionReceipt');
  await putMetadata(target);
  await stand.quiet();
  expect(asked.filter((method) => method === 'eth_getTransactionReceipt')).toHaveLength(1);
});

test('an endpoint without receipts holds up no verdict: then the share is an estimate', async () => {
  const target = await boot();
  stand.proxy.options.faultFor = (method) => (method === 'eth_getTransactionReceipt' ? 'null-receipt' : null);
  const intent = await putMetadata(target);
  expect(await stand.verdict(emptyLog())).toMatchObject(FLAWLESS);
  const [used, all] = [(await gasOf(target)).used, await gasUsed(target, intent)];
  expect(Math.abs(used - all)).toBeLessThan(all / 5);
});

test('calls of one transaction pay what it used beside them by the bytes of their calldata', async () => {
  const target = await boot({ MAX_IN_FLIGHT: '1' });
  stand.proxy.options.faultFor = (method) => (method === 'eth_sendRawTransaction' ? 'withhold' : null);
  await mintOnce(target, emptyLog());
  await stand.waitForRow(`select 1 from transactions where status = 'open'`);
  const intents = await Promise.all([putMetadata(target), putMetadata(target, 'd'.repeat(1_500))]);
  stand.proxy.options.faultFor = () => null;
  await stand.quiet();
  const paid = await sql<{ number: bigint; bytes: number; amount: number; hash: Hex }>(
    `select i.number, octet_length(i.calldata) as bytes, l.committed as amount, i.transaction_hash as hash
       from intents i join ledger l on l.intent_number = i.number
      where i.id in ('${intents.join("', '")}') order by bytes`,
  );
  const [small, large] = paid;
  expect(small!.hash).toEqual(large!.hash);
  const receipt = await stand.anvil.call<{ gasUsed: Hex; logs: { topics: Hex[]; data: Hex }[] }>(
    'eth_getTransactionReceipt',
    [small!.hash],
  );
  const events = receipt.logs.filter(({ topics }) => topics[0] === EXECUTED_TOPIC);
  const gasOfCall = ({ number }: { number: bigint }): number => {
    const { data } = events.find(({ topics }) => BigInt.asUintN(64, BigInt(topics[1]!)) === number)!;
    // Above the gas is the client's key.
    return Number(BigInt.asUintN(64, BigInt(data.slice(0, 66))));
  };
  const [smallShare, largeShare] = paid.map((one) => one.amount - gasOfCall(one));
  expect(smallShare! + largeShare!).toBeGreaterThan(
    Number(receipt.gasUsed) - gasOfCall(small!) - gasOfCall(large!) - 3,
  );
  expect(largeShare! / smallShare!).toBeCloseTo((640 + large!.bytes) / (640 + small!.bytes), 2);
});
