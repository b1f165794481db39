import { availableParallelism } from 'node:os';
import { hash, verify } from '@node-rs/argon2';
import { AppError } from '../../errors.ts';

/** OWASP's argon2id minimum for interactive logins: 19 MiB, two passes, one lane. Algorithm 2 is argon2id. */
const OPTIONS = { algorithm: 2, memoryCost: 19_456, timeCost: 2, parallelism: 1 };
/** Half of the cores at most: hashing keeps each one busy, and the rest of the service needs some too. */
const MAX_AT_A_TIME = Math.max(1, availableParallelism() >> 1);
/** Whoever would wait longer than this queue takes, some seconds, is asked to come back. */
const MAX_WAITING = 256;

let running = 0;
const waiting: (() => void)[] = [];

async function limited<Result>(work: () => Promise<Result>): Promise<Result> {
  if (waiting.length >= MAX_WAITING) {
    throw new AppError('RATE_LIMITED', 'Too many sign in at the moment. Try again in 5 seconds.', {
      retryAfterSeconds: 5,
    });
  }
  if (running >= MAX_AT_A_TIME) await new Promise<void>((resolve) => waiting.push(resolve));
  running += 1;
  try {
    return await work();
  } finally {
    running -= 1;
    waiting.shift()?.();
  }
}

/** argon2id in PHC string format. @throws AppError RATE_LIMITED when too many are hashed at once. */
export function hashPassword(password: string): Promise<string> {
  return limited(() => hash(password, OPTIONS));
}

let dummy: Promise<string> | undefined;

/**
 * Whether the password fits. Without a hash (an unknown e-mail) the same work is done, so that the time is the same.
 * @throws AppError RATE_LIMITED likewise.
 */
export async function verifyPassword(passwordHash: string | undefined, password: string): Promise<boolean> {
  dummy ??= hashPassword('a password that nobody has');
  const against = passwordHash ?? (await dummy);
  const fits = await limited(() => verify(against, password));
  return fits && passwordHash !== undefined;
}
