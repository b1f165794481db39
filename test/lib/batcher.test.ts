import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from '@jest/globals';
import { createBatcher } from '../../src/lib/batcher.ts';

/** A batcher whose groups are kept, each under way until `release` is called. */
function createHeld(options: { maxItems?: number; concurrency?: number } = {}) {
  const groups: number[][] = [];
  const releases: (() => void)[] = [];
  const call = createBatcher<number, string>(async (items) => {
    groups.push(items);
    await new Promise<void>((resolve) => releases.push(resolve));
    return items.map((item) => `answer ${item}`);
  }, options);
  const release = async (): Promise<void> => {
    releases.shift()!();
    await settle();
  };
  return { call, groups, release, underWay: () => releases.length };
}

/** Lets the event loop take a few turns: a group begins in the turn after its first call. */
async function settle(): Promise<void> {
  for (let turns = 0; turns < 3; turns += 1) await nextTurn();
}

describe('grouping', () => {
  test('a single call runs at once', async () => {
    const { call, groups, release } = createHeld();
    const answer = call(1);
    await settle();
    expect(groups).toEqual([[1]]);
    await release();
    expect(await answer).toBe('answer 1');
  });

  test('calls of one turn of the event loop form one group', async () => {
    const { call, groups, release } = createHeld();
    const answers = Promise.all([1, 2, 3].map(call));
    await settle();
    expect(groups).toEqual([[1, 2, 3]]);
    await release();
    expect(await answers).toEqual(['answer 1', 'answer 2', 'answer 3']);
  });

  test('calls that arrive while a group runs form the next group, in order', async () => {
    const { call, groups, release } = createHeld();
    const answers = [call(1)];
    await settle();
    answers.push(call(2), call(3));
    await settle();
    answers.push(call(4));
    await settle();
    expect(groups).toEqual([[1]]);
    await release();
    expect(groups).toEqual([[1], [2, 3, 4]]);
    await release();
    expect(await Promise.all(answers)).toEqual(['answer 1', 'answer 2', 'answer 3', 'answer 4']);
  });

  test('a group holds at most `maxItems`; the rest follows', async () => {
    const { call, groups, release } = createHeld({ maxItems: 2 });
    const answers = Promise.all([1, 2, 3, 4, 5].map(call));
    await settle();
    for (const expected of [
      [[1, 2]],
      [
        [1, 2],
        [3, 4],
      ],
      [[1, 2], [3, 4], [5]],
    ]) {
      expect(groups).toEqual(expected);
      await release();
    }
    expect(await answers).toHaveLength(5);
  });

  test('at most `concurrency` groups run at a time', async () => {
    const { call, groups, release, underWay } = createHeld({ maxItems: 1, concurrency: 2 });
    const answers = Promise.all([1, 2, 3].map(call));
    await settle();
    expect(underWay()).toBe(2);
    expect(groups).toEqual([[1], [2]]);
    await release();
    expect(groups).toEqual([[1], [2], [3]]);
    await release();
    await release();
    await answers;
  });
});

describe('errors', () => {
  test('an Error among the results rejects only its own call', async () => {
    const refusal = new Error('not this one');
    const call = createBatcher<number, number>(async (items) =>
      items.map((item) => (item % 2 ? item : refusal)),
    );
    const outcomes = await Promise.allSettled([1, 2, 3].map(call));
    expect(outcomes).toEqual([
      { status: 'fulfilled', value: 1 },
      { status: 'rejected', reason: refusal },
      { status: 'fulfilled', value: 3 },
    ]);
  });

  test.each([
    ['rejects', () => Promise.reject(new Error('the database is gone'))],
    [
      'throws',
      () => {
        throw new Error('the database is gone');
      },
    ],
  ])('a run that %s rejects its whole group, and not the next one', async (_case, fail) => {
    let runs = 0;
    const call = createBatcher<number, number>((items) => {
      runs += 1;
      return runs === 1 ? fail() : Promise.resolve(items);
    });
    const lost = await Promise.allSettled([call(1), call(2)]);
    expect(lost.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(await call(3)).toBe(3);
  });

  test('null and undefined are valid results', async () => {
    const call = createBatcher<number, null>(async (items) => items.map(() => null));
    expect(await Promise.all([call(1), call(2)])).toEqual([null, null]);
  });
});

test('thousands of calls from many turns each get their own result', async () => {
  const sizes: number[] = [];
  const call = createBatcher<number, number>(
    async (items) => {
      sizes.push(items.length);
      await sleep(1);
      return items.map((item) => item * 2);
    },
    { maxItems: 100, concurrency: 3 },
  );
  const answers: Promise<number>[] = [];
  for (let turn = 0; turn < 40; turn += 1) {
    for (let index = 0; index < 50; index += 1) answers.push(call(turn * 50 + index));
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(await Promise.all(answers)).toEqual(answers.map((_, index) => index * 2));
  expect(Math.max(...sizes)).toBeLessThanOrEqual(100);
  expect(sizes.length).toBeLessThan(200);
});
