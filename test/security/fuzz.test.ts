import { expect, test } from '@jest/globals';
import { fuzz } from './fuzz/run.ts';

test('generated requests, good and bad, break neither the service nor its contract', async () => {
  const report = await fuzz({ count: 1_000, seed: 20_260_914 });
  const { faults, ...numbers } = report;
  process.stdout.write(`${JSON.stringify(numbers)}\n`);
  expect(faults).toEqual([]);
  expect(numbers.unexplained).toEqual({ intents: 0, accounts: 0, keys: 0 });
  expect(numbers.foreignConnections).toBe(0);
  // The requests are not all refused at the door.
  expect(numbers.accepted).toBeGreaterThan(20);
  expect(numbers.statuses[200]).toBeGreaterThan(50);
}, 180_000);
