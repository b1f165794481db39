import { expect, test } from '@jest/globals';
import { runOf } from '../../lab/faults/outcome.ts';
import { FAULTS, PLANNED } from '../../lab/faults/rows.ts';

test.each(Object.entries(PLANNED))(
  '%s: the same seed plans the same run, another one another',
  (name, row) => {
    const plan = (seed: number, scale = 1) => row.plansOf(runOf(seed, name, scale));
    expect(plan(7)).toHaveLength(20);
    expect(plan(7)).toEqual(plan(7));
    expect(plan(7)).not.toEqual(plan(8));
    // Data, and nothing else: it can be printed and kept.
    expect(JSON.parse(JSON.stringify(plan(7)))).toEqual(plan(7));
    expect(plan(7, 0.05).length).toBeLessThanOrEqual(2);
  },
);

test('a list of faults, divided by commas, can name each of them', () => {
  expect(Object.keys(FAULTS).filter((name) => /,|^ | $/.test(name))).toEqual([]);
});
