import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { id } from 'ethers';
import { createMintmarkClient } from '../../generated/client.ts';
import { OPERATOR as OPERATOR_ABI } from '../../src/chain/abi/interfaces.ts';
import { EPOCH, intentId as intentIdOf } from '../../src/chain/abi/operator.ts';
import { query } from '../../src/db/client.ts';
import { embeddedAccounts } from '../../src/embedded/accounts.ts';
import { acceptLoss, beginEpochs, findPendingEpochs, refuseUnknown } from '../../src/engine/index.ts';
import { isAnyUnknown } from '../../src/engine/recover/unknown-numbers.ts';
import { keyOf } from '../../src/engine/intent.ts';
import { openLane } from '../../src/engine/lane/lane.ts';
import type { Lane, LaneParts } from '../../src/engine/lane/lane.ts';
import { moveStale } from '../../src/engine/send/move-stale.ts';
import { QUEUE_LOOK, leaveStale } from '../../src/engine/send/dispatch.ts';
import { readCurrent, tieToChain } from '../../src/engine/store/operators.ts';
import { moveToEpoch } from '../../src/engine/store/epochs.ts';
import { insertTransaction } from '../../src/engine/store/insert-transaction.ts';
import { noteInDoubt, noteUnknownEffects } from '../../src/engine/store/unknown-effects.ts';
import { findBrakes, findQueued } from '../../src/engine/store/queue.ts';
import { cancelQueued, confirmIntents } from '../../src/engine/store/verdicts.ts';
import { toBytes } from '../../src/lib/hex.ts';
import type { Hex } from '../../src/lib/hex.ts';
import { until } from '../setup/until.ts';
import { insertAccount } from '../../lab/stage/accounts.ts';
import { copyDatabase, openTestDb } from '../../lab/stage/database.ts';
import { waitForStatus } from '../../lab/stage/intents.ts';
import { startTestService } from '../../lab/stage/service.ts';
import type { TestService } from '../../lab/stage/service.ts';
import { requestMint } from '../../lab/stage/tokens.ts';
import { startAdminStand } from '../setup/admin-stand.ts';
import type { AdminStand } from '../setup/admin-stand.ts';
import { createLaneParts, insertLane } from '../setup/lanes.ts';
import { queueIntent } from '../setup/queue.ts';
import { useSuiteDatabase } from '../setup/suite-database.ts';
import { createAttempt, createDraft } from '../setup/transactions.ts';
import { ENGINE_CONFIG } from './engine-config.ts';
import { SHORT_TIMINGS } from './timings.ts';

const OPERATOR = `0x${'0a'.repeat(20)}` as const;
const OTHER = `0x${'0b'.repeat(20)}` as const;
const CONTRACT = `0x${'c0'.repeat(20)}` as const;
const LANE = { signer: `0x${'01'.repeat(20)}`, term: 1n } as const;

describe('with a node and a database of their own', () => {
  const databaseTimings = { connectMs: 5_000, queryMs: 10_000, maxSilenceMs: 60_000, lookMs: 200 };
  const MINUTES = 60;

  let stand: AdminStand;

  beforeEach(async () => {
    stand = await startAdminStand({ timings: SHORT_TIMINGS, databaseTimings });
    await stand.asItself('grantRole', [id('EPOCH_ROLE'), stand.admin]);
  });

  afterEach(async () => stand[Symbol.asyncDispose]());

  /** Raises the epoch from this one with a tag that no database knows. */
  const raiseByHand = (from: number, mined = true) =>
    stand.asAdmin('raiseEpoch', [from, id('by hand')], mined);

  /** Of each raise that the chain has, its epoch and its tag. */
  async function readRaises(): Promise<[epoch: bigint, tag: string][]> {
    const { operator } = stand.chain;
    const logs = await operator.queryFilter(operator.filters['EpochRaised']!(), 0);
    return logs.map(({ topics: [, epoch, tag] }) => [BigInt(epoch!), tag!]);
  }

  /** Lets the Operator take another raise. */
  async function letTenMinutesPass(): Promise<void> {
    await stand.provider.send('evm_increaseTime', [10 * MINUTES]);
    await stand.mine();
  }

  const openDb = () => openTestDb(stand.mintmark.databaseUrl, 1);
  const dbOf = ({ service }: TestService = stand.mintmark) => service.context.db;
  const untilBegun = (mintmark?: TestService) =>
    until(async () => (await findPendingEpochs(dbOf(mintmark))).length === 0);

  /** The epoch of each of these intents. */
  async function readEpochs(...intents: string[]): Promise<bigint[]> {
    const rows = await query<{ id: string; epoch: bigint }>(dbOf(), 'select id, epoch from intents');
    const epochs = new Map(rows.map((row) => [row.id, row.epoch]));
    return intents.map((intent) => epochs.get(intent)!);
  }

  describe('an epoch that begins', () => {
    test('is raised by the sender under its tag: what was open is done once, and nothing is accepted meanwhile', async () => {
      const { account, startMint } = stand;
      await stand.stopMining();
      const open = await startMint();
      await waitForStatus(account, open, 'submitted');
      await beginEpochs(dbOf());
      const [pending] = await findPendingEpochs(dbOf());
      await expect(startMint()).rejects.toThrow(/answered 500: .* nothing is accepted until/);
      expect(await stand.untilReady(false)).toContain('A new epoch is about to begin');
      await stand.startMining();
      await stand.mine();
      await waitForStatus(account, open, 'confirmed');
      await untilBegun();
      const next = await startMint();
      await waitForStatus(account, next, 'confirmed');
      expect(await readEpochs(next)).toEqual([2n]);
      expect(await readRaises()).toEqual([[2n, pending!.tag]]);
      expect(await stand.supply()).toBe(2n);
      await stand.untilReady(true);
    });

    test('takes along what was never signed, and what was found done in a block that is gone', async () => {
      const { account, asAdmin, startMint, untilWaitingFor } = stand;
      await asAdmin('stopExecution');
      const [unsigned, found] = [await startMint(), await startMint()];
      await untilWaitingFor(unsigned, /stopped/);
      await query(dbOf(), 'update intents set in_doubt = true where id = :found', { found });
      // A stopped Operator takes it all the same.
      await beginEpochs(dbOf());
      await untilBegun();
      await asAdmin('startExecution');
      for (const intent of [unsigned, found]) await waitForStatus(account, intent, 'confirmed');
      expect(await readEpochs(unsigned, found)).toEqual([2n, 2n]);
      expect(await stand.supply()).toBe(2n);
    });

    test('is the next one when somebody else raises meanwhile: what that voids goes on in it, and happens once', async () => {
      const { account, startMint } = stand;
      await stand.stopMining();
      const intent = await startMint();
      await waitForStatus(account, intent, 'submitted');
      await beginEpochs(dbOf());
      await raiseByHand(1, false);
      await stand.mine();
      await stand.startMining();
      await until(async () => (await readCurrent(dbOf())).epoch === 3n);
      expect((await stand.shown(intent)).status).not.toMatch(/confirmed|failed/);
      expect(await stand.supply()).toBe(0n);
      await letTenMinutesPass();
      await waitForStatus(account, intent, 'confirmed');
      expect(await readEpochs(intent)).toEqual([3n]);
      expect((await readRaises()).map(([epoch]) => epoch)).toEqual([2n, 3n]);
      expect(await stand.supply()).toBe(1n);
    });

    test('does nothing again that was done in an epoch of which an older backup does not know', async () => {
      const { account, mintmark, asAdmin, startMint, untilWaitingFor, supply } = stand;
      await asAdmin('stopExecution');
      const intent = await startMint();
      await untilWaitingFor(intent, /stopped/);
      await mintmark.service.stop();
      const backup = await copyDatabase(mintmark.databaseUrl);
      await mintmark.restart();
      await beginEpochs(dbOf());
      await untilBegun();
      await asAdmin('startExecution');
      await waitForStatus(account, intent, 'confirmed');
      expect([await supply(), await readEpochs(intent)]).toEqual([1n, [2n]]);

      {
        await using db = openTestDb(backup, 1);
        await acceptLoss(db);
      }
      await mintmark.restart({ DATABASE_URL: backup });
      await until(async () => (await readCurrent(dbOf())).epoch === 3n);
      await letTenMinutesPass();
      await untilBegun();
      await waitForStatus(account, intent, 'confirmed');
      expect(await supply()).toBe(1n);
      await waitForStatus(account, await startMint(), 'confirmed');
      expect(await supply()).toBe(2n);
    });

    test('begins in one of two databases at a time, and the other one does nothing', async () => {
      const { account, token, mintmark, asItself, supply } = stand;
      await asItself('grantRole', [id('EXECUTOR_ROLE'), embeddedAccounts[1].address]);
      await mintmark.service.stop();
      const copy = await copyDatabase(mintmark.databaseUrl);
      for (const url of [mintmark.databaseUrl, copy]) {
        await using db = openTestDb(url, 1);
        await beginEpochs(db);
      }
      await mintmark.restart();
      await untilBegun();
      await using other = await startTestService(
        {
          DATABASE_URL: copy,
          SIGNER_KEY: embeddedAccounts[1].privateKey,
          OPERATOR_ADMIN: stand.admin,
        },
        { rpcUrl: stand.anvil.url, timings: SHORT_TIMINGS, databaseTimings },
      );
      const ofOther = { api: createMintmarkClient({ baseUrl: other.url, token: account.token }) };
      await until(async () => (await readCurrent(dbOf(other))).epoch === 3n);
      expect(await requestMint(ofOther, token)).toMatchObject({ status: 500 });
      await waitForStatus(account, await stand.startMint(), 'confirmed');
      expect([await supply(), (await readRaises()).length]).toEqual([1n, 1]);

      await letTenMinutesPass();
      await untilBegun(other);
      const { intentId } = await requestMint(ofOther, token, { prefer: 'respond-async' });
      await waitForStatus(ofOther, intentId!, 'confirmed');
      expect([await supply(), (await readRaises()).length]).toEqual([2n, 2]);
      await stand.startMint();
      expect(await stand.untilReady(false)).toContain('recover --accept-loss');
      expect(await supply()).toBe(2n);
    });
  });

  test('an epoch that somebody else begins stops everything until a person accepts the loss, and then all goes on', async () => {
    const { account, token, startMint, supply } = stand;
    await raiseByHand(1);
    const intent = await startMint();
    expect(await stand.untilReady(false)).toContain('recover --accept-loss');
    expect(await requestMint(account, token)).toMatchObject({
      status: 500,
      body: { message: expect.stringContaining('Nothing is accepted') },
    });
    await expect(stand.mintmark.restart()).rejects.toThrow(/recover --accept-loss/);
    expect(await supply()).toBe(0n);

    {
      await using db = openDb();
      await acceptLoss(db);
    }
    await stand.mintmark.restart();
    await letTenMinutesPass();
    await waitForStatus(account, intent, 'confirmed');
    expect(await readEpochs(intent)).toEqual([3n]);
    await waitForStatus(account, await startMint(), 'confirmed');
    expect(await supply()).toBe(2n);
    await stand.untilReady(true);
  });
});

describe('with a database alone', () => {
  const { db } = useSuiteDatabase(2);

  beforeEach(async () => {
    await db.raw('truncate accounts, chain, operators, intents, lanes, transactions, contracts cascade');
    await tieToChain(db, { chainId: 1n, genesisHash: `0x${'0c'.repeat(32)}`, operator: OPERATOR });
    await insertAccount(db);
    await insertLane(db, LANE.signer);
  });

  /** Queues an intent of epoch 1. */
  const queue = async (): Promise<bigint> => (await queueIntent(db, CONTRACT, { operator: OPERATOR })).number;

  const send = (number: bigint, at: { operator: Hex; epoch: bigint }) =>
    insertTransaction(
      db,
      LANE,
      createDraft(CONTRACT, [number], { ...at, attempt: createAttempt(`0x${'11'.repeat(32)}`) }),
    );

  /** Lets epoch 2 begin. @param raisedIn null while it is to be raised */
  const begin = (raisedIn: number | null = 5) =>
    query(db, 'update operators set epoch = 2, tag = :tag, raised_in = :raisedIn', {
      ...{ tag: toBytes(`0x${'22'.repeat(32)}`), raisedIn },
    });
  const move = (...numbers: bigint[]) =>
    db.transaction((tx) => moveToEpoch(tx, { operator: OPERATOR, epoch: 2n }, numbers));
  const cancel = (number: bigint) => db.transaction((tx) => cancelQueued(tx, number));

  test('a transaction takes only intents of its own Operator and epoch', async () => {
    const number = await queue();
    expect(await send(number, { operator: OPERATOR, epoch: 2n })).toEqual({ id: null, left: [number] });
    expect(await send(number, { operator: OTHER, epoch: 1n })).toEqual({ id: null, left: [number] });
    expect(await send(number, { operator: OPERATOR, epoch: 1n })).toEqual({
      ...{ id: expect.any(BigInt), left: [] },
    });
  });

  test('an intent moves to a later epoch of its Operator once that is raised for good, and never back', async () => {
    const number = await queue();
    await begin(null);
    expect(await move(number)).toEqual(new Set());
    await begin();
    expect(await move(number)).toEqual(new Set([number]));
    expect(await move(number)).toEqual(new Set());
    const back = db.transaction((tx) => moveToEpoch(tx, { operator: OPERATOR, epoch: 1n }, [number]));
    expect(await back).toEqual(new Set());
  });

  test('an intent stays in its epoch while it is submitted', async () => {
    const number = await queue();
    await send(number, { operator: OPERATOR, epoch: 1n });
    await begin();
    expect(await move(number)).toEqual(new Set());
  });

  test('open bytes keep a queued intent from being cancelled, and from nothing once it is in a later epoch', async () => {
    const number = await queue();
    await send(number, { operator: OPERATOR, epoch: 1n });
    await query(db, `update intents set status = 'queued', transaction_hash = null, decided_by = null`);
    expect(await cancel(number)).toBeUndefined();
    await begin();
    expect(await cancel(number)).toBeUndefined();
    expect(await move(number)).toEqual(new Set([number]));
    expect(await cancel(number)).toMatchObject({ status: 'cancelled' });
  });

  test('what was found done in the earlier epoch, and is not any more, moves and may be cancelled', async () => {
    const number = await queue();
    await noteInDoubt(db, { operator: OPERATOR, epoch: 1n }, [number]);
    await begin();
    expect(await cancel(number)).toBeUndefined();
    expect(await move(number)).toEqual(new Set([number]));
    expect(await cancel(number)).toMatchObject({ status: 'cancelled' });
  });

  test('only a bit of its own Operator and epoch keeps an intent from being cancelled', async () => {
    const number = await queue();
    await noteInDoubt(db, { operator: OPERATOR, epoch: 2n }, [number]);
    await noteInDoubt(db, { operator: OTHER, epoch: 1n }, [number]);
    expect(await cancel(number)).toMatchObject({ status: 'cancelled' });
  });

  test('only an event of its own Operator confirms an intent', async () => {
    const number = await queue();
    await send(number, { operator: OPERATOR, epoch: 1n });
    const confirm = (operator: Hex) => {
      const success = { operator, number, result: null, transactionHash: `0x${'11'.repeat(32)}` } as const;
      return db.transaction((tx) => confirmIntents(tx, [success], false));
    };
    expect(await confirm(OTHER)).toEqual([]);
    expect(await confirm(OPERATOR)).toMatchObject([{ intent: { number, status: 'confirmed' } }]);
  });

  test('what is of an earlier epoch waits as long as the new one is not raised for good, and asks the chain nothing', async () => {
    await queue();
    await begin(null);
    const lane = openLane(createLaneParts(db, LANE.signer, { config: ENGINE_CONFIG }), {
      ...{ term: LANE.term, nextNonce: 0n },
    });
    const { queued } = await findQueued(db, {
      ...QUEUE_LOOK,
      ...{ excluded: [], pausedOperators: [], afterAccount: null, afterContracts: new Map<string, Hex>() },
    });
    expect(queued).toMatchObject([{ isStale: true, epoch: 1n }]);
    await moveStale(lane, queued);
    expect(lane.blocked.find()).toEqual([CONTRACT]);
  });

  describe('while calls under the key of an intent have to be asked for', () => {
    /** A thief had done so many calls under the key of the intent. */
    const THIEFS = 5;
    const HASH = `0x${'33'.repeat(32)}` as const;
    const BLOCK = { number: 9n, hash: `0x${'09'.repeat(32)}` } as const;
    /** Their numbers, all in one word of the bitmap. */
    const numbersOf = (place: number): bigint[] =>
      Array.from({ length: THIEFS }, (_, index) => BigInt(100 + THIEFS * place + index));
    const numbers = [...numbersOf(0), ...numbersOf(1)];

    async function queueUnderKey(place = 0): Promise<bigint> {
      const { id: intentId, number } = await queueIntent(db, CONTRACT, { operator: OPERATOR });
      const effects = numbersOf(place).map((effect) => ({
        ...{ operator: OPERATOR, epoch: 1n, number: effect, key: keyOf(intentId) },
        ...{ transactionHash: HASH, blockNumber: 5n },
      }));
      await db.transaction((tx) => noteUnknownEffects(tx, effects));
      return number;
    }

    /** A lane that asks for one of them in a turn. */
    function openLaneOn(): Lane {
      const bits = numbers.reduce((sum, number) => sum | (1n << number), 0n);
      const logs = numbers.map((number) => ({
        ...{ address: OPERATOR, transactionHash: HASH },
        ...OPERATOR_ABI.encodeEventLog('CallExecuted', [intentIdOf(1n, number), 1n, 0n]),
      }));
      const answers: Record<string, unknown> = {
        eth_call: `0x${bits.toString(16)}`,
        eth_getTransactionReceipt: { transactionHash: HASH, blockHash: BLOCK.hash, blockNumber: '0x5', logs },
        eth_getBlockByHash: { timestamp: '0x0' },
        eth_getTransactionByHash: { to: OTHER, input: '0x' },
      };
      const parts = createLaneParts(db, LANE.signer, {
        config: { ...ENGINE_CONFIG, timings: { ...ENGINE_CONFIG.timings, askMs: 0 } },
        chain: { fresh: async () => ({ final: BLOCK, head: BLOCK }), expectBlock: () => undefined },
        rpc: { call: async <Result>(method: string) => answers[method] as Result },
      });
      return openLane(parts, { term: LANE.term, nextNonce: 0n });
    }

    const takeTurn = async (lane: Lane): Promise<void> => {
      const look = {
        excluded: [],
        pausedOperators: [],
        afterAccount: null,
        afterContracts: new Map<string, Hex>(),
      };
      const { queued } = await findQueued(db, { ...QUEUE_LOOK, ...look });
      await moveStale(
        lane,
        queued.filter(({ isStale }) => isStale),
      );
    };
    const epochsOf = () => query(db, 'select epoch from intents order by number');

    test('what needs no question goes on all the same', async () => {
      await queueUnderKey();
      await queue();
      await begin();
      await takeTurn(openLaneOn());
      expect(await epochsOf()).toEqual([{ epoch: 1n }, { epoch: 2n }]);
    });

    test('they are asked for over several turns, and none twice', async () => {
      await queueUnderKey();
      await begin();
      const lane = openLaneOn();
      for (let turn = 1; turn <= THIEFS; turn += 1) {
        expect(await epochsOf()).toEqual([{ epoch: 1n }]);
        await takeTurn(lane);
        expect(lane.search.ruledOut.size).toBe(turn);
      }
      expect(await epochsOf()).toEqual([{ epoch: 2n }]);
    });

    test('of several intents the one is asked about first that was not for the longest time', async () => {
      const [first, second] = [await queueUnderKey(0), await queueUnderKey(1)];
      await begin();
      const lane = openLaneOn();
      const order: bigint[] = [];
      for (let turn = 0; turn < 4; turn += 1) {
        const before = new Map(lane.search.askedAt);
        await takeTurn(lane);
        order.push([...lane.search.askedAt].find(([number, at]) => before.get(number) !== at)![0]);
      }
      expect(order).toEqual([first, second, first, second]);
    });
  });

  test('a brake waits for no mint of an earlier epoch, and for a switch of one that was asked before it', async () => {
    const MIXED = `0x${'c1'.repeat(20)}` as const;
    const ask = async (contract: Hex, kind: string): Promise<bigint> =>
      (await queueIntent(db, contract, { operator: OPERATOR, kind, isControl: kind !== 'mint' })).number;
    await ask(CONTRACT, 'mint');
    await ask(MIXED, 'unpause');
    await begin();
    const pauses = [await ask(CONTRACT, 'pause'), await ask(MIXED, 'pause')];
    await query(db, 'update intents set epoch = 2 where number = any(:pauses::bigint[])', {
      pauses: pauses.map(String),
    });
    const look = { ...QUEUE_LOOK, excluded: [], pausedOperators: [] };
    const everything = { ...look, afterAccount: null, afterContracts: new Map<string, Hex>() };
    const { queued } = await findQueued(db, everything);
    const ahead = await findBrakes(db, { ...look, brakesOnly: false });
    expect([queued.length, ahead.length]).toEqual([4, 3]);
    expect(leaveStale(queued, ahead).map(({ number }) => number)).toEqual([pauses[0]]);
  });

  describe('a start', () => {
    /** An Operator in this epoch, or without code, that has done nothing. */
    const rpcOf = (epoch: Hex): Pick<LaneParts['rpc'], 'call'> => ({
      call: async <Result>(_method: string, [asked]: readonly unknown[]): Promise<Result> =>
        ((asked as { data: Hex }).data === EPOCH.data ? epoch : '0x0') as Result,
    });

    test('is refused, with one sentence, where the Operator is not deployed', async () => {
      await expect(refuseUnknown(db, rpcOf('0x'))).rejects.toThrow(
        `The Operator ${OPERATOR} is not on the chain behind RPC_URL yet`,
      );
    });

    test('is refused where the Operator is in a later epoch than has begun here', async () => {
      await refuseUnknown(db, rpcOf('0x1'));
      await expect(refuseUnknown(db, rpcOf('0x2'))).rejects.toThrow(
        /is in epoch 2, which this database has not raised it to.*"npm run admin -- recover --adopt 0x0a/,
      );
      await begin();
      await refuseUnknown(db, rpcOf('0x2'));
      // As an endpoint says that lags.
      await refuseUnknown(db, rpcOf('0x1'));
    });

    test('goes on while an epoch is to be raised, whichever the Operator is in', async () => {
      await begin(null);
      await refuseUnknown(db, rpcOf('0x9'));
    });

    test.each([
      ['no nonce of a signer is used beyond those that are known', '0x5', false],
      ['one is, however far the numbers of its calls are', '0x6', true],
    ] as const)('where %s: whether it reads the blocks of an idle time', async (_name, count, isUnknown) => {
      await query(db, 'update lanes set least_nonce = 5');
      const { call } = rpcOf('0x1');
      const counting = {
        call: async <Result>(method: string, params: readonly unknown[]): Promise<Result> =>
          method === 'eth_getTransactionCount' ? (count as Result) : call<Result>(method, params),
      };
      expect(await isAnyUnknown(db, counting, { number: 9n, hash: `0x${'09'.repeat(32)}` })).toBe(isUnknown);
    });
  });
});
