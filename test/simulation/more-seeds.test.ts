import { expect, test } from '@jest/globals';
import { findBroken } from './many-seeds.ts';

test('no promise is broken in the worlds of 150 more seeds', async () => {
  expect(await findBroken(151, 300)).toEqual([]);
}, 7_200_000);
