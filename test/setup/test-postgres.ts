import type { EmbeddedPostgres } from '../../src/embedded/postgres.ts';

interface TestPostgres {
  running?: { postgres: EmbeddedPostgres; dataDir: string };
}

const key = Symbol.for('mintmark.test-postgres');

/** What the global setup hands to the global teardown, which Jest loads apart from it in the same process. */
export const testPostgres: TestPostgres = ((globalThis as Record<symbol, unknown>)[key] ??= {});
