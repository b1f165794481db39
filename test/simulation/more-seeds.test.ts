import { expect, test } from '@jest/globals';
import { brokenOf, runMany } from './many-seeds.ts';
import { runSeeds } from './run.ts';

test('no promise is broken in the worlds of 160 more seeds', async () => {
  expect(brokenOf(await runMany(141, 300))).toEqual([]);
}, 7_200_000);

test.each([
  ['endpoints stand still', ['--seed', '511']],
  ['the chain has halted', ['--seed', '363', '--requests', '20', '--without', '1']],
])('a backup that is started while %s doubles no mint', async (_when, options) => {
  expect(brokenOf(await runSeeds(...options))).toEqual([]);
});

test('an engine that is answered late fails nothing of what another one cannot send', async () => {
  expect(brokenOf(await runSeeds('--seed', '657'))).toEqual([]);
});

test('what an engine sent that is gone is settled, by a clock that was set back and on a chain that mines on demand', async () => {
  expect(brokenOf(await runSeeds('--seed', '1349'))).toEqual([]);
});

test('a signer that was paid is not taken for one without funds by a backend that lags', async () => {
  expect(brokenOf(await runSeeds('--seed', '2317'))).toEqual([]);
});

test('a deep reorg takes back no success that a lost request had under another number', async () => {
  expect(brokenOf(await runSeeds('--seed', '4852'))).toEqual([]);
});

test('a deep reorg fails no mint that is mined before the deployment of its token now', async () => {
  expect(brokenOf(await runSeeds('--seed', '6972'))).toEqual([]);
});
