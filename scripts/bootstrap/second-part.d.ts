/** Paths below test/, each a folder or a suite. */
export const SECOND_PART: readonly string[];
/** Long suites, and those of `npm test` that show their promises too. */
export const PAIRS: readonly (readonly [string, readonly string[]])[];
/** A pattern of the paths of the second part's suites. */
export const secondPart: string;
