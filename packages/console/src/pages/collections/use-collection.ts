import type { components } from '../../../../../generated/api.ts';
import { toProblem } from '../../api/problem.ts';
import { query } from '../../api/query.ts';

export type Collection = components['schemas']['Collection'];

export function useCollection(address: string) {
  const { data, error, refetch } = query.useQuery('get', '/v1/collections/{address}', {
    params: { path: { address } },
  });
  return { collection: data, problem: toProblem(error), retry: () => void refetch() };
}
