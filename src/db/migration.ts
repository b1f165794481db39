/** One step of the schema: plain SQL, run in a transaction. A merged migration is never edited. */
export interface Migration {
  name: string;
  up: string;
}
