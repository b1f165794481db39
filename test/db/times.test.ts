import { expect, test } from '@jest/globals';
import pg from 'pg';
import '../../src/db/client.ts';

const read = pg.types.getTypeParser(pg.types.builtins.TIMESTAMPTZ) as (text: string) => unknown;

test('a time is read anew after it was changed by whoever got it', () => {
  const text = '2026-11-22 22:08:00.123+00';
  const first = read(text) as Date;
  expect(first.toISOString()).toBe('2026-11-22T22:08:00.123Z');
  first.setTime(0);
  expect(read(text)).toEqual(new Date('2026-11-22T22:08:00.123Z'));
});

test('more different times than are kept are read right', () => {
  const texts = Array.from({ length: 250 }, (_, index) => `2026-11-22 22:08:00.${index + 100}+00`);
  for (const text of [...texts, ...texts])
    expect(read(text)).toEqual(new Date(`${text.slice(0, 10)}T${text.slice(11, -3)}Z`));
});

test('an infinite time is the number that it is for the driver', () => {
  expect([read('infinity'), read('-infinity'), read('infinity')]).toEqual([Infinity, -Infinity, Infinity]);
});
