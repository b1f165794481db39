import { useMutation } from '@tanstack/react-query';
import { useRef } from 'react';
import type { Call } from './call.ts';
import { draft } from './draft.ts';
import { queryClient } from './query.ts';
import { toProblem } from './problem.ts';
import type { ApiProblem } from './problem.ts';
import { createIdempotencyKey, sendCall } from './send-call.ts';
import type { Sent } from './send-call.ts';

export interface Submission<Answer> {
  /** Sends it. A retry of the same request, whose outcome is not known, has the same Idempotency-Key. */
  send(call: Call<Answer>): void;
  isSending: boolean;
  problem: ApiProblem | null;
  result: Sent<Answer> | null;
  /** Whether this very request was the last to succeed: a second click would do it a second time. */
  isDone(call: Call<Answer>): boolean;
  /** Forgets problem and result, for a form that is used again. */
  reset(): void;
}

/**
 * Sends what a form describes, with an Idempotency-Key of its own. Every list and figure on the screen is read again
 * after a success.
 */
export function useSubmission<Answer>({
  onDone,
}: { onDone?: (sent: Sent<Answer>) => void } = {}): Submission<Answer> {
  const kept = useRef<{ request: string; key: string } | null>(null);
  const mutation = useMutation<Sent<Answer>, Error, Call<Answer>>({
    mutationFn: (call) => {
      const request = textOf(call);
      if (kept.current?.request !== request) kept.current = { request, key: createIdempotencyKey() };
      return sendCall(call, kept.current.key);
    },
    onSuccess: async (sent) => {
      kept.current = null;
      draft.set(false);
      onDone?.(sent);
      await queryClient.invalidateQueries();
    },
    onError: (error) => {
      if (!toProblem(error)!.isUncertain) kept.current = null;
    },
  });
  return {
    send: (call) => mutation.mutate(call),
    isSending: mutation.isPending,
    problem: toProblem(mutation.error),
    result: mutation.data ?? null,
    isDone: (call) => mutation.isSuccess && textOf(mutation.variables) === textOf(call),
    reset: mutation.reset,
  };
}

function textOf({ method, path, pathValues, query, body }: Call): string {
  return JSON.stringify([method, path, pathValues, query, body]);
}
