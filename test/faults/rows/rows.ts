import { expect, test } from '@jest/globals';
import { flawsOf, runOf } from '../../../scripts/faults/outcome.ts';
import { FAULTS } from '../../../scripts/faults/rows.ts';

/** A twentieth: at most two rounds of each row, and long faults last seconds. */
const SCALE = 0.05;

/** The short form of rows of `npm run faults`, one test each; `SEED` replays another run. */
export function testRows(...names: string[]): void {
  test.each(names)('%s', async (name) => {
    const outcome = await FAULTS[name]!(runOf(Number(process.env['SEED'] ?? 1), name, SCALE));
    process.stdout.write(`${name}: ${outcome.made}; ${outcome.note}\n`);
    expect(flawsOf(outcome)).toEqual([]);
  });
}
