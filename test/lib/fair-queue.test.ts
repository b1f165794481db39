import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, test } from '@jest/globals';
import { createFairQueue } from '../../src/lib/fair-queue.ts';

/** A queue whose work ends by `release`, the oldest first. */
function createHeld(limits: Partial<Parameters<typeof createFairQueue>[0]> = {}) {
  const started: string[] = [];
  const refused: string[] = [];
  const releases: (() => void)[] = [];
  const run = createFairQueue({
    atATime: 1,
    inAll: 100,
    perLine: 100,
    perOwner: 100,
    refusal: () => new Error('full'),
    ...limits,
  });
  const enter = (line: string, owner = line): void => {
    const work = () => {
      started.push(line);
      return new Promise<void>((resolve) => releases.push(resolve));
    };
    run({ line, owner }, work).catch(() => refused.push(line));
  };
  const release = async (): Promise<void> => {
    await nextTurn();
    releases.shift()!();
    for (let turn = 0; turn < 3; turn += 1) await nextTurn();
  };
  return { run, enter, release, started, refused };
}

test('lines take turns, however long they are, and each keeps its order', async () => {
  const { enter, release, started } = createHeld();
  for (let count = 0; count < 5; count += 1) enter('long');
  enter('short');
  enter('other');
  for (let count = 0; count < 7; count += 1) await release();
  expect(started).toEqual(['long', 'long', 'short', 'other', 'long', 'long', 'long']);
});

test('so many run at a time, and the next one starts when one ends or fails', async () => {
  const { run } = createHeld({ atATime: 2 });
  const place = { line: 'a', owner: 'a' };
  let running = 0;
  let most = 0;
  const work = async (): Promise<void> => {
    most = Math.max(most, ++running);
    await nextTurn();
    running -= 1;
    throw new Error('broken');
  };
  const ends = await Promise.allSettled(Array.from({ length: 20 }, () => run(place, work)));
  expect(ends.map(({ status }) => status)).toEqual(ends.map(() => 'rejected'));
  expect(most).toBe(2);
  expect(await run(place, async () => 'works')).toBe('works');
});

describe('what may not wait is refused at once', () => {
  test.each([
    ['beyond a line', { perLine: 2 }, ['a', 'b', 'c', 'd']],
    ['beyond an owner, with what runs', { perOwner: 3 }, ['a', 'a', 'a', 'a']],
  ])('%s', async (_case, limits, owners) => {
    const { enter, release, started, refused } = createHeld(limits);
    for (const owner of owners) enter('line', owner);
    await nextTurn();
    expect([started.length, refused.length]).toEqual([1, 1]);
    // What has ended counts no more.
    for (let count = 0; count < 3; count += 1) await release();
    enter('line', 'a');
    await nextTurn();
    expect([started.length, refused.length]).toEqual([4, 1]);
  });

  test('when it is full; but the longest line gives way to a shorter one', async () => {
    const { enter, release, started, refused } = createHeld({ inAll: 4 });
    for (let count = 0; count < 5; count += 1) enter('long');
    enter('long');
    await nextTurn();
    expect(refused).toEqual(['long']);
    enter('short');
    enter('short');
    await nextTurn();
    expect(refused).toEqual(['long', 'long', 'long']);
    enter('short');
    await nextTurn();
    expect(refused).toEqual(['long', 'long', 'long', 'short']);
    for (let count = 0; count < 5; count += 1) await release();
    expect(started).toEqual(['long', 'long', 'short', 'long', 'short']);
  });
});
