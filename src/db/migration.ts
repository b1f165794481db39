/**
 * One change of the schema, a row of `knex_migrations` once it is done. A merged one is never edited. All but the first
 * one run while this release and the one before it work on the same tables.
 */
export type Migration = Named & Step;

interface Named {
  name: string;
  /**
   * Of a contraction alone: the migration that a release has to know to work on once this one has begun. Releases that
   * do not know it refuse. It is one that the release before knew, so that this release and that one run side by side.
   * Without it the migration is an expansion, which no release notices.
   */
  needs?: string;
}

/** None holds a lock that ordinary statements wait for, but for `WholeStep`, and `ShortStep` for less than a second. */
export type Step = WholeStep | ShortStep | IndexStep | DropIndexStep | ValidateStep | BackfillStep;

/** What an empty database begins with, run in one transaction, however long it holds its locks. */
interface WholeStep {
  whole: string;
}

/** A change of the catalog, which neither reads nor rewrites a table. */
export interface ShortStep {
  /** Run in one transaction. */
  sql: string;
  /**
   * The table that was there before and that it changes: one, so that it never waits for one lock with another in hand.
   */
  table?: string;
}

/** The others are run outside of a transaction, and again from their beginning when they were interrupted. */
export interface IndexStep {
  /** Its name. */
  index: string;
  /** `create [unique] index concurrently NAME ...` */
  sql: string;
}

/** Drops an index without holding up who uses its table. Of a contraction alone: the release before reads by it. */
interface DropIndexStep {
  /** Its name. */
  dropped: string;
}

/** Checks the rows for a constraint that was added as `not valid`. */
interface ValidateStep {
  validate: string;
  table: string;
}

/** Fills rows, some at a time, in the order of their key. */
export interface BackfillStep {
  backfill: string;
  /** A bigint column with a unique index. */
  key: string;
  set: string;
  /** False for the rows that are filled. */
  where: string;
}

/** Whether it is done as a whole or not at all. */
export const isTransactional = (step: Step): step is WholeStep | ShortStep =>
  'whole' in step || ('sql' in step && !('index' in step));
