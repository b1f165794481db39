/** One change of the schema. A merged one is never edited. */
export type Migration = WholeMigration | OnlineMigration;

/** Plain SQL, run in one transaction, however long it holds its locks: what an empty database begins with. */
export interface WholeMigration {
  name: string;
  up: string;
}

/** Runs while this release and the one before it work on the same tables. */
export interface OnlineMigration {
  name: string;
  /**
   * Of a contraction alone: the migration that a release has to know to work on once this one has begun. Releases that do not
   * know it refuse. It is one that the release before knew, so that this release and that one run side by side. Without it
   * the migration is an expansion, which no release notices.
   */
  needs?: string;
  /** Each is run to its end before the next one, and again from its beginning when it was interrupted. */
  steps: readonly Step[];
}

/** None holds a lock that ordinary statements wait for, but for `ShortStep`, which holds one for less than a second. */
export type Step = ShortStep | IndexStep | DropIndexStep | ValidateStep | BackfillStep;

/** A change of the catalog, which neither reads nor rewrites a table. */
export interface ShortStep {
  /** Run in one transaction. */
  sql: string;
  /** The table that was there before and that it changes: one, so that it never waits for one lock with another in hand. */
  table?: string;
}

export interface IndexStep {
  /** Its name. */
  index: string;
  /** `create [unique] index concurrently NAME ...` */
  sql: string;
}

/** Drops an index without holding up who uses its table. Of a contraction alone: the release before reads by it. */
export interface DropIndexStep {
  /** Its name. */
  dropped: string;
}

/** Checks the rows for a constraint that was added as `not valid`. */
export interface ValidateStep {
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
