import { expect, test } from '@jest/globals';
import { timeLogins } from '../../lab/faults/login.ts';

/**
 * `npm run faults -- --only "login oracle"` measures the full promise: a median gap under 2 ms of 2 x 1,000 samples.
 */
const SAMPLES = 50;
/** As a share of the time of a login, since there are few samples and the machine may be busy. */
const SMALL_RUN_SHARE = 0.25;

test(`response times do not reveal which e-mails are known (2 x ${SAMPLES} samples)`, async () => {
  const { known, unknown, statuses } = await timeLogins(SAMPLES);
  process.stdout.write(`medians: known ${known.toFixed(2)} ms, unknown ${unknown.toFixed(2)} ms\n`);
  expect(Object.keys(statuses)).toEqual(['401']);
  expect(Math.abs(known - unknown)).toBeLessThan(known * SMALL_RUN_SHARE);
});
