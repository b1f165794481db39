import { expect, test } from '@jest/globals';
import { openSession } from '../../lab/stage/session.ts';

test('the run has a throw-away PostgreSQL with a template database', async () => {
  await using session = await openSession(process.env['TEST_DATABASE_URL']!);
  const { rows } = await session.query<{ fsync: string; template: boolean }>(
    `select current_setting('fsync') as fsync,
            exists (select from pg_database where datname = 'mintmark_template') as template`,
  );
  expect(rows).toEqual([{ fsync: 'off', template: true }]);
});
