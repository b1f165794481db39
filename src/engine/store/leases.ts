/*
 * Leases, of a signer's lane and of the reader of the chain, are by the clock of the database alone: rows with
 * `lease_until`, and with `lease_ms`, the length that the lease was given.
 */

/** SQL: whether a lease ends later than any that was given since: the clock of the database was set back. */
const isOfLaterClock = (row: string): string =>
  `${row}.lease_until > now() + 2 * ${row}.lease_ms * interval '1 millisecond'`;

/**
 * SQL: whether a process has the lease of a row. One of a clock that was set back has ended: nobody knows when it was
 * given.
 */
export const isLeased = (row: string): string =>
  `(${row}.lease_until > now() and not ${isOfLaterClock(row)})`;

/** SQL: whether nobody has had the lease of a row for the length of one: who lost it would have taken it again. */
export const isAbandoned = (row: string): string =>
  `(${row}.lease_until < now() - ${row}.lease_ms * interval '1 millisecond' or ${isOfLaterClock(row)})`;

/** SQL of an update that gives a lease of `:leaseMs`. */
export const LEASE = `lease_until = now() + :leaseMs::int * interval '1 millisecond', lease_ms = :leaseMs::int`;

/** SQL: a lease that ends now. What has ended stays as it is: when somebody had it the last time is asked later. */
export const ENDED = 'least(lease_until, now())';
