import { setTimeout as sleep } from 'node:timers/promises';
import { createDb, query } from '../../src/db/client.ts';
import type { Db } from '../../src/db/client.ts';
import type { Random } from '../random.ts';

/** Something that a process does with a real database server, over connections of its own. */
export type Session = (db: Db) => Promise<unknown>;

interface Interleaving {
  /** What each session came to. */
  ends: PromiseSettledResult<unknown>[];
  /** The sessions in the order in which their statements went, and `*` for one that then waited for a lock. */
  order: string;
}

type Callback = (error: Error | null, result: unknown) => void;

/** A session and where it is. */
interface Track {
  name: string;
  /** Lets its next statement go; null unless it waits for its turn. */
  release: (() => void) | null;
  /** The server works for it, or it waits there for a lock. */
  isOut: boolean;
  isBlocked: boolean;
  isDone: boolean;
  /** Of the process of the server. */
  pid: number | null;
}

const LOOK_MS = 2;
const STANDSTILL_TIMEOUT_MS = 30_000;

/**
 * Runs sessions side by side, one statement at a time: whose comes next is drawn, among those that neither wait for a
 * lock nor for their answer. So a seed is an order of statements, locks and commits, and another one is another order.
 */
export async function interleave(
  url: string,
  random: Random,
  sessions: readonly Session[],
): Promise<Interleaving> {
  await using stack = new AsyncDisposableStack();
  const observer = stack.use(createDb(url, 1));
  const tracks = sessions.map((_, index): Track => {
    const name = String.fromCharCode('a'.charCodeAt(0) + index);
    return { name, release: null, isOut: false, isBlocked: false, isDone: false, pid: null };
  });
  const ends = Promise.allSettled(
    sessions.map(async (session, index) => {
      // A change of an account asks for a second connection while it waits.
      const db = stack.use(createDb(url, 2));
      hold(db, tracks[index]!);
      try {
        return await session(db);
      } finally {
        tracks[index]!.isDone = true;
      }
    }),
  );
  let order = '';
  for (;;) {
    for (const track of await settle(observer, tracks)) order += `${track.name}*`;
    const ready = tracks.filter(({ release }) => release);
    if (ready.length === 0) break;
    const next = random.pick(ready);
    order += next.name;
    next.release!();
  }
  return { ends: await ends, order };
}

/** Of a connection as Knex uses it. */
interface Connection {
  processID: number;
  query(statement: unknown, callback: Callback): void;
}

/** Keeps each statement of a pool until it is let go. */
function hold(db: Db, track: Track): void {
  const client = db.client as { acquireConnection(): Promise<Connection> };
  const acquire = client.acquireConnection.bind(client);
  client.acquireConnection = async () => {
    const connection = await acquire();
    if (!Object.hasOwn(connection, 'query')) connection.query = heldQuery(connection, track);
    return connection;
  };
}

function heldQuery(connection: Connection, track: Track): Connection['query'] {
  const query = connection.query.bind(connection);
  return (statement, callback) => {
    track.pid = connection.processID;
    const whenAnswered: Callback = (error, result) => {
      Object.assign(track, { isOut: false, isBlocked: false });
      callback(error, result);
    };
    track.release = () => {
      Object.assign(track, { release: null, isOut: true });
      query(statement, whenAnswered);
    };
  };
}

/**
 * Waits until each session is done, waits for its turn, or for a lock. Returns those that have come to wait for one.
 */
async function settle(observer: Db, tracks: readonly Track[]): Promise<Track[]> {
  const blocked: Track[] = [];
  const isOpen = ({ release, isDone, isBlocked }: Track): boolean => !release && !isDone && !isBlocked;
  for (const end = performance.now() + STANDSTILL_TIMEOUT_MS; ; await sleep(LOOK_MS)) {
    const pids = tracks.flatMap(({ isOut, pid }) => (isOut && pid !== null ? pid : []));
    if (pids.length > 0) {
      const rows = await query<{ pid: number }>(
        observer,
        `select pid from pg_stat_activity where pid = any(:pids::int[]) and wait_event_type = 'Lock'`,
        { pids },
      );
      const waiting = new Set(rows.map(({ pid }) => pid));
      for (const track of tracks.filter(({ isOut }) => isOut)) {
        const isBlocked = waiting.has(track.pid!);
        if (isBlocked && !track.isBlocked) blocked.push(track);
        track.isBlocked = isBlocked;
      }
    }
    const isSettled = !tracks.some(isOpen);
    // Where all that are left wait for locks, the server ends one of them: a deadlock.
    const canGoOn = tracks.some(({ release }) => release) || tracks.every(({ isDone }) => isDone);
    if (isSettled && canGoOn) return blocked;
    if (performance.now() > end) throw new Error(`the sessions stand still: ${JSON.stringify(tracks)}`);
  }
}
