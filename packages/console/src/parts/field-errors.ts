import type { ApiProblem } from '../api/problem.ts';

/**
 * The problem of one field. The API begins its message with the name of what is wrong: `symbol is required.`,
 * `royalty.receiver must be an address`.
 * @returns the message when it is about this field, or something within it; undefined else
 */
export function fieldError(problem: ApiProblem | null, field: string): string | undefined {
  if (!problem || problem.status !== 422) return undefined;
  const [named = ''] = problem.message.split(' ', 1);
  return named === field || named.startsWith(`${field}.`) || named.startsWith(`${field}[`)
    ? problem.message
    : undefined;
}

/** The problem when it is about none of these fields: shown above the buttons, since no field shows it. */
export function otherProblem(problem: ApiProblem | null, fields: readonly string[]): ApiProblem | null {
  return fields.some((field) => fieldError(problem, field) !== undefined) ? null : problem;
}
