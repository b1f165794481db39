import type { ApiProblem } from '../api/problem.ts';
import { adviseOn } from './explain-failure.ts';

export interface Explained {
  title: string;
  /** What helps; empty when the message of the API says it already. */
  advice: string;
}

const minutes = (seconds: number): string =>
  seconds < 90 ? `${Math.ceil(seconds)} seconds` : `${Math.ceil(seconds / 60)} minutes`;

/** What a problem means and what to do about it, beside the message of the API. The one place that knows the codes. */
export function explainProblem({ code, message, retryAfterSeconds }: ApiProblem): Explained {
  switch (code) {
    case 'UNREACHABLE':
      return {
        title: 'The service does not answer',
        advice:
          'Nothing that it accepted is lost. This page tries again by itself, and so may you: a retry has no second effect.',
      };
    case 'RATE_LIMITED':
      return { title: 'Too much at once', advice: adviseToWait(message, retryAfterSeconds) };
    case 'QUOTA_EXCEEDED':
      return {
        title: 'The plan is used up',
        advice: 'Usage shows when it renews. The operator can set a larger plan.',
      };
    case 'CHAIN_ERROR':
      return {
        title: 'The chain refused it',
        advice: `${adviseOn(message) ?? ''} It had no effect, and its quota or credits are back.`.trimStart(),
      };
    case 'DEPLOY_UNAVAILABLE':
      return {
        title: 'Deploying is not possible at the moment',
        advice: 'Nothing was charged. Try again in a minute.',
      };
    case 'CONFLICT':
      return { title: 'Not possible as it stands now', advice: '' };
    case 'NOT_FOUND':
      return {
        title: 'Not found',
        advice: 'Check the address, and whether it belongs to this account or to the sandbox.',
      };
    case 'FORBIDDEN':
      return { title: 'Not allowed', advice: '' };
    case 'UNAUTHORIZED':
      return { title: 'Not accepted', advice: '' };
    case 'VALIDATION_ERROR':
    case 'BASE_URI_TOO_LONG':
      return { title: 'Something is to be corrected', advice: '' };
    default:
      return {
        title: 'The service failed',
        advice: 'Try again. If it stays so, give the operator the number of the request.',
      };
  }
}

/** Nothing where the message says it already. */
function adviseToWait(message: string, seconds: number | null): string {
  if (/try again in/i.test(message)) return '';
  return seconds === null ? 'Wait a moment and try again.' : `Try again in ${minutes(seconds)}.`;
}
