import { expect, test } from '@jest/globals';
import { runSlowClients } from '../../lab/faults/slow-clients.ts';

/** The full number that is promised. */
const CONNECTIONS = 2_000;

test(`${CONNECTIONS} connections that send a byte at intervals do not slow others, and are closed`, async () => {
  const { held, p99, statuses, left } = await runSlowClients(CONNECTIONS);
  process.stdout.write(`${held} slow connections held, p99 of the others ${p99.toFixed(1)} ms\n`);
  expect(Object.keys(statuses)).toEqual(['200']);
  expect(held).toBeGreaterThan(CONNECTIONS * 0.9);
  // Far more than a busy machine needs: whoever is slowed by them waits until they are closed.
  expect(p99).toBeLessThan(3_000);
  expect(left).toBe(0);
});
