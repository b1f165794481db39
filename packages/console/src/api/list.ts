import { useInfiniteQuery } from '@tanstack/react-query';
import type { InfiniteData, QueryKey } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { paths } from '../../../../generated/api.ts';
import type { Call, PathOf, Values } from './call.ts';
import { toProblem } from './problem.ts';
import type { ApiProblem } from './problem.ts';
import { sendCall } from './send-call.ts';

interface Page<Row> {
  data: Row[];
  nextCursor: string | null;
}
type AnswerOf<P extends keyof paths> = paths[P] extends {
  get: { responses: { 200: { content: { 'application/json': infer Answer } } } };
}
  ? Answer
  : never;
/** The paths of the contract whose GET is a list with a cursor. */
export type ListPath = {
  [P in keyof paths]: [AnswerOf<P>] extends [never] ? never : AnswerOf<P> extends Page<unknown> ? P : never;
}[keyof paths] &
  PathOf<'get'>;
export type RowOf<P extends ListPath> = AnswerOf<P> extends Page<infer Row> ? Row : never;

export interface List<Row> {
  /** Of all pages that were read so far. */
  rows: Row[];
  /** Nothing is known yet: show skeletons. */
  isPending: boolean;
  /** It was read once: that is still there when a later reading fails. */
  wasRead: boolean;
  /** Of the last reading. */
  problem: ApiProblem | null;
  hasMore: boolean;
  isLoadingMore: boolean;
  loadMore(): void;
  refetch(): void;
}

/**
 * Reads a list of the contract page after page: `useList('/tokens', { query: { limit: 50 } })`.
 * @param refetchMs reads it again so often while the tab is in front: all of its pages, and so less often when they are
 * many
 */
export function useList<P extends ListPath>(
  path: P,
  values?: Omit<Values<P, 'get'>, 'query' | 'body'> & {
    query?: Omit<Values<P, 'get'>['query'] & object, 'cursor'>;
  },
  { refetchMs, enabled = true }: { refetchMs?: number; enabled?: boolean } = {},
): List<RowOf<P>> {
  const given = values as { path?: Record<string, string>; query?: Record<string, unknown> } | undefined;
  const result = useInfiniteQuery<
    Page<RowOf<P>>,
    Error,
    InfiniteData<Page<RowOf<P>>>,
    QueryKey,
    string | null
  >({
    queryKey: ['list', path, given ?? {}],
    enabled,
    refetchInterval: ({ state }) => (refetchMs ?? 0) * (state.data?.pages.length ?? 1) || false,
    initialPageParam: null,
    queryFn: async ({ pageParam }) => {
      const call: Call = {
        method: 'get',
        path,
        pathValues: given?.path ?? {},
        query: { ...given?.query, ...(pageParam === null ? {} : { cursor: pageParam }) },
        body: undefined,
      };
      return (await sendCall(call)).data as Page<RowOf<P>>;
    },
    getNextPageParam: ({ nextCursor }) => nextCursor,
  });
  const pages = result.data?.pages;
  const rows = useMemo(() => pages?.flatMap(({ data }) => data) ?? [], [pages]);
  return {
    rows,
    isPending: result.isPending,
    wasRead: pages !== undefined,
    problem: toProblem(result.error),
    hasMore: result.hasNextPage,
    isLoadingMore: result.isFetchingNextPage,
    loadMore: () => void result.fetchNextPage(),
    refetch: () => void result.refetch(),
  };
}
