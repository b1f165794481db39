import { expect, test } from '@jest/globals';
import { findBroken } from './many-seeds.ts';

test('no promise is broken in the worlds of 150 seeds', async () => {
  expect(await findBroken(1, 150)).toEqual([]);
}, 7_200_000);
