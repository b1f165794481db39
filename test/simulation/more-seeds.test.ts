import { expect, test } from '@jest/globals';
import { compareSeeds } from './many-seeds.ts';

test('no promise is broken in the worlds of 150 more seeds but as is known of them', async () => {
  expect(await compareSeeds(151, 300)).toEqual([]);
}, 7_200_000);
