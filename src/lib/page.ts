/** The largest number of a row: a bigint of the database. */
export const MAX_POSITION = 2n ** 63n - 1n;

/** Which rows of a list are read: those with a smaller number than `before`, newest first. */
export interface Page {
  /** Null for the newest ones. */
  before: bigint | null;
  limit: number;
}
