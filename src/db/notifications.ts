import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import type { Logger } from '../telemetry/logger.ts';
import { connectionClass, keepAsking, withDefaults } from './connection.ts';
import type { ConnectionOptions } from './connection.ts';

/** The notifications between processes. They are only hints: a listener that must be sure also polls. */
const CHANNELS = [
  'mintmark_queued',
  'mintmark_settled',
  'mintmark_chain',
  'mintmark_look',
  'mintmark_probe',
] as const;
type Channel = (typeof CHANNELS)[number];

export interface Notifications {
  /** Calls `listener` with the payload of each notice. */
  on(channel: Channel, listener: (payload: string) => void): void;
  close(): Promise<void>;
}

/** What a start may ask as well. */
export interface ProbedNotifications extends Notifications, AsyncDisposable {
  /** Whether what `notify` sends to `mintmark_probe` gets here: not through a pooler that works by transaction. */
  arrives(notify: (payload: string) => Promise<unknown>): Promise<boolean>;
}

const RECONNECT_MS = 1_000;
/** A notification takes some milliseconds. Only behind a pooler it may never come. */
const ARRIVAL_MS = 4_000;
/** A server that is gone does not answer a farewell. */
const FAREWELL_MS = 1_000;

/**
 * LISTEN on a connection of its own, since PgBouncer in transaction mode does not support it. A lost connection is
 * opened again for ever; what was missed meanwhile is found by the once-a-second look of each listener.
 */
export async function createNotifications(
  url: string,
  log: Logger,
  options: Partial<ConnectionOptions> = {},
): Promise<ProbedNotifications> {
  const connection = connectionClass({ url, name: 'mintmark listen', ...withDefaults(options) });
  const listeners = new Map<string, ((payload: string) => void)[]>(CHANNELS.map((channel) => [channel, []]));
  let client: pg.Client | undefined;
  /** A pooler answers with a number of its own, and PostgreSQL with that of its process. */
  let isPooled = false;
  let closed = false;
  let timer: NodeJS.Timeout | undefined;

  const connect = async (): Promise<void> => {
    const next = new connection();
    let lost = false;
    const reconnect = (reason: string): void => {
      // The first connection fails the start; a later one is tried for ever.
      if (closed || lost || !client) return;
      lost = true;
      log.warn({ reason }, 'the listening database connection is lost, and will be opened again');
      timer = setTimeout(() => {
        connect().catch((error: unknown) =>
          log.debug({ error: String(error) }, 'cannot listen to the database yet'),
        );
      }, RECONNECT_MS);
    };
    next.on('notification', ({ channel, payload }) => {
      for (const listener of listeners.get(channel) ?? []) listener(payload ?? '');
    });
    let announced: number | null = null;
    next.connection.once('backendKeyData', ({ processID }: { processID: number }) => (announced = processID));
    next.on('error', (error) => reconnect(error.message));
    next.on('end', () => reconnect('the server ended it'));
    try {
      await next.connect();
      await next.query(CHANNELS.map((channel) => `listen ${channel}`).join('; '));
      const { rows } = await next.query<{ pid: number }>('select pg_backend_pid() as pid');
      isPooled = rows[0]?.pid !== announced;
      client = next;
      keepAsking(next);
    } catch (error) {
      reconnect(String(error));
      throw error;
    }
  };

  const close = async (): Promise<void> => {
    closed = true;
    clearTimeout(timer);
    await Promise.race([client?.end().catch(() => undefined), sleep(FAREWELL_MS, undefined, { ref: false })]);
  };

  const on = (channel: Channel, listener: (payload: string) => void): void => {
    listeners.get(channel)!.push(listener);
  };
  const arrives = async (notify: (payload: string) => Promise<unknown>): Promise<boolean> => {
    if (!isPooled) return true;
    const payload = randomUUID();
    const arrived = new Promise<boolean>((resolve) => {
      on('mintmark_probe', (heard) => {
        if (heard === payload) resolve(true);
      });
    });
    await notify(payload);
    return Promise.race([arrived, sleep(ARRIVAL_MS, false, { ref: false })]);
  };

  await connect();
  return {
    on,
    arrives,
    close,
    [Symbol.asyncDispose]: close,
  };
}
