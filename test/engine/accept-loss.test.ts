import { beforeEach, describe, expect, test } from '@jest/globals';
import { RpcRefused, createRpc } from '../../src/chain/rpc/rpc.ts';
import { query } from '../../src/db/client.ts';
import { acceptLoss, beginEpochs, explainIntent, findPendingEpochs } from '../../src/engine/index.ts';
import { openLane } from '../../src/engine/lane/lane.ts';
import { failUnlessPremature } from '../../src/engine/verdict/verdict.ts';
import { tieToChain } from '../../src/engine/store/operators.ts';
import { noteCommitsLost } from '../../src/engine/store/newest-commits.ts';
import { moveToEpoch, noteRaised } from '../../src/engine/store/epochs.ts';
import type { PendingEpoch } from '../../src/engine/store/epochs.ts';
import { insertTransaction } from '../../src/engine/store/insert-transaction.ts';
import { takeLane } from '../../src/engine/store/lanes.ts';
import { findNeverSent, noteSilence } from '../../src/engine/store/silence.ts';
import { cancelQueued } from '../../src/engine/store/verdicts.ts';
import { toBytes } from '../../src/lib/hex.ts';
import type { Hex } from '../../src/lib/hex.ts';
import { insertAccount } from '../../lab/stage/accounts.ts';
import { createLaneParts, insertLane } from '../setup/lanes.ts';
import { queueIntent } from '../setup/queue.ts';
import { readsOf } from '../setup/reads.ts';
import { useSuiteDatabase } from '../setup/suite-database.ts';
import { createAttempt, createDraft } from '../setup/transactions.ts';
import { ENGINE_CONFIG } from './engine-config.ts';

const OPERATOR = `0x${'0a'.repeat(20)}` as const;
/** That of contracts which were made before. */
const FORMER = `0x${'0b'.repeat(20)}` as const;
const SIGNER = `0x${'01'.repeat(20)}` as const;

const { db } = useSuiteDatabase(2);

beforeEach(async () => {
  await db.raw('truncate accounts, intents, lanes, transactions, contracts, chain, operators cascade');
  await db.raw('update server set lost_since = null, losses = 0, identity = server_identity()');
  await tieToChain(db, { chainId: 1n, genesisHash: `0x${'0c'.repeat(32)}`, operator: OPERATOR });
  await insertAccount(db);
});

/** The only epoch that is to be raised. */
const pending = async (): Promise<PendingEpoch> => (await findPendingEpochs(db))[0]!;
/** A final block shows this raise. Returns whether it is one of this database. */
const raise = async (epoch: PendingEpoch): Promise<boolean> =>
  (await db.transaction((tx) => noteRaised(tx, [{ ...epoch, blockNumber: 5n }]))).length > 0;
const move = (...numbers: bigint[]) =>
  db.transaction((tx) => moveToEpoch(tx, { operator: OPERATOR, epoch: 2n }, numbers));
const cancel = (number: bigint) => db.transaction((tx) => cancelQueued(tx, number));

describe('an accepted loss', () => {
  test('begins an epoch of each Operator, each with a tag of its own', async () => {
    await query(db, 'insert into operators (address, epoch, is_current) values (:former, 4, false)', {
      former: toBytes(FORMER),
    });
    await acceptLoss(db);
    const [first, second, ...others] = await findPendingEpochs(db);
    expect([first, second, others]).toMatchObject([
      { operator: OPERATOR, epoch: 2n },
      { operator: FORMER, epoch: 5n },
      [],
    ]);
    expect(first!.tag).not.toBe(second!.tag);
  });

  test('gives an epoch that is not raised yet another tag alone, and only a raise with that one counts', async () => {
    await acceptLoss(db);
    const before = await pending();
    await acceptLoss(db);
    const now = await pending();
    expect([before.epoch, now.epoch]).toEqual([2n, 2n]);
    expect(now.tag).not.toBe(before.tag);
    expect([await raise(before), await raise(now), await raise(now)]).toEqual([false, true, false]);
    expect(await findPendingEpochs(db)).toEqual([]);
    await acceptLoss(db);
    expect(await pending()).toMatchObject({ epoch: 3n });
  });

  test.each([
    ['an accepted loss', acceptLoss],
    ['a restore that nothing else tells of', beginEpochs],
  ])('lets numbers go on where no lost commit has handed out one, after %s', async (_name, begin) => {
    const before = (await queueIntent(db, OPERATOR)).number;
    await begin(db);
    expect((await queueIntent(db, OPERATOR)).number - before).toBeGreaterThanOrEqual(2n ** 32n);
  });

  test('is told to all processes: it counts, ends every lease and the loss, and adopts the server', async () => {
    await insertLane(db, SIGNER);
    await query(db, `update server set lost_since = now(), identity = 'another'`);
    await query(db, `update reader set term = 7, lease_until = now() + interval '1 hour'`);
    await acceptLoss(db);
    expect(
      await query(
        db,
        `select s.lost_since, s.losses, s.identity = server_identity() as "isAdopted", l.term as lane, r.term as reader,
                greatest(l.lease_until, r.lease_until) > now() as "isLeased"
           from server s, lanes l, reader r`,
      ),
    ).toEqual([{ lost_since: null, losses: 1, isAdopted: true, lane: 2n, reader: 8n, isLeased: false }]);
  });

  test('reads no intents, however many have no verdict', async () => {
    await query(
      db,
      `insert into intents (id, account_id, environment, kind, contract, target, calldata, operator, epoch, status)
       select gen_random_uuid(), a.id, 'live', 'mint', :operator, :operator, '', :operator, 1, 'queued'
         from accounts a, generate_series(1, 3000)`,
      { operator: toBytes(OPERATOR) },
    );
    expect(await db.transaction((tx) => readsOf(tx, 'intents', () => acceptLoss(tx)))).toBe(0);
  });
});

describe('what has no verdict when a loss is accepted', () => {
  test('is neither cancelled nor given up before it goes on in the new epoch: lost bytes may do it yet', async () => {
    const { number } = await queueIntent(db, OPERATOR);
    await noteSilence(db);
    const look = () => findNeverSent(db, { outOfReachMs: 0, limit: 10 });
    expect(await look()).toMatchObject([{ number }]);
    await acceptLoss(db);
    // Before the raise is final its bit may be set at any time.
    expect([await cancel(number), await look(), await move(number)]).toEqual([undefined, [], new Set()]);
    await raise(await pending());
    expect([await cancel(number), await look()]).toEqual([undefined, []]);
    // Somebody has read that it is not set, and never will be.
    expect(await move(number)).toEqual(new Set([number]));
    expect(await look()).toMatchObject([{ number }]);
    expect(await cancel(number)).toMatchObject({ status: 'cancelled' });
  });

  test('is said to wait for a person, and then for the new epoch', async () => {
    const { id } = await queueIntent(db, OPERATOR);
    using rpc = createRpc(['http://127.0.0.1:1']);
    const explain = () => explainIntent({ db, rpc, maxInFlight: 4, askChain: false }, id);
    await noteCommitsLost((sql, bindings) => query(db, sql, bindings), 0);
    expect(await explain()).toMatchObject({
      cause: expect.stringMatching(/^The database lacks commits/),
      action: expect.stringContaining('recover --accept-loss'),
    });
    await acceptLoss(db);
    await insertLane(db, SIGNER);
    expect(await explain()).toMatchObject({
      cause: `Epoch 2 of the Operator ${OPERATOR} is about to begin, in which bytes that this database may lack have no effect.`,
      action: expect.stringContaining('Wait until its raise is final'),
    });
  });
});

const [FINAL, NEWEST] = [
  { number: 1n, hash: `0x${'f1'.repeat(32)}` },
  { number: 2n, hash: `0x${'f2'.repeat(32)}` },
] as const;

/**
 * Whether the holder of a lane fails what reverts; `countAt` tells how many nonces are used at a block, or refuses to.
 */
async function fail(number: bigint, countAt: (block: Hex) => Hex | Error): Promise<boolean> {
  await db.raw(`update lanes set lease_until = '-infinity'`);
  const onChain = { nonce: 5n, isAtCanonicalHead: true };
  const taken = await takeLane(db, SIGNER, { holder: 'two', leaseMs: 60_000, onChain });
  const rpc = {
    call: async <Result>(_method: string, [, block]: readonly unknown[]): Promise<Result> => {
      const count = countAt((block as { blockHash: Hex }).blockHash);
      if (count instanceof Error) throw count;
      return count as Result;
    },
  };
  const lane = openLane(createLaneParts(db, SIGNER, { config: ENGINE_CONFIG, rpc }), taken!);
  const error = { code: 'CHAIN_ERROR', message: 'broken' } as const;
  return failUnlessPremature(lane, { final: FINAL, head: NEWEST }, { number, error, transactionHash: null });
}

describe('what reverts', () => {
  const FORGOTTEN = new RpcRefused('unavailable', 'missing trie node', undefined, undefined);
  const LIMITED = new RpcRefused('limited', 'too many requests', undefined, undefined);
  const COUNTS: [string, Record<Hex, Hex>, boolean, RpcRefused?][] = [
    ['is used in no final block', { [FINAL.hash]: '0x8', [NEWEST.hash]: '0x9' }, false],
    ['is used in a final block', { [FINAL.hash]: '0x9' }, true],
    ['is used, and the state of the final block is forgotten', { [NEWEST.hash]: '0x9' }, true],
    ['is not used, and the state of the final block is forgotten', { [NEWEST.hash]: '0x8' }, false],
    ['is used, and nobody says whether in a final block', { [NEWEST.hash]: '0x9' }, false, LIMITED],
    ['cannot be counted', {}, false],
  ];

  /** Queues what was in a transaction that has lost its nonce, 8, to another program, as it seems. */
  async function queueDisplaced(): Promise<bigint> {
    const lane = await insertLane(db, SIGNER, { nextNonce: 8n });
    const { number } = await queueIntent(db, OPERATOR);
    const attempt = createAttempt(`0x${'11'.repeat(32)}`);
    await insertTransaction(db, lane, createDraft(OPERATOR, [number], { nonce: 8n, attempt }));
    await query(db, `update intents set status = 'queued', transaction_hash = null, decided_by = null`);
    await query(
      db,
      `update transactions set status = 'displaced', block_number = 1, block_hash = decode(repeat('ab', 32), 'hex')`,
    );
    return number;
  }

  test.each(COUNTS)(
    'and has lost its nonce as it seems, fails or not, while that %s',
    async (_name, counts, isFailed, refusal = FORGOTTEN) => {
      const number = await queueDisplaced();
      expect(await fail(number, (block) => counts[block] ?? refusal)).toBe(isFailed);
      expect(await query(db, 'select status from intents')).toEqual([
        { status: isFailed ? 'failed' : 'queued' },
      ]);
    },
  );

  test('and was accepted before a loss, fails once it has gone on in the new epoch, whatever nonce it has lost', async () => {
    const number = await queueDisplaced();
    await acceptLoss(db);
    expect(await fail(number, () => '0x9')).toBe(false);
    await raise(await pending());
    expect(await fail(number, () => '0x9')).toBe(false);
    await move(number);
    expect(await fail(number, () => new Error('nobody asks for a count'))).toBe(true);
  });
});
