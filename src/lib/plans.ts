/** What each plan may use in a month, of each meter. The one table. */
export const PLAN_LIMITS = { BASIC: 100, PRO: 1_000, PRO_PLUS: 10_000 } as const;

export type Plan = keyof typeof PLAN_LIMITS;

/** How many intents of an account may be queued or submitted at a time. More than that a lane does not send in minutes. */
export const MAX_OPEN_INTENTS: Readonly<Record<Plan, number>> = {
  BASIC: 10_000,
  PRO: 10_000,
  PRO_PLUS: 10_000,
};
export type Meter = 'mints' | 'credits';

/** The chains that prices differ for. */
export const NETWORKS = ['test', 'main'] as const;
export type Network = (typeof NETWORKS)[number];

/** What each thing of the collection API costs, in credits. A batch mint costs one mint for each item. The one table. */
export const CREDIT_PRICES = {
  test: { createCollection: 5, mint: 1 },
  main: { createCollection: 15, mint: 1 },
} as const satisfies Record<Network, { createCollection: number; mint: number }>;

export type Prices = (typeof CREDIT_PRICES)[Network];
