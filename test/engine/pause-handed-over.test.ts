import { beforeAll, expect, test } from '@jest/globals';
import { query } from '../../src/db/client.ts';
import { findLane, takeLane } from '../../src/engine/store/lanes.ts';
import { storePausedOperator } from '../../src/engine/store/paused-operators.ts';
import { until } from '../setup/until.ts';
import { insertAccount } from '../../lab/stage/accounts.ts';
import { useSuiteDatabase } from '../setup/suite-database.ts';

const SIGNER = `0x${'01'.repeat(20)}` as const;
const OPERATOR = `0x${'aa'.repeat(20)}` as const;

const { db } = useSuiteDatabase(3);

beforeAll(() => insertAccount(db));

const take = (leaseMs: number) =>
  takeLane(db, SIGNER, { holder: 'one', leaseMs, onChain: { nonce: 5n, isAtCanonicalHead: true } });

test('what the last holder notes while the lane is taken from it holds up nothing of the next one', async () => {
  const { term } = (await take(-1_000))!;
  const noting = await db.transaction();
  const found = { operator: OPERATOR, reason: 'stopped' } as const;
  expect(await storePausedOperator(noting, { signer: SIGNER, term }, found)).toBe(true);
  const taking = take(60_000);
  await until(
    async () =>
      (
        await query(
          noting,
          `select 1 from pg_locks where not granted and pg_backend_pid() = any(pg_blocking_pids(pid))`,
        )
      ).length > 0,
  );
  await noting.commit();
  expect(await taking).toMatchObject({ term: term + 1n });
  expect((await findLane(db, SIGNER))!.pausedOperators).toEqual([]);
});
