import { createHash } from 'node:crypto';
import { RateLimiterMemory, RateLimiterPostgres } from 'rate-limiter-flexible';
import { query } from '../../db/client.ts';
import type { Db } from '../../db/client.ts';
import { consumePoint } from '../../http/rate-limit.ts';
import { emailKey } from '../../lib/email.ts';

interface LoginLimits {
  /** Wrong passwords in an hour, counted over all replicas. */
  failures: PerWhom;
  /** Passwords in a minute, right ones too, counted in this replica, whose processor they cost. */
  passwords: PerWhom;
}

interface PerWhom {
  perAccount: number;
  perAddress: number;
}

/** Stops the guessing of passwords, and bounds how many are hashed. */
export interface LoginThrottle {
  /**
   * Counts a password that came for no account yet, whatever becomes of it.
   * @param network what the client's address is counted as
   * @throws AppError RATE_LIMITED
   */
  count(network: string): Promise<void>;
  /**
   * Checks a password, and counts it before, so that parallel guesses are all counted. A right one is no failure, and
   * the failures of its account start afresh. The address is asked before the account, and a try that is not checked
   * counts for its own address alone: whoever is refused locks nobody else out.
   * @throws AppError RATE_LIMITED, and what `check` throws
   */
  attempt(by: Tried, check: () => Promise<boolean>): Promise<boolean>;
}

/** Whose password was tried, and from where. */
interface Tried {
  /** As the account has it, or as it was typed when there is no such account: both count alike. */
  email: string;
  /** What the client's address is counted as. */
  network: string;
}

const FAILURES_SECONDS = 3_600;
const PASSWORDS_SECONDS = 60;
const TABLE = 'login_attempts';

/** Only a hash is stored: somebody may have typed the password into the field of the e-mail. */
function keyOf(value: string): string {
  return createHash('sha256').update(emailKey(value)).digest('base64url');
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

/** Makes the throttle. Failures are counted in the database, so that replicas share them. */
export function createLoginThrottle(db: Db, { failures, passwords }: LoginLimits): LoginThrottle {
  const createLimiter = (keyPrefix: string, points: number) =>
    new RateLimiterPostgres({
      storeClient: createClient(db),
      storeType: 'client',
      tableName: TABLE,
      tableCreated: true,
      clearExpiredByTimeout: false,
      keyPrefix,
      points,
      duration: FAILURES_SECONDS,
    });
  const accounts = createLimiter('account', failures.perAccount);
  const addresses = createLimiter('address', failures.perAddress);
  const inMinute = (points: number) => new RateLimiterMemory({ points, duration: PASSWORDS_SECONDS });
  const busyAccounts = inMinute(passwords.perAccount);
  const busyAddresses = inMinute(passwords.perAddress);

  const countAddress = (address: string): Promise<void> =>
    consumePoint(busyAddresses, address, 'Too many passwords came from this address.');

  return {
    count: (network) => countAddress(keyOf(network)),
    attempt: async ({ email, network }, check) => {
      const [account, address] = [keyOf(email), keyOf(network)];
      await countAddress(address);
      await consumePoint(addresses, address, 'Too many wrong passwords came from this address.');
      // What takes back each count, should the password not be checked after all.
      const counted = [() => addresses.reward(address)];
      try {
        await consumePoint(busyAccounts, account, 'Too many passwords were sent for this account.');
        counted.push(() => busyAccounts.reward(account));
        await consumePoint(accounts, account, 'Too many wrong passwords were tried for this account.');
        counted.push(() => accounts.reward(account));
        const fits = await check();
        if (fits) await Promise.all([accounts.delete(account), addresses.reward(address)]);
        return fits;
      } catch (error) {
        await Promise.all(counted.map((takeBack) => takeBack()));
        throw error;
      }
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
