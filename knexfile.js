import { migratorOf } from './src/db/migrate.ts';
import { release } from './src/db/release.ts';

/*
 * For `npx knex migrate:status`. What migrates is `npm run admin -- migrate`, or a start: they take turns with other processes,
 * know which releases a schema serves, and make the tables of the jobs.
 */
const connection = process.env['DATABASE_DIRECT_URL'] ?? process.env['DATABASE_URL'];
if (!connection) throw new Error('Set DATABASE_URL: the database whose migrations are shown');

export default {
  client: 'pg',
  connection,
  migrations: {
    ...migratorOf(release),
    beforeAll: () => Promise.reject(new Error('Run "npm run admin -- migrate" instead')),
  },
};
