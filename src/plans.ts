/** What each plan may use in a month, of each meter. The one table. */
export const PLAN_LIMITS = { BASIC: 100, PRO: 1_000, PRO_PLUS: 10_000 } as const;

export type Plan = keyof typeof PLAN_LIMITS;
export type Meter = 'mints' | 'credits';
