import { QueryClient } from '@tanstack/react-query';
import createQueryApi from 'openapi-react-query';
import { api } from './client.ts';
import { toProblem } from './problem.ts';
import { onRecovery } from './reachability.ts';

/** Operations as hooks of TanStack Query: `query.useQuery('get', '/stats')`. `toProblem(error)` reads its error. */
export const query = createQueryApi(api);

const STALE_MS = 10_000;
const MAX_RETRIES = 2;
const MAX_PAUSE_MS = 20_000;

/** Reads are asked again when the service said when to, or could not be reached; never after a definite answer. */
function isWorthRetrying(count: number, error: unknown): boolean {
  const problem = toProblem(error)!;
  const isPassing = problem.code === 'RATE_LIMITED' || problem.status >= 502;
  return isPassing && count < MAX_RETRIES && (problem.retryAfterSeconds ?? 0) * 1_000 <= MAX_PAUSE_MS;
}

function pauseBefore(count: number, error: unknown): number {
  const after = toProblem(error)?.retryAfterSeconds;
  return after ? after * 1_000 : 1_000 * 2 ** count;
}

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: { staleTime: STALE_MS, retry: isWorthRetrying, retryDelay: pauseBefore },
    mutations: { retry: false },
  },
});

onRecovery(() => void queryClient.invalidateQueries());
