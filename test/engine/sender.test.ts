import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { query } from '../../src/db/client.ts';
import { openLane } from '../../src/engine/lane/lane.ts';
import type { Lane } from '../../src/engine/lane/lane.ts';
import { pauseForSigner, ExecutionRefused, pauseOperator } from '../../src/engine/lane/pause.ts';
import { borrowLane } from '../../src/engine/recover/commands.ts';
import { decideRole } from '../../src/engine/lane/sender.ts';
import { SignerFailed } from '../../src/engine/lane/sign.ts';
import { insertTransaction } from '../../src/engine/store/insert-transaction.ts';
import { endLease, isDepthMissing, setFunded, takeLane } from '../../src/engine/store/lanes.ts';
import { carryAbandoned } from '../../src/engine/store/requeue.ts';
import { readSenderLook } from '../../src/engine/store/sender.ts';
import { cancelQueued, confirmIntents, retractIntents } from '../../src/engine/store/verdicts.ts';
import { insertAccount } from '../../lab/stage/accounts.ts';
import { toBytes } from '../../src/lib/hex.ts';
import type { Hex } from '../../src/lib/hex.ts';
import { createAttempt, createDraft } from '../setup/transactions.ts';
import { createLaneParts } from '../setup/lanes.ts';
import { queueIntent } from '../setup/queue.ts';
import { useSuiteDatabase } from '../setup/suite-database.ts';
import { engineConfigOf } from './engine-config.ts';

const SIGNER = `0x${'01'.repeat(20)}` as const;
const OTHER = `0x${'02'.repeat(20)}` as const;
const CONTRACT = `0x${'c0'.repeat(20)}` as const;
const FORMER = `0x${'c1'.repeat(20)}` as const;

const { db } = useSuiteDatabase(3);

beforeAll(() => insertAccount(db));

beforeEach(() => db.raw('truncate intents, lanes, transactions, operators, contracts cascade'));

/** A lane that was just taken. */
async function takeTestLane(signer: Hex): Promise<Lane> {
  const taken = (await takeLane(db, signer, {
    holder: 'one',
    leaseMs: 60_000,
    onChain: { nonce: 5n, isAtCanonicalHead: true },
  }))!;
  return openLane(createLaneParts(db, signer, { config: engineConfigOf(CONTRACT) }), taken);
}

const look = ({ key }: Lane) => readSenderLook(db, key, []);
const mind = async (lane: Lane) => decideRole(lane, await look(lane));

async function findSender(): Promise<Hex | undefined> {
  const [row] = await query<{ signer: Hex }>(db, 'select signer from lanes where is_sender');
  return row?.signer;
}

const stopSigning = (lane: Lane) => pauseForSigner(lane, new SignerFailed(new Error('no key service')));
const lacksRole = (lane: Lane, operator: Hex) =>
  pauseOperator(lane, new ExecutionRefused({ reason: 'no-role' }, { operator, epoch: 1n }));

describe('the lane that takes new calls', () => {
  test('is the first to look, as long as a process holds it, and the others stand by', async () => {
    const [lane, other] = [await takeTestLane(SIGNER), await takeTestLane(OTHER)];
    expect([await mind(lane), await mind(lane), await mind(other)]).toEqual(['began', 'stays', 'stands by']);
    await endLease(db, lane.key);
    expect([await mind(other), await findSender()]).toEqual(['began', OTHER]);
    // It comes back, and is not needed.
    expect(await mind(await takeTestLane(SIGNER))).toBe('stands by');
  });

  test.each<[string, (lane: Lane) => Promise<unknown>]>([
    ['does not sign', stopSigning],
    ['cannot pay', async (lane) => ((lane.funds.areEnough = false), setFunded(db, lane.key, false))],
    ['is stuck', async (lane) => (lane.health.isStuck = true)],
  ])('leaves that to another one when its signer %s', async (_what, makeUnwell) => {
    const [lane, other] = [await takeTestLane(SIGNER), await takeTestLane(OTHER)];
    await mind(lane);
    await makeUnwell(lane);
    expect([await mind(lane), await findSender()]).toEqual(['stands by', undefined]);
    // That is left to the one that is well.
    expect([await mind(lane), await mind(other), await findSender()]).toEqual(['stands by', 'began', OTHER]);
  });

  test('goes on when no other one is well', async () => {
    const [lane, other] = [await takeTestLane(SIGNER), await takeTestLane(OTHER)];
    await mind(lane);
    await stopSigning(other);
    await stopSigning(lane);
    expect([await mind(lane), await mind(other)]).toEqual(['stays', 'stands by']);
    await endLease(db, lane.key);
    expect(await mind(other)).toBe('began');
  });

  test('is one of two that are both short of money', async () => {
    const lanes = [await takeTestLane(SIGNER), await takeTestLane(OTHER)];
    await mind(lanes[0]!);
    for (const { funds } of lanes) funds.shortUntil = Infinity;
    const roles = [];
    for (const lane of [...lanes, ...lanes, ...lanes]) roles.push(await mind(lane));
    expect(roles.some((role) => role !== 'stands by')).toBe(true);
  });

  test('is the one that more Operators have as an executor', async () => {
    const [lane, other] = [await takeTestLane(SIGNER), await takeTestLane(OTHER)];
    await mind(lane);
    await lacksRole(lane, FORMER);
    expect([await mind(lane), await mind(other)]).toEqual(['stands by', 'began']);
    // It turns out that this one can do less.
    for (const operator of [FORMER, CONTRACT]) await lacksRole(other, operator);
    expect([await mind(other), await mind(lane), await mind(other)]).toEqual([
      'stands by',
      'began',
      'stands by',
    ]);
    expect(await mind(lane)).toBe('stays');
  });

  test('is another one while a command has borrowed it', async () => {
    const [lane, other] = [await takeTestLane(SIGNER), await takeTestLane(OTHER)];
    await mind(lane);
    await borrowLane(db, SIGNER, 60, async (nonce) => {
      expect([await mind(other), await findSender()]).toEqual(['began', OTHER]);
      return { nonce };
    });
  });

  test('alone stores new transactions, and leaves out contracts that another signer has in flight', async () => {
    const [lane, other] = [await takeTestLane(SIGNER), await takeTestLane(OTHER)];
    const { number } = await queueIntent(db, CONTRACT);
    const send = async ({ key }: Lane) =>
      insertTransaction(
        db,
        key,
        createDraft(CONTRACT, [number], { nonce: 5n, attempt: createAttempt(`0x${'ab'.repeat(32)}`) }),
      );
    expect(await send(lane)).toEqual({ id: null, left: [] });
    await mind(lane);
    expect(await send(other)).toEqual({ id: null, left: [] });
    expect((await send(lane)).id).not.toBeNull();
    await endLease(db, lane.key);
    expect([(await look(lane)).underWay, (await look(other)).underWay]).toEqual([[], [CONTRACT]]);
    await query(
      db,
      `update transactions set status = 'mined', mined_hash = decode(repeat('aa', 32), 'hex'),
              block_number = 1, block_hash = decode(repeat('bb', 32), 'hex')`,
    );
    expect((await look(other)).underWay).toEqual([CONTRACT]);
    await query(db, `update transactions set status = 'final'`);
    expect((await look(other)).underWay).toEqual([]);
  });
});

describe('what a signer has open that nobody sends for', () => {
  /** An intent in an open transaction of a lane that nobody has held for a minute, and the lane that is the sender. */
  async function abandon(isControl: boolean): Promise<{ number: bigint; sender: Lane }> {
    const [lane, sender] = [await takeTestLane(SIGNER), await takeTestLane(OTHER)];
    await mind(lane);
    const { number } = await queueIntent(db, CONTRACT, { isControl });
    const draft = createDraft(CONTRACT, [number], {
      nonce: 5n,
      attempt: createAttempt(`0x${'ab'.repeat(32)}`),
    });
    expect((await insertTransaction(db, lane.key, draft)).id).not.toBeNull();
    await query(
      db,
      `update lanes set lease_ms = 1000, lease_until = now() - interval '1 minute' where signer = :signer`,
      {
        signer: toBytes(SIGNER),
      },
    );
    await mind(sender);
    return { number, sender };
  }

  const statusOf = async (number: bigint) =>
    (
      await query<{ status: string }>(db, 'select status from intents where number = :number', {
        number: String(number),
      })
    )[0]!.status;

  test('is carried by the sender too after the stuck time, when it may come late', async () => {
    const { number, sender } = await abandon(false);
    expect(await carryAbandoned(db, sender.key, { stuckMs: 60_000, limit: 10 })).toBe(0);
    expect((await look(sender)).underWay).toEqual([CONTRACT]);
    expect(await carryAbandoned(db, sender.key, { stuckMs: 0, limit: 10 })).toBe(1);
    expect([await statusOf(number), (await look(sender)).underWay]).toEqual(['queued', []]);
    // Its bytes may be mined yet.
    expect(await db.transaction((tx) => cancelQueued(tx, number))).toBeUndefined();
    expect(await carryAbandoned(db, sender.key, { stuckMs: 0, limit: 10 })).toBe(0);
  });

  test('is carried at once when it was signed by a clock that was set back since', async () => {
    const { number, sender } = await abandon(false);
    await query(db, `update transactions set created_at = now() + interval '1 hour'`);
    expect(await carryAbandoned(db, { signer: SIGNER }, { stuckMs: 60_000, limit: 10 })).toBe(0);
    expect(await carryAbandoned(db, sender.key, { stuckMs: 60_000, limit: 10 })).toBe(1);
    expect(await statusOf(number)).toBe('queued');
  });

  test('gets blocks from the sender alone, as long as it is not final', async () => {
    const { sender } = await abandon(false);
    const hash = toBytes(`0x${'ab'.repeat(32)}`);
    await query(
      db,
      `update transactions set status = 'mined', mined_hash = :hash, block_number = 9, block_hash = :hash`,
      { hash },
    );
    const readUpTo = (final: number) =>
      query(
        db,
        `update reader set final_number = :final, final_hash = :hash, head_number = 9, head_hash = :hash`,
        { final: String(final), hash },
      );
    await readUpTo(8);
    const standby = { ...sender.key, signer: SIGNER };
    expect([await isDepthMissing(db, sender.key), await isDepthMissing(db, standby)]).toEqual([true, false]);
    await readUpTo(9);
    expect(await isDepthMissing(db, sender.key)).toBe(false);
  });

  test('keeps its contract waiting once those bytes are mined, as long as a reorg may take that back', async () => {
    const { number, sender } = await abandon(false);
    await carryAbandoned(db, sender.key, { stuckMs: 0, limit: 10 });
    const mined = { number, result: null, transactionHash: `0x${'ab'.repeat(32)}` } as const;
    await db.transaction((tx) => confirmIntents(tx, [mined], false));
    expect((await look(sender)).underWay).toEqual([CONTRACT]);
    // Then it goes with the sender, before what was asked later.
    await db.transaction((tx) => retractIntents(tx, [number]));
    expect([await statusOf(number), (await look(sender)).underWay]).toEqual(['queued', []]);
  });

  test('waits for its own transaction when it is a control, and so does all of its contract', async () => {
    const { number, sender } = await abandon(true);
    expect(await carryAbandoned(db, sender.key, { stuckMs: 0, limit: 10 })).toBe(0);
    expect([await statusOf(number), (await look(sender)).underWay]).toEqual(['submitted', [CONTRACT]]);
  });
});

test('nothing counts as queued while all Operators are paused', async () => {
  const lane = await takeTestLane(SIGNER);
  await queueIntent(db, CONTRACT);
  await query(db, 'insert into operators (address, is_current) values (:address, true)', {
    address: toBytes(CONTRACT),
  });
  const counts = async (...paused: Hex[]) => (await readSenderLook(db, lane.key, paused)).isAnyQueued;
  expect([await counts(), await counts(FORMER), await counts(CONTRACT)]).toEqual([true, true, false]);
});
