import { expect, test } from '@jest/globals';
import { createOneAtATime } from '../../src/lib/one-at-a-time.ts';

const refuse = (): Error => new Error('too many');

/** Work that ends when it is told to, and says when it began. */
function controlled(begun: string[], name: string) {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const work = (): Promise<string> => {
    begun.push(name);
    return promise;
  };
  return { work, end: () => resolve(name), fail: () => reject(new Error(name)) };
}

const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('work of a key waits for what came before it, also when that fails; other keys do not wait', async () => {
  const run = createOneAtATime(2, refuse);
  const begun: string[] = [];
  const [first, second, other] = ['first', 'second', 'other'].map((name) => controlled(begun, name));
  const ends = [run('a', first!.work), run('a', second!.work), run('b', other!.work)];
  await settle();
  expect(begun).toEqual(['first', 'other']);
  first!.fail();
  await expect(ends[0]).rejects.toThrow('first');
  await settle();
  expect(begun).toEqual(['first', 'other', 'second']);
  second!.end();
  other!.end();
  expect(await Promise.all(ends.slice(1))).toEqual(['second', 'other']);
});

test('what would wait behind too many is refused, and goes when these are done', async () => {
  const run = createOneAtATime(1, refuse);
  const begun: string[] = [];
  const [first, second, third] = ['first', 'second', 'third'].map((name) => controlled(begun, name));
  const ends = [run('a', first!.work), run('a', second!.work)];
  await expect(run('a', third!.work)).rejects.toThrow('too many');
  first!.end();
  second!.end();
  expect(await Promise.all(ends)).toEqual(['first', 'second']);
  third!.end();
  expect(await run('a', third!.work)).toBe('third');
  expect(begun).toEqual(['first', 'second', 'third']);
});
