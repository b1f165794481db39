import { beforeEach, expect, test } from '@jest/globals';
import { query } from '../../src/db/client.ts';
import { readBacklog } from '../../src/engine/store/backlog.ts';
import type { OperatorPauseReason, LaneTrouble } from '../../src/engine/store/lanes.ts';
import { toBytes } from '../../src/lib/hex.ts';
import type { Hex } from '../../src/lib/hex.ts';
import { insertLane } from '../setup/lanes.ts';
import { useSuiteDatabase } from '../setup/suite-database.ts';

/* Which pauses leave nobody who sends what is for a new token. */

const SIGNER = `0x${'01'.repeat(20)}` as const;
const OTHER = `0x${'02'.repeat(20)}` as const;
const CURRENT = `0x${'aa'.repeat(20)}` as const;
const FORMER = `0x${'bb'.repeat(20)}` as const;

const { db } = useSuiteDatabase(2);

beforeEach(async () => {
  await db.raw('truncate lanes, operators cascade');
  await query(db, 'insert into operators (address, is_current) values (:current, true), (:former, false)', {
    current: toBytes(CURRENT),
    former: toBytes(FORMER),
  });
  await insertLane(db, SIGNER);
  await insertLane(db, OTHER);
});

const pauseLane = (signer: Hex, reason: LaneTrouble) =>
  query(db, 'update lanes set trouble = :reason, trouble_since = now() where signer = :signer', {
    signer: toBytes(signer),
    reason,
  });

const pauseOperator = (signer: Hex, operator: Hex, reason: OperatorPauseReason) =>
  query(db, 'insert into paused_operators (signer, operator, reason) values (:signer, :operator, :reason)', {
    signer: toBytes(signer),
    operator: toBytes(operator),
    reason,
  });

const isNothingNew = async (): Promise<boolean> => (await readBacklog(db)).nothingNew;

test('no lane that is paused leaves all at work', async () => {
  expect(await isNothingNew()).toBe(false);
  expect((await readBacklog(db)).paused).toEqual([]);
});

test('a former Operator that every lane has paused leaves the current one', async () => {
  await pauseOperator(SIGNER, FORMER, 'stopped');
  await pauseOperator(OTHER, FORMER, 'stopped');
  expect(await isNothingNew()).toBe(false);
  expect((await readBacklog(db)).paused).toEqual([
    { signer: SIGNER, operator: FORMER, reason: 'stopped' },
    { signer: OTHER, operator: FORMER, reason: 'stopped' },
  ]);
});

test('the current Operator is stopped for every lane once one has noticed it', async () => {
  await pauseOperator(SIGNER, CURRENT, 'stopped');
  expect(await isNothingNew()).toBe(true);
});

test('the fees of the day are spent for every lane once one has noticed it', async () => {
  await pauseLane(SIGNER, 'budget');
  expect(await isNothingNew()).toBe(true);
});

test.each(['no-role', 'wrong-epoch'] as const)(
  'what the current Operator refuses to one lane (%s) another one sends',
  async (reason) => {
    await pauseOperator(SIGNER, CURRENT, reason);
    expect(await isNothingNew()).toBe(false);
    await pauseOperator(OTHER, CURRENT, reason);
    expect(await isNothingNew()).toBe(true);
  },
);

test('what one key does not sign another one does, unless it may not', async () => {
  await pauseLane(SIGNER, 'signer');
  expect(await isNothingNew()).toBe(false);
  await pauseOperator(OTHER, CURRENT, 'no-role');
  expect(await isNothingNew()).toBe(true);
});

test('a lane that is stuck still sends its own calls', async () => {
  await pauseLane(SIGNER, 'stuck');
  await pauseLane(OTHER, 'stuck');
  expect(await isNothingNew()).toBe(false);
});

test.each(['retiring = true, is_sender = false', `lease_until = now() - interval '1 second'`])(
  'a lane with %s is not one that sends',
  async (state) => {
    await query(db, `update lanes set ${state} where signer = :signer`, { signer: toBytes(OTHER) });
    await pauseLane(SIGNER, 'signer');
    expect(await isNothingNew()).toBe(true);
    await query(db, `update lanes set ${state}`);
    expect(await isNothingNew()).toBe(false);
  },
);
