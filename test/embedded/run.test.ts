import { expect, test } from '@jest/globals';
import pg from 'pg';

test('the run has a throw-away PostgreSQL with a template database', async () => {
  const client = new pg.Client(process.env['TEST_DATABASE_URL']);
  await client.connect();
  try {
    const { rows } = await client.query<{ fsync: string; template: boolean }>(
      `select current_setting('fsync') as fsync,
              exists (select from pg_database where datname = 'mintmark_template') as template`,
    );
    expect(rows).toEqual([{ fsync: 'off', template: true }]);
  } finally {
    await client.end();
  }
});
