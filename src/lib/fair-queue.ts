interface Waiting {
  owner: string;
  start: () => void;
  refuse: () => void;
}

interface FairQueueOptions {
  /** How much runs at a time. */
  atATime: number;
  /** How much may wait in all; in one line; and of one owner, with what runs. */
  inAll: number;
  perLine: number;
  perOwner: number;
  /** The error of what may not wait. */
  refusal: () => Error;
}

/** Runs `work` when it is the turn of its line. @throws the refusal */
type RunInTurn = <Result>(
  place: { line: string; owner: string },
  work: () => Promise<Result>,
) => Promise<Result>;

/**
 * Creates a queue in which lines take turns, however long they are: who stands alone waits for one of each other line.
 * When it is full, the longest line gives way to a shorter one.
 */
export function createFairQueue(options: FairQueueOptions): RunInTurn {
  const { atATime, inAll, perLine, perOwner, refusal } = options;
  /** Never an empty one; the first has the next turn. */
  const lines = new Map<string, Waiting[]>();
  const owners = new Map<string, number>();
  let running = 0;
  let waiting = 0;

  const lengthOf = (line: string): number => lines.get(line)?.length ?? 0;

  const countOwner = (owner: string, change: 1 | -1): void => {
    const count = (owners.get(owner) ?? 0) + change;
    if (count > 0) owners.set(owner, count);
    else owners.delete(owner);
  };

  const startNext = (): void => {
    for (const [line, [next, ...rest]] of lines) {
      lines.delete(line);
      if (rest.length > 0) lines.set(line, rest);
      waiting -= 1;
      next!.start();
      return;
    }
    running -= 1;
  };

  /** Refuses the last of the longest line. Returns false when that is no longer than the other would become. */
  const makeRoom = (line: string): boolean => {
    const longest = [...lines.values()].reduce((one, other) => (other.length > one.length ? other : one));
    if (longest.length <= lengthOf(line) + 1) return false;
    const last = longest.pop()!;
    waiting -= 1;
    countOwner(last.owner, -1);
    last.refuse();
    return true;
  };

  const enter = async (line: string, owner: string): Promise<void> => {
    if (lengthOf(line) >= perLine || (owners.get(owner) ?? 0) >= perOwner) throw refusal();
    if (waiting >= inAll && !makeRoom(line)) throw refusal();
    countOwner(owner, 1);
    if (running < atATime) {
      running += 1;
      return;
    }
    waiting += 1;
    await new Promise<void>((start, reject) => {
      const others = lines.get(line) ?? [];
      others.push({ owner, start, refuse: () => reject(refusal()) });
      lines.set(line, others);
    });
  };

  return async ({ line, owner }, work) => {
    await enter(line, owner);
    try {
      return await work();
    } finally {
      countOwner(owner, -1);
      startNext();
    }
  };
}
