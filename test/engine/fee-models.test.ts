import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { ARBITRUM_NODE_INTERFACE, OP_GAS_PRICE_ORACLE } from '../../src/chain/l1-costs.ts';
import { query } from '../../src/db/client.ts';
import { embeddedAccounts } from '../../src/embedded/accounts.ts';
import { until } from '../setup/until.ts';
import { startAnvil } from '../../lab/stage/anvil.ts';
import type { Anvil, AnvilOptions } from '../../lab/stage/anvil.ts';
import { startTestService } from '../../lab/stage/service.ts';
import type { TestService } from '../../lab/stage/service.ts';
import { deployToken, requestMint } from '../../lab/stage/tokens.ts';

const GWEI = 10n ** 9n;
const ETHER = 10n ** 18n;
const SIGNER = embeddedAccounts[0].address;

let folder: string;
let anvil: Anvil | undefined;
let mintmark: TestService | undefined;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'mintmark-fees-'));
});

afterEach(async () => {
  await mintmark?.stop();
  await anvil?.stop();
  mintmark = anvil = undefined;
});

afterAll(() => rm(folder, { recursive: true }));

/** A service on anvil, with a profile of its own. @param prepare is done to the node before the service starts */
async function boot(
  profile: Record<string, unknown>,
  { waitMs = 60_000, ...options }: AnvilOptions & { waitMs?: number } = {},
  prepare: (node: Anvil) => Promise<unknown> = async () => undefined,
): Promise<{ node: Anvil; service: TestService }> {
  const file = path.join(folder, 'profile.json');
  await writeFile(file, JSON.stringify({ base: 'anvil', ...profile }));
  anvil = await startAnvil(options);
  await prepare(anvil);
  mintmark = await startTestService(
    { CHAIN_PROFILE: file, WAIT_TIMEOUT_MS: String(waitMs) },
    { rpcUrl: anvil.url, timings: { fundsLookMs: 500, cooldownMs: 500, tipFreshMs: 100, latestFreshMs: 0 } },
  );
  return { node: anvil, service: mintmark };
}

const hex = (value: bigint): string => `0x${value.toString(16)}`;

interface Bid {
  /** Of the whole signed transaction: `02` for EIP-1559. */
  first_byte: string;
  max_fee: bigint;
  tip: bigint;
  gas_limit: bigint;
}

const readBids = ({ service }: TestService): Promise<Bid[]> =>
  query<Bid>(
    service.context.db,
    `select encode(substring(a.raw from 1 for 1), 'hex') as first_byte, a.max_fee_per_gas::bigint as max_fee,
            a.max_priority_fee_per_gas::bigint as tip, t.gas_limit
       from attempts a join transactions t on t.id = a.transaction_id order by t.id`,
  );

/** Code that answers every call with this word and two empty ones. */
const answering = (word: bigint): string => `0x7f${word.toString(16).padStart(64, '0')}5f5260605ff3`;

test('where gas costs nothing, a signer without money deploys and mints', async () => {
  const { service } = await boot({ base: 'besu-gasless' }, { baseFeePerGas: 0 }, (node) =>
    node.call('anvil_setBalance', [SIGNER, '0x0']),
  );
  const account = await service.register();
  const token = await deployToken(account);
  expect(await requestMint(account, token)).toMatchObject({ status: 200 });
  const bids = await readBids(service);
  expect(bids.length).toBeGreaterThan(1);
  for (const bid of bids)
    expect(bid).toMatchObject({ max_fee: 0n, tip: 0n, first_byte: expect.stringMatching(/^f/) });
});

test('a chain without EIP-1559 gets legacy transactions with the price that its node suggests', async () => {
  const { node, service } = await boot({ feeModel: 'legacy' });
  const account = await service.register();
  const token = await deployToken(account);
  const minted = await requestMint(account, token);
  expect(minted).toMatchObject({ status: 200 });
  const suggested = BigInt(await node.call<string>('eth_gasPrice'));
  for (const { first_byte, max_fee, tip } of await readBids(service)) {
    expect(first_byte).toMatch(/^f/);
    expect(max_fee).toBe(tip);
    expect(max_fee).toBeLessThan(4n * suggested);
  }
});

test('while gas costs more than the profile lets us bid nothing new is signed, and then it goes on', async () => {
  const { node, service } = await boot(
    { maxFeePerGas: String(5n * GWEI) },
    { blockTimeSeconds: 0.25, waitMs: 10_000 },
  );
  const account = await service.register();
  const token = await deployToken(account);
  const before = (await readBids(service)).length;
  const setBaseFee = (wei: bigint) => node.call('anvil_setNextBlockBaseFeePerGas', [hex(wei)]);
  await setBaseFee(100n * GWEI);
  const held = setInterval(() => void setBaseFee(100n * GWEI), 50);
  try {
    await node.call('anvil_mine', ['0x2']);
    expect(await requestMint(account, token)).toMatchObject({ status: 202 });
    expect(await readBids(service)).toHaveLength(before);
  } finally {
    clearInterval(held);
    await setBaseFee(GWEI);
  }
  expect(await requestMint(account, token)).toMatchObject({ status: 200 });
  for (const { max_fee } of await readBids(service)) expect(max_fee).toBeLessThanOrEqual(5n * GWEI);
});

test("the OP stack's fee for L1 data is part of what the signer must be able to pay", async () => {
  // Of a sample of 100,000 bytes: a small transaction would cost millions of ether.
  const { node, service } = await boot({ l1Fee: 'op-stack' }, {}, (before) =>
    before.call('anvil_setCode', [OP_GAS_PRICE_ORACLE, answering(10n ** 9n * ETHER)]),
  );
  const account = await service.register();
  // The service is ready a moment before its lane has looked at the balance.
  const { db } = service.service.context;
  await until(async () => (await query(db, 'select 1 from lanes where not funded')).length === 1);
  const refused = await requestDeploy(service, account.token);
  expect(refused).toBe(503);
  expect(await readBids(service)).toEqual([]);
  await node.call('anvil_setCode', [OP_GAS_PRICE_ORACLE, answering(ETHER / 100n)]);
  let status = refused;
  for (let tries = 0; status !== 200 && tries < 3_000; tries += 1) {
    await sleep(100);
    status = await requestDeploy(service, account.token);
  }
  expect(status).toBe(200);
});

test("Arbitrum's gas for L1 data is part of the gas limit", async () => {
  const { service } = await boot({ l1Fee: 'in-gas' }, {}, (node) =>
    // For the sample of 4,096 bytes: 1,000 gas a byte.
    node.call('anvil_setCode', [ARBITRUM_NODE_INTERFACE, answering(4_096_000n)]),
  );
  const account = await service.register();
  await deployToken(account);
  const [bid] = await readBids(service);
  // At least 500 bytes, twice: prices may rise.
  expect(bid!.gas_limit).toBeGreaterThan(1_000_000n);
});

test.each(['op-stack', 'in-gas'])('a node that knows of no L1 (%s) takes nothing for it', async (l1Fee) => {
  const { service } = await boot({ l1Fee });
  await deployToken(await service.register());
  const [bid] = await readBids(service);
  expect(bid!.gas_limit).toBeLessThan(1_000_000n);
});

async function requestDeploy({ url }: TestService, token: string): Promise<number> {
  const { status } = await fetch(`${url}/tokens`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` },
    body: JSON.stringify({ type: 'ERC20', name: 'Coin', symbol: 'C' }),
  });
  return status;
}
