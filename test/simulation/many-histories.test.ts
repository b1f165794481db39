import { expect, test } from '@jest/globals';
import { compareManyHistories } from './histories.ts';

test('the model of the chain answers as a node does, over 1,000 random histories', async () => {
  expect(await compareManyHistories(1_000)).toEqual([]);
}, 7_200_000);
