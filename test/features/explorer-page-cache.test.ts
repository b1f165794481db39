import { expect, test } from '@jest/globals';
import { createPageCache } from '../../src/features/explorer/page-cache.ts';
import type { RenderedPage } from '../../src/features/explorer/page-cache.ts';
import { installMonotonicClock } from '../setup/monotonic-clock.ts';

const page = (body: string, keepMs = 60_000): RenderedPage => ({
  status: 200,
  body: Buffer.from(body),
  isFinal: true,
  keepMs,
});

/** A cache, and the keys of the pages that it had made, in order. */
function open(limits: { maxPages: number; maxBytes: number }, keepMs?: number) {
  const cache = createPageCache(limits);
  const made: string[] = [];
  const show = (key: string, body = key): Promise<RenderedPage> =>
    cache.open(key, async () => {
      made.push(key);
      return page(body, keepMs);
    });
  return { show, made };
}

test('a page is made once, also when it is asked for twice at the same time', async () => {
  const { show, made } = open({ maxPages: 2, maxBytes: 100 });
  const [one, other] = await Promise.all([show('a'), show('a')]);
  expect(one).toBe(other);
  expect(await show('a')).toBe(one);
  expect(made).toEqual(['a']);
});

test('past so many pages, the one that nobody opened for longest goes', async () => {
  const { show, made } = open({ maxPages: 2, maxBytes: 100 });
  for (const key of ['a', 'b', 'a', 'c', 'a', 'b']) await show(key);
  expect(made).toEqual(['a', 'b', 'c', 'b']);
});

test('past so many bytes likewise, and a page of more than all of them is not kept', async () => {
  const { show, made } = open({ maxPages: 9, maxBytes: 10 });
  await show('a', '12345');
  await show('b', '12345');
  await show('c', '123456');
  await show('c');
  await show('d', '12345678901');
  await show('d', '12345678901');
  await show('c');
  expect(made).toEqual(['a', 'b', 'c', 'd', 'd']);
});

test('a page is made again when its time is over, and one without a time each time', async () => {
  using clock = installMonotonicClock();
  const { show, made } = open({ maxPages: 2, maxBytes: 100 }, 60_000);
  await show('a');
  clock.advance(50_000);
  await show('a');
  expect(made).toEqual(['a']);
  clock.advance(10_000);
  await show('a');
  expect(made).toEqual(['a', 'a']);
  const never = open({ maxPages: 2, maxBytes: 100 }, 0);
  await never.show('a');
  await never.show('a');
  expect(never.made).toEqual(['a', 'a']);
});

test('a page that could not be made is tried again', async () => {
  const cache = createPageCache({ maxPages: 2, maxBytes: 100 });
  const fails = async (): Promise<never> => {
    throw new Error('no chain');
  };
  await expect(cache.open('a', fails)).rejects.toThrow('no chain');
  expect((await cache.open('a', async () => page('a'))).body.toString()).toBe('a');
});
