import { expect, test } from '@jest/globals';
import { createRandom } from '../../lab/random.ts';
import { followSchedule } from '../../lab/faults/schedule.ts';

const draw = (random: ReturnType<typeof createRandom>): number[] =>
  Array.from({ length: 50 }, () => random.whole(0, 1_000_000));

test('the same seed draws the same numbers, another seed others', () => {
  expect(draw(createRandom('7'))).toEqual(draw(createRandom('7')));
  expect(draw(createRandom('7'))).not.toEqual(draw(createRandom('8')));
});

test('a fork depends on seed and name, not on what was drawn before', () => {
  const random = createRandom('7');
  const before = draw(random.fork('reorgs'));
  draw(random);
  expect(draw(random.fork('reorgs'))).toEqual(before);
  expect(draw(random.fork('kills'))).not.toEqual(before);
  expect(draw(createRandom('8').fork('reorgs'))).not.toEqual(before);
});

test('numbers are spread evenly between the bounds, both included', () => {
  const random = createRandom('1');
  const counts = [0, 0, 0, 0];
  for (let drawn = 0; drawn < 40_000; drawn += 1) counts[random.whole(0, 3)]! += 1;
  for (const count of counts) expect(Math.abs(count - 10_000)).toBeLessThan(500);
});

test('a schedule makes its steps in order, each before the write or call that it is due at goes on', async () => {
  const made: string[] = [];
  const runner = followSchedule(
    [
      { at: { write: 2 }, what: 'second write' },
      { at: { call: 3 }, what: 'third call after it' },
      { at: { ms: 20 }, what: 'a while later' },
      { at: { write: 9 }, what: 'a write that does not come' },
    ],
    async (what) => void made.push(what),
  );
  await runner.onCall();
  await runner.onWrite();
  expect(made).toEqual([]);
  await runner.onWrite();
  expect(made).toEqual(['second write']);
  for (let call = 0; call < 3; call += 1) await runner.onCall();
  expect(made).toEqual(['second write', 'third call after it']);
  await runner.finish();
  expect(made).toEqual([
    'second write',
    'third call after it',
    'a while later',
    'a write that does not come',
  ]);
});

test('a step that fails lets the schedule go on, and is told in the end', async () => {
  const made: number[] = [];
  const runner = followSchedule(
    [
      { at: { write: 1 }, what: 1 },
      { at: { write: 1 }, what: 2 },
    ],
    async (what) => {
      made.push(what);
      if (what === 1) throw new Error('no such block');
    },
  );
  await expect(runner.finish()).rejects.toThrow('no such block');
  expect(made).toEqual([1, 2]);
});
