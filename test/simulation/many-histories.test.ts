import { expect, test } from '@jest/globals';
import { compareManyHistories } from './histories.ts';

const HISTORIES = Number(process.env['SIMULATED_HISTORIES'] ?? 100);

test('the model of the chain answers as a node does, over many random histories', async () => {
  expect(await compareManyHistories(HISTORIES)).toEqual([]);
}, 7_200_000);
