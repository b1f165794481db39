import { setTimeout as sleep } from 'node:timers/promises';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { createCanonicalChain } from '../../src/engine/run/fresh-head.ts';
import type { ReaderSide } from '../../src/engine/run/fresh-head.ts';
import type { Cursor } from '../../src/lib/block-id.ts';
import { createWakeup } from '../../src/lib/wakeups.ts';
import { moveCursor, takeReader } from '../../src/engine/store/reader.ts';
import type { ReaderKey } from '../../src/engine/store/reader.ts';
import { useSuiteDatabase } from '../setup/suite-database.ts';

const { db } = useSuiteDatabase(3);

function cursorAt(number: bigint): Cursor {
  const block = { number, hash: `0x${number.toString(16).padStart(64, '0')}` as const };
  return { final: block, head: block };
}

/** The chain for a process whose reader is the test, and that gets no notices. */
const openChain = (): ReaderSide =>
  createCanonicalChain(
    { db, notifications: { on: () => undefined } },
    createWakeup(new AbortController().signal),
  );

describe('in the process that reads the chain', () => {
  let side: ReaderSide;
  beforeEach(() => {
    side = openChain();
    side.onLook(cursorAt(1n), true);
  });

  test('a fresh head is that of a look which began after the question', async () => {
    side.isAsked();
    const head = side.chain.fresh();
    side.onLook(cursorAt(2n), true);
    expect(side.isAsked()).toBe(true);
    side.onLook(cursorAt(3n), true);
    expect(await head).toEqual(cursorAt(3n));
    expect(side.isAsked()).toBe(false);
  });

  test('a head that is far behind is given to no waiting call', async () => {
    const head = side.chain.fresh();
    side.isAsked();
    side.onLook(cursorAt(2n), false);
    expect(side.isAsked()).toBe(true);
    side.onLook(cursorAt(3n), true);
    expect(await head).toEqual(cursorAt(3n));
  });

  test('a waiting call ends when the reading ends, and one that timed out asks no more', async () => {
    const head = side.chain.fresh();
    side.onEnd();
    expect(await head).toBeNull();
    side.onLook(cursorAt(2n), true);
    expect(await side.chain.fresh()).toBeNull();
    expect(side.isAsked()).toBe(false);
  });
});

describe('in another process', () => {
  let key: ReaderKey;
  beforeEach(async () => {
    await db.raw(
      `update reader set lease_until = '-infinity', final_number = null, final_hash = null, head_number = null,
              head_hash = null, looked_at = null`,
    );
    ({ key } = (await takeReader(db, 'reader', 60_000))!);
  });

  const store = (from: Cursor | null, to: Cursor, lookedAt: Date): Promise<boolean> =>
    moveCursor(db, key, { from: from && from.head, to, lookedAt: lookedAt.toISOString(), leaseMs: 60_000 });

  test('all who wait share one poll', async () => {
    const { chain, onEnd } = openChain();
    let queries = 0;
    const count = (): void => {
      queries += 1;
    };
    db.on('query', count);
    const heads = Array.from({ length: 200 }, () => chain.fresh());
    await sleep(300);
    // As a process does again and again that would read the chain, too.
    onEnd();
    await store(null, cursorAt(5n), new Date());
    expect(await Promise.all(heads)).toEqual(heads.map(() => expect.objectContaining(cursorAt(5n))));
    db.off('query', count);
    // One look in 20 ms, for two seconds at most.
    expect(queries).toBeLessThan(heads.length);
  });

  test('a fresh head is that of a look which began after the question', async () => {
    await store(null, cursorAt(5n), new Date());
    const head = openChain().chain.fresh();
    const askedAt = new Date();
    await sleep(300);
    await store(cursorAt(5n), cursorAt(6n), new Date(askedAt.getTime() - 50));
    await sleep(100);
    await store(cursorAt(6n), cursorAt(7n), new Date());
    expect(await head).toMatchObject(cursorAt(7n));
  });
});
