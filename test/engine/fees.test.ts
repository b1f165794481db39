import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { query } from '../../src/db/client.ts';
import { replacementFees } from '../../src/engine/fees.ts';
import type { Fees } from '../../src/engine/fees.ts';
import { startAnvil } from '../faults/anvil.ts';
import type { Anvil } from '../faults/anvil.ts';
import { FLAWLESS, judge, waitForQuiet } from '../faults/judge.ts';
import { deployTargets, emptyLog, inParallel, mintOnce } from '../faults/load.ts';
import type { Target } from '../faults/load.ts';
import { startRpcProxy } from '../faults/rpc-proxy.ts';
import type { RpcProxy, RpcProxyOptions } from '../faults/rpc-proxy.ts';
import { startTestService } from '../setup/service.ts';
import type { TestService } from '../setup/service.ts';

jest.setTimeout(120_000);

const GWEI = 10n ** 9n;
const ETHER = 10n ** 18n;

let anvil: Anvil;
let proxy: RpcProxy;
let mintmark: TestService;
let targets: Target[];

/** The service behind a proxy that asks for geth's replacement rule, in front of anvil with 1 s blocks. */
async function boot(options: Partial<RpcProxyOptions> = {}): Promise<void> {
  anvil = await startAnvil({ blockTimeSeconds: 1 });
  proxy = await startRpcProxy({ target: anvil.url, faultFor: () => null, gethReplacement: true, ...options });
  mintmark = await startTestService({ LOG_LEVEL: 'silent' }, { rpcUrl: proxy.url });
  targets = await deployTargets(await Promise.all([mintmark.register(), mintmark.register()]));
}

afterEach(async () => {
  await mintmark?.stop();
  await proxy?.stop();
  await anvil?.stop();
});

const setBaseFee = (wei: bigint): Promise<unknown> =>
  anvil.call('anvil_setNextBlockBaseFeePerGas', [`0x${wei.toString(16)}`]);

async function mintAndJudge(count: number) {
  const log = emptyLog();
  await inParallel(count, count, (index) => mintOnce(targets[index % targets.length]!, log));
  const { db, system } = mintmark.service.context;
  return async () => {
    expect(await waitForQuiet(db, 60_000)).toBe(0);
    return judge(db, anvil.url, system.operator, log);
  };
}

interface SentTransaction {
  gas_limit: bigint;
  attempts: number;
  max_fee: bigint;
}

const sent = (): Promise<SentTransaction[]> =>
  query<SentTransaction>(
    mintmark.service.context.db,
    `select t.gas_limit, count(*)::int as attempts, max(a.max_fee_per_gas)::bigint as max_fee
       from transactions t join attempts a on a.transaction_id = t.id group by t.id, t.gas_limit order by t.id`,
  );

describe('a replacement', () => {
  const now = { maxFeePerGas: 20n * GWEI, maxPriorityFeePerGas: GWEI };

  test('bids an eighth more on both fees, and what a first bid would be now', () => {
    const little = { maxFeePerGas: 10n * GWEI, maxPriorityFeePerGas: 80n };
    expect(replacementFees(now, little)).toEqual({
      maxFeePerGas: 22_500_000_001n,
      maxPriorityFeePerGas: 1_125_000_001n,
    });
    expect(replacementFees(little, now)).toEqual(now);
  });

  test('ends when the bid is beyond any sense', () => {
    let bid: Fees | null = now;
    let bids = 0;
    for (let next: Fees | null = now; next; next = replacementFees(next, now), bids += 1) bid = next;
    expect(bids).toBe(21);
    expect(bid.maxFeePerGas).toBeLessThan((10n * now.maxFeePerGas * 9n) / 8n + 2n);
  });
});

describe('fees', () => {
  test('a base fee that leaps above the bid is followed', async () => {
    await boot();
    // Twenty times what was bid: the pool keeps the first attempt, and no block takes it.
    const before = (await sent()).length;
    const blocks = setInterval(() => void setBaseFee(200n * GWEI), 200);
    try {
      const verdict = await mintAndJudge(10);
      expect(await verdict()).toMatchObject({ ...FLAWLESS, acknowledged: 10, failed: 0 });
    } finally {
      clearInterval(blocks);
    }
    const transactions = (await sent()).slice(before);
    expect(transactions.some(({ attempts }) => attempts > 1)).toBe(true);
    expect(transactions.every(({ max_fee }) => max_fee >= 200n * GWEI)).toBe(true);
  });

  test('a pool that is full is asked again until it has room', async () => {
    await boot();
    let refusals = 0;
    proxy.options.faultFor = (method) => {
      if (method !== 'eth_sendRawTransaction' || refusals >= 2) return null;
      refusals += 1;
      return 'pool-full';
    };
    const verdict = await mintAndJudge(10);
    expect(await verdict()).toMatchObject({ ...FLAWLESS, acknowledged: 10, failed: 0 });
    expect(refusals).toBe(2);
  });

  test('no transaction may cost more than nodes let it (1 ether), however dear gas is', async () => {
    await boot({ feeCap: ETHER });
    await setBaseFee(400n * GWEI);
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    const before = (await sent()).length;
    const verdict = await mintAndJudge(40);
    expect(await verdict()).toMatchObject({ ...FLAWLESS, acknowledged: 40, failed: 0 });
    const transactions = (await sent()).slice(before);
    expect(transactions.length).toBeGreaterThan(1);
    for (const { gas_limit, max_fee } of transactions) expect(gas_limit * max_fee).toBeLessThanOrEqual(ETHER);
    expect(proxy.counts['over-cap'] ?? 0).toBe(0);
  });
});
