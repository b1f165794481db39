import { setTimeout as sleep } from 'node:timers/promises';
import type { Anvil } from '../stage/anvil.ts';
import { inParallel } from '../load/load.ts';
import { heightOf } from './node-faults.ts';
import { createCollection, sessionOf } from '../stage/collections.ts';
import type { TestAccount } from '../stage/service.ts';
import { requestErc20, requestMint } from '../stage/tokens.ts';
import { query } from '../../src/db/client.ts';
import { say } from './outcome.ts';
import type { Fault } from './outcome.ts';
import { judgeStage, prepare, withAnvil } from './stage.ts';
import type { Stage } from './stage.ts';

const ROUNDS = 20;
const HEAVY = 20;
const ITEMS = 100;
/** What heavy calls of one account may cost another's light mints. */
const MAX_DELAY_BLOCKS = 2;
const LOOK_TIMEOUT_MS = 120_000;
const QUIET_MS = 600_000;

/**
 * One account sends 20 batches of 100 mints, and another one's light mints are measured in blocks, before and beside
 * them.
 */
export const heavyCalls: Fault = ({ scaled, random, isShort }) =>
  withAnvil(async (anvil) => {
    const stage = await prepare(anvil.url, { accounts: 2 });
    const { mintmark, targets } = stage;
    const heavy = await mintmark.register();
    await query(mintmark.service.context.db, `update accounts set plan = 'PRO_PLUS'`);
    const session = sessionOf(mintmark, heavy);
    const collection = await createCollection(session);
    const [light] = targets;
    const mint = () => blocksUntilMined(anvil, stage, light!.account, light!.address);
    const rounds = isShort ? 1 : scaled(ROUNDS);
    let [alone, beside] = [0, 0];
    for (let round = 0; round < rounds; round += 1) {
      alone = Math.max(alone, await mint());
      await inParallel(HEAVY, HEAVY, async (index) => {
        const items = Array.from({ length: ITEMS }, (_, item) => ({
          to: `0x${(1_000_000 * (round + 1) + index * ITEMS + item).toString(16).padStart(40, '0')}`,
        }));
        const { response } = await session.POST('/v1/collections/{address}/mint/batch', {
          params: { path: { address: collection }, header: { Prefer: 'respond-async' } },
          body: { items },
        });
        const intent = response.headers.get('Intent-Id');
        if (response.ok && intent) stage.log.acknowledged.add(intent);
        else stage.log.refused.push(response.status);
      });
      await sleep(random.whole(0, 1_000));
      for (let light = 0; light < 3; light += 1) beside = Math.max(beside, await mint());
      say(`  ${round + 1} of ${rounds} rounds: ${alone} blocks alone, ${beside} beside`);
    }
    const judgement = await judgeStage(stage, { quietMs: QUIET_MS });
    await stage.mintmark.stop();
    const delay = beside - alone;
    return {
      made: `${rounds} times ${HEAVY} batches of ${ITEMS} mints`,
      judgement,
      note: `blocks of a light mint: ${alone}, beside ${beside}`,
      flaws: delay > MAX_DELAY_BLOCKS ? [`light mints were delayed by ${delay} blocks`] : [],
    };
  });

/** Blocks from the acceptance of a mint to the one that holds it. */
async function blocksUntilMined(
  anvil: Anvil,
  { log }: Stage,
  account: TestAccount,
  address: string,
): Promise<number> {
  const { intentId, status } = await requestMint(account, address, { prefer: 'respond-async' });
  if (intentId === null) throw new Error(`a light mint was answered ${status}`);
  log.acknowledged.add(intentId);
  const before = await heightOf(anvil);
  for (const end = performance.now() + LOOK_TIMEOUT_MS; performance.now() < end; await sleep(100)) {
    const { data } = await account.api.GET('/intents/{id}', { params: { path: { id: intentId } } });
    if (data?.status !== 'confirmed' || !data.transaction) continue;
    const { hash } = data.transaction;
    const receipt = await anvil.call<{ blockNumber: string } | null>('eth_getTransactionReceipt', [hash]);
    if (receipt) return Number(receipt.blockNumber) - before;
  }
  return Infinity;
}

const ACCOUNTS = 700;
const DEPLOYS = 3;
const SERVED_MS = 300_000;

/** Accounts that all have something queued at once, over and over. Each is served. */
export const manyAccounts: Fault = ({ scaled, isShort }) =>
  withAnvil(async (anvil) => {
    // Beyond 500 the first engine starved some: a short run has just more than that.
    const wanted = isShort ? 560 : Math.max(560, scaled(ACCOUNTS));
    const stage = await prepare(anvil.url, {
      accounts: 1,
      variables: { MAX_BATCH: '20', ANONYMOUS_REQUESTS_PER_MINUTE: '1000000' },
    });
    const { mintmark, log } = stage;
    const accounts: TestAccount[] = [];
    await inParallel(wanted, 8, async () => void accounts.push(await mintmark.register()));
    await query(mintmark.service.context.db, `update accounts set plan = 'PRO_PLUS'`);
    const first = new Map<TestAccount, string>();
    await inParallel(wanted * DEPLOYS, 40, async (index) => {
      const account = accounts[index % wanted]!;
      const { intentId, status } = await requestErc20(account, { prefer: 'respond-async' });
      if (intentId === null) return void log.refused.push(status);
      log.acknowledged.add(intentId);
      if (!first.has(account)) first.set(account, intentId);
    });
    const began = performance.now();
    const waiting = new Map(first);
    while (waiting.size > 0 && performance.now() - began < SERVED_MS) {
      await inParallel(
        waiting.size,
        20,
        serveOne([...waiting], (account) => waiting.delete(account)),
      );
      await sleep(500);
    }
    const seconds = (performance.now() - began) / 1_000;
    const judgement = await judgeStage(stage, { quietMs: waiting.size > 0 ? 0 : QUIET_MS });
    await stage.mintmark.stop();
    return {
      made: `${wanted} accounts, ${DEPLOYS} deployments each`,
      judgement,
      note: `all served ${seconds.toFixed(0)} s after the last request`,
      flaws:
        waiting.size > 0
          ? [`${waiting.size} of ${wanted} accounts were not served in ${SERVED_MS / 1_000} s`]
          : [],
    };
  });

const serveOne =
  (waiting: readonly [TestAccount, string][], served: (account: TestAccount) => void) =>
  async (index: number): Promise<void> => {
    const [account, id] = waiting[index]!;
    const { data } = await account.api.GET('/intents/{id}', { params: { path: { id } } });
    if (data?.status === 'confirmed') served(account);
  };
