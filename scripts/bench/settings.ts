/** What a part of the benchmark is given. */
export interface Settings {
  /** Connection string of a PostgreSQL server, as superuser. */
  postgresUrl: string;
  /** Share of the full numbers. */
  scale: number;
  /** How often each scenario is repeated; its median counts. */
  runs: number;
  /** How long the soak lasts. */
  minutes: number;
}
