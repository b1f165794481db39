import { timeLogins } from '../../test/faults/login.ts';
import type { Fault } from './outcome.ts';

const MAX_GAP_MS = 2;

/** Whether the time of a refused login reveals which e-mails are known. */
export const login: Fault = async ({ scaled }) => {
  const samples = scaled(1_000);
  const { known, unknown } = await timeLogins(samples);
  const gap = Math.abs(known - unknown);
  return {
    made: `2 x ${samples}, known e-mail or not`,
    judgement: null,
    note: `medians ${known.toFixed(2)} and ${unknown.toFixed(2)} ms`,
    flaws: gap < MAX_GAP_MS ? [] : [`the medians are ${gap.toFixed(2)} ms apart`],
  };
};
