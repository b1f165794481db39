/** What each plan may use in a month, of each meter. The one table. */
export const PLAN_LIMITS = { BASIC: 100, PRO: 1_000, PRO_PLUS: 10_000 } as const;

export type Plan = keyof typeof PLAN_LIMITS;

/**
 * How many intents of an account may be queued or submitted at a time. More than that a lane does not send in minutes.
 */
export const MAX_OPEN_INTENTS: Readonly<Record<Plan, number>> = {
  BASIC: 10_000,
  PRO: 10_000,
  PRO_PLUS: 10_000,
};
export type Meter = 'mints' | 'credits';
/** What the ledger counts: the meters by the month, gas by the day. */
export type LedgerMeter = Meter | 'gas';

/** The chains that prices differ for. */
export const NETWORKS = ['test', 'main'] as const;
export type Network = (typeof NETWORKS)[number];

/**
 * What each thing of the collection API costs, in credits. A batch mint costs one mint for each item. The one table.
 */
export const CREDIT_PRICES = {
  test: { createCollection: 5, mint: 1 },
  main: { createCollection: 15, mint: 1 },
} as const satisfies Record<Network, { createCollection: number; mint: number }>;

/** Gas of a day (UTC) by plan. */
export type GasPerDay = Readonly<Record<Plan, number>>;

/** What the operator has not changed of it. The one table. */
export const GAS_PER_DAY = {
  test: { BASIC: 50_000_000, PRO: 500_000_000, PRO_PLUS: 5_000_000_000 },
  // Who mints a month's quota in a day can describe it: an image and five attributes are some 200,000 gas.
  main: { BASIC: 20_000_000, PRO: 200_000_000, PRO_PLUS: 2_000_000_000 },
} as const satisfies Record<Network, GasPerDay>;

/** Brakes of an account in a day (UTC) beyond the gas of that day. The one table. */
export const BRAKES_BEYOND_GAS = {
  /** Of one account each. */
  freezes: 100,
  /** All others: of a whole token. */
  others: 20,
} as const;

/** Keeps every sum of gas a number that JavaScript holds exactly. */
export const MAX_GAS_PER_DAY = 1_000_000_000_000_000;

export type Prices = (typeof CREDIT_PRICES)[Network];
