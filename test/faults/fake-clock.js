/*
 * Preloaded (`node --import`), it lets the wall clock of the process jump: at each SIGUSR2 it reads from the file
 * FAKE_CLOCK_FILE by how many milliseconds. Monotonic time and timers go on as they are, as on a machine whose clock is set.
 */
import { readFileSync } from 'node:fs';

const RealDate = Date;
let shiftMs = 0;

globalThis.Date = class extends RealDate {
  constructor(...parts) {
    super(...(parts.length > 0 ? parts : [RealDate.now() + shiftMs]));
  }
  static now() {
    return RealDate.now() + shiftMs;
  }
};

process.on('SIGUSR2', () => {
  shiftMs = Number(readFileSync(process.env.FAKE_CLOCK_FILE, 'utf8'));
});
