import { describe, expect, test } from '@jest/globals';
import { compareManyHistories } from './histories.ts';

describe('the model of the chain in a simulated world', () => {
  test('answers as a node does, over five random histories', async () => {
    expect(await compareManyHistories(5)).toEqual([]);
  });
});
