import { createHash } from 'node:crypto';
import { RateLimiterPostgres, RateLimiterRes } from 'rate-limiter-flexible';
import { query } from '../../db/client.ts';
import type { Db } from '../../db/client.ts';
import { tooManyRequests } from '../../http/rate-limit.ts';

/** Failures in an hour, counted over all replicas. */
export interface LoginLimits {
  perAccount: number;
  perAddress: number;
}

/** Stops the guessing of passwords. */
export interface LoginThrottle {
  /**
   * Counts an attempt before any password is checked, so that parallel guesses are all counted.
   * @param email as the account has it, or as it was typed when there is no such account: both count alike
   * @param network what the client's address is counted as
   * @throws AppError RATE_LIMITED
   */
  attempt(email: string, network: string): Promise<void>;
  /** The attempt was right: it no longer counts, and the account starts afresh. */
  succeed(email: string, network: string): Promise<void>;
}

const WINDOW_SECONDS = 3_600;
const TABLE = 'login_attempts';

/** Only a hash is stored: somebody may have typed the password into the field of the e-mail. */
function keyOf(value: string): string {
  return createHash('sha256').update(value.toLowerCase()).digest('base64url');
}

/**
 * What rate-limiter-flexible needs of a connection. Its statements are run like all others, without the names that
 * it gives them: behind PgBouncer a prepared statement would not be found again.
 */
function createClient(db: Db) {
  return {
    query: async ({ text, values }: { text: string; values: (string | number | null)[] }): Promise<unknown> =>
      db.raw(
        text.replaceAll(/\$(\d+)/g, ':v$1'),
        Object.fromEntries(values.map((value, index) => [`v${index + 1}`, value])) as Record<string, string>,
      ),
  };
}

/** Makes the throttle; what it counts is in the database, so that replicas share it. */
export function createLoginThrottle(db: Db, limits: LoginLimits): LoginThrottle {
  const createLimiter = (keyPrefix: string, points: number) =>
    new RateLimiterPostgres({
      storeClient: createClient(db),
      storeType: 'client',
      tableName: TABLE,
      tableCreated: true,
      clearExpiredByTimeout: false,
      keyPrefix,
      points,
      duration: WINDOW_SECONDS,
    });
  const accounts = createLimiter('account', limits.perAccount);
  const addresses = createLimiter('address', limits.perAddress);

  const count = async (limiter: RateLimiterPostgres, key: string, message: string): Promise<void> => {
    try {
      await limiter.consume(key);
    } catch (refused) {
      if (!(refused instanceof RateLimiterRes)) throw refused;
      throw tooManyRequests(message, refused.msBeforeNext);
    }
  };

  return {
    attempt: async (email, network) => {
      await count(addresses, keyOf(network), 'Too many wrong passwords came from this address.');
      await count(accounts, keyOf(email), 'Too many wrong passwords were tried for this account.');
    },
    succeed: async (email, network) => {
      await accounts.delete(keyOf(email));
      await addresses.reward(keyOf(network));
    },
  };
}

/** Deletes up to `limit` counts whose hour is over. Returns how many there were. */
export async function deleteOldAttempts(db: Db, limit: number): Promise<number> {
  const rows = await query(
    db,
    `delete from ${TABLE} where key = any(array(
       select key from ${TABLE} where expire < extract(epoch from now()) * 1000
        order by expire limit :limit for update skip locked)) returning 1`,
    { limit },
  );
  return rows.length;
}
