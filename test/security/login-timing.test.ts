import { randomUUID } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { startTestService } from '../setup/service.ts';

/** `SAMPLES=1000 npm run jest -- test/security/login-timing` is the whole promise: a median gap under 2 ms. */
const SAMPLES = Number(process.env['SAMPLES'] ?? 50);
/** With few samples, on a machine that does other things too, as a share of the time of a login. */
const SMALL_RUN_SHARE = 0.25;

const median = (times: number[]): number => times.sort((a, b) => a - b)[times.length >> 1]!;

test(
  `time does not tell which e-mails are known (2 x ${SAMPLES} samples)`,
  async () => {
    const limit = { LOGIN_FAILURES_PER_ACCOUNT: '1000000', LOGIN_FAILURES_PER_ADDRESS: '1000000' };
    const mintmark = await startTestService(limit);
    try {
      const { email } = await mintmark.register();
      const timeOf = async (name: string): Promise<number> => {
        const body = { email: name, password: 'not the password' };
        const began = performance.now();
        const { response } = await mintmark.anonymous.POST('/auth/signin', { body });
        const time = performance.now() - began;
        expect(response.status).toBe(401);
        return time;
      };
      for (let warm = 0; warm < 5; warm += 1) await timeOf(email);
      const known: number[] = [];
      const unknown: number[] = [];
      for (let sample = 0; sample < SAMPLES; sample += 1) {
        // In turns, and who is first changes: what else the machine does falls on both.
        const stranger = `${randomUUID()}@example.com`;
        if (sample % 2) known.push(await timeOf(email));
        unknown.push(await timeOf(stranger));
        if (sample % 2 === 0) known.push(await timeOf(email));
      }
      const [one, other] = [median(known), median(unknown)];
      process.stdout.write(`medians: known ${one.toFixed(2)} ms, unknown ${other.toFixed(2)} ms\n`);
      expect(Math.abs(one - other)).toBeLessThan(SAMPLES >= 1_000 ? 2 : one * SMALL_RUN_SHARE);
    } finally {
      await mintmark.stop();
    }
  },
  60_000 + SAMPLES * 500,
);
