import { useEffect, useRef, useState } from 'react';
import { queryClient } from '../../../api/query.ts';
import { noteMinted } from './minted-lists.ts';
import { NOT_SENT, sendPart } from './send-list.ts';
import type { PartState } from './send-list.ts';
import type { Part } from './split-list.ts';

export interface Sending {
  /** One for each part; null before it was begun. */
  states: readonly PartState[] | null;
  isRunning: boolean;
  /** Sends what is not done yet, one part after the other: they are numbered in the order of the list. */
  start(): void;
}

/** Sends the parts of a list. It stops after the part under way when the page is left. */
export function useSending(address: string, list: string, parts: readonly Part[]): Sending {
  const [states, setStates] = useState<readonly PartState[] | null>(null);
  const [isRunning, setRunning] = useState(false);
  const controller = useRef(new AbortController());
  useEffect(() => {
    const current = new AbortController();
    controller.current = current;
    return () => current.abort();
  }, []);

  const run = async (from: readonly PartState[]): Promise<void> => {
    const { signal } = controller.current;
    const now = [...from];
    for (const [index, part] of parts.entries()) {
      const { status, attempt } = now[index]!;
      if (status === 'minted' || status === 'accepted') continue;
      const report = (state: PartState): void => {
        now[index] = state;
        if (state.status === 'minted' || state.status === 'accepted') noteMinted(list);
        setStates([...now]);
      };
      const isDone = await sendPart({ address, list, part, index, attempt }, report, signal);
      if (!isDone || signal.aborted) break;
    }
    setRunning(false);
    await queryClient.invalidateQueries();
  };

  return {
    states,
    isRunning,
    start: () => {
      const from = (states ?? parts.map(() => NOT_SENT)).map(resume);
      setStates(from);
      setRunning(true);
      void run(from);
    },
  };
}

/** One that was accepted and then failed had no effect, and needs another key. */
function resume(state: PartState): PartState {
  if (state.status !== 'failed') return state;
  return { status: 'waiting', attempt: state.attempt + (state.problem.intentId === null ? 0 : 1) };
}
