import { AsyncLocalStorage } from 'node:async_hooks';

/** A process of the world, as far as time goes. What belongs to none is of the world itself. */
export interface Machine {
  readonly name: string;
  /** Nothing of it runs any more. */
  isDead: boolean;
  /** Nothing of it runs before this moment, in virtual milliseconds: SIGSTOP. */
  pausedUntil: number;
  /** What its wall clock is ahead of the world's, in milliseconds. */
  clockStepMs: number;
  /** Likewise its monotonic clock. */
  monotonicStepMs: number;
}

export const createMachine = (name: string): Machine => ({
  name,
  isDead: false,
  pausedUntil: 0,
  clockStepMs: 0,
  monotonicStepMs: 0,
});

export interface Scheduled {
  cancel(): void;
}

/** The run was to go no further. */
export class StoppedAt extends Error {}

interface Event {
  at: number;
  order: number;
  owner: Machine | null;
  run: (() => void) | null;
}

/** Node's own, as it was before `installGlobals`. */
const turnOfLoop = setImmediate;
/** What Node calls its work on files, and turns of its own loop that parts of itself wait for. */
const BUSY = /^(FSReq|CloseReq|Immediate)/;
/** 2026-01-14T10:00:00Z, when each world begins: no clock that is set by an hour gets into another day. */
const EPOCH_MS = 1_768_384_800_000;

/**
 * The one clock of a world, and its queue of what comes next. Time stands still while anything runs: an event runs
 * until nothing of it is left but other events, and only then comes the next one. So the order of all there is depends
 * on the queue alone, and not on how fast the machine is.
 */
export class Scheduler {
  /** Virtual milliseconds since the world began. */
  now = 0;
  events = 0;
  /** After this event the run ends with `StoppedAt`. */
  lastEvent = Infinity;
  readonly #machines = new AsyncLocalStorage<Machine>();
  /** A binary heap. */
  readonly #queue: Event[] = [];
  #order = 0;
  #realWork = 0;
  #awake: (() => void) | null = null;
  #failure: Error | null = null;

  /** The machine whose code runs; null for the world. */
  get machine(): Machine | null {
    return this.#machines.getStore() ?? null;
  }

  /** The wall clock of whoever asks, in milliseconds since 1970, with fractions. */
  get wallClock(): number {
    return EPOCH_MS + this.now + (this.machine?.clockStepMs ?? 0);
  }

  /** The monotonic clock of whoever asks, in milliseconds. */
  get monotonicClock(): number {
    return this.now + (this.machine?.monotonicStepMs ?? 0);
  }

  /** Runs something as code of a machine, with all that follows from it. */
  as<Result>(machine: Machine | null, run: () => Result): Result {
    return machine === null ? this.#machines.exit(run) : this.#machines.run(machine, run);
  }

  /** Lets `run` come after so many milliseconds, as code of whoever asks now, in its asynchronous context. */
  after(ms: number, run: () => void): Scheduled {
    const inContext = AsyncLocalStorage.snapshot();
    return this.#add(ms, this.machine, () => inContext(run));
  }

  /** Likewise, as code of the machine. */
  afterAs(machine: Machine | null, ms: number, run: () => void): Scheduled {
    return this.#add(ms, machine, () => this.as(machine, run));
  }

  /** Ends the run with an error of the simulation itself. */
  fail(error: Error): void {
    this.#failure ??= error;
  }

  /** Waits for work outside of virtual time, such as a native library's; time stands still until it is done. */
  async outside<Result>(work: () => Promise<Result>): Promise<Result> {
    this.#realWork += 1;
    try {
      return await work();
    } finally {
      this.#realWork -= 1;
      if (this.#realWork === 0) this.#awake?.();
    }
  }

  /** Runs events until `isDone`, or the virtual moment. Returns whether it is done. @throws what `fail` was given */
  async run(isDone: () => boolean, until: number): Promise<boolean> {
    for (;;) {
      await this.#settle();
      if (this.#failure) throw this.#failure;
      if (isDone()) return true;
      const next = this.#pop();
      if (!next || next.at > until) {
        if (next) this.#push(next);
        this.now = Math.max(this.now, until);
        return false;
      }
      this.now = Math.max(this.now, next.at);
      const { owner, run } = next;
      if (!run || owner?.isDead) continue;
      if (owner && owner.pausedUntil > this.now) {
        // The same event, which may be cancelled yet.
        next.at = owner.pausedUntil;
        this.#push(next);
        continue;
      }
      if (this.events >= this.lastEvent)
        throw new StoppedAt(`event ${this.events}, ${this.now.toFixed(3)} ms`);
      this.events += 1;
      next.run = null;
      run();
    }
  }

  /** Forgets everything that was to come. */
  clear(): void {
    this.#queue.length = 0;
  }

  #add(ms: number, owner: Machine | null, run: () => void): Scheduled {
    const event: Event = { at: this.now + Math.max(ms, 0), order: (this.#order += 1), owner, run };
    this.#push(event);
    return {
      cancel: () => {
        event.run = null;
      },
    };
  }

  /** Until all promises are settled that anything which is ready settles, and no library works outside. */
  async #settle(): Promise<void> {
    for (;;) {
      await new Promise<void>((resolve) => turnOfLoop(resolve));
      if (this.#realWork > 0) {
        await new Promise<void>((resolve) => {
          this.#awake = resolve;
        });
        this.#awake = null;
        continue;
      }
      if (!process.getActiveResourcesInfo().some((name) => BUSY.test(name))) return;
    }
  }

  #push(event: Event): void {
    const queue = this.#queue;
    let place = queue.push(event) - 1;
    while (place > 0) {
      const parent = (place - 1) >> 1;
      if (!isBefore(event, queue[parent]!)) break;
      queue[place] = queue[parent]!;
      place = parent;
    }
    queue[place] = event;
  }

  #pop(): Event | undefined {
    const queue = this.#queue;
    const first = queue[0];
    const last = queue.pop();
    if (!first || !last || queue.length === 0) return first;
    let place = 0;
    for (;;) {
      let child = 2 * place + 1;
      if (child >= queue.length) break;
      if (child + 1 < queue.length && isBefore(queue[child + 1]!, queue[child]!)) child += 1;
      if (!isBefore(queue[child]!, last)) break;
      queue[place] = queue[child]!;
      place = child;
    }
    queue[place] = last;
    return first;
  }
}

const isBefore = (one: Event, other: Event): boolean =>
  one.at < other.at || (one.at === other.at && one.order < other.order);
