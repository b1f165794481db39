/** SQL of a condition that lists names of ours, so that the planner finds a partial index for them. */
export const inList = (names: readonly string[]): string => `in ('${names.join(`', '`)}')`;
