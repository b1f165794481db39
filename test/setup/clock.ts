import { RELIED_ON } from '../../src/db/session-settings.ts';
import { administer } from '../../lab/stage/template.ts';
import type { TestService } from '../../lab/stage/service.ts';

export interface TestClock {
  /** Sets the database's clock to this moment; it runs on from there. */
  set(moment: Date): Promise<void>;
}

/**
 * Gives the service a database clock that a test can set: its own `now()`, found before that of PostgreSQL.
 * Restarts the service, since only new connections find it. Columns with a default keep the real time.
 */
export async function installClock(test: TestService): Promise<TestClock> {
  await administer(
    test.databaseUrl,
    `create schema clock;
     create table clock.offset_by (by interval not null);
     insert into clock.offset_by values ('0');
     create function clock.now() returns timestamptz language sql stable
       as 'select pg_catalog.now() + (select by from clock.offset_by)'`,
  );
  // Of this suite alone: each has modules of its own.
  Object.assign(RELIED_ON, { search_path: 'public, clock, pg_catalog' });
  await test.restart();
  return {
    set: (moment) =>
      administer(
        test.databaseUrl,
        `update clock.offset_by set by = timestamptz '${moment.toISOString()}' - pg_catalog.now()`,
      ),
  };
}
