import { expect, test } from '@jest/globals';
import { changeAccount } from '../../src/db/change-account.ts';
import { insertAccount } from '../../lab/stage/accounts.ts';
import { useSuiteDatabase } from '../setup/suite-database.ts';

const MAX_WAITING = 100;
const { db } = useSuiteDatabase(2);

test('changes of an account run one at a time, without a connection while they wait, and those beyond a bound are refused', async () => {
  const [own, other] = [await insertAccount(db), await insertAccount(db, 'other@example.com')];
  const gate = Promise.withResolvers<void>();
  const order: number[] = [];
  const changes = Array.from({ length: MAX_WAITING + 2 }, (_, place) =>
    changeAccount(db, own, async () => {
      if (place === 0) await gate.promise;
      order.push(place);
      // The next one waits for one that fails, and is done then.
      if (place === 1) throw new Error('failed');
    }),
  );
  const settled = Promise.allSettled(changes);
  await expect(changes.at(-1)).rejects.toMatchObject({ code: 'RATE_LIMITED', retryAfterSeconds: 1 });
  // Of two connections one is left.
  await changeAccount(db, other, async () => undefined);
  gate.resolve();
  const failed = (await settled).flatMap(({ status }, place) => (status === 'rejected' ? [place] : []));
  expect(failed).toEqual([1, MAX_WAITING + 1]);
  expect(order).toEqual(Array.from({ length: MAX_WAITING + 1 }, (_, place) => place));
});
