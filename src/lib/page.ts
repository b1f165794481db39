/** Which rows of a list are read: those with a smaller number than `before`, newest first. */
export interface Page {
  /** Null for the newest ones. */
  before: bigint | null;
  limit: number;
}
