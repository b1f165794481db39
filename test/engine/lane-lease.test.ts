import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { RpcRefused } from '../../src/chain/rpc/rpc.ts';
import { query } from '../../src/db/client.ts';
import { openLane } from '../../src/engine/lane/lane.ts';
import type { Lane } from '../../src/engine/lane/lane.ts';
import { LaneLost, keepLease, noteStored, noteUnstored } from '../../src/engine/lane/lease.ts';
import {
  recheckPause,
  pauseForSigner,
  ExecutionRefused,
  recheckPausedOperators,
  pauseOperator,
} from '../../src/engine/lane/pause.ts';
import { borrowLane } from '../../src/engine/recover/commands.ts';
import { SignerFailed } from '../../src/engine/lane/sign.ts';
import { releaseLane, endLaneLeases, endLease, findLane, takeLane } from '../../src/engine/store/lanes.ts';
import { deletePausedOperator, storePausedOperator } from '../../src/engine/store/paused-operators.ts';
import type { Hex } from '../../src/lib/hex.ts';
import { insertAccount } from '../../lab/stage/accounts.ts';
import { createLaneParts } from '../setup/lanes.ts';
import type { SomeParts } from '../setup/lanes.ts';
import { useSuiteDatabase } from '../setup/suite-database.ts';
import { ENGINE_CONFIG, engineConfigOf } from './engine-config.ts';

const SIGNER = `0x${'01'.repeat(20)}` as const;
const CONTRACT = `0x${'c0'.repeat(20)}` as const;
const TIMINGS = { ...ENGINE_CONFIG.timings, leaseMs: 300, stallMs: 600, pauseMs: 50 };

const { db } = useSuiteDatabase(3);
let signs = true;

beforeAll(() => insertAccount(db));

beforeEach(async () => {
  signs = true;
  await db.raw('truncate intents, lanes, transactions, contracts cascade');
});

/** A lane that was just taken, of a signer that signs while `signs` says so. */
async function takeTestLane(signer: Hex = SIGNER, timings = TIMINGS, rpc?: SomeParts['rpc']): Promise<Lane> {
  const taken = await takeLane(db, signer, {
    holder: 'one',
    leaseMs: 60_000,
    onChain: { nonce: 5n, isAtCanonicalHead: true },
  });
  return openLane(
    createLaneParts(db, signer, {
      config: { ...engineConfigOf(CONTRACT), timings },
      ...(rpc && { rpc }),
      signer: {
        address: signer,
        sign: async () => {
          if (!signs) throw new Error('no key service');
          return { raw: '0x02', hash: `0x${'aa'.repeat(32)}` };
        },
      },
    }),
    taken!,
  );
}

const stateOf = async (signer: Hex) => (await findLane(db, signer))!;

describe('the lease of a lane', () => {
  test('is kept while both loops get on, for however long', async () => {
    // Longer than a busy machine keeps a process from running.
    const stallMs = 3_000;
    const lane = await takeTestLane(SIGNER, { ...TIMINGS, stallMs });
    let lost = false;
    const lease = keepLease(
      lane,
      () => (lost = true),
      () => 0,
    );
    const renewed = async (): Promise<number> => {
      lease.progressed('send');
      lease.progressed('watch');
      await sleep(100);
      return (await stateOf(SIGNER)).leaseUntil!.getTime();
    };
    for (const end = performance.now() + 2 * stallMs; performance.now() < end; await renewed());
    const before = await renewed();
    while ((await renewed()) <= before) expect(lost).toBe(false);
    expect(lost).toBe(false);
    await lease[Symbol.asyncDispose]();
    expect(await stateOf(SIGNER)).toMatchObject({ isHeld: false });
  });

  test.each(['send', 'watch'] as const)('is given up when only the loop %s gets on', async (loop) => {
    const lane = await takeTestLane();
    let lost = false;
    await using lease = keepLease(
      lane,
      () => (lost = true),
      () => 0,
    );
    const timer = setInterval(() => lease.progressed(loop), 50);
    try {
      await lease.givenUp;
    } finally {
      clearInterval(timer);
    }
    expect(lost).toBe(true);
    expect(await stateOf(SIGNER)).toMatchObject({ isHeld: false });
  });

  test('is given up when no endpoint answers, though both loops get on', async () => {
    const lane = await takeTestLane();
    let lost = false;
    let unreachableMs = TIMINGS.silentMs - 1;
    await using lease = keepLease(
      lane,
      () => (lost = true),
      () => unreachableMs,
    );
    const progress = setInterval(() => {
      lease.progressed('send');
      lease.progressed('watch');
    }, 50);
    try {
      const before = (await stateOf(SIGNER)).leaseUntil!.getTime();
      while ((await stateOf(SIGNER)).leaseUntil!.getTime() === before) await sleep(20);
      expect(lost).toBe(false);
      unreachableMs = TIMINGS.silentMs;
      expect(await lease.givenUp).toMatchObject({ name: 'LaneStalled' });
    } finally {
      clearInterval(progress);
    }
    expect(lost).toBe(true);
    expect(await stateOf(SIGNER)).toMatchObject({ isHeld: false });
  });

  test('has ended when it ends later than it is long, twice over: the clock was set back', async () => {
    await takeTestLane();
    const setBack = (seconds: number) =>
      query(
        db,
        `update lanes set lease_ms = 5000, lease_until = now() + :seconds::int * interval '1 second'`,
        {
          seconds,
        },
      );
    const take = () =>
      takeLane(db, SIGNER, {
        holder: 'two',
        leaseMs: 5_000,
        onChain: { nonce: 5n, isAtCanonicalHead: true },
      });
    await setBack(9);
    expect(await stateOf(SIGNER)).toMatchObject({ isHeld: true });
    expect(await take()).toBeUndefined();
    await setBack(3_600);
    expect(await stateOf(SIGNER)).toMatchObject({ isHeld: false });
    expect(await take()).toMatchObject({ nextNonce: 5n });
    expect(await stateOf(SIGNER)).toMatchObject({ isHeld: true, holder: 'two' });
  });
});

test.each<[string, (lane: Lane) => Promise<unknown>]>([
  ['given up', ({ key }) => endLease(db, key)],
  ['lent', () => borrowLane(db, SIGNER, 60, async (nonce) => ({ nonce }))],
  ['taken from it to be healed', () => releaseLane(db, SIGNER)],
  ['taken from it with all others', () => endLaneLeases(db)],
])('a lane that was %s counts as held a moment ago', async (_name, end) => {
  await end(await takeTestLane());
  const state = await stateOf(SIGNER);
  expect(state.isHeld).toBe(false);
  expect(Date.now() - state.leaseUntil!.getTime()).toBeLessThan(30_000);
});

test('a lane that was lent goes on after the nonce that was used', async () => {
  await takeTestLane();
  const { nonce } = await borrowLane(db, SIGNER, 60, async (least) => {
    expect(await stateOf(SIGNER)).toMatchObject({ isHeld: true, holder: 'command line' });
    return { nonce: least + 1n };
  });
  expect(nonce).toBe(6n);
  expect(await stateOf(SIGNER)).toMatchObject({ isHeld: false, nextNonce: 7n });
});

test('a lane of which nothing is stored, twice in a row, is lost', async () => {
  const lane = await takeTestLane();
  await noteUnstored(lane);
  noteStored(lane, 5n);
  await noteUnstored(lane);
  await expect(noteUnstored(lane)).rejects.toThrow(LaneLost);
});

describe('a lane whose signer does not sign', () => {
  test('is paused, and goes on by itself', async () => {
    const lane = await takeTestLane();
    signs = false;
    await pauseForSigner(lane, new SignerFailed(new Error('no key service')));
    expect(await stateOf(SIGNER)).toMatchObject({ trouble: 'signer' });
    expect(await recheckPause(lane)).toBe(true);
    await sleep(TIMINGS.pauseMs);
    expect(await recheckPause(lane)).toBe(true);
    signs = true;
    // A timer of Node may be a millisecond early.
    await sleep(TIMINGS.pauseMs + 2);
    expect(await recheckPause(lane)).toBe(false);
    expect(await stateOf(SIGNER)).toMatchObject({ trouble: null });
  });
});

describe('a lane of which an Operator executes nothing', () => {
  const WAITS = CONTRACT;
  const refused = (operator: Hex) => new ExecutionRefused({ reason: 'no-role' }, { operator, epoch: 1n });

  test('is not paused', async () => {
    const lane = await takeTestLane();
    await pauseOperator(lane, refused(WAITS));
    expect(await recheckPause(lane)).toBe(false);
    expect((await stateOf(SIGNER)).pausedOperators).toMatchObject([{ operator: WAITS, reason: 'no-role' }]);
  });

  test('tells of a new reason, and of none that it told already or that the next holder does not find', async () => {
    const lane = await takeTestLane();
    await pauseOperator(lane, refused(WAITS));
    const reasonOf = async () => (await stateOf(SIGNER)).pausedOperators.map(({ reason }) => reason);
    const operator = WAITS;
    expect(await storePausedOperator(db, lane.key, { operator, reason: 'no-role' })).toBe(false);
    expect(await storePausedOperator(db, lane.key, { operator, reason: 'stopped' })).toBe(true);
    expect(await storePausedOperator(db, { ...lane.key, term: 9n }, { operator, reason: 'no-role' })).toBe(
      false,
    );
    expect(await deletePausedOperator(db, { ...lane.key, term: 9n }, operator)).toBe(false);
    expect(await reasonOf()).toEqual(['stopped']);
    await endLease(db, lane.key);
    await takeTestLane();
    expect(await reasonOf()).toEqual([]);
  });

  test.each<[string, () => Promise<unknown>, Hex[]]>([
    [
      'does not answer for it',
      () => Promise.reject(new RpcRefused('unavailable', 'no', undefined, undefined)),
      [WAITS],
    ],
    ['says that it executes again', async () => '0x', []],
  ])('asks the Operator again once the pause is over: an endpoint %s', async (_name, answer, paused) => {
    let asked = 0;
    const rpc: SomeParts['rpc'] = {
      call: async <Result>() => {
        asked += 1;
        return (await answer()) as Result;
      },
    };
    const lane = await takeTestLane(SIGNER, { ...TIMINGS, pauseMs: 3_600_000 }, rpc);
    await pauseOperator(lane, refused(WAITS));
    expect([await recheckPausedOperators(lane), asked]).toEqual([[WAITS], 0]);
    lane.health.pausedOperators.get(WAITS)!.lookAt = 0;
    expect([await recheckPausedOperators(lane), asked]).toEqual([paused, 1]);
    expect((await stateOf(SIGNER)).pausedOperators.map(({ operator }) => operator)).toEqual(paused);
  });
});
