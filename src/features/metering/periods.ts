// SQL of the periods that are running.

/** The month that is running, in UTC, whatever the session's time zone. */
export const MONTH = `date_trunc('month', now() at time zone 'utc')::date`;
/** Likewise the day. */
export const DAY = `(now() at time zone 'utc')::date`;
export const DAY_END = `(${DAY} + 1)::timestamp at time zone 'utc'`;
/** The running period of a row `m` with a meter. */
export const PERIOD = `case m.meter when 'gas' then ${DAY} else ${MONTH} end`;
