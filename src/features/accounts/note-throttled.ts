import { RateLimiterMemory } from 'rate-limiter-flexible';
import { recordAudit } from '../../db/audit.ts';
import type { Db } from '../../db/client.ts';
import { AppError } from '../../errors.ts';
import type { Origin } from '../../lib/write-options.ts';

/** A password that somebody sent. */
interface Try {
  /** Null for an e-mail without an account. */
  accountId: string | null;
  /** What the client's address is counted as. */
  network: string;
  origin: Origin;
  /** What it was sent for. */
  kind: string;
}

/** Has work done for a try, and notes in the audit log that it was throttled. @throws what the work throws */
export type NoteThrottled = <Result>(tried: Try, work: () => Promise<Result>) => Promise<Result>;

const NOTE_SECONDS = 60;

/** One entry a minute for each account, or address without one: who is throttled must not be able to fill the log. */
export function createNoteThrottled(db: Db): NoteThrottled {
  const noted = new RateLimiterMemory({ points: 1, duration: NOTE_SECONDS });
  return async ({ accountId, network, origin, kind }, work) => {
    try {
      return await work();
    } catch (error) {
      const isThrottled = error instanceof AppError && error.code === 'RATE_LIMITED';
      const isDue = isThrottled && (await noted.consume(accountId ?? network).catch(() => null)) !== null;
      if (isDue) {
        const action = 'password_throttled';
        await recordAudit(db, [{ action, actor: 'stranger', accountId, origin, details: { kind } }]);
      }
      throw error;
    }
  };
}
