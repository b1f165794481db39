import { useMutation } from '@tanstack/react-query';
import { useRef } from 'react';
import type { Call } from './call.ts';
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
  /** Forgets problem and result, for a form that is used again. */
  reset(): void;
}

/**
 * Sends what a form describes, with an Idempotency-Key of its own. Every list and figure on the screen is read again after a
 * success.
 */
export function useSubmission<Answer>({
  onDone,
}: { onDone?: (sent: Sent<Answer>) => void } = {}): Submission<Answer> {
  const kept = useRef<{ request: string; key: string } | null>(null);
  const mutation = useMutation<Sent<Answer>, Error, Call<Answer>>({
    mutationFn: (call) => {
      const request = JSON.stringify([call.method, call.path, call.pathValues, call.query, call.body]);
      if (kept.current?.request !== request) kept.current = { request, key: createIdempotencyKey() };
      return sendCall(call, kept.current.key);
    },
    onSuccess: async (sent) => {
      kept.current = null;
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
    reset: mutation.reset,
  };
}
