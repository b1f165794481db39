import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { fairOrder, spendGas } from '../../src/engine/send/fair-order.ts';

const QUANTUM = 100_000;
const MAX_GAS = 14_000_000;

interface Call {
  accountId: string;
  contract: string;
  gas: number;
  number: number;
}

const call = (accountId: string, gas: number, number = 0): Call => ({
  ...{ accountId, gas, number, contract: accountId },
});

const gas = fc.oneof(fc.integer({ min: 1, max: QUANTUM }), fc.integer({ min: 1, max: MAX_GAS }));
const calls = fc
  .array(fc.record({ account: fc.nat(5), contract: fc.nat(2), gas }), { maxLength: 40 })
  .map((drafts) =>
    drafts.map(({ account, contract, gas }, number): Call => {
      return { accountId: `account ${account}`, contract: `${account}.${contract}`, gas, number };
    }),
  );
const spent = fc.dictionary(
  fc.nat(5).map((account) => `account ${account}`),
  gas,
);

describe('a fair order', () => {
  test('has each call once, and those of an account as they were', () => {
    fc.assert(
      fc.property(calls, spent, (waiting, before) => {
        const order = fairOrder(waiting, new Map(Object.entries(before)), QUANTUM);
        expect(order.toSorted((a, b) => a.number - b.number)).toEqual(waiting);
        for (const [, own] of Map.groupBy(order, ({ accountId }) => accountId)) {
          expect(own.map(({ number }) => number)).toEqual(
            own.map(({ number }) => number).toSorted((a, b) => a - b),
          );
        }
      }),
    );
  });

  test('gives accounts that always have something waiting the same gas, but for a quantum and one call', () => {
    const queues = fc.array(fc.array(gas, { minLength: 1, maxLength: 5 }), { minLength: 2, maxLength: 6 });
    const batches = fc.array(fc.integer({ min: 1, max: 8 }), { minLength: 1, maxLength: 60 });
    fc.assert(
      fc.property(queues, batches, (patterns, sizes) => {
        const sentBy = patterns.map(() => ({ gas: 0, calls: 0 }));
        let debts: ReadonlyMap<string, number> = new Map();
        for (const size of sizes) {
          const waiting = patterns.flatMap((pattern, account) =>
            Array.from({ length: size }, (_, index) =>
              call(`${account}`, pattern[(sentBy[account]!.calls + index) % pattern.length]!),
            ),
          );
          const sent = fairOrder(waiting, debts, QUANTUM).slice(0, size);
          debts = spendGas(waiting, sent, debts);
          for (const { accountId, gas: used } of sent) {
            sentBy[Number(accountId)]!.gas += used;
            sentBy[Number(accountId)]!.calls += 1;
          }
          const shares = sentBy.map((account) => account.gas);
          const largest = Math.max(...patterns.flat());
          expect(Math.max(...shares) - Math.min(...shares)).toBeLessThanOrEqual(QUANTUM + largest);
        }
      }),
    );
  });

  test('leaves nobody waiting: what others ask for delays a call by no more than their quanta and a call of each', () => {
    fc.assert(
      fc.property(fc.array(gas, { minLength: 1, maxLength: 8 }), gas, (others, own) => {
        // Each of the others has one kind of call without end.
        const many = others.flatMap((each, account) =>
          Array.from({ length: 200 }, () => call(`other ${account}`, each)),
        );
        let debts: ReadonlyMap<string, number> = new Map();
        // They have sent for a while when one more call comes.
        for (let turn = 0; turn < 20; turn += 1) {
          const sent = fairOrder(many, debts, QUANTUM).slice(0, 3);
          debts = spendGas(many, sent, debts);
        }
        const waiting = [...many, call('late', own)];
        const order = fairOrder(waiting, debts, QUANTUM);
        const ahead = order.slice(
          0,
          order.findIndex(({ accountId }) => accountId === 'late'),
        );
        for (const [account, each] of others.entries()) {
          const used = ahead
            .filter(({ accountId }) => accountId === `other ${account}`)
            .reduce((sum, { gas: one }) => sum + one, 0);
          expect(used).toBeLessThan(QUANTUM + each);
        }
      }),
    );
  });

  test('lets a heavy call go in its turn, and then its account wait until the others have had as much', () => {
    const heavy = call('heavy', 10 * QUANTUM);
    const light = call('light', QUANTUM / 2);
    expect(fairOrder([heavy, heavy, light, light], new Map(), QUANTUM)).toEqual([heavy, light, light, heavy]);
    const debts = spendGas([heavy, heavy, light], [heavy], new Map());
    expect(debts).toEqual(new Map([['heavy', 10 * QUANTUM]]));
    const later = Array.from({ length: 21 }, () => light);
    expect(fairOrder([heavy, ...later], debts, QUANTUM).indexOf(heavy)).toBe(20);
    // While nobody else has anything to send, nothing is owed.
    expect(spendGas([heavy], [heavy], debts)).toEqual(new Map());
  });

  test('lets an account that was away save nothing up, and remembers what it owes', () => {
    const debts = spendGas([call('a', 1), call('b', 1)], [call('a', 500), call('b', 300)], new Map());
    expect(debts).toEqual(new Map([['a', 200]]));
    expect(spendGas([call('b', 1)], [call('b', 100)], debts)).toEqual(new Map([['a', 100]]));
    expect(spendGas([call('b', 1), call('c', 1)], [], debts)).toEqual(debts);
  });
});
