import { setTimeout as sleep } from 'node:timers/promises';

/**
 * When a step of a schedule is due: at the nth accepted write or the nth RPC call, counted from the step before it, or
 * so many milliseconds after that one.
 */
export type Moment = { write: number } | { call: number } | { ms: number };

export interface Step<What> {
  at: Moment;
  what: What;
}

/** Faults of a run in their order, as data: made from a seed alone, so a replay makes the same ones. */
export type Schedule<What> = readonly Step<What>[];

export interface Runner {
  /** To be called, and waited for, with each accepted write. */
  onWrite(): Promise<void>;
  /** To be called, and waited for, before each RPC call is answered. */
  onCall(): Promise<void>;
  /** Makes the steps that are still due at a moment that does not come any more, and returns when all are made. */
  finish(): Promise<void>;
}

/** Follows a schedule: one step after the other, each before the write or the call that it is due at goes on. */
export function followSchedule<What>(schedule: Schedule<What>, apply: (what: What) => Promise<void>): Runner {
  const queue = [...schedule];
  let counted = { write: 0, call: 0 };
  let running: Promise<void> | null = null;
  let failure: { error: unknown } | null = null;

  const start = (): Promise<void> => {
    const { what } = queue.shift()!;
    counted = { write: 0, call: 0 };
    // Calls of its own, such as those of a service that it restarts, must not wait for the step.
    running = apply(what)
      .catch((error: unknown) => void (failure = { error }))
      .then(() => {
        running = null;
        startTimer();
      });
    return running;
  };
  const startTimer = (): void => {
    const [step] = queue;
    if (!step || !('ms' in step.at)) return;
    void sleep(step.at.ms).then(() => {
      if (queue[0] === step) return start();
    });
  };
  const count = async (kind: 'write' | 'call'): Promise<void> => {
    const at: Partial<Record<string, number>> = queue[0]?.at ?? {};
    const due = at[kind];
    if (running || due === undefined) return;
    counted[kind] += 1;
    if (counted[kind] >= due) await start();
  };
  startTimer();
  return {
    onWrite: () => count('write'),
    onCall: () => count('call'),
    finish: async () => {
      for (;;) {
        if (running) await running;
        else if (queue.length === 0) break;
        else if ('ms' in queue[0]!.at) await sleep(20);
        else await start();
      }
      if (failure) throw failure.error;
    },
  };
}
