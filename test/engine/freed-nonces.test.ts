import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, test } from '@jest/globals';
import { Transaction } from 'ethers';
import { query } from '../../src/db/client.ts';
import type { Hex } from '../../src/lib/hex.ts';
import { FLAWLESS } from '../../lab/faults/judge.ts';
import { deployTargets, emptyLog, inParallel, mintOnce } from '../../lab/load/load.ts';
import type { Target } from '../../lab/load/load.ts';
import type { Layer } from '../../lab/proxies/rpc/endpoint.ts';
import { wrongCounts } from '../../lab/proxies/rpc/state.ts';
import { startStand } from '../setup/stand.ts';
import type { Stand } from '../setup/stand.ts';
import { SHORT_TIMINGS } from './timings.ts';

const TIP_FRESH_MS = 100;

let stand: Stand;
afterEach(() => stand.stop());

/** Waits until so many no-ops are final: they have no events, so the chain is asked for them a little later. */
async function untilNoops(least: number): Promise<void> {
  await stand.waitForRow(
    `select 1 from transactions where is_noop and status = 'final' having count(*) >= ${least}`,
  );
}

/** Lets the lane be taken anew while every count is too high by so many. */
async function skipNonces(count: number): Promise<void> {
  const { proxy, mintmark, waitForRow } = stand;
  const { db } = mintmark.service.context;
  const own = proxy.endpoint.layers;
  proxy.endpoint.layers = [wrongCounts(count), ...own];
  const [before] = await query<{ next: bigint }>(db, 'select next_nonce as next from lanes');
  await query(db, `update lanes set term = term + 1, lease_until = '-infinity'`);
  await waitForRow(`select 1 from lanes where next_nonce = ${before!.next + BigInt(count)}`);
  proxy.endpoint.layers = own;
}

test('a next nonce that is too high blocks nothing for good: the gap is filled, in parts if need be', async () => {
  stand = await startStand({ blockTimeSeconds: 0.25 }, { MAX_IN_FLIGHT: '2' }, { timings: SHORT_TIMINGS });
  const { mintmark, quiet, verdict } = stand;
  const targets = await deployTargets([await mintmark.register()]);
  await quiet();
  await skipNonces(5);
  const log = emptyLog();
  await inParallel(3, 3, () => mintOnce(targets[0]!, log));
  expect(await verdict(log)).toMatchObject({ ...FLAWLESS, acknowledged: 3, failed: 0 });
  await untilNoops(5);
});

test('a nonce is not given up while its receipt comes later than its block', async () => {
  stand = await startStand({ blockTimeSeconds: 0.25 }, {}, { timings: SHORT_TIMINGS });
  const { mintmark, proxy, quiet, verdict, waitForRow } = stand;
  const [target] = await deployTargets([await mintmark.register()]);
  await quiet();
  // A gap, and so a no-op, which has no event.
  await skipNonces(1);
  const asked = new Set<unknown>();
  proxy.options.faultFor = (method, [hash]) => {
    if (method !== 'eth_getTransactionReceipt' || asked.has(hash)) return null;
    asked.add(hash);
    return 'null-receipt';
  };
  const log = emptyLog();
  await mintOnce(target!, log);
  const ends = await waitForRow(
    `select status from transactions where is_noop and status in ('final', 'displaced')`,
  );
  expect(ends).toEqual([{ status: 'final' }]);
  expect(asked.size).toBeGreaterThan(0);
  expect(await verdict(log)).toMatchObject({ ...FLAWLESS, acknowledged: 1, failed: 0 });
});

test('a nonce that a wrong count had given up as used is filled when the chain waits for it', async () => {
  stand = await startStand({ blockTimeSeconds: 0.25 }, { CONFIRMATIONS: '2' }, { timings: SHORT_TIMINGS });
  const { mintmark, proxy, quiet, verdict, waitForRow } = stand;
  const [target] = await deployTargets([await mintmark.register()]);
  await quiet();
  const own = proxy.endpoint.layers;
  proxy.endpoint.layers = [wrongCounts(1), ...own];
  proxy.options.faultFor = (method) => (method === 'eth_sendRawTransaction' ? 'withhold' : null);
  const log = emptyLog();
  await mintOnce(target!, log);
  await waitForRow(`select 1 from transactions where status = 'displaced'`);
  proxy.endpoint.layers = own;
  proxy.options.faultFor = () => null;
  await mintOnce(target!, log);
  expect(await verdict(log)).toMatchObject({ ...FLAWLESS, acknowledged: 2, failed: 0 });
});

test('a next nonce that is another one in the database stops nothing: the lane is taken anew', async () => {
  stand = await startStand({ blockTimeSeconds: 0.25 }, {}, { timings: SHORT_TIMINGS });
  const { mintmark, quiet, verdict } = stand;
  const targets = await deployTargets([await mintmark.register()]);
  await quiet();
  // As in a copy of the database that was behind, or ahead: the lane's holder does not know.
  await query(mintmark.service.context.db, 'update lanes set next_nonce = next_nonce + 1');
  const log = emptyLog();
  await inParallel(3, 3, () => mintOnce(targets[0]!, log));
  expect(await verdict(log)).toMatchObject({ ...FLAWLESS, acknowledged: 3, failed: 0 });
});

test('transactions that fit into no block any more give their nonces up, and their calls are sent again, in order', async () => {
  stand = await startStand(
    { blockTimeSeconds: 0.25 },
    { CONFIRMATIONS: '6', MAX_BATCH: '20' },
    { timings: SHORT_TIMINGS },
  );
  const { anvil, proxy, mintmark, quiet, verdict, waitForRow } = stand;
  const targets = await deployTargets(await Promise.all([mintmark.register(), mintmark.register()]));
  await quiet();
  proxy.options.faultFor = (method) => (method === 'eth_sendRawTransaction' ? 'withhold' : null);
  const log = emptyLog();
  await inParallel(40, 40, (index) => mintOnce(targets[index % 2]!, log));
  const [largest] = await waitForRow<{ gas: bigint }>(
    `select max(gas_limit) as gas from transactions where status = 'open' having count(*) > 1`,
  );
  const less = (largest!.gas * 9n) / 10n;
  await anvil.call('evm_setBlockGasLimit', [`0x${less.toString(16)}`]);
  proxy.options.faultFor = () => null;
  await waitForRow(`select 1 from transactions where is_noop and status in ('open', 'mined')`);
  await inParallel(4, 4, (index) => mintOnce(targets[index % 2]!, log));
  expect(await verdict(log)).toMatchObject({ ...FLAWLESS, acknowledged: 44, failed: 0 });
  await untilNoops(1);
  const sent = await query<{ numbers: string[] }>(
    mintmark.service.context.db,
    `select array_agg(i.number order by t.nonce, m.position) as numbers
       from intents i join attempts a on a.hash = i.transaction_hash join transactions t on t.id = a.transaction_id
       join transaction_intents m on m.transaction_id = t.id and m.intent_number = i.number
      where i.kind = 'mint' group by i.contract`,
  );
  for (const { numbers } of sent) {
    const order = numbers.map(Number);
    expect(order).toEqual(order.toSorted((a, b) => a - b));
  }
});

describe('a control in a nonce that wrong counts gave up, and the one that undid it', () => {
  const HIGH_TIP = 3_000_000_000n;
  const dearer: Layer = async (request, forward) =>
    request.method === 'eth_maxPriorityFeePerGas' ? { result: toQuantity(HIGH_TIP) } : forward(request);
  const toQuantity = (value: bigint): string => `0x${value.toString(16)}`;

  const control = async ({ account, address }: Target, path: 'pause' | 'unpause'): Promise<void> => {
    const { response } = await account.api.POST(`/tokens/{address}/${path}`, {
      params: { path: { address }, header: { Prefer: 'respond-async' } },
    });
    expect(response.status).toBe(202);
  };

  /**
   * Unpauses a token and pauses it again. No pool shows what is signed for it, and wrong counts say that both nonces
   * are used: so it is signed again, for later ones. Returns the old bytes of the second one, whose bid is three times
   * as high.
   */
  async function displaceControls(target: Target): Promise<Transaction> {
    const { proxy, waitForRow } = stand;
    const own = proxy.endpoint.layers;
    proxy.options.faultFor = (method) => (method === 'eth_sendRawTransaction' ? 'withhold' : null);
    const sent = (count: number) =>
      waitForRow(`select 1 from transactions where status = 'open' having count(*) = ${count}`);
    await control(target, 'unpause');
    await sent(1);
    proxy.endpoint.layers = [dearer, ...own];
    await sleep(TIP_FRESH_MS);
    await control(target, 'pause');
    await sent(2);
    proxy.endpoint.layers = [wrongCounts(2), ...own];
    await waitForRow(`select 1 from transactions where status = 'displaced' having count(*) = 2`);
    proxy.endpoint.layers = own;
    await sent(1);
    const [bytes] = await waitForRow<{ raw: Hex }>(
      `select a.raw from transactions t join attempts a on a.transaction_id = t.id
        where t.status = 'displaced' order by t.nonce desc, a.max_fee_per_gas desc limit 1`,
    );
    const pause = Transaction.from(bytes!.raw);
    expect(pause.maxPriorityFeePerGas).toBe(HIGH_TIP);
    return pause;
  }

  test.each([
    ['', false],
    [', also when the no-op that should replace them gets lost', true],
  ])('stay in order when the old bytes appear%s', async (_name, isLost) => {
    const timings = { ...SHORT_TIMINGS, tipFreshMs: TIP_FRESH_MS };
    stand = await startStand(
      { blockTimeSeconds: 0.25 },
      { CONFIRMATIONS: '2', MAX_BATCH: '20' },
      { timings },
    );
    const { anvil, proxy, mintmark, quiet } = stand;
    const [target] = await deployTargets([await mintmark.register()]);
    // The pause would hold what is behind it until its block: so it is the second one.
    await control(target!, 'pause');
    await quiet();
    const pause = await displaceControls(target!);
    await anvil.call('eth_sendRawTransaction', [pause.serialized]);
    proxy.options.faultFor = (method, [raw]) => {
      if (!isLost || method !== 'eth_sendRawTransaction') return null;
      const { nonce, to } = Transaction.from(raw as string);
      return nonce === pause.nonce && to !== pause.to ? 'withhold' : null;
    };
    await quiet();
    const { account, address } = target!;
    const { data } = await account.api.GET('/tokens/{address}', { params: { path: { address } } });
    expect(data).toMatchObject({ paused: true });
    const ends = await query<{ kind: string; status: string }>(
      mintmark.service.context.db,
      `select kind, status from intents where kind <> 'deploy_token' order by number`,
    );
    expect(ends).toEqual([
      { kind: 'pause', status: 'confirmed' },
      { kind: 'unpause', status: isLost ? 'failed' : 'confirmed' },
      { kind: 'pause', status: 'confirmed' },
    ]);
  });
});
