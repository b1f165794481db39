import type { EmbeddedPostgres } from '../../src/embedded/postgres.ts';

interface TestPostgres {
  running?: { postgres: EmbeddedPostgres; dataDir: string };
}

const key = Symbol.for('mintmark.test-postgres');

/** State of the global setup for the global teardown: Jest loads both modules apart in one process. */
export const testPostgres: TestPostgres = ((globalThis as Record<symbol, unknown>)[key] ??= {});
