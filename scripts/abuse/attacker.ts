import { fork } from 'node:child_process';
import { once } from 'node:events';
import { constants, setPriority } from 'node:os';
import path from 'node:path';
import { END_WITH_PARENT } from '../../lab/stage/service-process.ts';

/** Connections that all do the same, each from an address of its own, over and over. */
export interface Flood {
  port: number;
  connections: number;
  forMs: number;
  /** From the end of one connection to the next in its place; 0 when not given. */
  pauseMs?: number;
  /** Request line and headers; `%address%` becomes the address of the connection. */
  head: string;
  body: string;
  /** Sends the body over and over, until the connection ends. */
  isEndless?: boolean;
}

/** What became of it. */
export interface Flooded {
  /**
   * Connections by the status of their answer; `none` when it ended without one, `open` when it was open at the end.
   */
  statuses: Record<string, number>;
  /** What most was sent over one connection. */
  maxBytes: number;
  /** Of all answers together. */
  receivedBytes: number;
  /** CPU seconds of the attacker. */
  cpuSeconds: number;
}

/** A process of its own, so that what attacking costs is told apart from what it does. */
interface Attacker extends AsyncDisposable {
  flood(flood: Flood): Promise<Flooded>;
}

export async function startAttacker(): Promise<Attacker> {
  const child = fork(path.join(import.meta.dirname, 'attacker-process.ts'), {
    execArgv: ['--import', END_WITH_PARENT],
  });
  // It stands for machines elsewhere, which take no processor time from the service.
  setPriority(child.pid!, constants.priority.PRIORITY_BELOW_NORMAL);
  const exit = once(child, 'exit');
  const ended = exit.then(() => {
    throw new Error('the attacker has ended');
  });
  // When it is expected to.
  ended.catch(() => undefined);
  const listen = async (): Promise<unknown> => (await Promise.race([once(child, 'message'), ended]))[0];
  await listen();
  return {
    flood: async (flood) => {
      const flooded = listen();
      child.send(flood);
      return (await flooded) as Flooded;
    },
    [Symbol.asyncDispose]: async () => {
      child.kill();
      await exit;
    },
  };
}

/** One address of all connections of a flood, which are those of one machine then. */
export const ONE_ADDRESS = '198.19.255.255';

/**
 * The head of a request with a JSON body of so many bytes; its connection ends with the answer.
 * @param from the address of each connection, unless it is one of all
 */
export const headOf = (
  route: string,
  {
    bytes = 0,
    headers = {},
    from = '%address%',
  }: { bytes?: number; headers?: Record<string, string>; from?: string } = {},
): string =>
  [
    `${route} HTTP/1.1`,
    'Host: mint.example',
    `X-Forwarded-For: ${from}`,
    'Connection: close',
    ...(bytes > 0 ? ['Content-Type: application/json', `Content-Length: ${bytes}`] : []),
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    '\r\n',
  ].join('\r\n');
