import { beforeEach, describe, expect, test } from '@jest/globals';
import { query } from '../../src/db/client.ts';
import { endFollower, moveCursor, readCursor, takeFollower } from '../../src/engine/store/follower.ts';
import { useSuiteDatabase } from '../setup/suite-database.ts';

const block = (number: bigint) => ({
  number,
  hash: `0x${number.toString(16).padStart(64, '0')}` as const,
});
const LEASE_MS = 60_000;
const to = { final: block(7n), head: block(9n) };

const { db } = useSuiteDatabase(3);

beforeEach(() =>
  query(
    db,
    `update follower set epoch = 0, lease_until = '-infinity', final_number = null, final_hash = null,
            head_number = null, head_hash = null`,
  ),
);

describe('the reader of the chain', () => {
  test('is one process at a time', async () => {
    const one = await takeFollower(db, 'one', LEASE_MS);
    expect(one).toEqual({ key: { epoch: 1n }, cursor: null });
    expect(await takeFollower(db, 'other', LEASE_MS)).toBeUndefined();
    await endFollower(db, one!.key);
    expect(await takeFollower(db, 'other', LEASE_MS)).toEqual({ key: { epoch: 2n }, cursor: null });
  });

  test('moves the cursor from where it knows it, and from nowhere else', async () => {
    const { key } = (await takeFollower(db, 'one', LEASE_MS))!;
    expect(await moveCursor(db, key, { from: block(8n), to, isLatest: true, leaseMs: LEASE_MS })).toBe(false);
    expect(await readCursor(db)).toBeNull();
    expect(await moveCursor(db, key, { from: null, to, isLatest: true, leaseMs: LEASE_MS })).toBe(true);
    expect(await readCursor(db)).toMatchObject(to);
    expect(await moveCursor(db, key, { from: null, to, isLatest: true, leaseMs: LEASE_MS })).toBe(false);
    expect(await moveCursor(db, key, { from: block(9n), to, isLatest: true, leaseMs: LEASE_MS })).toBe(true);
  });

  test('that was followed by another one moves nothing', async () => {
    const { key } = (await takeFollower(db, 'one', 0))!;
    await takeFollower(db, 'other', LEASE_MS);
    expect(await moveCursor(db, key, { from: null, to, isLatest: true, leaseMs: LEASE_MS })).toBe(false);
    expect(await readCursor(db)).toBeNull();
  });
});
