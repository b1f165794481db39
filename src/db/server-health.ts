import { AppError } from '../errors.ts';
import type { DatabaseHost } from '../lib/database-url.ts';
import { createFailedWrites } from './failed-writes.ts';
import type { FailedWrites } from './failed-writes.ts';

/**
 * The server answers, and is not one that this service may work with. The message is a sentence that anybody may read.
 * Requests are answered with it: without the database not even their credential can be checked.
 */
export class ServerRefused extends AppError {
  constructor(message: string) {
    super('INTERNAL_ERROR', message);
  }
}

/** What all connections of a process know of their server together. */
export interface ServerHealth {
  /** Something was answered, if only by a refusal. */
  heard(): void;
  /** A question has waited for `ms` milliseconds in vain. */
  unanswered(ms: number): void;
  /** Milliseconds since the first of the questions of which none was answered; 0 when the last one was. */
  silentForMs(): number;
  /** Resolves with one sentence when no question has been answered for too long. */
  ended: Promise<string>;
  /** Why the newest connection was not kept; null when it was. */
  refusal(): string | null;
  /** Takes note of what became of a new connection: why it was refused, or null. */
  checked(refusal: ServerRefused | null): void;
  /** Ends all connections: the next ones will find out whether the server is the right one. */
  refuse(reason: ServerRefused): void;
  /** Keeps a connection for `refuse` to end, until the returned function is called. */
  add(end: (reason: Error) => void): () => void;
  /** Statements that the server has no room for, or whose files it cannot write. */
  writes: FailedWrites;
  /** Of several hosts the one that was the primary when a connection was opened last. */
  primary: DatabaseHost | null;
}

/** Longer than a failover with its election takes to answer again; then a new process is the better attempt. */
const MAX_SILENCE_MS = 30_000;

/** @param maxSilenceMs milliseconds without any answer after which the service is to end itself */
export function createServerHealth(maxSilenceMs = MAX_SILENCE_MS): ServerHealth {
  const connections = new Set<(reason: Error) => void>();
  let silentSince: number | null = null;
  let refusal: string | null = null;
  let end: (sentence: string) => void = () => undefined;
  const silentForMs = (): number => (silentSince === null ? 0 : performance.now() - silentSince);

  return {
    heard: () => {
      silentSince = null;
    },
    unanswered: (ms) => {
      // From the first question on, and not from the last answer: a process that was frozen has asked nothing.
      silentSince ??= performance.now() - ms;
      if (silentForMs() < maxSilenceMs) return;
      const seconds = Math.round(silentForMs() / 1_000);
      end(`The database has answered nothing for ${seconds} seconds: start again when it does`);
    },
    silentForMs,
    ended: new Promise((resolve) => {
      end = resolve;
    }),
    refusal: () => refusal,
    checked: (reason) => {
      refusal = reason && reason.message;
    },
    refuse: (reason) => {
      refusal = reason.message;
      for (const endConnection of connections) endConnection(reason);
    },
    add: (endConnection) => {
      connections.add(endConnection);
      return () => void connections.delete(endConnection);
    },
    writes: createFailedWrites(),
    primary: null,
  };
}
