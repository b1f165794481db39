import { randomUUID } from 'node:crypto';
import { HASH_COST } from '../../src/features/accounts/password.ts';
import { startTestService } from '../stage/service.ts';
import type { Fault } from './outcome.ts';

interface LoginTimes {
  /** Medians of the refusals of wrong passwords, milliseconds. */
  known: number;
  unknown: number;
  /** Returns by status. */
  statuses: Record<number, number>;
}

const median = (times: number[]): number => times.sort((a, b) => a - b)[times.length >> 1]!;

/** Signs in with a wrong password, as somebody with an account and as strangers, so many times each. */
export async function timeLogins(samples: number): Promise<LoginTimes> {
  const limit = { LOGIN_FAILURES_PER_ACCOUNT: '1000000', LOGIN_FAILURES_PER_ADDRESS: '1000000' };
  await using mintmark = await startTestService(limit, { passwordCost: HASH_COST });
  const { email } = await mintmark.register();
  const statuses: Record<number, number> = {};
  const timeOf = async (name: string): Promise<number> => {
    const body = { email: name, password: 'not the password' };
    const began = performance.now();
    const { response } = await mintmark.anonymous.POST('/auth/signin', { body });
    const time = performance.now() - began;
    statuses[response.status] = (statuses[response.status] ?? 0) + 1;
    return time;
  };
  for (let warm = 0; warm < 5; warm += 1) await timeOf(email);
  const known: number[] = [];
  const unknown: number[] = [];
  for (let sample = 0; sample < samples; sample += 1) {
    // In turns, and who is first changes: what else the machine does falls on both.
    const stranger = `${randomUUID()}@example.com`;
    if (sample % 2) known.push(await timeOf(email));
    unknown.push(await timeOf(stranger));
    if (sample % 2 === 0) known.push(await timeOf(email));
  }
  return { known: median(known), unknown: median(unknown), statuses };
}

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
