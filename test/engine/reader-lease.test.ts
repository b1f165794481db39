import { beforeEach, describe, expect, test } from '@jest/globals';
import { query } from '../../src/db/client.ts';
import {
  findUnresolvedReorg,
  forgetReorg,
  noteNeedsPerson,
  noteReorg,
} from '../../src/engine/store/deep-reorgs.ts';
import { endReader, moveCursor, readCursor, takeReader } from '../../src/engine/store/reader.ts';
import { useSuiteDatabase } from '../setup/suite-database.ts';

const block = (number: bigint) => ({
  number,
  hash: `0x${number.toString(16).padStart(64, '0')}` as const,
});
const LEASE_MS = 60_000;
const NOW = new Date().toISOString();
const to = { final: block(7n), head: block(9n) };

const { db } = useSuiteDatabase(3);

beforeEach(() =>
  query(
    db,
    `update reader set term = 0, lease_until = '-infinity', final_number = null, final_hash = null,
            head_number = null, head_hash = null, looked_at = null`,
  ),
);

describe('the reader of the chain', () => {
  test('is one process at a time', async () => {
    const one = await takeReader(db, 'one', LEASE_MS);
    expect(one).toEqual({ key: { term: 1n }, cursor: null });
    expect(await takeReader(db, 'other', LEASE_MS)).toBeUndefined();
    await endReader(db, one!.key);
    expect(await takeReader(db, 'other', LEASE_MS)).toEqual({ key: { term: 2n }, cursor: null });
  });

  test('is another process when the clock was set back since its lease was given', async () => {
    await takeReader(db, 'one', LEASE_MS);
    const setBack = (minutes: number) =>
      query(
        db,
        `update reader set lease_until = now() + :minutes::int * interval '1 minute', looked_at = now() + interval '1 minute',
                final_number = 7, final_hash = :hash, head_number = 7, head_hash = :hash`,
        { minutes, hash: Buffer.alloc(32) },
      );
    await setBack(1);
    expect(await takeReader(db, 'other', LEASE_MS)).toBeUndefined();
    await setBack(60);
    // Nor does a look that is still to come count as one that began just now.
    expect(await takeReader(db, 'other', LEASE_MS)).toMatchObject({
      key: { term: 2n },
      cursor: { ageMs: Infinity },
    });
  });

  test('moves the cursor from where it knows it, and from nowhere else', async () => {
    const { key } = (await takeReader(db, 'one', LEASE_MS))!;
    expect(await moveCursor(db, key, { from: block(8n), to, lookedAt: NOW, leaseMs: LEASE_MS })).toBe(false);
    expect(await readCursor(db)).toBeNull();
    expect(await moveCursor(db, key, { from: null, to, lookedAt: NOW, leaseMs: LEASE_MS })).toBe(true);
    expect(await readCursor(db)).toMatchObject(to);
    expect(await moveCursor(db, key, { from: null, to, lookedAt: NOW, leaseMs: LEASE_MS })).toBe(false);
    expect(await moveCursor(db, key, { from: block(9n), to, lookedAt: NOW, leaseMs: LEASE_MS })).toBe(true);
  });

  test('tells how long ago the last look began that has shown its head', async () => {
    const { key } = (await takeReader(db, 'one', LEASE_MS))!;
    const move = async (from: bigint | null, head: bigint, ageMs: number | null): Promise<number> => {
      const lookedAt = ageMs === null ? null : new Date(Date.now() - ageMs).toISOString();
      const cursor = { final: block(7n), head: block(head) };
      const known = from === null ? null : block(from);
      await moveCursor(db, key, { from: known, to: cursor, lookedAt, leaseMs: LEASE_MS });
      return (await readCursor(db))!.ageMs;
    };
    expect(await move(null, 9n, null)).toBe(Infinity);
    expect(await move(9n, 10n, 60_000)).toBeGreaterThan(59_000);
    expect(await move(10n, 11n, null)).toBeGreaterThan(59_000);
    expect(await move(11n, 12n, 20_000)).toBeLessThan(59_000);
  });

  test('that was followed by another one moves nothing', async () => {
    const { key } = (await takeReader(db, 'one', 0))!;
    await takeReader(db, 'other', LEASE_MS);
    expect(await moveCursor(db, key, { from: null, to, lookedAt: NOW, leaseMs: LEASE_MS })).toBe(false);
    expect(await readCursor(db)).toBeNull();
  });

  test('that was followed by another one changes nothing of what is known of a deep reorg', async () => {
    const { key } = (await takeReader(db, 'one', 0))!;
    const { key: other } = (await takeReader(db, 'other', LEASE_MS))!;
    await noteReorg(db, key);
    expect(await findUnresolvedReorg(db)).toBeUndefined();
    await noteReorg(db, other);
    await noteNeedsPerson(db, key);
    await forgetReorg(db, key);
    expect(await findUnresolvedReorg(db)).toMatchObject({ needsPerson: false });
    await noteNeedsPerson(db, other);
    expect(await findUnresolvedReorg(db)).toMatchObject({ needsPerson: true });
    await forgetReorg(db, other);
    expect(await findUnresolvedReorg(db)).toBeUndefined();
  });
});
