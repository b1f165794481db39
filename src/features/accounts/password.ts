import { availableParallelism } from 'node:os';
import { hash, verify } from '@node-rs/argon2';
import { AppError } from '../../errors.ts';
import { emailKey } from '../../lib/email.ts';
import { createFairQueue } from '../../lib/fair-queue.ts';
import { normalizePassword } from './password-rules.ts';

/** What one hash costs. */
export interface HashCost {
  /** KiB. */
  memoryCost: number;
  /** Passes. */
  timeCost: number;
}

/** OWASP's argon2id minimum for interactive logins: 19 MiB, two passes, one lane. */
export const HASH_COST: HashCost = { memoryCost: 19_456, timeCost: 2 };
/** Algorithm 2 is argon2id. */
const OPTIONS = { algorithm: 2, parallelism: 1 };
/** Half of the cores at most: hashing keeps each one busy, and the rest of the service needs some too. */
const MAX_AT_A_TIME = Math.max(1, availableParallelism() >> 1);
/** Whoever would wait longer than this queue takes, some seconds, is asked to come back. */
const MAX_WAITING = 256;
/** Of one address: those who share it wait for each other, and nobody else for them. */
const MAX_WAITING_PER_ADDRESS = 128;
const MAX_PER_ACCOUNT = 16;

/** Who makes the work. */
interface HashedFor {
  /** As it was typed. */
  email: string;
  /** What the client's address is counted as. */
  network: string;
}

/** Hashes passwords for requests, addresses in turn. Each @throws AppError RATE_LIMITED when too many wait. */
export interface Passwords {
  /** argon2id in PHC string format. */
  hash(password: string, by: HashedFor): Promise<string>;
  /**
   * Whether the password fits. Without a hash (an unknown e-mail) the same work is done, so that the time is the same.
   */
  verify(passwordHash: string | undefined, password: string, by: HashedFor): Promise<boolean>;
}

/** argon2id in PHC string format, at once. */
export function hashPassword(password: string, cost = HASH_COST): Promise<string> {
  return hash(normalizePassword(password), { ...OPTIONS, ...cost });
}

export function createPasswords(cost = HASH_COST): Passwords {
  const inTurn = createFairQueue({
    atATime: MAX_AT_A_TIME,
    inAll: MAX_WAITING,
    perLine: MAX_WAITING_PER_ADDRESS,
    perOwner: MAX_PER_ACCOUNT,
    refusal: () =>
      new AppError('RATE_LIMITED', 'Too many sign in at the moment. Try again in 5 seconds.', {
        retryAfterSeconds: 5,
      }),
  });
  const placeOf = ({ email, network }: HashedFor) => ({ line: network, owner: emailKey(email) });
  let dummy: Promise<string> | undefined;
  return {
    hash: (password, by) => inTurn(placeOf(by), () => hashPassword(password, cost)),
    verify: async (passwordHash, password, by) => {
      dummy ??= hashPassword('a password that nobody has', cost);
      const against = passwordHash ?? (await dummy);
      const fits = await inTurn(placeOf(by), () => verify(against, normalizePassword(password)));
      return fits && passwordHash !== undefined;
    },
  };
}
