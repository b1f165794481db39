/*
 * Lets the wall clock of this process jump; monotonic time and timers go on as they are, as on a machine whose clock is
 * set. Preloaded (`node --import`), it reads at each SIGUSR2 from the file FAKE_CLOCK_FILE by how many milliseconds.
 */
import { readFileSync } from 'node:fs';

const realDate = Date;
let shiftMs = 0;

const now = (): number => realDate.now() + shiftMs;

globalThis.Date = new Proxy(realDate, {
  construct: (date, parts, made) => Reflect.construct(date, parts.length > 0 ? parts : [now()], made) as Date,
  get: (date, name) => (name === 'now' ? now : (Reflect.get(date, name) as unknown)),
});

/** From now on the clock shows the true time and so many milliseconds, which may be negative. */
export function shiftClock(ms: number): void {
  shiftMs = ms;
}

const { FAKE_CLOCK_FILE } = process.env;
if (FAKE_CLOCK_FILE !== undefined)
  process.on('SIGUSR2', () => shiftClock(Number(readFileSync(FAKE_CLOCK_FILE, 'utf8'))));
